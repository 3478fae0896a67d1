// SPDX-License-Identifier: BSD-3-Clause
// How much padding a format takes: what no format refuses, and the option for the rest.
#pragma once

#include <cstdint>

#include "formats/contract/option_fields.hpp"

namespace gossamer::inline v0::formats {

/// Matrices that need no more slots than this are never refused: the padding costs less than looking for a better format.
inline constexpr std::int64_t free_slots = 1 << 16;

/// The option. `most` is how much padding a user may ask for, which is also what tests over all options ask for: little where
/// formats pad blocks, each to its own longest row, so that tests do not spend their time on padding.
constexpr number_field max_padding_field(std::int64_t most) {
  return {.name = "max_padding",
          .help = "refuse a matrix that needs more slots a nonzero than this",
          .min = 1,
          .max = most,
          .is_limit = true};
}

}  // namespace gossamer::inline v0::formats
