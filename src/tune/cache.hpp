// SPDX-License-Identifier: BSD-3-Clause
// What searches found, one small JSON file each. Nothing here fails: what cannot be read is not there, what cannot be written is
// not kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gossamer/tune.hpp"

namespace gossamer::inline v0::tuning {

struct cache_entry {
  double calls = 0;           ///< that the choice was made for
  double budget_seconds = 0;  ///< of the search
  tuning_result result;
};

/// What stands under the key (a fingerprint). A file that is broken, or of another key, counts as none.
std::optional<cache_entry> read_cache(const std::filesystem::path& folder, const std::string& key);

void write_cache(const std::filesystem::path& folder, const std::string& key,
                 const cache_entry& entry) noexcept;

}  // namespace gossamer::inline v0::tuning
