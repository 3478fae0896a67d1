// SPDX-License-Identifier: BSD-3-Clause
// One file a fault: each must be refused with the right code, at the right place, for the right reason.
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

struct bad_file {
  const char* name;
  errc code;
  int line;
  int column;
  const char* reason;
};

// clang-format off
constexpr bad_file bad_files[] = {
    {"empty", errc::parse_error, 1, 1, "the file is empty"},
    {"banner_missing", errc::parse_error, 1, 1, "expected the banner '%%MatrixMarket', not '2'"},
    {"banner_after_blank_line", errc::parse_error, 1, 1, "the first line is blank: expected the banner '%%MatrixMarket'"},
    {"banner_three_percent", errc::parse_error, 1, 1, "not '%%%MatrixMarket'"},
    {"banner_space_inside", errc::parse_error, 1, 1, "not '%%'"},
    {"banner_is_a_comment", errc::parse_error, 1, 1, "not '%'"},
    {"banner_only_first_word", errc::parse_error, 1, 15, "the banner ends before the object"},
    {"banner_without_field", errc::parse_error, 1, 33, "the banner ends before the field"},
    {"object_unknown", errc::parse_error, 1, 16, "unknown object 'tensor'"},
    {"object_vector", errc::parse_error, 1, 16, "unknown object 'vector'"},
    {"format_unknown", errc::parse_error, 1, 23, "unknown format 'dense'"},
    {"field_unknown", errc::parse_error, 1, 34, "unknown field 'quaternion'"},
    {"symmetry_unknown", errc::parse_error, 1, 39, "unknown symmetry 'triangular'"},
    {"field_complex", errc::unsupported, 1, 34, "complex matrices are not supported"},
    {"field_complex_array", errc::unsupported, 1, 29, "complex matrices are not supported"},
    {"field_complex_hermitian", errc::unsupported, 1, 34, "complex matrices are not supported"},
    {"pattern_array", errc::parse_error, 1, 29, "an array file cannot be a pattern"},
    {"pattern_skew", errc::parse_error, 1, 42, "a pattern cannot be skew-symmetric"},
    {"size_line_missing", errc::parse_error, 3, 1, "the file ends before the size line"},
    {"size_line_missing_after_banner", errc::parse_error, 2, 1, "the file ends before the size line"},
    {"size_one_number", errc::parse_error, 2, 2, "the size line ends before the number of columns"},
    {"size_two_numbers", errc::parse_error, 2, 4, "the size line ends before the number of entries"},
    {"size_four_numbers", errc::parse_error, 2, 7, "unexpected '7' after the sizes"},
    {"size_array_three_numbers", errc::parse_error, 2, 5, "unexpected '1' after the sizes"},
    {"size_not_a_number", errc::parse_error, 2, 3, "the number of columns is not an integer: 'three'"},
    {"size_fractional", errc::parse_error, 2, 3, "the number of columns is not an integer: '3.5'"},
    {"rows_negative", errc::parse_error, 3, 1, "the number of rows is negative: '-3'"},
    {"columns_negative", errc::parse_error, 2, 3, "the number of columns is negative: '-3'"},
    {"entries_negative", errc::parse_error, 2, 5, "the number of entries is negative: '-1'"},
    {"rows_over_int32", errc::unsupported, 2, 1, "2147483648 rows: more than 2^31 - 1 are not supported"},
    {"columns_over_int32", errc::unsupported, 2, 3, "4294967297 columns: more than 2^31 - 1"},
    {"rows_over_int64", errc::parse_error, 2, 1, "the number of rows does not fit in 64 bits"},
    {"entries_over_int64", errc::parse_error, 2, 5, "the number of entries does not fit in 64 bits"},
    {"entries_huge", errc::parse_error, 4, 1, "fewer entries than promised: 1 of 9223372036854775807"},
    {"entries_huge_symmetric", errc::parse_error, 4, 1, "fewer entries than promised: 1 of 9223372036854775807"},
    {"entries_huge_without_body", errc::parse_error, 3, 1, "fewer entries than promised: 0 of 4000000000000"},
    {"array_huge", errc::parse_error, 4, 1, "fewer entries than promised: 1 of 4611686014132420609"},
    {"array_huge_symmetric", errc::parse_error, 4, 1, "fewer entries than promised: 1 of 2305843008139952128"},
    {"symmetric_rectangular", errc::parse_error, 2, 3, "a symmetric matrix must be square, not 3 x 4"},
    {"skew_rectangular", errc::parse_error, 2, 3, "a skew-symmetric matrix must be square, not 4 x 3"},
    {"entries_too_few", errc::parse_error, 5, 1, "fewer entries than promised: 2 of 3"},
    {"entries_too_few_without_newline", errc::parse_error, 4, 6, "fewer entries than promised: 2 of 3"},
    {"entries_too_many", errc::parse_error, 5, 1, "more entries than promised: 2"},
    {"entries_too_many_after_blanks", errc::parse_error, 6, 3, "more entries than promised: 1"},
    {"entries_too_many_of_none", errc::parse_error, 3, 1, "more entries than promised: 0"},
    {"entries_too_many_then_junk", errc::parse_error, 4, 1, "more entries than promised: 1"},
    {"row_zero", errc::parse_error, 3, 1, "the row index '0' is less than 1"},
    {"row_negative", errc::parse_error, 3, 1, "the row index '-1' is less than 1"},
    {"row_past_end", errc::parse_error, 3, 1, "the row index '4' is past the last row, 3"},
    {"row_past_end_by_2_64", errc::parse_error, 3, 1, "is past the last row, 3"},
    {"row_fractional", errc::parse_error, 3, 1, "the row index is not an integer: '1.0'"},
    {"row_not_a_number", errc::parse_error, 3, 1, "the row index is not an integer: 'x'"},
    {"row_in_hexadecimal", errc::parse_error, 3, 1, "the row index is not an integer: '0x1'"},
    {"column_zero", errc::parse_error, 4, 3, "the column index '0' is less than 1"},
    {"column_negative", errc::parse_error, 3, 3, "the column index '-2' is less than 1"},
    {"column_past_end", errc::parse_error, 3, 3, "the column index '4' is past the last column, 3"},
    {"column_past_end_by_2_32", errc::parse_error, 3, 3, "is past the last column, 3"},
    {"column_fractional", errc::parse_error, 3, 3, "the column index is not an integer: '1.5'"},
    {"column_missing", errc::parse_error, 3, 2, "the column index is missing"},
    {"column_missing_at_end", errc::parse_error, 3, 3, "the column index is missing"},
    {"value_missing", errc::parse_error, 3, 4, "the value is missing"},
    {"value_missing_crlf", errc::parse_error, 3, 5, "the value is missing"},
    {"value_not_a_number", errc::parse_error, 3, 5, "the value is not a number: 'one'"},
    {"value_partly_a_number", errc::parse_error, 3, 5, "the value is not a number: '1.5.2'"},
    {"value_two_signs", errc::parse_error, 3, 5, "the value is not a number: '+-1'"},
    {"value_exponent_missing", errc::parse_error, 3, 5, "the value is not a number: '1e'"},
    {"value_fortran_exponent_missing", errc::parse_error, 3, 5, "the value is not a number: '1d+'"},
    {"value_decimal_comma", errc::parse_error, 3, 5, "the value is not a number: '1,5'"},
    {"value_in_hexadecimal", errc::parse_error, 3, 5, "the value is not a number: '0x1p3'"},
    {"value_percent", errc::parse_error, 3, 5, "the value is not a number: '50%'"},
    {"value_touches_index", errc::parse_error, 3, 3, "the column index is not an integer: '1-7'"},
    {"value_fortran_without_letter", errc::parse_error, 3, 5, "the value is not a number: '1.5+103'"},
    {"value_underscore", errc::parse_error, 3, 5, "the value is not a number: '1_000'"},
    {"value_too_large", errc::parse_error, 3, 5, "the value is out of range for f64: '1e999'"},
    {"value_too_large_negative", errc::parse_error, 3, 5, "the value is out of range for f64: '-1e999'"},
    {"value_too_large_fortran", errc::parse_error, 3, 5, "the value is out of range for f64: '1D999'"},
    {"value_complex", errc::parse_error, 3, 7, "unexpected '0' after the entry"},
    {"integer_fraction", errc::parse_error, 3, 5, "the value is not an integer: '1.5'"},
    {"integer_fraction_after_zero", errc::parse_error, 3, 5, "the value is not an integer: '2.05'"},
    {"integer_exponent", errc::parse_error, 3, 5, "the value is not an integer: '1e3'"},
    {"integer_missing", errc::parse_error, 3, 4, "the value is missing"},
    {"integer_infinite", errc::parse_error, 3, 5, "the value is not an integer: 'inf'"},
    {"integer_sign_alone", errc::parse_error, 3, 5, "the value is not an integer: '-'"},
    {"pattern_with_value", errc::parse_error, 3, 5, "unexpected '1' after the entry: the banner promises a pattern, without values"},
    {"junk_after_entry", errc::parse_error, 3, 7, "unexpected 'junk' after the entry"},
    {"form_feed_in_entry", errc::parse_error, 3, 1, "the row index is not an integer: '1\\x0c1'"},
    {"entry_of_no_rows", errc::parse_error, 3, 1, "the row index '1' is past the last row, 0"},
    {"two_entries_on_one_line", errc::parse_error, 3, 7, "unexpected '2' after the entry"},
    {"symmetric_both_triangles", errc::parse_error, 5, 1, "entry (1, 2) of a symmetric matrix is given in both triangles: line 4 has (2, 1)"},
    {"symmetric_both_triangles_upper_first", errc::parse_error, 5, 1, "entry (3, 1) of a symmetric matrix is given in both triangles: line 4 has (1, 3)"},
    {"symmetric_both_triangles_pattern", errc::parse_error, 5, 2, "entry (2, 3) of a symmetric matrix is given in both triangles: line 3 has (3, 2)"},
    {"symmetric_both_triangles_then_fault", errc::parse_error, 4, 1, "given in both triangles"},
    {"symmetric_fault_then_both_triangles", errc::parse_error, 4, 5, "the value is not a number: 'x'"},
    {"symmetric_both_triangles_too_few", errc::parse_error, 4, 1, "given in both triangles"},
    {"skew_both_triangles", errc::parse_error, 4, 1, "entry (1, 2) of a skew-symmetric matrix is given in both triangles: line 3 has (2, 1)"},
    {"skew_diagonal", errc::parse_error, 4, 6, "the diagonal of a skew-symmetric matrix must be zero: '5'"},
    {"skew_diagonal_nan", errc::parse_error, 3, 5, "the diagonal of a skew-symmetric matrix must be zero: 'nan'"},
    {"array_too_short", errc::parse_error, 6, 1, "fewer entries than promised: 3 of 4"},
    {"array_short_symmetric", errc::parse_error, 5, 1, "fewer entries than promised: 2 of 3"},
    {"array_too_long", errc::parse_error, 7, 1, "more entries than promised: 4"},
    {"array_two_values_on_a_line", errc::parse_error, 3, 3, "unexpected '2' after the value: an array file has one on a line"},
    {"array_value_not_a_number", errc::parse_error, 4, 3, "the value is not a number: 'two'"},
    {"array_integer_fraction", errc::parse_error, 3, 1, "the value is not an integer: '1.5'"},
    {"array_symmetric_whole_square", errc::parse_error, 6, 1, "more entries than promised: 3 (a symmetric array has one triangle)"},
    {"array_skew_with_diagonal", errc::parse_error, 4, 1, "more entries than promised: 1 (a skew-symmetric array has no diagonal)"},
    {"array_value_too_many_skew", errc::parse_error, 6, 1, "more entries than promised: 3 (a skew-symmetric array has no diagonal)"},
    {"nul_in_value", errc::parse_error, 3, 5, "the value is not a number: '1\\x00'"},
    {"nul_in_size_line", errc::parse_error, 2, 1, "the number of rows is not an integer: '3\\x00'"},
    {"nul_bytes_after_header", errc::parse_error, 3, 1, "the row index is not an integer: '\\x00"},
    {"random_bytes", errc::parse_error, 1, 1, "expected the banner"},
    {"random_bytes_after_header", errc::parse_error, 3, 1, "the row index is not an integer: '\\xff\\xfe"},
    {"utf16", errc::unsupported, 1, 1, "this is text in UTF-16: convert it with iconv"},
    {"harwell_boeing", errc::unsupported, 1, 1, "this is a Harwell-Boeing or Rutherford-Boeing file"},
    {"old_mac_line_ends", errc::parse_error, 2, 1, "the file ends before the size line: lines end in CR (old Mac OS); convert them with tr '\\r' '\\n'"},
    {"two_faults_first_wins", errc::parse_error, 4, 3, "the column index is not an integer: 'x'"},
    {"fault_on_last_line_without_newline", errc::parse_error, 4, 5, "the value is not a number: '1x'"},
};
// clang-format on

