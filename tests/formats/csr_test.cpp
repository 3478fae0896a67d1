// SPDX-License-Identifier: BSD-3-Clause
// csr on a CPU: it keeps the caller's arrays and a partition of the rows, its footprint is exact, and rows of
// every length are right. Rows and units that pattern_csr shares with it are tested here for both.
#include <gmock/gmock.h>

#include <utility>

#include "bench_support/generate/generate.hpp"
#include "formats/csr/format.hpp"
#include "formats/pattern_csr/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

/// Bytes of a plan on a CPU without the caller's arrays.
std::int64_t bytes_beside(const csr_matrix<double, std::int64_t>& a, const char* format, const char* kernel) {
  const auto plan = inspect(a.view(), cpu{}, {.format = format, .options = {{"kernel", kernel}}});
  return plan.bytes() - (a.rows + 1) * 8 - a.nnz() * 12;
}

TEST(csr_borrows, the_callers_arrays_and_keeps_a_partition_of_the_rows) {
  for (const char* const specification :
       {"stencil(nx=300,ny=300,points=5)", "stencil(nx=40,ny=40,nz=40)", "fem(nx=12,dof=3)", "dense(400)",
        "uniform(rows=20k,per_row=16)", "heavy_row(rows=40k,heavy=40k,per_row=1)", "diagonal(3)"}) {
    const auto a = bench_support::generate<double>(specification);
    for (const char* const kernel : {"thread", "balanced"}) {
      // A unit has 24 bytes and, where a row goes on behind it, 20 more. Of many units each has 1024 entries
      // or row ends.
      const std::int64_t most = 45 * (2 + std::min<std::int64_t>(2048, (8 * a.rows + a.nnz()) / 1024));
      EXPECT_LE(bytes_beside(a, "csr", kernel), most) << specification << " " << kernel;
      EXPECT_LE(bytes_beside(a, "csr", kernel), a.rows + 100'000) << specification << " " << kernel;
    }
  }
}

TEST(csr_borrows, what_pattern_csr_holds_twice) {
  const auto grid = bench_support::generate<double>("stencil(nx=300,ny=300,points=5)");
  EXPECT_LT(bytes_beside(grid, "csr", "thread"), grid.nnz() / 50);
  EXPECT_GT(bytes_beside(grid, "pattern_csr", "thread"), 8 * grid.nnz());
}

TEST(csr_footprint, on_a_cpu_is_exact) {
  for (const char* const specification :
       {"stencil(nx=300,ny=300,points=5)", "fem(nx=12,dof=3)", "uniform(rows=20k,per_row=16)",
        "heavy_row(rows=40k,heavy=40k,per_row=1)", "dense(rows=3,cols=40k)",
        "uniform(rows=400k,per_row=16)"}) {
    const auto a = bench_support::generate<double>(specification);
    for (const char* const kernel : {"thread", "balanced"}) {
      const option_texts options{{"kernel", kernel}};
      const format_forecast said = forecast(a.view(), measure_rows(a.view()), "csr", options, cpu{});
      EXPECT_TRUE(said.exact);
      EXPECT_EQ(said.bytes, inspect(a.view(), cpu{}, {.format = "csr", .options = options}).bytes())
          << specification << " " << kernel;
    }
  }
}

TEST(csr_rows, of_every_length_have_the_right_products) {
  for (const char* const specification :
       {"stencil(nx=40,ny=33,points=5)", "fem(nx=5,dof=3)", "power_law(rows=3000,mean=7)",
        "heavy_row(rows=40k,heavy=40k,per_row=1)", "empty_rows(rows=100,cols=50,every=3)", "dense(70)"}) {
    SCOPED_TRACE(specification);
    check_products(bench_support::generate<double>(specification), "csr");
  }
}

TEST(csr_unit_cost, of_parts_of_a_row_is_by_their_entries) {
  const auto a = bench_support::generate<double>("dense(rows=1,cols=20000)");
  const auto s =
      formats::csr::build(a.view(), {.kernel = formats::csr_kernel::balanced}, {.kind = device_set::cpu});
  ASSERT_GT(s.meta.units, 4);
  constexpr formats::separate_row_cost cost = formats::separate_row_cost_of<double>();
  for (std::size_t u = 0; u + 1 < static_cast<std::size_t>(s.meta.units); ++u) {
    const std::int64_t entries = s.cut_entry[u + 1] - s.cut_entry[u];
    EXPECT_EQ(s.unit_cost[u + 1] - s.unit_cost[u], cost.long_row + (entries + 7) / 8 * cost.lanes);
  }
}

TEST(csr_unit_cost, is_not_kept_of_matrices_that_are_read_from_memory) {
  static_assert(formats::has_unit_costs<double>((32 << 20) / 12) &&
                !formats::has_unit_costs<double>((32 << 20) / 12 + 1));
  static_assert(formats::has_unit_costs<float>((32 << 20) / 8) &&
                !formats::has_unit_costs<float>((32 << 20) / 8 + 1));
}

/// Of a large x some is asked for by the columns behind the row: a memory checker sees it where there are
/// none. Rows of every length, also together.
TEST(csr_rows, of_a_large_x_have_the_right_products) {
  for (const int longest : {4, 40}) {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> col;
    std::int64_t next = 1;
    for (int i = 0; i < 300; ++i) {
      for (int k = 0; k < (7 * i) % (longest + 1); ++k) {
        row.push_back(i);
        col.push_back(static_cast<std::int32_t>(next));
        next = next * 48271 % 1'999'993;
      }
    }
    const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
    const auto a = csr_from_coo<double, std::int64_t>(
        {.rows = 300, .cols = 2'000'000, .row = row, .col = col, .val = val});
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      for (const char* const format : {"csr", "pattern_csr"}) {
        check_product<float>(a, level, 1, "thread", format);
        check_product<double>(a, level, 2, "balanced", format);
      }
    }
  }
}

