// SPDX-License-Identifier: BSD-3-Clause
// Inspects, checks and times every product of one matrix, beside each other.
#pragma once

#include <vector>

#include "bench/result.hpp"
#include "bench/settings.hpp"
#include "gossamer/matrix.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {

/// One result for each format's setting and for each peer, in this order, for each cache state. All products
/// of the matrix are in memory at once, because they are timed in turn.
/// A format or a peer that refuses the matrix gives the status unsupported; a wrong product, and memory or a
/// device that fails, give the status failed, and the others go on. What else is thrown (a bad option, for
/// example) is thrown on.
template <value V, offset O>
std::vector<bench_result> measure(const bench_member& member, const csr_view<V, O>& a,
                                  const bench_settings& settings, double copy_gbs, progress_bar& bar);

}  // namespace gossamer::cli
