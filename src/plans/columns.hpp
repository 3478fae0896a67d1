// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors, as the columns of dense matrices.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"
#include "plans/calls.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Checks shapes, leading dimensions and overlap. `facts`: of the plan that multiplies. Throws size_mismatch,
/// invalid_argument and overlap, which name the call and the matrix.
template <class S, class Space>
columns_product<S> check_columns(const call_names& names, const plan_facts& facts, vector_t<S> alpha,
                                 const dense_view<const vector_t<S>, Space>& x, vector_t<S> beta,
                                 const dense_view<vector_t<S>, Space>& y);

/// Y = alpha A X + beta Y by base.multiply_rows_host(). The other columns are multiplied in blocks of
/// base.columns_at_once(). Those that are not contiguous are copied to the workspace's column room first.
template <class S>
void multiply_columns_host(const plan_base<S>& base, const columns_product<S>& p, workspace_base& scratch);
template <class S>
void multiply_columns_device(const plan_base<S>& base, const columns_product<S>& p, cuda_stream stream,
                             workspace_base& scratch);

}  // namespace gossamer::inline v0::plans
