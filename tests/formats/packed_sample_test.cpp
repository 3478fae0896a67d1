// SPDX-License-Identifier: BSD-3-Clause
// packed: estimates from a sample of windows, compared with the measured values.
#include <gtest/gtest.h>

#include "bench_support/generate/generate.hpp"
#include "formats/packed_support.hpp"
#include "formats/sampled.hpp"

namespace gossamer::formats {
namespace {

double ratio(double estimated, double measured) {
  return measured == 0 && estimated == 0 ? 1 : estimated / measured;
}

template <value V>
void expect_near(const csr_matrix<V, std::int64_t>& a, double most) {
  for (const resource& where : {resource(cpu{}), resource(cuda{0})}) {
    SCOPED_TRACE(name(where));
    const auto [measured, estimated] = look_at<packed>(a, where);
    EXPECT_TRUE(measured.exact);
    EXPECT_FALSE(estimated.exact);
    EXPECT_TRUE(estimated.refusal.empty()) << estimated.refusal;
    EXPECT_NEAR(ratio(static_cast<double>(estimated.bytes), static_cast<double>(measured.bytes)), 1, most);
    // The counts that predictions use besides the bytes.
    const auto amounts = [](const packed_footprint<V>& f) { return f.planned->all(); };
    EXPECT_NEAR(ratio(static_cast<double>(amounts(estimated).diagonal_steps),
                      static_cast<double>(amounts(measured).diagonal_steps)),
                1, most);
    EXPECT_NEAR(ratio(static_cast<double>(amounts(estimated).slices()),
                      static_cast<double>(amounts(measured).slices())),
                1, most);
  }
}

template <value V>
void expect_near(const char* text, double most) {
  SCOPED_TRACE(text);
  expect_near(bench_support::generate<V>(text), most);
}

TEST(packed_sample, estimates_the_measured_footprint) {
  expect_near<double>("stencil(nx=300,ny=300,points=5)", 0.01);
  expect_near<double>("stencil(nx=60,ny=60,nz=50,points=7,values=few(3))", 0.03);
  expect_near<float>("uniform(rows=100k,per_row=5)", 0.01);
  expect_near<double>("fem(nx=30,dof=3)", 0.03);
  expect_near<double>("circuit(rows=100k)", 0.05);
  expect_near<double>("rmat(scale=17,edge_factor=4)", 0.05);
}

TEST(packed_sample, of_a_matrix_that_is_hardly_larger_is_all_of_it) {
  // Too few rows; too few entries.
  for (const char* const made : {"uniform(rows=65k,per_row=10)", "diagonal(200k)"}) {
    SCOPED_TRACE(made);
    const auto [measured, estimated] = look_at<packed>(bench_support::generate<double>(made), cuda{0});
    EXPECT_TRUE(estimated.exact);
    EXPECT_EQ(estimated.bytes, measured.bytes);
  }
}

/// A window with most of the entries is sampled, and counted once.
TEST(packed_sample, counts_windows_by_what_they_have) {
  expect_near<double>("heavy_row(rows=100k,heavy=90k)", 0.05);
}

/// Windows of diagonals alternate with windows of scattered columns. Samples at equal distances would see
/// only one of the two kinds.
TEST(packed_sample, meets_all_of_a_block_that_comes_again) {
  constexpr std::int64_t rows = 192 * packed_window;
  const auto on_diagonals = [](std::int64_t i) { return i / packed_window % 2 == 0; };
  const auto a = packed_tests::matrix_from_rows<double>(
      rows, rows + 8,
      [&](std::int64_t i) {
        std::vector<std::int64_t> all;
        for (std::int64_t k = 0; k < 8; ++k)
          all.push_back(on_diagonals(i) ? i + k : 20'000 * k + (i * 7919 + k * 31) % 20'000);
        return all;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        return on_diagonals(i) ? 1 : std::sin(static_cast<double>(8 * i) + static_cast<double>(k));
      });
  const auto [measured, estimated] = look_at<packed>(a, cuda{0});
  EXPECT_FALSE(estimated.exact);
  EXPECT_NEAR(ratio(static_cast<double>(estimated.bytes), static_cast<double>(measured.bytes)), 1, 0.3);
}

/// Most windows are empty.
TEST(packed_sample, of_rows_without_entries_at_the_end) {
  constexpr std::int64_t rows = 400'500;
  const auto columns = [](std::int64_t i) {
    return i < 80'000 ? std::vector<std::int64_t>{i, i + 1, i + 300} : std::vector<std::int64_t>{};
  };
  expect_near(packed_tests::matrix_from_rows<double>(
                  rows, rows, columns,
                  [](std::int64_t i, std::size_t, std::int64_t) { return static_cast<double>(i); }),
              0.1);
}

/// A cut row anywhere prevents elided deltas. The row statistics show it, also if the sample misses the row.
TEST(packed_sample, knows_that_a_long_row_prevents_elision) {
  const auto mesh = bench_support::generate<double>("fem(nx=32,dof=3)");
  const auto with = [&](std::int64_t longest) {
    return packed_tests::matrix_from_rows<double>(
        mesh.rows, mesh.cols,
        [&](std::int64_t i) {
          std::vector<std::int64_t> all(mesh.col.data() + mesh.row_ptr.data()[i],
                                        mesh.col.data() + mesh.row_ptr.data()[i + 1]);
          if (i == 77'777) {
            all.clear();
            for (std::int64_t k = 0; k < longest; ++k) all.push_back(3 * k);
          }
          return all;
        },
        [](std::int64_t i, std::size_t k, std::int64_t) {
          return std::sin(static_cast<double>(i * 100 + static_cast<std::int64_t>(k)));
        });
  };
  const auto saved = [&](const csr_matrix<double, std::int64_t>& a) {
    const auto [measured, estimated] = look_at<packed>(a, cuda{0});
    EXPECT_NEAR(ratio(static_cast<double>(estimated.bytes), static_cast<double>(measured.bytes)), 1, 0.02);
    return estimated.planned->all().saved_pieces;
  };
  EXPECT_GT(saved(with(10)), 0);
  EXPECT_EQ(saved(with(30'000)), 0);
}

TEST(packed_sample, knows_that_short_rows_elide_nothing) {
  const auto saved = [](std::int64_t blocks, std::int64_t width, packed_elided_deltas option) {
    constexpr std::int64_t rows = 220'000;
    constexpr std::int64_t range = 250;
    const auto a = packed_tests::matrix_from_rows<double>(
        rows, 5 * rows,
        [&](std::int64_t i) {
          std::vector<std::int64_t> all;
          for (std::int64_t b = 0; b < blocks; ++b)
            for (std::int64_t k = 0; k < width; ++k)
              all.push_back(b * range + (i * 7919 + b * 104'729) % range + k);
          return all;
        },
        packed_tests::any_value);
    const auto [measured, estimated] = look_at<packed>(
        a, cuda{0}, {.longest_walk = 128, .short_rows = packed_short_rows::padded, .elided_deltas = option});
    EXPECT_FALSE(estimated.exact);
    EXPECT_NEAR(ratio(static_cast<double>(estimated.bytes), static_cast<double>(measured.bytes)), 1, 0.02);
    return estimated.planned->all().saved_pieces;
  };
  EXPECT_EQ(saved(5, 3, packed_elided_deltas::automatic), 0);
  EXPECT_GT(saved(5, 3, packed_elided_deltas::always), 0);
  EXPECT_GT(saved(4, 4, packed_elided_deltas::automatic), 0);
}

/// With rounded values there is no sample, since all values would have to be rounded first.
TEST(packed_sample, of_rounded_values_is_all_of_them) {
  const auto a = bench_support::generate<double>("uniform(rows=70k,per_row=8)");
  const exec::target target = exec::planned_target_of(cuda{0});
  const row_statistics statistics = measure_rows(a.view());
  const packed::options options = packed::resolve({.precision = packed_precision::f32}, statistics, target);
  EXPECT_TRUE(packed::estimate(a.view(), statistics, options, target).exact);
}

}  // namespace
}  // namespace gossamer::formats
