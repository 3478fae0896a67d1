// SPDX-License-Identifier: BSD-3-Clause
// The rounds of time_interleaved() by any stopwatch: tests give one whose time only products move.
#pragma once

#include <span>

#include "gossamer/timer.hpp"
#include "timer/stopwatch.hpp"

namespace gossamer::inline v0::timer {

/// `how` has a meaning. Preemptions are counted where products run on the host.
comparison interleave(std::span<const product_call> products, stopwatch& watch, const interleaving& how,
                      bool on_host);

}  // namespace gossamer::inline v0::timer
