// SPDX-License-Identifier: BSD-3-Clause
// What "auto" stands for.
#pragma once

#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::tuning {

/// Of the options, values_change, memory_limit and vectors count. For several vectors, the first of
/// rank_formats() that multiplies them at once, if there is one. Otherwise what a search found for such a
/// matrix on the resource, if there is no limit and the format still accepts the matrix. Otherwise the first
/// of rank_formats(), or the plain format if all are refused. `a` is valid.
template <value V, offset O>
format_setting choose(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                      const inspect_options& options);

}  // namespace gossamer::inline v0::tuning
