// SPDX-License-Identifier: BSD-3-Clause
// Files that must be read, the odd ones above all: each has its matrix written out here.
#include <cstdlib>
#include <limits>

#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

struct good_file {
  const char* name;
  const char* header;                   ///< format field symmetry rows cols entries
  std::vector<triple<double>> entries;  ///< as CSR must hold them, row by row and in order
};

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<good_file> good_files() {
  const std::vector<triple<double>> plain = {{0, 0, 1.5}, {0, 1, 0.25}, {1, 2, -2}, {2, 3, 1000}};
  const char* const plain_header = "coordinate real general 3 4 4";
  std::vector<good_file> files;
  for (const char* name : {"plain",
                           "crlf",
                           "no_final_newline",
                           "crlf_no_final_newline",
                           "tabs_and_spaces",
                           "blank_lines",
                           "comments_everywhere",
                           "upper_case_banner",
                           "mixed_case_banner_tabs",
                           "symmetry_word_missing",
                           "field_double",
                           "number_spellings",
                           "fortran_exponents",
                           "long_decimals",
                           "banner_one_percent",
                           "banner_after_spaces",
                           "utf8_mark_before_banner",
                           "banner_extra_words",
                           "banner_form_feed",
                           "banner_comment_for_symmetry",
                           "size_line_comment",
                           "comments_after_entries"})
    files.push_back({name, plain_header, plain});
  const std::vector<good_file> others = {
      {"infinite_and_nan",
       "coordinate real general 1 8 8",
       {{0, 0, inf},
        {0, 1, -inf},
        {0, 2, inf},
        {0, 3, inf},
        {0, 4, nan},
        {0, 5, nan},
        {0, 6, 0.0},
        {0, 7, -0.0}}},
      {"integer",
       "coordinate integer general 2 2 4",
       {{0, 0, 7}, {0, 1, 123456789012345678901234567890.0}, {1, 0, -7}, {1, 1, 9007199254740992.0}}},
      {"integer_zero_fraction",
       "coordinate integer general 2 2 4",
       {{0, 0, 2}, {0, 1, -3}, {1, 0, 4}, {1, 1, 123456789012345678901.0}}},
      {"graph_type_comment", "coordinate integer general 2 2 1", {{1, 0, 1}}},
      {"unsigned_integer", "coordinate integer general 1 1 1", {{0, 0, 7}}},
      {"pattern", "coordinate pattern general 2 3 3", {{0, 0, 1}, {1, 2, 1}, {1, 0, 1}}},
      {"pattern_symmetric",
       "coordinate pattern symmetric 3 3 3",
       {{0, 0, 1}, {0, 2, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}}},
      {"pattern_hermitian", "coordinate pattern symmetric 2 2 2", {{0, 1, 1}, {1, 0, 1}, {1, 1, 1}}},
      {"symmetry_hermitian", "coordinate real symmetric 2 2 2", {{0, 1, 3}, {1, 0, 3}, {1, 1, 4}}},
      {"no_rows", "coordinate real general 0 3 0", {}},
      {"no_columns", "coordinate real general 3 0 0", {}},
      {"no_rows_and_columns", "coordinate integer symmetric 0 0 0", {}},
      {"no_entries", "coordinate real general 3 4 0", {}},
      {"no_entries_no_newline", "coordinate real general 3 4 0", {}},
      {"duplicates",
       "coordinate real general 2 2 5",
       {{0, 0, 2}, {1, 1, 1}, {1, 1, 3}, {1, 0, 0}, {1, 1, 1}}},
      {"symmetric_lower",
       "coordinate real symmetric 3 3 4",
       {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 1, 3}, {2, 2, 4}}},
      {"symmetric_upper",
       "coordinate real symmetric 3 3 4",
       {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 1, 3}, {2, 2, 4}}},
      {"symmetric_mixed_triangles",
       "coordinate real symmetric 3 3 4",
       {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 1, 3}, {2, 2, 4}}},
      // A mirrored entry stands where its line stands: (1, 2) before the diagonal.
      {"symmetric_duplicates",
       "coordinate real symmetric 2 2 4",
       {{0, 1, 2}, {0, 0, 1}, {0, 1, 3}, {0, 0, 1}, {1, 0, 2}, {1, 0, 3}}},
      {"skew", "coordinate real skew-symmetric 3 3 2", {{0, 1, -2}, {1, 0, 2}, {1, 2, 3}, {2, 1, -3}}},
      {"skew_integer_upper",
       "coordinate integer skew-symmetric 3 3 2",
       {{0, 1, -2}, {1, 0, 2}, {1, 2, 3}, {2, 1, -3}}},
      // A zero on the diagonal stays, as explicit zeros do, and is not mirrored.
      {"skew_zero_diagonal",
       "coordinate real skew-symmetric 3 3 4",
       {{0, 0, 0}, {0, 2, 4}, {1, 1, -0.0}, {2, 0, -4}, {2, 2, 0}}},
      {"skew_one_by_one", "coordinate real skew-symmetric 1 1 0", {}},
      {"array",
       "array real general 2 3 6",
       {{0, 0, 1}, {0, 1, 0}, {0, 2, 5}, {1, 0, 2}, {1, 1, 4}, {1, 2, -6}}},
      {"array_comments",
       "array real general 2 3 6",
       {{0, 0, 1}, {0, 1, 0}, {0, 2, 5}, {1, 0, 2}, {1, 1, 4}, {1, 2, -6}}},
      {"array_symmetric",
       "array real symmetric 3 3 6",
       {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {1, 0, 2}, {1, 1, 4}, {1, 2, 5}, {2, 0, 3}, {2, 1, 5}, {2, 2, 6}}},
      {"array_skew",
       "array integer skew-symmetric 3 3 3",
       {{0, 1, -2}, {0, 2, -3}, {1, 0, 2}, {1, 2, -5}, {2, 0, 3}, {2, 1, 5}}},
      {"array_skew_one_by_one", "array real skew-symmetric 1 1 0", {}},
      {"array_hermitian", "array integer symmetric 2 2 3", {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 3}}},
      {"array_no_rows", "array real general 0 3 0", {}},
      {"array_no_columns", "array real general 3 0 0", {}},
      {"array_skew_empty", "array real skew-symmetric 0 0 0", {}},
      {"array_integer", "array integer general 1 3 3", {{0, 0, 1}, {0, 1, -2}, {0, 2, 3}}},
  };
  files.insert(files.end(), others.begin(), others.end());
  return files;
}

