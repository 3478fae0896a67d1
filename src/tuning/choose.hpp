// SPDX-License-Identifier: BSD-3-Clause
// What "auto" stands for.
#pragma once

#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::tuning {

/// Of the options values_change and memory_limit count. What a search found for such a matrix on the
/// resource, where there was one without a limit and the format still takes the matrix; else the first of
/// rank_formats(); the plain format where all are refused. `a` is valid.
template <value V, offset O>
format_setting choose(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                      const inspect_options& options);

}  // namespace gossamer::inline v0::tuning
