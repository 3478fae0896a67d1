// SPDX-License-Identifier: BSD-3-Clause
// Transposed products on a CUDA device: the transposition there, device vectors, graphs, new values from the
// device, and the memory limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "core/transpose.hpp"
#include "exec/cuda/device_transposed.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/device_matrix.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::transposed_device {
namespace {

template <class T>
std::vector<T> fetched(device_span<const T> from) {
  std::vector<T> here(from.size());
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(here.data(), from.data(), from.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return here;
}

template <class T>
std::vector<T> to_vector(const host_buffer<T>& from) {
  return {from.span().begin(), from.span().end()};
}

/// An allocator for device memory that refuses one allocation. It counts the bytes that are allocated.
struct refusing_allocator {
  int refused = 0;
  int calls = 0;
  std::int64_t held = 0;
  static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
    auto& self = *static_cast<refusing_allocator*>(user);
    void* pointer = nullptr;
    if (self.calls++ == self.refused || cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
    self.held += static_cast<std::int64_t>(bytes);
    return pointer;
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<refusing_allocator*>(user)->held -= static_cast<std::int64_t>(bytes);
    (void)cudaFree(pointer);
  }
};

class device_transpose : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

template <class V, class O>
void expect_same_transpose(const csr_matrix<V, O>& a) {
  const device_matrix<V, O> there(a.view());
  const exec::device_transposed<V, O> made(there.view(), 0);
  std::vector<std::int64_t> entries(a.col.size());
  const auto expected = core::transpose(a.view(), entries.data());
  EXPECT_EQ(fetched(made.view().row_ptr), to_vector(expected.row_ptr));
  EXPECT_EQ(fetched(made.view().col), to_vector(expected.col));
  EXPECT_TRUE(same_bits(fetched(made.view().val), to_vector(expected.val)));
  const auto found = fetched(made.permutation());
  EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()), entries);
}

TEST_F(device_transpose, matches_the_host_cuda) {
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.nnz() == 0) continue;
    SCOPED_TRACE(entry.name);
    expect_same_transpose(converted<double, std::int64_t>(entry.matrix));
    expect_same_transpose(converted<float, std::int32_t>(entry.matrix));
  }
  expect_same_transpose(bench_support::generate<double>("rmat(scale=16,edge_factor=16)"));
  expect_same_transpose(bench_support::generate<double>("uniform(rows=3,cols=200000,per_row=90000)"));
}

TEST_F(device_transpose, detects_a_symmetric_matrix_cuda) {
  auto a = bench_support::generate<double>("stencil(nx=30,ny=20,points=5,values=constant)");
  const inspect_options how{.operations = operation_set::both, .symmetric = symmetry::check};
  {
    const device_matrix<double, std::int64_t> there(a.view());
    EXPECT_TRUE(inspect(there.view(), cuda{0}, how).symmetric());
  }
  a.val[7] = -3;
  const device_matrix<double, std::int64_t> there(a.view());
  EXPECT_FALSE(inspect(there.view(), cuda{0}, how).symmetric());
}

TEST_F(device_transpose, refuses_a_matrix_that_is_not_valid_cuda) {
  auto a = bench_support::generate<double>("stencil(nx=30,ny=20,points=5)");
  a.col[3] = 600;
  const device_matrix<double, std::int64_t> there(a.view());
  EXPECT_THAT([&] { inspect(there.view(), cuda{0}, {.operations = operation_set::both}); },
              testing::Throws<error>(testing::Property(&error::code, errc::invalid_matrix)));
}

/// So that it has the device's memory to itself.
TEST_F(device_transpose, comes_after_the_plan_of_a_unless_they_are_compared_cuda) {
  const auto a = bench_support::generate<double>("uniform(rows=4000,per_row=9)");
  const device_matrix<double, std::int64_t> there(a.view());
  for (const symmetry symmetric : {symmetry::unknown, symmetry::check}) {
    std::vector<std::string> stages;
    inspect_options how{.format = "csr", .operations = operation_set::both, .symmetric = symmetric};
    how.progress = [&](const progress& p) {
      stages.emplace_back(p.stage);
      return true;
    };
    static_cast<void>(inspect(there.view(), cuda{0}, how));
    const auto first_of = [&](const char* stage) { return std::find(stages.begin(), stages.end(), stage); };
    ASSERT_NE(first_of("transpose"), stages.end());
    EXPECT_EQ(first_of("build") < first_of("transpose"), symmetric == symmetry::unknown);
    EXPECT_EQ(std::count(stages.begin(), stages.end(), "transpose"), 1);
  }
}

