// SPDX-License-Identifier: BSD-3-Clause
// The banner, the comments after it and the size line.
#pragma once

#include <cstdint>
#include <string_view>

#include "gossamer/io.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {

/// What the caller wants to read: a vector has one row or one column.
enum class content { matrix, vector };

struct parsed_header {
  matrix_market_header words;
  std::int64_t lines = 0;  ///< how many lines stand before the body

  [[nodiscard]] bool is_array() const noexcept { return words.format == "array"; }
  [[nodiscard]] bool is_symmetric() const noexcept { return words.symmetry == "symmetric"; }
  [[nodiscard]] bool is_skew() const noexcept { return words.symmetry == "skew-symmetric"; }
  [[nodiscard]] bool is_general() const noexcept { return words.symmetry == "general"; }
};

/// Takes the header from the source and checks all that can be checked without the body. For an array file
/// `entries` is what the shape and the symmetry ask for.
parsed_header read_header(text_source& source, std::string_view name, content wanted);

}  // namespace gossamer::inline v0::io
