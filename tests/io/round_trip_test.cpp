// SPDX-License-Identifier: BSD-3-Clause
// Property: what is written reads back to the same bits, in the same order; and any text gives one result
// however it is cut.
#include <limits>
#include <random>

#include "core/parallel.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

template <class V>
V random_value(std::mt19937_64& random) {
  using bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  switch (random() % 8) {
    case 0:
      return std::numeric_limits<V>::infinity() * (random() % 2 ? V{1} : V{-1});
    case 1:
      return random() % 2 ? std::numeric_limits<V>::quiet_NaN() : -std::numeric_limits<V>::quiet_NaN();
    case 2:
      return random() % 2 ? V{0} : -V{0};
    case 3:
      return std::bit_cast<V>(
          static_cast<bits>(random() >> (64 - std::numeric_limits<V>::digits + 1)));  // denormal
    case 4:
      return static_cast<V>(static_cast<int>(random() % 2001) - 1000);
    case 5:
      return random() % 2 ? std::numeric_limits<V>::max() : std::numeric_limits<V>::lowest();
    default:
      return std::bit_cast<V>(static_cast<bits>(random()));
  }
}

/// Unsorted columns, duplicates and empty rows come by themselves; one row may hold most entries.
template <class V, class O>
csr_matrix<V, O> random_matrix(std::mt19937_64& random, std::int64_t rows, std::int64_t cols,
                               std::size_t nnz) {
  std::vector<std::size_t> row_of(nnz);
  const bool heavy = random() % 4 == 0;
  for (auto& i : row_of) i = heavy && random() % 4 != 0 ? 0 : random() % static_cast<std::uint64_t>(rows);
  std::sort(row_of.begin(), row_of.end());
  csr_matrix<V, O> a{.rows = rows,
                     .cols = cols,
                     .row_ptr = host_buffer<O>(static_cast<std::size_t>(rows) + 1),
                     .col = host_buffer<std::int32_t>(nnz),
                     .val = host_buffer<V>(nnz)};
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i)
    a.row_ptr[i] = static_cast<O>(std::lower_bound(row_of.begin(), row_of.end(), i) - row_of.begin());
  for (std::size_t k = 0; k < nnz; ++k) {
    a.col[k] = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(cols));
    a.val[k] = random_value<V>(random);
  }
  return a;
}

template <class V, class O>
void check_round_trips() {
  const scratch_folder folder;
  std::mt19937_64 random(20240601);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const auto rows = static_cast<std::int64_t>(random() % 300 + 1);
    const auto cols = static_cast<std::int64_t>(random() % 300 + 1);
    const auto a = random_matrix<V, O>(random, rows, cols, random() % 1500);
    const auto file = folder / (round % 3 == 0 ? "a.mtx.gz" : "a.mtx");
    write_matrix_market(file, a.view());
    for (const read_options& way : all_ways()) {
      const auto b = read_matrix_market<V>(file, way);
      ASSERT_TRUE(same_matrix(a.view(), b.matrix.view())) << name_of(way);
      ASSERT_EQ(b.header.entries, a.nnz());
    }
  }
}

TEST(round_trip, keeps_the_bits_f64_int64) {
  check_round_trips<double, std::int64_t>();
}
TEST(round_trip, keeps_the_bits_f32_int64) {
  check_round_trips<float, std::int64_t>();
}
TEST(round_trip, keeps_the_bits_f64_int32) {
  check_round_trips<double, std::int32_t>();
}
TEST(round_trip, keeps_the_bits_f32_int32) {
  check_round_trips<float, std::int32_t>();
}

TEST(round_trip, of_matrices_without_rows_or_columns) {
  const scratch_folder folder;
  for (const auto& [rows, cols] : {std::pair{0, 0}, std::pair{0, 7}, std::pair{7, 0}}) {
    const auto a = make_matrix<double>(rows, cols, {});
    for (const char* name : {"a.mtx", "a.mtx.gz"}) {
      write_matrix_market(folder / name, a.view());
      EXPECT_TRUE(same_matrix(a.view(), read_matrix_market<double>(folder / name).matrix.view()))
          << rows << name;
    }
  }
}

// Large enough for many buckets of rows, many chunks and many blocks of the writer.
TEST(round_trip, of_a_large_matrix) {
  const scratch_folder folder;
  std::mt19937_64 random(7);
  const auto a = random_matrix<double, std::int64_t>(random, 150000, 70000, 400000);
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    write_matrix_market(folder / name, a.view());
    for (const int threads : {1, 2, 5}) {
      const auto b =
          read_matrix_market<double>(folder / name, {.threads = threads, .chunk_bytes = 0, .progress = {}});
      EXPECT_TRUE(same_matrix(a.view(), b.matrix.view())) << name << ", threads " << threads;
    }
  }
}

