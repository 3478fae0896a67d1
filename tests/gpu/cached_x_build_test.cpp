// SPDX-License-Identifier: BSD-3-Clause
// cached_x, built on a device: all arrays must equal the host's.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bench_support/generate/generate.hpp"
#include "formats/cached_x/format.hpp"
#include "formats/common/gather_sample.hpp"
#include "support/battery.hpp"
#include "support/built_on_device.hpp"
#include "support/stored_matrix.hpp"

namespace gossamer::cached_x_tests {
namespace {

using formats::cached_x;
using formats::cached_x_columns;
using testing_support::battery;
using testing_support::battery_entry;
using testing_support::converted;
using testing_support::is_built_alike;

#define SKIP_WITHOUT_DEVICE() \
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine"

const cached_x::options settings[] = {
    {},
    {.cache_kib = 1},
    {.cache_kib = 1, .values = cached_x::stored_values::whole},
    {.columns = cached_x_columns::frequent},
    {.columns = cached_x_columns::frequent, .cache_kib = 1},
    {.columns = cached_x_columns::frequent, .cache_kib = 1, .values = cached_x::stored_values::whole},
};

template <value V, offset O>
void expect_alike(const csr_matrix<double, std::int64_t>& matrix) {
  const auto a = converted<V, O>(matrix);
  for (const cached_x::options& o : settings) {
    SCOPED_TRACE(testing::Message() << "columns " << static_cast<int>(o.columns) << ", KiB " << o.cache_kib
                                    << ", values " << static_cast<int>(o.values) << ", " << 8 * sizeof(V)
                                    << " bits, offsets of " << 8 * sizeof(O));
    EXPECT_TRUE((is_built_alike<cached_x, V, O>(a.view(), o)));
  }
}

TEST(cached_x_on_device, builds_what_the_host_builds_of_the_battery_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.rows == 0 || entry.matrix.nnz() == 0) continue;
    SCOPED_TRACE(entry.name);
    expect_alike<double, std::int32_t>(entry.matrix);
    expect_alike<float, std::int64_t>(entry.matrix);
  }
}

TEST(cached_x_on_device, builds_what_the_host_builds_of_larger_matrices_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const char* const text :
       {"bipartite(rows=300,cols=80k,mean=900,row_exponent=3,col_exponent=3)", "rmat(scale=15)",
        "rmat(scale=14,values=constant)", "uniform(rows=70k,per_row=16)",
        "uniform(rows=9k,per_row=16,values=few(200))",
        "heavy_row(rows=3000,cols=90000,per_row=3,heavy=70000)",
        "empty_rows(rows=70k,fraction=0.97,per_row=3)",
        "power_law(rows=40k,mean=6,max=9000,values=few(3))"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    expect_alike<double, std::int64_t>(a);
    expect_alike<float, std::int32_t>(a);
  }
}

/// One value more than a table holds, and one that no table holds.
TEST(cached_x_on_device, encodes_the_values_that_the_host_encodes_cuda) {
  SKIP_WITHOUT_DEVICE();
  auto a = bench_support::generate<double>("uniform(rows=40k,per_row=8)");
  for (const int different : {1, 2, 255, 256, 257}) {
    for (std::size_t k = 0; k < a.val.size(); ++k)
      a.val[k] = static_cast<double>(k % static_cast<std::size_t>(different)) - 3;
    expect_alike<double, std::int64_t>(a);
  }
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = 1;
  a.val[12345] = std::numeric_limits<double>::quiet_NaN();
  expect_alike<double, std::int64_t>(a);
}

