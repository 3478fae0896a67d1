// SPDX-License-Identifier: BSD-3-Clause
// The bandwidth that predictions reckon with. A constant of the kind of machine, not a measurement: a choice
// must not differ from run to run, and inspect() has no time to measure; what the formats' predictions are to
// each other hardly depends on it.
#pragma once

#include <cstdint>

#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::tuning {

/// Copy bandwidth in GB/s (10^9 bytes, read plus written) that a machine may be expected to have for a
/// product that goes over so many bytes again and again. Where they fit into a CPU's last-level caches it is
/// that of the caches, however many threads there are.
double nominal_bandwidth_gbs(const machine_description& machine, std::int64_t bytes);

/// What a device reads of host memory, in GB/s: PCI Express 5.0 with 16 lanes (an H200 was measured to read
/// 51 and to copy 55).
constexpr double nominal_bus_gbs = 50;

/// What a product goes over in the arrays that the matrix was given in.
template <value V, offset O>
std::int64_t working_set(const csr_view<V, O>& a) {
  return static_cast<std::int64_t>(a.row_ptr.size_bytes() + a.col.size_bytes() + a.val.size_bytes()) +
         (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(V));
}

}  // namespace gossamer::inline v0::tuning
