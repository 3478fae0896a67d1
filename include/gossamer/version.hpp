// SPDX-License-Identifier: BSD-3-Clause
// The version of the library. CMake and pkg-config read it from this file.
#pragma once

namespace gossamer::inline v0 {

inline constexpr int version_major = 0;  ///< first number of the version
inline constexpr int version_minor = 2;  ///< second number of the version
inline constexpr int version_patch = 0;  ///< third number of the version

}  // namespace gossamer::inline v0
