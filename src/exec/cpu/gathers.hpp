// SPDX-License-Identifier: BSD-3-Clause
// How kernels of the CPU read x at columns that do not follow each other.
#pragma once

namespace gossamer::inline v0::exec {

/// Whether the gather instruction is no slower than as many loads: on Intel's processors. On a Zen 5 that of eight doubles took 3.8 ns, the loads
/// 1.5. What is read, and the order of additions, are the same. GOSSAMER_GATHERS = fast or slow says it in place of the processor's
/// maker; throws invalid_argument where it is neither of these nor auto.
bool has_fast_gathers();

}  // namespace gossamer::inline v0::exec
