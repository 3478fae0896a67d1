// SPDX-License-Identifier: BSD-3-Clause
// Who made the processor.
#pragma once

namespace gossamer::inline v0::exec {

inline bool made_by_intel() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

}  // namespace gossamer::inline v0::exec
