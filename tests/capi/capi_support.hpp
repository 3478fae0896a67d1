// SPDX-License-Identifier: BSD-3-Clause
// A small matrix as arrays of every kind that gossamer_arrays has, its dense products, and handles.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "gossamer/gossamer.h"

namespace gossamer::testing_support::capi {

struct matrix_deleter {
  void operator()(gossamer_matrix* matrix) const { gossamer_matrix_destroy(matrix); }
};
struct plan_deleter {
  void operator()(gossamer_plan* plan) const { gossamer_plan_destroy(plan); }
};
struct workspace_deleter {
  void operator()(gossamer_workspace* workspace) const { gossamer_workspace_destroy(workspace); }
};
using matrix_handle = std::unique_ptr<gossamer_matrix, matrix_deleter>;
using plan_handle = std::unique_ptr<gossamer_plan, plan_deleter>;
using workspace_handle = std::unique_ptr<gossamer_workspace, workspace_deleter>;

/// For EXPECT_EQ(outcome(gossamer_...()), "success"): the status and, of a failure, the message.
inline std::string outcome(gossamer_status status) {
  const std::string name = gossamer_status_name(status);
  return status == GOSSAMER_SUCCESS ? name : name + ": " + gossamer_last_error();
}

struct entry {
  std::int64_t row;
  std::int64_t col;
  int value;
};

/// Whole numbers, so that sums are exact in any order.
struct entry_list {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<entry> entries;
};

/// Rows in no order, a duplicate, an explicit zero, an empty row (4) and an empty column (2).
inline entry_list small_matrix() {
  return {.rows = 7,
          .cols = 5,
          .entries = {{3, 4, 5},
                      {0, 0, 2},
                      {6, 1, -3},
                      {0, 3, 1},
                      {2, 4, 7},
                      {2, 0, -1},
                      {1, 1, 4},
                      {0, 3, 6},
                      {5, 0, 0},
                      {5, 4, 9}}};
}

/// y = alpha op(A) x + beta y
template <class V>
std::vector<V> dense_product(const entry_list& a, gossamer_operation op, V alpha, const std::vector<V>& x,
                             V beta, const std::vector<V>& before) {
  std::vector<V> y(before.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = beta == V{0} ? V{0} : beta * before[i];
  for (const entry& e : a.entries) {
    const std::int64_t to = op == GOSSAMER_FORWARD ? e.row : e.col;
    const std::int64_t from = op == GOSSAMER_FORWARD ? e.col : e.row;
    y[static_cast<std::size_t>(to)] += alpha * static_cast<V>(e.value) * x[static_cast<std::size_t>(from)];
  }
  return y;
}

template <class T>
constexpr gossamer_type type_of() {
  if (std::is_same_v<T, float>) return GOSSAMER_F32;
  if (std::is_same_v<T, double>) return GOSSAMER_F64;
  return std::is_same_v<T, std::int32_t> ? GOSSAMER_I32 : GOSSAMER_I64;
}

/// The arrays of a matrix in one layout.
template <class V, class O = std::int32_t, class I = std::int32_t>
struct host_arrays {
  std::vector<O> offsets;
  std::vector<I> indices;
  std::vector<V> values;
  gossamer_arrays all{};

  host_arrays(entry_list a, gossamer_layout layout, std::int32_t base) {
    std::vector<entry>& entries = a.entries;
    const bool is_csc = layout == GOSSAMER_CSC;
    if (layout != GOSSAMER_COO)
      std::stable_sort(entries.begin(), entries.end(), [&](const entry& s, const entry& t) {
        return is_csc ? s.col < t.col : s.row < t.row;
      });
    if (layout != GOSSAMER_COO) {
      offsets.assign(static_cast<std::size_t>(is_csc ? a.cols : a.rows) + 1, static_cast<O>(base));
      for (const entry& e : entries)
        for (std::size_t i = static_cast<std::size_t>(is_csc ? e.col : e.row) + 1; i < offsets.size(); ++i)
          ++offsets[i];
    }
    for (const entry& e : entries) {
      if (layout == GOSSAMER_COO) offsets.push_back(static_cast<O>(e.row + base));
      indices.push_back(static_cast<I>((is_csc ? e.row : e.col) + base));
      values.push_back(static_cast<V>(e.value));
    }
    all.struct_size = sizeof all;
    all.layout = layout;
    all.memory = GOSSAMER_HOST;
    all.value_type = type_of<V>();
    all.offset_type = type_of<O>();
    all.index_type = type_of<I>();
    all.base = base;
    all.rows = a.rows;
    all.cols = a.cols;
    all.nnz = static_cast<std::int64_t>(entries.size());
    all.offsets = offsets.data();
    all.indices = indices.data();
    all.values = values.data();
  }
  host_arrays(const host_arrays&) = delete;
  host_arrays& operator=(const host_arrays&) = delete;
};

inline matrix_handle make_matrix(const gossamer_arrays& arrays) {
  gossamer_matrix* matrix = nullptr;
  EXPECT_EQ(outcome(gossamer_matrix_create(&matrix, &arrays)), "success");
  return matrix_handle(matrix);
}

inline plan_handle make_plan(const matrix_handle& matrix, const std::string& options = "",
                             const std::string& where = "cpu") {
  gossamer_plan* plan = nullptr;
  EXPECT_EQ(outcome(gossamer_inspect(&plan, matrix.get(), where.c_str(), options.c_str(), nullptr)),
            "success")
      << options;
  return plan_handle(plan);
}

inline workspace_handle make_workspace(const plan_handle& plan) {
  gossamer_workspace* workspace = nullptr;
  EXPECT_EQ(outcome(gossamer_workspace_create(&workspace, plan.get())), "success");
  return workspace_handle(workspace);
}

/// The lengths of x and y.
inline std::int64_t x_size(const entry_list& a, gossamer_operation op) {
  return op == GOSSAMER_FORWARD ? a.cols : a.rows;
}
inline std::int64_t y_size(const entry_list& a, gossamer_operation op) {
  return op == GOSSAMER_FORWARD ? a.rows : a.cols;
}

inline gossamer_plan_info info_of(const plan_handle& plan) {
  gossamer_plan_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(outcome(gossamer_plan_get_info(plan.get(), &info)), "success");
  return info;
}

/// Multiplies and compares with the dense product, with == on whole numbers.
template <class V>
void expect_product(const gossamer_plan* plan, const entry_list& a, gossamer_operation op) {
  std::vector<V> x(static_cast<std::size_t>(x_size(a, op)));
  std::vector<V> y(static_cast<std::size_t>(y_size(a, op)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(static_cast<int>(i % 7) - 3);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<V>(i % 5);
  for (const auto& [alpha, beta] : {std::pair<V, V>{1, 0}, {-2, 3}, {0, 2}}) {
    const std::vector<V> expected = dense_product<V>(a, op, alpha, x, beta, y);
    std::vector<V> result = y;
    ASSERT_EQ(outcome(gossamer_multiply(plan, op, alpha, x.data(), beta, result.data())), "success");
    EXPECT_EQ(result, expected) << "op " << op << ", alpha " << alpha << ", beta " << beta;
  }
}

template <class V>
void expect_both_products(const plan_handle& plan, const entry_list& a) {
  expect_product<V>(plan.get(), a, GOSSAMER_FORWARD);
  expect_product<V>(plan.get(), a, GOSSAMER_TRANSPOSED);
}

/// f(host_arrays) for each layout, value type, offset type, index type and base.
template <class F>
void for_each_kind_of_arrays(const entry_list& a, F&& f) {
  const auto each = [&]<class V, class O, class I>(V, O, I) {
    for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO})
      for (const std::int32_t base : {0, 1}) {
        SCOPED_TRACE(testing::Message()
                     << "layout " << layout << ", value type " << type_of<V>() << ", offset type "
                     << type_of<O>() << ", index type " << type_of<I>() << ", base " << base);
        f(host_arrays<V, O, I>(a, layout, base), V{});
      }
  };
  const auto with_indices = [&]<class V, class O>(V v, O o) {
    each(v, o, std::int32_t{});
    each(v, o, std::int64_t{});
  };
  const auto with_offsets = [&]<class V>(V v) {
    with_indices(v, std::int32_t{});
    with_indices(v, std::int64_t{});
  };
  with_offsets(float{});
  with_offsets(double{});
}

/// "cpu", and "cuda" if there is a device.
#define GOSSAMER_NEEDS_CUDA_DEVICE() \
  if (gossamer_cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine"

}  // namespace gossamer::testing_support::capi
