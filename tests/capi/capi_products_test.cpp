// SPDX-License-Identifier: BSD-3-Clause
// Products through the C interface, compared with == to dense products of whole numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "capi/capi_support.hpp"
#include "support/threads.hpp"

namespace gossamer::testing_support::capi::products {
namespace {

void expect_all_kinds(const std::string& where) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class Arrays, class V>(const Arrays& arrays, V) {
    const matrix_handle matrix = make_matrix(arrays.all);
    for (const char* options : {"operations=both", "operations=both, format=csr",
                                "operations=both, format=packed", "operations=both, copy=1"}) {
      SCOPED_TRACE(options);
      expect_both_products<V>(make_plan(matrix, options, where), a);
    }
  });
}

TEST(capi_products, are_exact_for_every_kind_of_arrays) {
  expect_all_kinds("cpu");
}
TEST(capi_products, are_exact_for_every_kind_of_arrays_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_all_kinds("cuda");
}

void expect_all_formats(const std::string& where) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 1);
  const matrix_handle matrix = make_matrix(arrays.all);
  int formats = 0;
  for (std::int32_t i = 0; gossamer_format_name(i) != nullptr; ++i) {
    SCOPED_TRACE(gossamer_format_name(i));
    gossamer_plan* plan = nullptr;
    const std::string options = std::string("operations=both, format=") + gossamer_format_name(i);
    const gossamer_status status =
        gossamer_inspect(&plan, matrix.get(), where.c_str(), options.c_str(), nullptr);
    if (status == GOSSAMER_UNSUPPORTED) continue;  // on this device, or with so much padding
    ASSERT_EQ(outcome(status), "success");
    expect_both_products<double>(plan_handle(plan), a);
    ++formats;
  }
  EXPECT_GE(formats, 5);
}

TEST(capi_products, are_exact_in_every_format) {
  expect_all_formats("cpu");
}
TEST(capi_products, are_exact_in_every_format_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_all_formats("cuda:0");
}

TEST(capi_products, need_no_array_of_an_empty_matrix) {
  gossamer_arrays arrays{};
  arrays.struct_size = sizeof arrays;
  arrays.layout = GOSSAMER_COO;
  arrays.value_type = GOSSAMER_F64;
  arrays.offset_type = GOSSAMER_I32;
  arrays.index_type = GOSSAMER_I32;
  const plan_handle empty = make_plan(make_matrix(arrays));
  EXPECT_EQ(outcome(gossamer_multiply(empty.get(), GOSSAMER_FORWARD, 1, nullptr, 0, nullptr)), "success");

  arrays.rows = 2;
  arrays.cols = 3;
  const plan_handle no_entries = make_plan(make_matrix(arrays));
  const std::vector<double> x{1, 2, 3};
  std::vector<double> y{5, 6};
  EXPECT_EQ(outcome(gossamer_multiply(no_entries.get(), GOSSAMER_FORWARD, 1, x.data(), 2, y.data())),
            "success");
  EXPECT_EQ(y, (std::vector<double>{10, 12}));
}

TEST(capi_products, do_not_read_y_if_beta_is_0_or_x_if_alpha_is_0) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(arrays.all));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> ones(5, 1);
  std::vector<double> y(7, nan);
  EXPECT_EQ(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 1, ones.data(), 0, y.data())), "success");
  EXPECT_EQ(y, dense_product<double>(a, GOSSAMER_FORWARD, 1, ones, 0, y));
  const std::vector<double> nans(5, nan);
  EXPECT_EQ(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 0, nans.data(), 1, y.data())), "success");
  EXPECT_EQ(y, dense_product<double>(a, GOSSAMER_FORWARD, 1, ones, 0, y));
}

/// A dense matrix with NaN between its rows or columns.
template <class V>
struct dense {
  gossamer_order order;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t leading;
  std::vector<V> data;

