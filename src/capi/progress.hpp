// SPDX-License-Identifier: BSD-3-Clause
// A caller's progress callback as the library takes it.
#pragma once

#include <string>

#include "capi/status.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::inline v0::capi {

/// Empty if `given` is null.
inline progress_callback callback_of(const gossamer_progress* given) {
  if (given == nullptr) return {};
  constexpr std::size_t first_size = 24;
  static_assert(sizeof(gossamer_progress) >= first_size);
  const gossamer_progress p = structure(given, first_size, "progress");
  require(reinterpret_cast<const void*>(p.report), "progress->report");
  return [p](const progress& now) {
    return p.report(std::string(now.stage).c_str(), now.fraction, p.user) == 0;
  };
}

}  // namespace gossamer::inline v0::capi
