// SPDX-License-Identifier: BSD-3-Clause
// Progress reports of long calls, and their cancellation.
#pragma once

#include <functional>
#include <string_view>

namespace gossamer::inline v0 {

/// The progress of a long call. A call has several stages.
struct progress {
  std::string_view stage;  ///< name of the current stage, for example "read", "validate", "build" or "upload"
  double fraction = 0;     ///< completed fraction of this stage, from 0 to 1
};

/// Receives progress reports, in the thread that made the call. If the callback returns false, the call frees
/// its memory and throws cancelled.
using progress_callback = std::function<bool(const progress&)>;

}  // namespace gossamer::inline v0