std::filesystem::path path_of(const bad_file& bad) {
  return data_folder() / "invalid" / (std::string(bad.name) + ".mtx");
}

TEST(invalid_file, every_file_in_the_folder_is_in_the_table) {
  std::set<std::string> listed;
  for (const bad_file& bad : bad_files) listed.insert(std::string(bad.name) + ".mtx");
  EXPECT_EQ(listed.size(), std::size(bad_files)) << "a name stands twice";
  EXPECT_EQ(names_in(data_folder() / "invalid"), listed);
}

class invalid_file : public testing::TestWithParam<bad_file> {};

TEST_P(invalid_file, is_refused_with_its_place_and_reason) {
  const bad_file& bad = GetParam();
  const auto file = path_of(bad);
  const auto got = error_of([&] { read_matrix_market<double>(file); });
  ASSERT_TRUE(got) << "it was read";
  EXPECT_EQ(got->code, bad.code) << *got;
  const std::string place =
      file.string() + ":" + std::to_string(bad.line) + ":" + std::to_string(bad.column) + ": ";
  EXPECT_EQ(got->message.substr(0, place.size()), place) << *got;
  EXPECT_NE(got->message.find(bad.reason), std::string::npos) << *got;
  EXPECT_EQ(got->message.find_first_of("\n\r"), std::string::npos) << "more than one line";
}