/// An allocation is refused, each one in its run: the host transposes, or there is an error.
TEST_F(device_transpose, survives_memory_that_is_short_cuda) {
  const auto a = bench_support::generate<double>("uniform(rows=4000,cols=3000,per_row=9)");
  const device_matrix<double, std::int64_t> there(a.view());
  const auto x = random_vector<double>(a.rows, 1);
  auto expected = poisoned<double>(a.cols);
  inspect(there.view(), cuda{0}, {.operations = operation_set::transposed})
      .multiply_transposed(1.0, x, 0.0, expected);
  const auto is_refused = [&](int refused, bool changes) {
    refusing_allocator memory{.refused = refused};
    const allocation_hook before = set_device_allocation_hook(
        {.allocate = refusing_allocator::allocate, .release = refusing_allocator::release, .user = &memory});
    try {
      const auto made =
          inspect(there.view(), cuda{0}, {.values_change = changes, .operations = operation_set::both});
      auto y = poisoned<double>(a.cols);
      made.multiply_transposed(1.0, x, 0.0, y);
      EXPECT_TRUE(same_bits(y, expected)) << refused;
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::out_of_memory) << problem.what();
    }
    set_device_allocation_hook(before);
    EXPECT_EQ(memory.held, 0) << refused;
    return memory.calls > refused;
  };
  for (const bool changes : {false, true}) {
    int refused = 0;
    while (is_refused(refused, changes)) ++refused;
    EXPECT_GT(refused, 5);
  }
}

class device_products : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

std::vector<std::string> gpu_formats() {
  std::vector<std::string> names{"auto"};
  for (const format_info& each : list_formats()) {
    if (contains(each.devices, device_set::cuda)) names.emplace_back(each.name);
  }
  return names;
}

/// y = A^T x of a plan, on vectors in device memory.
std::vector<double> transposed_there(const plan<double>& made, const stream& s) {
  const device_vector<double> x{std::span<const double>(random_vector<double>(made.rows(), 1))};
  device_vector<double> y{std::span<const double>(poisoned<double>(made.cols()))};
  made.multiply_transposed(1.5, x.span(), 0.0, y.span(), s.handle);
  return y.fetch();
}

