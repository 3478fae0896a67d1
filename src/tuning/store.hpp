// SPDX-License-Identifier: BSD-3-Clause
// Where measurements are kept, one small JSON file each. Nothing here fails: what cannot be read is not
// there, what cannot be written is not kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace gossamer::inline v0::tuning {

/// GOSSAMER_CACHE where it is set, else gossamer in XDG_CACHE_HOME, else .cache/gossamer in HOME. A relative
/// path in the latter two is ignored. Empty: no cache.
std::filesystem::path cache_folder();

/// The members that a file's text has for the key. A text that is broken, nested deeply or of another key has
/// none.
std::optional<json> parse_kept(std::string_view text, std::string_view key) noexcept;

/// The text of a file with these members.
std::string kept_text(std::string_view key, json::object members);

/// What is kept under the key. Only a regular file of at most 1 MiB is read; opening it never waits for a
/// pipe or a device.
std::optional<json> read_kept(const std::filesystem::path& folder, std::string_view key) noexcept;

/// The members of an object under the key. Written to a temporary file and renamed, so that readers and other
/// writers meet whole files alone; the last one stays.
void keep(const std::filesystem::path& folder, std::string_view key, json::object members) noexcept;

}  // namespace gossamer::inline v0::tuning
