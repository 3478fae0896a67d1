// SPDX-License-Identifier: BSD-3-Clause
// The C interface with arrays and vectors in device memory, compared with == to dense products of whole
// numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "capi/capi_support.hpp"
#include "support/device_vectors.hpp"

namespace gossamer::testing_support::capi_device {
namespace {

using namespace capi;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A copy of arrays in device memory.
template <class V, class O, class I>
struct device_arrays {
  device_vector<O> offsets;
  device_vector<I> indices;
  device_vector<V> values;
  gossamer_arrays all;

  explicit device_arrays(const host_arrays<V, O, I>& from)
      : offsets(std::span<const O>(from.offsets)),
        indices(std::span<const I>(from.indices)),
        values(std::span<const V>(from.values)),
        all(from.all) {
    all.memory = GOSSAMER_DEVICE;
    all.device = 0;
    all.offsets = offsets.span().data();
    all.indices = indices.span().data();
    all.values = values.span().data();
  }
};

class capi_on_device : public testing::Test {
 protected:
  void SetUp() override { GOSSAMER_NEEDS_CUDA_DEVICE(); }
};

/// y = 2 op(A) x - y on vectors in device memory, in a stream.
template <class V>
void expect_device_product(const plan_handle& plan, const entry_list& a, gossamer_operation op,
                           gossamer_workspace* workspace = nullptr) {
  std::vector<V> x(static_cast<std::size_t>(x_size(a, op)));
  std::vector<V> y(static_cast<std::size_t>(y_size(a, op)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(static_cast<int>(i % 7) - 3);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<V>(i % 5);
  const device_vector<V> on_device{std::span<const V>(x)};
  device_vector<V> result{std::span<const V>(y)};
  const stream in;
  ASSERT_EQ(outcome(gossamer_multiply_device(plan.get(), op, 2, on_device.span().data(), -1,
                                             result.span().data(), in.handle, workspace)),
            "success");
  EXPECT_EQ(result.fetch(), dense_product<V>(a, op, 2, x, -1, y)) << "op " << op;
}

template <class V>
void expect_device_products(const plan_handle& plan, const entry_list& a) {
  expect_device_product<V>(plan, a, GOSSAMER_FORWARD);
  expect_device_product<V>(plan, a, GOSSAMER_TRANSPOSED);
}

TEST_F(capi_on_device, products_are_exact_for_every_kind_of_arrays_cuda) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class V, class O, class I>(const host_arrays<V, O, I>& from, V) {
    const device_arrays<V, O, I> arrays(from);
    matrix_handle matrix = make_matrix(arrays.all);
    for (const char* format : {"auto", "csr", "packed", "sliced_ell"}) {
      SCOPED_TRACE(format);
      const plan_handle plan = make_plan(matrix, std::string("operations=both, format=") + format, "cuda:0");
      expect_device_products<V>(plan, a);
      expect_both_products<V>(plan, a);
    }
    // The plan keeps arrays that the matrix owns.
    const plan_handle plan = make_plan(matrix, "operations=both, format=csr", "cuda");
    matrix.reset();
    expect_device_products<V>(plan, a);
  });
}

TEST_F(capi_on_device, plans_of_host_arrays_multiply_device_vectors_cuda) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class V, class O, class I>(const host_arrays<V, O, I>& from, V) {
    const plan_handle plan = make_plan(make_matrix(from.all), "operations=both", "cuda");
    const workspace_handle workspace = make_workspace(plan);
    expect_device_products<V>(plan, a);
    expect_device_product<V>(plan, a, GOSSAMER_FORWARD, workspace.get());
    expect_device_product<V>(plan, a, GOSSAMER_TRANSPOSED, workspace.get());
  });
}

TEST_F(capi_on_device, an_empty_matrix_needs_no_arrays_cuda) {
  gossamer_arrays arrays{};
  arrays.struct_size = sizeof arrays;
  arrays.layout = GOSSAMER_COO;
  arrays.memory = GOSSAMER_DEVICE;
  arrays.value_type = GOSSAMER_F64;
  arrays.offset_type = GOSSAMER_I32;
  arrays.index_type = GOSSAMER_I32;
  arrays.rows = 3;
  arrays.cols = 2;
  const entry_list empty{.rows = 3, .cols = 2, .entries = {}};
  expect_device_product<double>(make_plan(make_matrix(arrays), "", "cuda"), empty, GOSSAMER_FORWARD);
}

TEST_F(capi_on_device, arrays_are_the_callers_if_they_can_be_used_as_they_are_cuda) {
  const host_arrays<float, std::int64_t> from(small_matrix(), GOSSAMER_CSR, 0);
  const device_arrays<float, std::int64_t, std::int32_t> arrays(from);
  const matrix_handle matrix = make_matrix(arrays.all);
  gossamer_arrays got{};
  got.struct_size = sizeof got;
  ASSERT_EQ(outcome(gossamer_matrix_arrays(matrix.get(), &got)), "success");
  EXPECT_EQ(got.memory, GOSSAMER_DEVICE);
  EXPECT_EQ(got.device, 0);
  EXPECT_EQ(got.offsets, arrays.all.offsets);
  EXPECT_EQ(got.indices, arrays.all.indices);
  EXPECT_EQ(got.values, arrays.all.values);
}

