// SPDX-License-Identifier: BSD-3-Clause
#include "io/text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace gossamer::inline v0::io {

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char c : word.substr(0, longest)) {
    if (c >= ' ' && c <= '~')
      shown += c;
    else
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (word.size() > longest) shown += "...";
  return shown + "'";
}

}  // namespace gossamer::inline v0::io
