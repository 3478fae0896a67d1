// SPDX-License-Identifier: BSD-3-Clause
// Measures all series of an experiment on one matrix, with the machinery of `gossamer bench`, and makes rows
// of it.
#pragma once

#include <vector>

#include "experiment/settings.hpp"

namespace gossamer::cli {

/// One row for each series, in their order. Series on the same resource are timed in turn in one process.
/// Throws what reading or generating the matrix throws.
experiments::rows measure_rows_of(const bench_member& member, const experiment_settings& settings,
                                  double copy_gbs);

}  // namespace gossamer::cli
