// SPDX-License-Identifier: BSD-3-Clause
// A resource with everything looked up: what formats choose their options by.
#pragma once

#include "gossamer/export.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

struct target {
  device_set kind = device_set::cpu;
  isa level = isa::baseline;   ///< cpu: never automatic
  int threads = 0;             ///< cpu: as the resource says
  int device = 0;              ///< cuda
  int compute_capability = 0;  ///< cuda: 90 for 9.0
};

/// Throws no_device for a device that is not there, unsupported for an ISA that this CPU does not run.
GOSSAMER_API target target_of(const resource& where);

/// The same for planning alone: a device that is not there is taken to be a current one.
target planned_target_of(const resource& where);

}  // namespace gossamer::inline v0::exec
