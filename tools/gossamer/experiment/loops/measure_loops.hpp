// SPDX-License-Identifier: BSD-3-Clause
// Measures the series of an experiment that compares solvers.
#pragma once

#include <string>

#include "bench/members.hpp"
#include "bench_support/loops/loops.hpp"
#include "experiment/settings.hpp"

namespace gossamer::cli {

/// The method of that name. Throws std::logic_error for another text, which no experiment has.
bench_support::loop_method loop_method_of(const experiments::experiment& what);

/// "" or why a series cannot be measured here.
std::string reason_loop_is_absent(const experiments::experiment& what, const experiments::series& each,
                                  const resource& where);

/// A row for each of the series, in their order. All of them are timed alternately in one process. Throws
/// what reading or generating the matrix throws, and unsupported for one that the method does not suit.
experiments::rows measure_loops_of(const bench_member& member, const experiment_settings& settings);

}  // namespace gossamer::cli
