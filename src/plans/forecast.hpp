// SPDX-License-Identifier: BSD-3-Clause
// Forecasts for a machine that need not be this one.
#pragma once

#include <string_view>
#include <vector>

#include "plans/format_entry.hpp"

namespace gossamer::inline v0::plans {

/// forecast() on a target. machine.bandwidth_gbs = 0 leaves the prediction out. With sizing::estimated,
/// formats that encode a matrix to know their bytes encode a sample of it.
template <value V, offset O>
format_forecast forecast_on(const csr_view<V, O>& a, const row_statistics& statistics,
                            std::string_view format, const option_texts& options, const exec::target& target,
                            const formats::machine& machine, sizing size = sizing::measured);

/// candidates() on a target, for plans whose values will change or not.
std::vector<option_texts> candidates_on(std::string_view format, const row_statistics& statistics,
                                        const exec::target& target, bool values_change);

/// Whether a format multiplies so many columns in one read of the matrix, where X and Y are row-major.
bool multiplies_at_once(std::string_view format, device_set kind, std::int64_t columns);

/// A lower bound of what forecast_on() predicts with the format's default options, as far as a sample of
/// entries tells. O(rows) at most. Throws what it throws.
template <value V, offset O>
least_time least_seconds(const csr_view<V, O>& a, const row_statistics& statistics, std::string_view format,
                         const exec::target& target, const formats::machine& machine);

}  // namespace gossamer::inline v0::plans