TEST_P(invalid_file, gives_one_message_however_it_is_cut) {
  const auto file = path_of(GetParam());
  const auto expected = error_of([&] { read_matrix_market<double>(file); });
  for (const read_options& way : all_ways())
    EXPECT_EQ(error_of([&] { read_matrix_market<double>(file, way); }), expected) << name_of(way);
}

TEST_P(invalid_file, gives_the_same_message_from_memory_and_from_gzip) {
  const auto file = path_of(GetParam());
  const std::string text = slurp(file);
  const scratch_folder folder;
  const auto packed = folder / "packed.mtx.gz";
  spill(packed, gzip(text));
  auto expected = error_of([&] { read_matrix_market<double>(file); });
  ASSERT_TRUE(expected);
  const std::string reason = expected->message.substr(file.string().size());
  for (const read_options& way : all_ways()) {
    EXPECT_EQ(error_of([&] { parse_matrix_market<double>(text, "memory", way); }),
              (caught_error{expected->code, "memory" + reason}))
        << name_of(way);
    EXPECT_EQ(error_of([&] { read_matrix_market<double>(packed, way); }),
              (caught_error{expected->code, packed.string() + reason}))
        << name_of(way);
  }
}

INSTANTIATE_TEST_SUITE_P(io, invalid_file, testing::ValuesIn(bad_files),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(invalid_value, is_out_of_range_for_the_type_that_is_read) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e39\n";
  EXPECT_EQ(parse_matrix_market<double>(text, "x").matrix.val[0], 1e39);
  const auto got = error_of([&] { parse_matrix_market<float>(text, "x"); });
  ASSERT_TRUE(got);
  EXPECT_EQ(got->message, "x:3:5: the value is out of range for f32: '1e39'");
}

