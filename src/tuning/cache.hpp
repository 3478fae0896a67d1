// SPDX-License-Identifier: BSD-3-Clause
// What searches found, one small JSON file each. Nothing here fails: what cannot be read is not there, what
// cannot be written is not kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gossamer/tune.hpp"

namespace gossamer::inline v0::tuning {

struct cache_entry {
  double calls = 0;           ///< that the choice was made for
  double budget_seconds = 0;  ///< of the search
  tuning_result result;
};

/// The entry that a file's text has for the key (a fingerprint). A text that is broken, of another key, or
/// with a number out of its range has none.
std::optional<cache_entry> parse_cache(std::string_view text, std::string_view key) noexcept;

/// The text of a file with this entry.
std::string cache_text(std::string_view key, const cache_entry& entry);

/// What stands under the key.
std::optional<cache_entry> read_cache(const std::filesystem::path& folder, std::string_view key) noexcept;

void write_cache(const std::filesystem::path& folder, std::string_view key,
                 const cache_entry& entry) noexcept;

}  // namespace gossamer::inline v0::tuning
