// SPDX-License-Identifier: BSD-3-Clause
// A format's settings beside its default options.
#pragma once

#include <vector>

#include "gossamer/tune.hpp"

namespace gossamer::inline v0::tuning {

/// Those of its candidates that are not `by_default`, ranked as rank_formats ranks; O(nonzeros) for each.
template <value V, offset O>
std::vector<prospect> other_settings(const csr_view<V, O>& a, const row_statistics& statistics,
                                     const resource& where, const rank_options& options,
                                     const prospect& by_default);

}  // namespace gossamer::inline v0::tuning