TEST(invalid_value, is_shown_shortened) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + std::string(1000, 'x') + "\n";
  const auto got = error_of([&] { parse_matrix_market<double>(text, "f"); });
  ASSERT_TRUE(got);
  EXPECT_EQ(got->message, "f:3:5: the value is not a number: '" + std::string(40, 'x') + "...'");
}

// Far enough behind for several chunks, and with a later fault that a quicker thread would meet first.
TEST(first_error, is_the_first_in_the_file_for_any_number_of_threads) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n9 9 200000\n";
  for (int k = 0; k < 200000; ++k) {
    if (k == 150000)
      text += "1 1 first\n";
    else if (k > 150000 && k % 1000 == 0)
      text += "0 0 later\n";
    else
      text += "1 2 3.5\n";
  }
  for (const int threads : {1, 2, 4, 7}) {
    for (const std::int64_t bytes : {0, 1000, 100000}) {
      const auto got = error_of([&] {
        parse_matrix_market<double>(text, "f", {.threads = threads, .chunk_bytes = bytes, .progress = {}});
      });
      ASSERT_TRUE(got);
      EXPECT_EQ(got->message, "f:150003:5: the value is not a number: 'first'");
    }
  }
}

TEST(overlong_line, is_refused_wherever_the_chunks_are_cut) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n1 1 1\n";
  const std::string comment(std::size_t{1} << 24, '%');
  for (const std::int64_t bytes : {0, 1, 1 << 22, 1 << 28}) {
    const read_options way{.threads = 2, .chunk_bytes = bytes, .progress = {}};
    EXPECT_EQ(parse_matrix_market<double>(head + comment + "\n1 1 1\n", "f", way).matrix.nnz(), 1);
    EXPECT_EQ(error_of([&] { parse_matrix_market<double>(head + comment + "%\n1 1 1\n", "f", way); }),
              (caught_error{errc::parse_error, "f:3:16777217: the line is longer than 16 MiB"}));
  }
  EXPECT_EQ(error_of([&] { parse_matrix_market<double>(head.substr(0, 46) + comment + "%", "f"); }),
            (caught_error{errc::parse_error, "f:2:16777217: the line is longer than 16 MiB"}));
}

