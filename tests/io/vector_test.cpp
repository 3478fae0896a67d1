// SPDX-License-Identifier: BSD-3-Clause
// Vectors: their two shapes, what else is refused, and writing them.
#include <limits>

#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

class vector_file : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(std::string_view text) const {
    spill(folder_ / "x.mtx", text);
    return folder_ / "x.mtx";
  }
  [[nodiscard]] std::string refusal(std::string_view text) const {
    const auto file = write(text);
    const auto got = error_of([&] { read_vector<double>(file); });
    if (!got) return "it was read";
    for (const read_options& way : all_ways())
      EXPECT_EQ(error_of([&] { read_vector<double>(file, way); }), got) << name_of(way);
    return std::string(name(got->code)) + got->message.substr(file.string().size());
  }
  [[nodiscard]] std::vector<double> values(std::string_view text) const {
    const auto file = write(text);
    const auto x = read_vector<double>(file);
    std::vector<double> result(x.span().begin(), x.span().end());
    for (const read_options& way : all_ways()) {
      const auto y = read_vector<double>(file, way);
      EXPECT_TRUE(std::equal(result.begin(), result.end(), y.span().begin(), y.span().end())) << name_of(way);
    }
    return result;
  }

  scratch_folder folder_;
};

TEST_F(vector_file, may_be_a_column_or_a_row) {
  const std::vector<double> expected = {1.5, -2, 0};
  EXPECT_EQ(values("%%MatrixMarket matrix array real general\n3 1\n1.5\n-2\n0\n"), expected);
  EXPECT_EQ(values("%%MatrixMarket matrix array real general\n1 3\n1.5\n-2\n0\n"), expected);
  EXPECT_EQ(values("%%MatrixMarket matrix array integer\r\n% c\r\n1 1\r\n7"), std::vector<double>{7});
}

TEST_F(vector_file, may_be_a_coordinate_file_whose_repeated_entries_are_summed) {
  EXPECT_EQ(values("%%MatrixMarket matrix coordinate real general\n4 1 3\n4 1 2\n2 1 1.5\n4 1 3\n"),
            (std::vector<double>{0, 1.5, 0, 5}));
  EXPECT_EQ(values("%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 2\n"),
            (std::vector<double>{0, 1, 0}));
}

TEST_F(vector_file, of_one_element_may_have_a_symmetry) {
  EXPECT_EQ(values("%%MatrixMarket matrix array real symmetric\n1 1\n3\n"), std::vector<double>{3});
  EXPECT_EQ(values("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), std::vector<double>{0});
}

TEST_F(vector_file, may_be_empty) {
  EXPECT_EQ(values("%%MatrixMarket matrix array real general\n0 1\n"), std::vector<double>{});
  EXPECT_EQ(values("%%MatrixMarket matrix coordinate real general\n1 0 0\n"), std::vector<double>{});
}

TEST_F(vector_file, of_another_kind_is_refused) {
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"),
            "parse_error:2:3: a vector has one row or one column, not 2 x 2");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array complex general\n1 1\n1 0\n"),
            "unsupported:1:29: complex matrices are not supported: only real, integer and pattern are");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n0 0\n"),
            "parse_error:2:3: a vector has one row or one column, not 0 x 0");
}

TEST_F(vector_file, of_the_wrong_length_is_refused) {
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n3 1\n1\n2\n"),
            "parse_error:5:1: fewer entries than promised: 2 of 3");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n"),
            "parse_error:5:1: more entries than promised: 2");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n2147483647 1\n1\n"),
            "parse_error:4:1: fewer entries than promised: 1 of 2147483647");
}

template <class V>
void check_round_trip(std::size_t size) {
  const scratch_folder folder;
  std::vector<V> x(size);
  for (std::size_t k = 0; k < size; ++k) x[k] = static_cast<V>(1) / static_cast<V>(k + 1);
  x[0] = -std::numeric_limits<V>::infinity();
  x[size / 2] = std::numeric_limits<V>::denorm_min();
  for (const char* name : {"x.mtx", "x.mtx.gz"}) {
    write_vector<V>(folder / name, x);
    const auto y = read_vector<V>(folder / name);
    ASSERT_EQ(y.size(), size);
    for (std::size_t k = 0; k < size; ++k) ASSERT_TRUE(same_value(x[k], y[k])) << k;
  }
}

TEST_F(vector_file, reads_back_the_bits_that_were_written) {
  check_round_trip<double>(1);
  check_round_trip<float>(1000);
  check_round_trip<double>(100000);  // several blocks
}

TEST_F(vector_file, has_a_plain_text) {
  const std::vector<double> x = {0.1, -0.0, 1e100};
  write_vector<double>(folder_ / "x.mtx", x);
  EXPECT_EQ(slurp(folder_ / "x.mtx"), "%%MatrixMarket matrix array real general\n3 1\n0.1\n-0\n1e+100\n");
}

TEST_F(vector_file, may_be_written_with_several_columns) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  write_vector<double>(folder_ / "x.mtx", x, 2);
  EXPECT_EQ(slurp(folder_ / "x.mtx"), "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n");
  write_vector<double>(folder_ / "x.mtx", {}, 2);
  EXPECT_EQ(slurp(folder_ / "x.mtx"), "%%MatrixMarket matrix array real general\n0 2\n");
  for (const std::int64_t columns : {0, -1, 4}) {
    const auto got = error_of([&] { write_vector<double>(folder_ / "none.mtx", x, columns); });
    ASSERT_TRUE(got);
    EXPECT_EQ(got->code, errc::invalid_argument);
    EXPECT_EQ(got->message,
              "write_vector: 6 elements are no " + std::to_string(columns) + " columns of the same size");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none.mtx"));
  }
}

TEST_F(vector_file, reads_back_an_empty_one) {
  write_vector<float>(folder_ / "x.mtx", {});
  EXPECT_EQ(slurp(folder_ / "x.mtx"), "%%MatrixMarket matrix array real general\n0 1\n");
  EXPECT_EQ(read_vector<float>(folder_ / "x.mtx").size(), 0u);
}

}  // namespace
}  // namespace gossamer::io_test