TEST(round_trip, of_the_most_rows_that_one_bucket_and_the_next_hold) {
  const scratch_folder folder;
  std::mt19937_64 random(8);
  for (const std::int64_t rows : {65535, 65536, 65537, 131071, 131072, 131073}) {
    const auto a = random_matrix<float, std::int64_t>(random, rows, 3, 1000);
    write_matrix_market(folder / "a.mtx", a.view());
    EXPECT_TRUE(same_matrix(a.view(), read_matrix_market<float>(folder / "a.mtx").matrix.view())) << rows;
  }
}

/// The reader's promise, written down directly: lines in order, each followed by its mirror.
template <class V>
csr_matrix<V> expand(std::int64_t n, const std::vector<triple<V>>& lines, V sign) {
  std::vector<triple<V>> all;
  for (const auto& e : lines) {
    all.push_back(e);
    if (e.row != e.col) all.push_back({e.col, e.row, sign * e.val});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return make_matrix<V>(n, n, all);
}

TEST(symmetric_expansion, is_the_lines_in_order_each_with_its_mirror) {
  std::mt19937_64 random(99);
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    const bool skew = round % 2 == 1;
    const auto n = static_cast<std::int32_t>(random() % 60 + 2);
    const auto triangle = random() % 3;  // lower, upper, or each pair on a side of its own
    std::vector<triple<double>> lines;
    for (std::size_t k = random() % 400; k-- > 0;) {
      auto i = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
      auto j = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
      if (skew && i == j) continue;
      const bool upper = triangle == 1 || (triangle == 2 && (i + j) % 2 == 0);
      if ((i < j) != upper) std::swap(i, j);
      lines.push_back({i, j, static_cast<double>(k + 1)});
    }
    std::string text = std::string("%%MatrixMarket matrix coordinate real ") +
                       (skew ? "skew-symmetric\n" : "symmetric\n") + std::to_string(n) + " " +
                       std::to_string(n) + " " + std::to_string(lines.size()) + "\n";
    for (const auto& e : lines)
      text += std::to_string(e.row + 1) + " " + std::to_string(e.col + 1) + " " + std::to_string(int(e.val)) +
              "\n";
    const auto expected = expand(n, lines, skew ? -1.0 : 1.0);
    for (const read_options& way : all_ways()) {
      const auto got = parse_matrix_market<double>(text, "memory", way);
      ASSERT_TRUE(same_matrix(got.matrix.view(), expected.view())) << name_of(way);
    }
  }
}

TEST(array_matrix, is_filled_column_by_column) {
  for (const std::int64_t rows : {1, 2, 7, 40}) {
    for (const std::int64_t cols : {1, 3, 40}) {
      for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
        if (symmetry != "general" && rows != cols) continue;
        const bool skew = symmetry == "skew-symmetric";
        std::string text = "%%MatrixMarket matrix array real " + symmetry + "\n" + std::to_string(rows) +
                           " " + std::to_string(cols) + "\n";
        std::vector<triple<double>> entries;
        double value = 0;
        for (std::int32_t j = 0; j < cols; ++j) {
          const std::int32_t first = symmetry == "general" ? 0 : skew ? j + 1 : j;
          for (std::int32_t i = first; i < rows; ++i) {
            value += 1;
            text += std::to_string(int(value)) + "\n";
            entries.push_back({i, j, value});
            if (symmetry != "general" && i != j) entries.push_back({j, i, skew ? -value : value});
          }
        }
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
          return std::pair(a.row, a.col) < std::pair(b.row, b.col);
        });
        const auto expected = make_matrix<double>(rows, cols, entries);
        for (const read_options& way : all_ways()) {
          const auto got = parse_matrix_market<double>(text, "memory", way);
          ASSERT_TRUE(same_matrix(got.matrix.view(), expected.view())) << name_of(way) << text;
        }
      }
    }
  }
}

TEST(number, parses_as_strtod_does) {
  std::mt19937_64 random(3);
  std::string text;
  std::vector<double> expected;
  for (int k = 0; k < 20000; ++k) {
    std::string number = random() % 2 ? "-" : "";
    for (std::size_t d = random() % 20 + 1; d-- > 0;) number += static_cast<char>('0' + random() % 10);
    if (random() % 2) number += "." + std::to_string(random() >> (random() % 60));
    if (random() % 2) number += "e" + std::to_string(static_cast<int>(random() % 500) - 250);
    text += number + "\n";
    expected.push_back(std::strtod(number.c_str(), nullptr));
  }
  const std::string head = "%%MatrixMarket matrix array real general\n20000 1\n";
  const auto got = parse_matrix_market<double>(head + text, "memory");
  for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(got.matrix.val[k], expected[k]) << k;
}

}  // namespace
}  // namespace gossamer::io_test
