// SPDX-License-Identifier: BSD-3-Clause
// Forecasts for a machine that need not be this one. For a choice that need not measure what cannot come
// first, nor all of what can: a bound on what a forecast predicts, and a forecast by a sample.
#pragma once

#include <string_view>

#include "exec/target.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::plans {

struct least_time {
  double seconds = 0;
  bool reads_all = false;  ///< forecast_on() reads all columns or values
};

/// forecast() on a target with so many cores and so much bandwidth, 0: to leave the prediction out.
template <value V, offset O>
format_forecast forecast_on(const csr_view<V, O>& a, const row_statistics& statistics,
                            std::string_view format, const option_texts& options, const exec::target& target,
                            const formats::machine& machine);

/// candidates() on a target.
std::vector<option_texts> candidates_on(std::string_view format, const row_statistics& statistics,
                                        const exec::target& target);

/// forecast_on() predicts no less with the format's default options, as far as a sample of entries tells.
/// O(rows) at most. Throws what it throws.
template <value V, offset O>
least_time least_seconds(const csr_view<V, O>& a, const row_statistics& statistics, std::string_view format,
                         const exec::target& target, const formats::machine& machine);

/// What forecast_on() says, or nearly so: formats that code a matrix to know their bytes code a sample of it.
/// Takes and throws what it does.
template <value V, offset O>
format_forecast forecast_by_sample(const csr_view<V, O>& a, const row_statistics& statistics,
                                   std::string_view format, const option_texts& options,
                                   const exec::target& target, const formats::machine& machine);

}  // namespace gossamer::inline v0::plans