  dense(gossamer_order in, std::int64_t m, std::int64_t n, std::int64_t gap)
      : order(in),
        rows(m),
        cols(n),
        leading((in == GOSSAMER_COLUMN_MAJOR ? m : n) + gap),
        data(static_cast<std::size_t>(leading * (in == GOSSAMER_COLUMN_MAJOR ? n : m)),
             std::numeric_limits<V>::quiet_NaN()) {}
  V& at(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(order == GOSSAMER_COLUMN_MAJOR ? i + j * leading : i * leading + j)];
  }
  std::vector<V> column(std::int64_t j) {
    std::vector<V> all;
    for (std::int64_t i = 0; i < rows; ++i) all.push_back(at(i, j));
    return all;
  }
  gossamer_dense view() {
    return {.struct_size = sizeof(gossamer_dense),
            .order = order,
            .memory = GOSSAMER_HOST,
            .rows = rows,
            .cols = cols,
            .leading = leading,
            .data = data.data()};
  }
};

template <class V>
void expect_products_with_epilogue(const std::string& where) {
  const entry_list a = small_matrix();
  const host_arrays<V> arrays(a, GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(arrays.all), "operations=both", where);
  const workspace_handle workspace = make_workspace(plan);
  for (const gossamer_operation op : {GOSSAMER_FORWARD, GOSSAMER_TRANSPOSED})
    for (gossamer_workspace* const scratch : {static_cast<gossamer_workspace*>(nullptr), workspace.get()}) {
      std::vector<V> x(static_cast<std::size_t>(x_size(a, op)));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(static_cast<int>(3 * i % 7) - 3);
      const auto rows = static_cast<std::size_t>(y_size(a, op));
      std::vector<V> z(rows), scale(rows), u(rows), lower(rows, V{-4}), upper(rows, V{5});
      for (std::size_t i = 0; i < rows; ++i) {
        z[i] = static_cast<V>(static_cast<int>(i % 5) - 2);
        scale[i] = static_cast<V>(i % 3 + 1);
        u[i] = static_cast<V>(static_cast<int>(i % 4) - 1);
      }
      std::vector<V> y(rows, std::numeric_limits<V>::quiet_NaN());
      std::vector<V> out = y;
      double dots[2] = {-1, -1};
      const V two = 2;
      const gossamer_epilogue e{.struct_size = sizeof(gossamer_epilogue),
                                .z = z.data(),
                                .scale = scale.data(),
                                .gamma = -3,
                                .u = u.data(),
                                .lower = lower.data(),
                                .upper = upper.data(),
                                .bounds_factor = 1,
                                .outside = 0,
                                .out = out.data(),
                                .out_y_factor = 2,
                                .add = u.data(),
                                .out_add_factor = -1,
                                .dot_with = {y.data(), z.data()},
                                .dot_result = {&dots[0], &dots[1]},
                                .alpha_at = &two,
                                .beta_at = nullptr,
                                .gamma_at = nullptr,
                                .bounds_factor_at = nullptr};
      ASSERT_EQ(outcome(gossamer_multiply_epilogue(plan.get(), op, -1, x.data(), 1, y.data(), &e,
                                                   GOSSAMER_HOST, nullptr, scratch)),
                "success");
      const std::vector<V> sums = dense_product<V>(a, op, 2, x, 1, z);
      double with_y = 0;
      double with_z = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const V expected = std::clamp(scale[i] * sums[i] - 3 * u[i], V{-4}, V{5});
        EXPECT_EQ(y[i], expected) << i;
        EXPECT_EQ(out[i], 2 * expected - u[i]) << i;
        with_y += static_cast<double>(expected * expected);
        with_z += static_cast<double>(expected * z[i]);
      }
      EXPECT_EQ(dots[0], with_y);
      EXPECT_EQ(dots[1], with_z);
    }
}

TEST(capi_products, have_an_epilogue) {
  expect_products_with_epilogue<float>("cpu");
  expect_products_with_epilogue<double>("cpu");
}

