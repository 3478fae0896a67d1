// SPDX-License-Identifier: BSD-3-Clause
// Reordered plans on a CUDA device: device vectors, several of them, graphs, new values from the device, and
// the memory limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/device_matrix.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::reordered_device {
namespace {

using matrix = csr_matrix<double, std::int64_t>;

matrix mesh() {
  return bench_support::generate<double>("shuffled_mesh(nx=60,ny=50)");
}

class reordered_device : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
    try {
      static_cast<void>(reverse_cuthill_mckee(mesh().view()));
    } catch (const error& problem) {
      GTEST_SKIP() << problem.what();
    }
  }
  [[nodiscard]] inspect_options how(operation_set operations = operation_set::forward) const {
    return {.format = GetParam(), .operations = operations, .reorder = reordering::rcm};
  }
};

/// Those that take the mesh: it has too many diagonals, and no blocks on the diagonal.
std::vector<std::string> gpu_formats() {
  std::vector<std::string> names{"auto"};
  for (const format_info& each : list_formats())
    if (contains(each.devices, device_set::cuda) && each.name != "dia" && each.name != "diag_blocks")
      names.emplace_back(each.name);
  return names;
}

/// y = 1.5 A x + beta y, or by the transpose, on vectors in host memory.
std::vector<double> product_here(const plan<double>& made, bool transposed, double beta) {
  const auto x = random_vector<double>(made.rows(), 1);
  auto y = beta == 0 ? poisoned<double>(made.rows()) : random_vector<double>(made.rows(), 2);
  if (transposed)
    made.multiply_transposed(1.5, x, beta, y);
  else
    made.multiply(1.5, x, beta, y);
  return y;
}

/// The same on vectors in device memory.
std::vector<double> product_there(const plan<double>& made, bool transposed, double beta, const stream& s) {
  const device_vector<double> x{std::span<const double>(random_vector<double>(made.rows(), 1))};
  device_vector<double> y{std::span<const double>(beta == 0 ? poisoned<double>(made.rows())
                                                            : random_vector<double>(made.rows(), 2))};
  if (transposed)
    made.multiply_transposed(1.5, x.span(), beta, y.span(), s.handle);
  else
    made.multiply(1.5, x.span(), beta, y.span(), s.handle);
  return y.fetch();
}

/// The matrix on the host or on the device.
TEST_P(reordered_device, vectors_give_the_bits_of_host_vectors) {
  const stream s;
  const auto a = mesh();
  const device_matrix<double, std::int64_t> there(a.view());
  const auto from_host = inspect(a.view(), cuda{0}, how(operation_set::both));
  const auto from_device = inspect(there.view(), cuda{0}, how(operation_set::both));
  EXPECT_EQ(from_device.permutation().size(), static_cast<std::size_t>(a.rows));
  for (const bool transposed : {false, true}) {
    for (const double beta : {0.0, -2.0}) {
      const auto bits = product_here(from_host, transposed, beta);
      EXPECT_TRUE(same_bits(product_there(from_host, transposed, beta, s), bits));
      EXPECT_TRUE(same_bits(product_there(from_device, transposed, beta, s), bits));
    }
  }
}

