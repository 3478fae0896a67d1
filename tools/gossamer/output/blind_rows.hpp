// SPDX-License-Identifier: BSD-3-Clause
// What the check of a product cannot see, in words.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace gossamer::cli {

inline std::string blind_rows_text(std::int64_t rows) {
  return fmt::format("{} too long for a useful error bound, so the check leaves {} out",
                     rows == 1 ? std::string("1 row is") : fmt::format("{} rows are", rows),
                     rows == 1 ? "it" : "them");
}

}  // namespace gossamer::cli