/// The matrix on the host or on the device, as it is asked for.
TEST_P(device_products, have_the_bits_of_a_plan_of_the_transpose) {
  const stream s;
  for (const char* text : {"uniform(rows=4000,cols=3000,per_row=9)", "rmat(scale=11,edge_factor=8)",
                           "stencil(nx=60,ny=50,points=9)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    const auto at = transpose(a.view());
    const device_matrix<double, std::int64_t> there(a.view());
    for (const bool changes : {false, true}) {
      inspect_options how{.format = GetParam(), .values_change = changes};
      std::optional<plan<double>> expected;
      try {
        expected = inspect(at.view(), cuda{0}, how);
        static_cast<void>(inspect(a.view(), cuda{0}, how));
      } catch (const error& problem) {
        ASSERT_EQ(problem.code(), errc::unsupported) << problem.what();
        continue;  // the format refuses one of the two for its padding
      }
      const device_vector<double> x{std::span<const double>(random_vector<double>(a.rows, 1))};
      device_vector<double> y{std::span<const double>(poisoned<double>(a.cols))};
      expected->multiply(1.5, x.span(), 0.0, y.span(), s.handle);
      const std::vector<double> bits = y.fetch();
      for (const operation_set operations : {operation_set::transposed, operation_set::both}) {
        how.operations = operations;
        const plan<double> from_host = inspect(a.view(), cuda{0}, how);
        const plan<double> from_device = inspect(there.view(), cuda{0}, how);
        EXPECT_TRUE(same_bits(transposed_there(from_host, s), bits)) << from_host.describe();
        EXPECT_TRUE(same_bits(transposed_there(from_device, s), bits)) << from_device.describe();
        auto host_y = poisoned<double>(a.cols);
        from_device.multiply_transposed(1.5, random_vector<double>(a.rows, 1), 0.0, host_y);
        EXPECT_TRUE(same_bits(host_y, bits));
      }
    }
  }
}

/// Both products and new values from the device, recorded once and replayed.
TEST_P(device_products, take_new_values_and_replay_in_a_graph) {
  const auto a = bench_support::generate<double>("stencil(nx=40,ny=30,points=9)");
  const device_matrix<double, std::int64_t> there(a.view());
  plan<double> made =
      inspect(there.view(), cuda{0},
              {.format = GetParam(), .values_change = true, .operations = operation_set::both});
  const auto values = random_vector<double>(a.nnz(), 5);
  auto changed = copy<double, std::int64_t>(a.view());
  std::copy(values.begin(), values.end(), changed.val.data());
  const auto fresh =
      inspect(changed.view(), cuda{0},
              {.format = GetParam(), .values_change = true, .operations = operation_set::both});
  const stream s;
  const device_vector<double> values_there{std::span<const double>(values)};
  if (made.reencodes()) {
    EXPECT_THAT([&] { made.update_values(values_there.span(), s.handle); },
                testing::Throws<error>(testing::Property(&error::code, errc::unsupported)));
    made.update_values(values);
    EXPECT_TRUE(same_bits(transposed_there(made, s), transposed_there(fresh, s)));
    return;
  }
  const device_vector<double> x{std::span<const double>(random_vector<double>(a.rows, 1))};
  device_vector<double> y{std::span<const double>(poisoned<double>(a.rows))};
  device_vector<double> z{std::span<const double>(poisoned<double>(a.cols))};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
  made.update_values(values_there.span(), s.handle);
  made.multiply(1.5, x.span(), 0.0, y.span(), s.handle);
  made.multiply_transposed(1.5, x.span(), 0.0, z.span(), s.handle);
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, s.handle));
  EXPECT_TRUE(same_bits(z.fetch(), transposed_there(fresh, s)));
  device_vector<double> expected{std::span<const double>(poisoned<double>(a.rows))};
  fresh.multiply(1.5, x.span(), 0.0, expected.span(), s.handle);
  EXPECT_TRUE(same_bits(y.fetch(), expected.fetch()));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

TEST_P(device_products, share_a_memory_limit) {
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=50,points=9)");
  inspect_options how{.format = GetParam(), .operations = operation_set::both};
  const auto whole = inspect(a.view(), cuda{0}, how);
  EXPECT_EQ(whole.storage(operation::transposed).bus_bytes, 0);
  const stream s;
  const auto expected = transposed_there(whole, s);
  for (const std::int64_t limit : {std::int64_t{0}, whole.bytes() / 3, whole.bytes() * 3 / 4}) {
    how.memory_limit = limit;
    const auto made = inspect(a.view(), cuda{0}, how);
    const auto forward = made.storage(operation::forward);
    const auto transposed = made.storage(operation::transposed);
    EXPECT_LE(forward.streamed_bytes - forward.bus_bytes + transposed.streamed_bytes - transposed.bus_bytes,
              limit);
    // With less memory auto may take another format.
    const auto unlimited = whole.storage(operation::transposed);
    if (transposed.format == unlimited.format && transposed.options == unlimited.options) {
      EXPECT_TRUE(same_bits(transposed_there(made, s), expected));
    }
    const auto again = inspect(a.view(), description{made.describe()});
    EXPECT_EQ(again.storage(operation::transposed).bus_bytes, transposed.bus_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, device_products, testing::ValuesIn(gpu_formats()),
                         [](const auto& each) { return each.param + "_cuda"; });

}  // namespace
}  // namespace gossamer::testing_support::transposed_device