TEST(bad_options, are_refused) {
  const auto code_of = [](const read_options& o) {
    return error_of([&] { parse_matrix_market<float>("", "f", o); });
  };
  EXPECT_EQ(code_of({.threads = -1, .chunk_bytes = 0, .progress = {}})->code, errc::invalid_argument);
  EXPECT_EQ(code_of({.threads = 0, .chunk_bytes = -1, .progress = {}})->code, errc::invalid_argument);
}

TEST(unreadable_file, names_file_and_reason) {
  const scratch_folder folder;
  const auto missing = folder / "missing.mtx";
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(missing); }),
            (caught_error{errc::io_error, missing.string() + ": cannot open: No such file or directory"}));
  EXPECT_EQ(error_of([&] { read_vector<double>(missing); })->code, errc::io_error);
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(folder.path()); }),
            (caught_error{errc::io_error, folder.path().string() + ": cannot read: Is a directory"}));
  const auto below_a_file = data_folder() / "valid" / "plain.mtx" / "x";
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(below_a_file); }),
            (caught_error{errc::io_error, below_a_file.string() + ": cannot open: Not a directory"}));
}

TEST(unreadable_file, without_permission_names_file_and_reason) {
  const scratch_folder folder;
  const auto file = folder / "secret.mtx";
  spill(file, "%%MatrixMarket matrix coordinate real general\n1 1 0\n");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (std::ifstream(file)) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(file); }),
            (caught_error{errc::io_error, file.string() + ": cannot open: Permission denied"}));
}

}  // namespace
}  // namespace gossamer::io_test
