// SPDX-License-Identifier: BSD-3-Clause
// Which meaning the names of formats have in what was written: descriptions of plans and entries of the
// tuner's cache.
#pragma once

#include <string>

#include "gossamer/formats.hpp"

namespace gossamer::inline v0::plans {

/// Written as "schema". Text without one is of schema 1, in which "csr" on a CPU is what is pattern_csr now.
inline constexpr int schema = 2;

/// What a format is called now.
inline std::string format_of_schema(std::string name, device_set kind, std::int64_t written) {
  return written == 1 && kind == device_set::cpu && name == "csr" ? "pattern_csr" : name;
}

}  // namespace gossamer::inline v0::plans