template <class V>
void expect_dense_products(const std::string& where) {
  const entry_list a = small_matrix();
  constexpr std::int64_t columns = 3;
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC}) {
    const host_arrays<V> arrays(a, layout, 0);
    const plan_handle plan = make_plan(make_matrix(arrays.all), "operations=both", where);
    const workspace_handle workspace = make_workspace(plan);
    for (const gossamer_operation op : {GOSSAMER_FORWARD, GOSSAMER_TRANSPOSED})
      for (const gossamer_order order_of_x : {GOSSAMER_COLUMN_MAJOR, GOSSAMER_ROW_MAJOR})
        for (const gossamer_order order_of_y : {GOSSAMER_COLUMN_MAJOR, GOSSAMER_ROW_MAJOR})
          for (const std::int64_t gap : {0, 2})
            for (gossamer_workspace* const scratch :
                 {static_cast<gossamer_workspace*>(nullptr), workspace.get()}) {
              SCOPED_TRACE(testing::Message() << "layout " << layout << ", op " << op << ", orders "
                                              << order_of_x << " " << order_of_y << ", gap " << gap);
              dense<V> x(order_of_x, x_size(a, op), columns, gap);
              dense<V> y(order_of_y, y_size(a, op), columns, gap + 1);
              for (std::int64_t j = 0; j < columns; ++j) {
                for (std::int64_t i = 0; i < x.rows; ++i)
                  x.at(i, j) = static_cast<V>((3 * i + 5 * j) % 7 - 3);
                for (std::int64_t i = 0; i < y.rows; ++i) y.at(i, j) = static_cast<V>((i + 2 * j) % 4);
              }
              dense<V> before = y;
              const gossamer_dense of_x = x.view();
              const gossamer_dense of_y = y.view();
              ASSERT_EQ(
                  outcome(gossamer_multiply_dense(plan.get(), op, 2, &of_x, -1, &of_y, nullptr, scratch)),
                  "success");
              for (std::int64_t j = 0; j < columns; ++j)
                EXPECT_EQ(y.column(j), dense_product<V>(a, op, 2, x.column(j), -1, before.column(j)));
              std::int64_t written = 0;
              for (const V& element : y.data) written += std::isnan(element) ? 0 : 1;
              EXPECT_EQ(written, y.rows * y.cols);
            }
  }
}

TEST(capi_dense_products, are_exact_in_either_order_with_leading_dimensions) {
  expect_dense_products<float>("cpu");
  expect_dense_products<double>("cpu");
}
TEST(capi_dense_products, are_exact_in_either_order_with_leading_dimensions_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_dense_products<float>("cuda");
  expect_dense_products<double>("cuda");
}

void expect_products_of_threads(const std::string& where) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(arrays.all), "", where);
  constexpr int threads = 4;
  std::vector<int> failures(threads);
  run_by_threads(threads, [&](int t) {
    const workspace_handle workspace = make_workspace(plan);
    const std::vector<double> x(5, t + 1);
    const std::vector<double> expected =
        dense_product<double>(a, GOSSAMER_FORWARD, 1, x, 0, std::vector<double>(7));
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::vector<double> y(7, -1);
      const gossamer_dense of_x{.struct_size = sizeof(gossamer_dense),
                                .order = GOSSAMER_COLUMN_MAJOR,
                                .memory = GOSSAMER_HOST,
                                .rows = 5,
                                .cols = 1,
                                .leading = 5,
                                .data = const_cast<double*>(x.data())};
      const gossamer_dense of_y{.struct_size = sizeof(gossamer_dense),
                                .order = GOSSAMER_COLUMN_MAJOR,
                                .memory = GOSSAMER_HOST,
                                .rows = 7,
                                .cols = 1,
                                .leading = 7,
                                .data = y.data()};
      const gossamer_status status =
          gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &of_x, 0, &of_y, nullptr, workspace.get());
      if (status != GOSSAMER_SUCCESS || y != expected) ++failures[static_cast<std::size_t>(t)];
    }
  });
  EXPECT_EQ(failures, std::vector<int>(threads));
}

TEST(capi_workspaces, let_threads_multiply_one_plan_at_once) {
  expect_products_of_threads("cpu");
}
TEST(capi_workspaces, let_threads_multiply_one_plan_at_once_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_products_of_threads("cuda");
}

}  // namespace
}  // namespace gossamer::testing_support::capi::products