TEST_P(reordered_device, several_vectors_have_the_bits_of_single_products) {
  const stream s;
  const auto a = mesh();
  const auto made = inspect(a.view(), cuda{0}, how());
  for (const std::int64_t columns : {1, 2, 5, 16, 65}) {
    for (const layout order : {layout::row_major, layout::column_major}) {
      const auto x = random_vector<double>(a.rows * columns, 3);
      const auto place = [&](std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>(order == layout::column_major ? i + j * a.rows : i * columns + j);
      };
      std::vector<double> expected(x.size());
      for (std::int64_t j = 0; j < columns; ++j) {
        std::vector<double> column(static_cast<std::size_t>(a.rows));
        for (std::int64_t i = 0; i < a.rows; ++i) column[static_cast<std::size_t>(i)] = x[place(i, j)];
        std::vector<double> y(column.size());
        made.multiply(1.5, column, 0.0, y);
        for (std::int64_t i = 0; i < a.rows; ++i) expected[place(i, j)] = y[static_cast<std::size_t>(i)];
      }
      const device_vector<double> x_on_device{std::span<const double>(x)};
      device_vector<double> y_on_device{std::span<const double>(poisoned<double>(a.rows * columns))};
      const auto view = [&]<class T>(device_span<T> data) {
        return dense_view<T, device_space>{.rows = a.rows,
                                           .cols = columns,
                                           .leading = order == layout::column_major ? a.rows : columns,
                                           .order = order,
                                           .data = data};
      };
      made.multiply(1.5, view(x_on_device.span()), 0.0, view(y_on_device.span()), s.handle);
      EXPECT_TRUE(same_bits(y_on_device.fetch(), expected)) << columns << " columns";
    }
  }
}

/// A product and new values from the device, recorded once and replayed.
TEST_P(reordered_device, products_take_new_values_and_replay_in_a_graph) {
  const auto a = mesh();
  inspect_options asked = how(operation_set::both);
  asked.values_change = true;
  plan<double> made = inspect(a.view(), cuda{0}, asked);
  const auto values = random_vector<double>(a.nnz(), 5);
  auto changed = copy<double, std::int64_t>(a.view());
  std::copy(values.begin(), values.end(), changed.val.data());
  const auto fresh = inspect(changed.view(), cuda{0}, asked);
  const stream s;
  if (made.reencodes()) {
    made.update_values(values);
    EXPECT_TRUE(same_bits(product_there(made, false, 0, s), product_there(fresh, false, 0, s)));
    EXPECT_TRUE(same_bits(product_there(made, true, 0, s), product_there(fresh, true, 0, s)));
    return;
  }
  const device_vector<double> values_there{std::span<const double>(values)};
  const device_vector<double> x{std::span<const double>(random_vector<double>(a.rows, 1))};
  device_vector<double> y{std::span<const double>(poisoned<double>(a.rows))};
  device_vector<double> z{std::span<const double>(poisoned<double>(a.rows))};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
  made.update_values(values_there.span(), s.handle);
  made.multiply(1.5, x.span(), 0.0, y.span(), s.handle);
  made.multiply_transposed(1.5, x.span(), 0.0, z.span(), s.handle);
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, s.handle));
  EXPECT_TRUE(same_bits(y.fetch(), product_there(fresh, false, 0, s)));
  EXPECT_TRUE(same_bits(z.fetch(), product_there(fresh, true, 0, s)));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

TEST_P(reordered_device, permutation_counts_for_the_memory_limit) {
  const auto a = mesh();
  inspect_options asked = how();
  const auto whole = inspect(a.view(), cuda{0}, asked);
  asked.memory_limit = 8 * a.rows - 1;
  EXPECT_THAT([&] { inspect(a.view(), cuda{0}, asked); },
              testing::Throws<error>(testing::Property(&error::code, errc::invalid_argument)));
  asked.memory_limit = 8 * a.rows;
  const auto made = inspect(a.view(), cuda{0}, asked);
  EXPECT_LE(made.streamed_bytes() - made.bus_bytes(), 8 * a.rows);
  EXPECT_THAT(made.describe(), testing::HasSubstr("\"memory_limit\":" + std::to_string(8 * a.rows) + ","));
  EXPECT_EQ(inspect(a.view(), description{made.describe()}).bus_bytes(), made.bus_bytes());
  if (made.format() == whole.format() && made.options() == whole.options()) {
    EXPECT_TRUE(same_bits(product_here(made, false, -2), product_here(whole, false, -2)));
  }
}

INSTANTIATE_TEST_SUITE_P(formats, reordered_device, testing::ValuesIn(gpu_formats()),
                         [](const auto& each) { return each.param + "_cuda"; });

}  // namespace
}  // namespace gossamer::testing_support::reordered_device
