// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors, as the columns of dense matrices.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"
#include "plans/calls.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Y = alpha A X + beta Y. Element i of column j is x[i * x_step + j * x_next].
template <class S>
struct product_by_columns {
  sum_t<S> alpha{};
  const vector_t<S>* x = nullptr;
  sum_t<S> beta{};
  vector_t<S>* y = nullptr;
  std::int64_t columns = 0;
  std::int64_t x_step = 1;
  std::int64_t x_next = 0;
  std::int64_t y_step = 1;
  std::int64_t y_next = 0;
};

/// Checks shapes, leading dimensions and overlap. `facts`: of the plan that multiplies. Throws size_mismatch,
/// invalid_argument and overlap, which name the call and the matrix.
template <class S, class Space>
product_by_columns<S> check_columns(const call_names& names, const plan_facts& facts, vector_t<S> alpha,
                                    const dense_view<const vector_t<S>, Space>& x, vector_t<S> beta,
                                    const dense_view<vector_t<S>, Space>& y);

/// Column after column. One that is not contiguous goes through the workspace's column room.
template <class S>
void multiply_columns_host(const plan_base<S>& base, const product_by_columns<S>& p, workspace_base& scratch);
template <class S>
void multiply_columns_device(const plan_base<S>& base, const product_by_columns<S>& p, cuda_stream stream,
                             workspace_base& scratch);

}  // namespace gossamer::inline v0::plans
