// SPDX-License-Identifier: BSD-3-Clause
// How long update_values() takes.
#pragma once

#include <span>

#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::bench_support {

/// Times update_values() of values in host memory for about `seconds`. `made` was inspected with
/// values_change. Throws what update_values() throws.
template <value V>
timing time_updates(plan<V>& made, std::span<const V> values, double seconds);
/// The same of a copy of the values in the memory of the plan's CUDA device, in a stream. Throws unsupported
/// if made.reencodes(), no_device and out_of_memory too.
template <value V>
timing time_device_updates(plan<V>& made, std::span<const V> values, double seconds);

}  // namespace gossamer::bench_support
