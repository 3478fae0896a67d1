// SPDX-License-Identifier: BSD-3-Clause
// Where measurements are kept, one small JSON file each. Nothing here fails: what cannot be read is not there, what cannot be written is
// not kept.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gossamer::inline v0::tuning {

/// GOSSAMER_CACHE where it is set, else gossamer in XDG_CACHE_HOME, else .cache/gossamer in HOME. Empty: no cache.
std::filesystem::path cache_folder();

/// What stands under the key. A file that is broken, or of another key, counts as none.
std::optional<nlohmann::ordered_json> read_kept(const std::filesystem::path& folder, const std::string& key);

/// The members of an object under the key. Written beside the place and renamed, so that readers and other writers meet whole files alone; the
/// last one stays.
void keep(const std::filesystem::path& folder, const std::string& key,
          const nlohmann::ordered_json& members) noexcept;

}  // namespace gossamer::inline v0::tuning
