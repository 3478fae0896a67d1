// SPDX-License-Identifier: BSD-3-Clause
// How long work reports where it is, and how a caller stops it.
#pragma once

#include <functional>
#include <string_view>

namespace gossamer::inline v0 {

struct progress {
  std::string_view stage;  ///< "read", "validate", "build", "upload", ...
  double fraction = 0;     ///< of this stage, 0 to 1
};

/// Called from the calling thread only. Returning false ends the work with errc::cancelled; nothing is left
/// behind.
using progress_callback = std::function<bool(const progress&)>;

}  // namespace gossamer::inline v0