template <class V>
csr_matrix<V> expected_matrix(const good_file& good, std::int64_t rows, std::int64_t cols) {
  std::vector<triple<V>> entries;
  for (const auto& e : good.entries) entries.push_back({e.row, e.col, static_cast<V>(e.val)});
  return make_matrix<V>(rows, cols, entries);
}

std::string text_of(const matrix_market_header& h) {
  return h.format + " " + h.field + " " + h.symmetry + " " + std::to_string(h.rows) + " " +
         std::to_string(h.cols) + " " + std::to_string(h.entries);
}

TEST(valid_file, every_file_in_the_folder_is_in_the_table) {
  std::set<std::string> listed;
  for (const good_file& good : good_files()) listed.insert(std::string(good.name) + ".mtx");
  EXPECT_EQ(names_in(data_folder() / "valid"), listed);
}

class valid_file : public testing::TestWithParam<good_file> {
 protected:
  template <class V>
  void check() {
    const good_file& good = GetParam();
    const auto file = data_folder() / "valid" / (std::string(good.name) + ".mtx");
    const std::string text = slurp(file);
    const scratch_folder folder;
    const auto packed = folder / "packed.mtx.gz";
    spill(packed, gzip(text));
    std::vector<read_options> ways = all_ways();
    ways.emplace_back();
    for (const read_options& way : ways) {
      SCOPED_TRACE(name_of(way));
      for (int source = 0; source < 3; ++source) {
        const auto got = source == 0   ? read_matrix_market<V>(file, way)
                         : source == 1 ? parse_matrix_market<V>(text, "memory", way)
                                       : read_matrix_market<V>(packed, way);
        EXPECT_EQ(text_of(got.header), good.header);
        const auto expected = expected_matrix<V>(good, got.header.rows, got.header.cols);
        EXPECT_TRUE(same_matrix(got.matrix.view(), expected.view()));
      }
    }
  }
};

TEST_P(valid_file, reads_as_f64) {
  check<double>();
}
TEST_P(valid_file, reads_as_f32) {
  check<float>();
}

INSTANTIATE_TEST_SUITE_P(io, valid_file, testing::ValuesIn(good_files()),
                         [](const auto& param) { return std::string(param.param.name); });

template <class V>
void check_whole_numbers_round_as_the_c_library_does() {
  std::vector<std::string> words = {"0",
                                    "-0",
                                    "+7",
                                    "9007199254740993",
                                    "-9007199254740993",
                                    "16777217",
                                    "000000000000000000000000012",
                                    "36893488147419103233"};
  std::uint64_t state = 1;
  for (int digits = 1; digits <= 21; ++digits) {
    for (int k = 0; k < 50; ++k) {
      std::string word = k % 2 == 0 ? "" : "-";
      for (int d = 0; d < digits; ++d) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        word += static_cast<char>('0' + (state >> 33) % 10);
      }
      words.push_back(std::move(word));
    }
  }
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n1 1 " + std::to_string(words.size()) + "\n";
  for (const std::string& word : words) text.append("1 1 ").append(word).append("\n");
  const auto got = parse_matrix_market<V>(text, "memory");
  for (std::size_t k = 0; k < words.size(); ++k) {
    const V expected = sizeof(V) == 4 ? static_cast<V>(std::strtof(words[k].c_str(), nullptr))
                                      : static_cast<V>(std::strtod(words[k].c_str(), nullptr));
    EXPECT_TRUE(same_value(got.matrix.val[k], expected)) << words[k];
  }
}

TEST(real_values, of_integer_text_round_like_strtod) {
  check_whole_numbers_round_as_the_c_library_does<float>();
  check_whole_numbers_round_as_the_c_library_does<double>();
}

TEST(pipe, is_read_to_its_end) {
  // A file of the proc system has size 0 and cannot be mapped, as a pipe cannot.
  const auto got = error_of([] { read_matrix_market<double>("/proc/self/status"); });
  ASSERT_TRUE(got);
  EXPECT_EQ(got->message, "/proc/self/status:1:1: expected the banner '%%MatrixMarket', not 'Name:'");
}

}  // namespace
}  // namespace gossamer::io_test
