// SPDX-License-Identifier: BSD-3-Clause
// How long a command has been at work, for its time limit.
#pragma once

#include <chrono>

namespace gossamer::cli {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace gossamer::cli