TEST(cached_x_on_device, samples_the_columns_that_the_host_samples_cuda) {
  SKIP_WITHOUT_DEVICE();
  const exec::device_guard guard(0);
  for (const char* const text :
       {"rmat(scale=15)", "stencil(nx=90,ny=90,points=9)", "uniform(rows=900,cols=90k,per_row=900)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    const plans::matrix_on_device<double, std::int64_t> there(a.view(), 0);
    const auto here = formats::sample_columns(a.view().col, sizeof(double));
    const auto found = formats::sample_columns_on_device(there.view().col.data(), a.nnz(), sizeof(double));
    ASSERT_EQ(found.size(), here.size());
    for (std::size_t k = 0; k < here.size(); ++k) {
      ASSERT_EQ(found[k].column, here[k].column) << k;
      ASSERT_EQ(found[k].run, here[k].run) << k;
      ASSERT_EQ(found[k].is_near, here[k].is_near) << k;
    }
  }
}

/// Y = A X for whole numbers, whose sums are exact, against csr on the CPU.
void expect_exact_products(const csr_matrix<double, std::int64_t>& a, const plan<double>& made,
                           std::int64_t columns) {
  const auto of = [&](std::int64_t i, std::int64_t j) {
    return static_cast<double>((3 * i + 5 * j) % 17 - 8);
  };
  std::vector<double> x(static_cast<std::size_t>(a.cols * columns));
  for (std::int64_t i = 0; i < a.cols; ++i)
    for (std::int64_t j = 0; j < columns; ++j) x[static_cast<std::size_t>(i * columns + j)] = of(i, j);
  const auto y_of = [&](const plan<double>& with) {
    std::vector<double> y(static_cast<std::size_t>(a.rows * columns), 1.0);
    with.multiply(1.0, dense_view<const double>{a.cols, columns, columns, layout::row_major, x}, 2.0,
                  dense_view<double>{a.rows, columns, columns, layout::row_major, y});
    return y;
  };
  EXPECT_EQ(y_of(made), y_of(inspect(a.view(), cpu{}, {.format = "csr"}))) << columns << " columns";
}

/// The same choice from host and device arrays, and exact products of each plan that it makes. rmat has
/// segments of several chunks.
TEST(cached_x_on_device, is_chosen_where_x_in_shared_memory_pays_cuda) {
  SKIP_WITHOUT_DEVICE();
  const struct {
    const char* text;
    const char* format;
    const char* columns;
  } expected[] = {{"uniform(rows=700,cols=200k,per_row=6k)", "cached_x", "panels"},
                  {"rmat(scale=18,edge_factor=18)", "cached_x", "frequent"},
                  {"uniform(rows=300k,per_row=15)", "packed", ""},
                  {"stencil(nx=90,ny=90,nz=90,points=7)", "packed", ""}};
  for (const auto& each : expected) {
    SCOPED_TRACE(each.text);
    auto a = bench_support::generate<double>(each.text);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<double>(k % 1021) - 510;
    const plans::matrix_on_device<double, std::int64_t> there(a.view(), 0);
    for (const auto& made : {inspect(a.view(), cuda{0}), inspect(there.view(), cuda{0})}) {
      EXPECT_EQ(made.format(), each.format);
      for (const auto& [name, value] : made.options())
        if (name == "columns") {
          EXPECT_EQ(value, each.columns);
        }
      for (const std::int64_t columns : {1, 3, 8}) expect_exact_products(a, made, columns);
    }
  }
}

/// A wide matrix takes panels for A x alone, a tall one for the products with its transpose.
TEST(cached_x_on_device, is_chosen_for_a_or_for_the_transpose_cuda) {
  SKIP_WITHOUT_DEVICE();
  auto wide = bench_support::generate<double>("uniform(rows=700,cols=200k,per_row=6k)");
  for (std::size_t k = 0; k < wide.val.size(); ++k) wide.val[k] = static_cast<double>(k % 1021) - 510;
  const auto tall = transpose(wide.view());
  const auto formats_of = [](const plan<double>& made) {
    const auto all = nlohmann::json::parse(made.describe());
    return all.at("format").get<std::string>() + ", " + all.at("transposed").at("format").get<std::string>();
  };
  const auto expect = [&](const csr_matrix<double, std::int64_t>& a, const char* expected) {
    const plans::matrix_on_device<double, std::int64_t> there(a.view(), 0);
    std::vector<double> x(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 17) - 8;
    const auto product = [&](const plan<double>& with) {
      std::vector<double> y(static_cast<std::size_t>(a.cols));
      with.multiply_transposed(1.0, x, 0.0, y);
      return y;
    };
    const auto exact =
        product(inspect(a.view(), cpu{}, {.format = "csr", .operations = operation_set::both}));
    for (const auto& made : {inspect(a.view(), cuda{0}, {.operations = operation_set::both}),
                             inspect(there.view(), cuda{0}, {.operations = operation_set::both})}) {
      EXPECT_EQ(formats_of(made), expected);
      EXPECT_EQ(product(made), exact);
      expect_exact_products(a, made, 1);
    }
  };
  expect(wide, "cached_x, packed");
  expect(tall, "packed, cached_x");
}

/// Segments of several chunks, which hand on the sum of a piece, and packs of two, four and eight columns.
TEST(cached_x_on_device, multiplies_packs_by_frequent_columns_in_long_segments_cuda) {
  SKIP_WITHOUT_DEVICE();
  auto a = bench_support::generate<double>("rmat(scale=17)");
  const std::int64_t chunks = (a.nnz() + formats::cached_x_chunk - 1) / formats::cached_x_chunk;
  ASSERT_GT(formats::cached_x_segment(cached_x_columns::frequent, chunks), 1);
  for (const int different : {1021, 200}) {  // uncompressed values, and a table
    SCOPED_TRACE(different);
    for (std::size_t k = 0; k < a.val.size(); ++k)
      a.val[k] = static_cast<double>(k % static_cast<std::size_t>(different)) - 100;
    const plan<double> made = inspect(
        a.view(), cuda{0}, {.format = "cached_x", .options = {{"columns", "frequent"}, {"cache_kib", "16"}}});
    for (const std::int64_t columns : {2, 4, 8}) expect_exact_products(a, made, columns);
  }
}

}  // namespace
}  // namespace gossamer::cached_x_tests
