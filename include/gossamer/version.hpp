// SPDX-License-Identifier: BSD-3-Clause
// The version, stated here alone: CMake and pkg-config read it from these three lines.
#pragma once

namespace gossamer::inline v0 {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 2;
inline constexpr int version_patch = 0;

}  // namespace gossamer::inline v0
