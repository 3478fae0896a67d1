// SPDX-License-Identifier: BSD-3-Clause
// The reason alone, from the library's "unsupported: FORMAT: reason".
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gossamer::cli {

inline std::string without_prefix(std::string_view message, std::string_view format) {
  const std::string prefix = fmt::format("unsupported: {}: ", format);
  if (message.substr(0, prefix.size()) == prefix) message.remove_prefix(prefix.size());
  return std::string(message);
}

}  // namespace gossamer::cli