TEST_F(capi_on_device, new_values_are_taken_from_device_memory_cuda) {
  const entry_list a = small_matrix();
  entry_list changed = a;
  for (std::size_t k = 0; k < changed.entries.size(); ++k)
    changed.entries[k].value = static_cast<int>(3 * k) - 8;
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO})
    for (const char* format : {"auto", "csr"}) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", " << format);
      const host_arrays<double> from(a, layout, 1);
      const device_arrays<double, std::int32_t, std::int32_t> arrays(from);
      const plan_handle plan = make_plan(
          make_matrix(arrays.all), std::string("operations=both, values_change=1, format=") + format, "cuda");
      // Of COO arrays, values are sorted by row.
      const host_arrays<double> to(changed, layout == GOSSAMER_COO ? GOSSAMER_CSR : layout, 1);
      const device_vector<double> values{std::span<const double>(to.values)};
      const stream in;
      ASSERT_EQ(outcome(gossamer_update_values(plan.get(), values.span().data(), GOSSAMER_DEVICE, in.handle)),
                "success");
      ASSERT_EQ(cudaStreamSynchronize(in.handle), cudaSuccess);
      expect_device_products<double>(plan, changed);
    }
}

TEST_F(capi_on_device, dense_products_are_exact_cuda) {
  const entry_list a = small_matrix();
  const host_arrays<double> from(a, GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(from.all), "", "cuda");
  const workspace_handle workspace = make_workspace(plan);
  constexpr std::int64_t columns = 3;
  for (const gossamer_order order : {GOSSAMER_COLUMN_MAJOR, GOSSAMER_ROW_MAJOR}) {
    const bool by_columns = order == GOSSAMER_COLUMN_MAJOR;
    const auto at = [&](std::int64_t rows, std::int64_t i, std::int64_t j) {
      return static_cast<std::size_t>(by_columns ? i + j * rows : i * columns + j);
    };
    std::vector<double> x(static_cast<std::size_t>(a.cols * columns));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 7) - 3;
    device_vector<double> on_device{std::span<const double>(x)};
    device_vector<double> result(static_cast<std::size_t>(a.rows * columns));
    const gossamer_dense of_x{.struct_size = sizeof of_x,
                              .order = order,
                              .memory = GOSSAMER_DEVICE,
                              .rows = a.cols,
                              .cols = columns,
                              .leading = by_columns ? a.cols : columns,
                              .data = on_device.span().data()};
    const gossamer_dense of_y{.struct_size = sizeof of_y,
                              .order = order,
                              .memory = GOSSAMER_DEVICE,
                              .rows = a.rows,
                              .cols = columns,
                              .leading = by_columns ? a.rows : columns,
                              .data = result.span().data()};
    const stream in;
    ASSERT_EQ(outcome(gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &of_x, 0, &of_y, in.handle,
                                              workspace.get())),
              "success");
    const std::vector<double> y = result.fetch();
    for (std::int64_t j = 0; j < columns; ++j) {
      std::vector<double> column_of_x;
      std::vector<double> column_of_y;
      for (std::int64_t i = 0; i < a.cols; ++i) column_of_x.push_back(x[at(a.cols, i, j)]);
      for (std::int64_t i = 0; i < a.rows; ++i) column_of_y.push_back(y[at(a.rows, i, j)]);
      EXPECT_EQ(column_of_y,
                dense_product<double>(a, GOSSAMER_FORWARD, 1, column_of_x, 0, std::vector<double>(7)));
    }
  }
}

TEST_F(capi_on_device, streams_are_told_apart_cuda) {
  const auto id_of = [](CUstream_st* handle, std::int32_t expect_captured) {
    std::int32_t captured = -1;
    std::uint64_t id = 99;
    EXPECT_EQ(outcome(gossamer_stream_id(handle, &captured, &id)), "success");
    EXPECT_EQ(captured, expect_captured);
    return id;
  };
  const stream first;
  const stream second;
  EXPECT_EQ(id_of(nullptr, 0), 0U);
  EXPECT_EQ(id_of(first.handle, 0), id_of(first.handle, 0));
  EXPECT_NE(id_of(first.handle, 0), id_of(second.handle, 0));
  std::uint64_t in_other_thread = 0;
  std::thread([&] { in_other_thread = id_of(cudaStreamPerThread, 0); }).join();
  EXPECT_NE(id_of(cudaStreamPerThread, 0), in_other_thread);
  std::vector<std::uint64_t> captures;
  for (int time = 0; time < 2; ++time) {
    check(cudaStreamBeginCapture(first.handle, cudaStreamCaptureModeGlobal));
    captures.push_back(id_of(first.handle, 1));
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(first.handle, &graph));
    check(cudaGraphDestroy(graph));
  }
  EXPECT_NE(captures[0], captures[1]);
}