/// Long shares of a matrix that is near: threads take units over from each other, in whichever order, and the
/// bits stay.
class csr_units : public testing::TestWithParam<const char*> {};

TEST_P(csr_units, give_the_same_bits_with_work_stealing) {
  const auto a = bench_support::generate<double>("uniform(rows=6000,per_row=12)");
  const auto x = random_vector<double>(a.cols, 5);
  for (const char* kernel : {"thread", "balanced"}) {
    const auto stored = formats::csr::build(
        a.view(), {.kernel = kernel[0] == 't' ? formats::csr_kernel::thread : formats::csr_kernel::balanced},
        {.kind = device_set::cpu});
    const auto passes = formats::csr::passes<f64>(stored.view(), isa::baseline);
    ASSERT_EQ(passes.front().stealing_threads.from, 2);
    ASSERT_GE(passes.front().stealing_threads.to, 3);
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      const inspect_options how{.format = GetParam(), .options = {{"kernel", kernel}}};
      std::vector<double> alone(static_cast<std::size_t>(a.rows));
      inspect(a.view(), cpu{.threads = 1, .level = level}, how).multiply(1.0, x, 0.0, alone);
      for (const int threads : {2, 3}) {
        const auto plan = inspect(a.view(), cpu{.threads = threads, .level = level}, how);
        auto workspace = plan.make_workspace();
        for (int again = 0; again < 100; ++again) {
          std::vector<double> y = poisoned<double>(a.rows);
          std::vector<double> other = y;
          plan.multiply(1.0, x, 0.0, y);
          plan.multiply(1.0, x, 0.0, other, workspace);
          ASSERT_TRUE(same_bits(alone, y)) << kernel << " " << threads;
          ASSERT_TRUE(same_bits(alone, other)) << kernel << " " << threads;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(cpu, csr_units, testing::Values("csr", "pattern_csr"),
                         [](const auto& format) { return std::string(format.param); });

}  // namespace
}  // namespace gossamer::testing_support
