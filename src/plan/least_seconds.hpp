// SPDX-License-Identifier: BSD-3-Clause
// A bound on what a forecast predicts, and a forecast by a sample, for a choice that need not measure what cannot come first, nor all of what can.
#pragma once

#include <string_view>

#include "gossamer/csr_view.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::detail {

struct least_time {
  double seconds = 0;
  bool reads_all = false;  ///< forecast() reads all columns or values
};

/// forecast() predicts no less with the format's default options, as far as a sample of entries tells. O(rows) at most. Throws what forecast() throws.
template <value V, offset O>
least_time least_seconds(const csr_view<V, O>& a, const row_statistics& statistics, std::string_view format,
                         const resource& where, double bandwidth_gbs);

/// What forecast() says, or nearly so: formats that code a matrix to know their bytes code a sample of it. Takes and throws what forecast() does.
template <value V, offset O>
format_forecast forecast_by_sample(const csr_view<V, O>& a, const row_statistics& statistics,
                                   std::string_view format, const option_texts& options,
                                   const resource& where, double bandwidth_gbs = 0);

}  // namespace gossamer::inline v0::detail
