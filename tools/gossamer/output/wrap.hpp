// SPDX-License-Identifier: BSD-3-Clause
// Breaks and shortens text so that default output fits 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gossamer::cli {

inline constexpr std::size_t line_width = 100;

/// Breaks each line of the text at its last space within line_width. A word that is longer than a line is
/// broken behind a comma, or anywhere if it has none. `indent` spaces begin each line that follows a break.
std::string wrapped(std::string_view text, std::size_t indent = 2);

/// The text, or its first words and "..." if it is longer than `width`.
std::string shortened(std::string_view text, std::size_t width = line_width);

}  // namespace gossamer::cli
