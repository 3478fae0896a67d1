// SPDX-License-Identifier: BSD-3-Clause
// The bandwidth that predictions reckon with. A constant of the kind of machine, not a measurement: a choice must not differ from run to run,
// and inspect() has no time to measure; what the formats' predictions are to each other hardly depends on it.
#pragma once

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::tuning {

/// Copy bandwidth in GB/s (10^9 bytes, read plus written) that a resource may be expected to have, whether it is there or not.
double nominal_bandwidth_gbs(const resource& where);

}  // namespace gossamer::inline v0::tuning