// The products of coo need scratch memory: the first one of several vectors allocates it.
TEST_F(capi_on_device, workspaces_are_made_while_a_stream_is_captured_cuda) {
  const entry_list a = small_matrix();
  const host_arrays<double> from(a, GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(from.all), "format=coo", "cuda");
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 3);
  const std::vector<double> x_twice(2 * x.size(), 3);
  const std::vector<double> zero(static_cast<std::size_t>(a.rows));
  const std::vector<double> zero_twice(2 * zero.size());
  const std::vector<double> expected = dense_product<double>(a, GOSSAMER_FORWARD, 1, x, 0, zero);
  const device_vector<double> on_device{std::span<const double>(x_twice)};
  device_vector<double> result(zero.size());
  device_vector<double> two_columns(zero_twice.size());
  const auto dense = [](device_span<const double> of) {
    return gossamer_dense{.struct_size = sizeof(gossamer_dense),
                          .order = GOSSAMER_COLUMN_MAJOR,
                          .memory = GOSSAMER_DEVICE,
                          .rows = static_cast<std::int64_t>(of.size() / 2),
                          .cols = 2,
                          .leading = static_cast<std::int64_t>(of.size() / 2),
                          .data = const_cast<double*>(of.data())};
  };
  const gossamer_dense of_x = dense(on_device.span());
  const gossamer_dense of_y = dense(two_columns.span());
  const stream in;
  check(cudaStreamBeginCapture(in.handle, cudaStreamCaptureModeGlobal));
  const workspace_handle workspace = make_workspace(plan);
  EXPECT_EQ(outcome(gossamer_multiply_device(plan.get(), GOSSAMER_FORWARD, 1, of_x.data, 0,
                                             result.span().data(), in.handle, workspace.get())),
            "success");
  EXPECT_EQ(outcome(gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &of_x, 0, &of_y, in.handle,
                                            workspace.get())),
            "success");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamEndCapture(in.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  for (int time = 0; time < 2; ++time) {
    result.fill(zero);
    two_columns.fill(zero_twice);
    check(cudaGraphLaunch(ready, in.handle));
    EXPECT_EQ(result.fetch(), expected);
    std::vector<double> twice = expected;
    twice.insert(twice.end(), expected.begin(), expected.end());
    EXPECT_EQ(two_columns.fetch(), twice);
  }
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

TEST_F(capi_on_device, indices_outside_the_matrix_are_named_cuda) {
  for (const std::int32_t base : {0, 1})
    for (const std::int64_t bad :
         {std::int64_t{base} - 1, std::int64_t{base} + 5, (std::int64_t{1} << 32) + 1}) {
      host_arrays<double, std::int32_t, std::int64_t> from(small_matrix(), GOSSAMER_CSR, base);
      from.indices[3] = bad;
      const device_arrays<double, std::int32_t, std::int64_t> arrays(from);
      gossamer_matrix* matrix = nullptr;
      EXPECT_THAT(outcome(gossamer_matrix_create(&matrix, &arrays.all)),
                  AllOf(StartsWith("invalid_matrix: "), HasSubstr("indices[3] is " + std::to_string(bad))));
      EXPECT_EQ(matrix, nullptr);
    }
}

TEST_F(capi_on_device, a_device_that_is_not_there_is_named_cuda) {
  const host_arrays<double> from(small_matrix(), GOSSAMER_CSR, 0);
  device_arrays<double, std::int32_t, std::int32_t> arrays(from);
  arrays.all.device = 99;
  gossamer_matrix* matrix = nullptr;
  EXPECT_THAT(outcome(gossamer_matrix_create(&matrix, &arrays.all)),
              AllOf(StartsWith("no_device: "), HasSubstr("99")));
}

TEST_F(capi_on_device, what_needs_host_memory_is_unsupported_cuda) {
  const host_arrays<double> from(small_matrix(), GOSSAMER_CSR, 0);
  const device_arrays<double, std::int32_t, std::int32_t> arrays(from);
  const matrix_handle matrix = make_matrix(arrays.all);
  const plan_handle plan = make_plan(matrix, "", "cuda");
  gossamer_plan* other = nullptr;
  EXPECT_THAT(outcome(gossamer_inspect(&other, matrix.get(), "cpu", nullptr, nullptr)),
              AllOf(StartsWith("unsupported: "), HasSubstr("cuda:0")));
  const char* text = nullptr;
  ASSERT_EQ(outcome(gossamer_describe(plan.get(), &text)), "success");
  EXPECT_THAT(outcome(gossamer_inspect_like(&other, matrix.get(), text)), StartsWith("unsupported: "));
  EXPECT_THAT(outcome(gossamer_tune(&text, matrix.get(), "cuda", nullptr, nullptr)),
              StartsWith("unsupported: "));
  EXPECT_THAT(outcome(gossamer_matrix_write(matrix.get(), "/tmp/never_written.mtx")),
              StartsWith("unsupported: "));
  gossamer_matrix* stored = nullptr;
  ASSERT_EQ(outcome(gossamer_plan_matrix(plan.get(), &stored)), "success");
  expect_both_products<double>(make_plan(matrix_handle(stored), "operations=both"), small_matrix());
}

}  // namespace
}  // namespace gossamer::testing_support::capi_device
