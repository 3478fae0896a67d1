// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue: the checks of the caller's vectors, and scratch for sums of dot products.
#pragma once

#include <cstdint>

#include "exec/epilogue.hpp"
#include "gossamer/epilogue.hpp"
#include "plans/calls.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Checks sizes and overlap. `p`: the product, whose x and y have been checked. Throws size_mismatch,
/// invalid_argument and overlap, which name the call and the vector.
template <class S, class Space>
exec::row_epilogue<S> check_epilogue(const call_names& names, const plan_facts& facts, const product<S>& p,
                                     const epilogue<vector_t<S>, Space>& e);

/// Scratch of the workspace, which the caller holds: at least so many numbers.
double* host_dot_room(workspace_base& scratch, std::int64_t sums);
/// The same in the memory of a device, which is the current one. The first number is zero. The caller holds
/// scratch.calling.
double* device_dot_room(workspace_base& scratch, std::int64_t sums, int device);
/// How many those are of a plan that leaves so many parts of dot products. The parts are the last.
constexpr std::int64_t dot_numbers(std::int64_t rows, std::int64_t parts) noexcept {
  return exec::device_dot_sums(std::max(rows, parts)) + 2 * parts;
}

}  // namespace gossamer::inline v0::plans
