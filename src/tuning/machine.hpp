// SPDX-License-Identifier: BSD-3-Clause
// A machine's description in the terms that formats are asked in.
#pragma once

#include <cstdint>
#include <string_view>

#include "exec/target.hpp"
#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"
#include "plans/forecast.hpp"
#include "tuning/bandwidth.hpp"

namespace gossamer::inline v0::tuning {

/// Throws invalid_argument for a member without meaning; `caller` begins the message.
void check(const machine_description& machine, std::string_view caller);

exec::target target_of(const machine_description& machine);

/// The machine by which "auto" chooses on a CPU: the instruction set of the resource, and otherwise one usual
/// machine, so that the choice does not depend on threads, cache sizes or free memory.
machine_description usual_machine(const cpu& where);

/// How fast it is with a matrix.
template <value V, offset O>
formats::machine speed_of(const machine_description& machine, const csr_view<V, O>& a) {
  return {.bandwidth_gbs = nominal_bandwidth_gbs(machine, working_set(a)),
          .cores = machine.kind == device_set::cpu ? machine.threads : 1};
}

}  // namespace gossamer::inline v0::tuning
