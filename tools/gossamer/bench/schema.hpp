// SPDX-License-Identifier: BSD-3-Clause
// The version of the documents that bench and experiment write, and how they are parsed.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gossamer::cli {

/// Written as "schema". In schema 1, csr on a CPU is the format that is called pattern_csr now.
inline constexpr int record_schema = 2;

/// Refuses to go on with a document of schema 1.
[[noreturn]] void fail_schema_1(const std::string& file);

/// Returns a discarded value if the text is not JSON. Here alone, since the JSON parser takes seconds to
/// compile.
nlohmann::ordered_json parse_json(std::istream& in);

}  // namespace gossamer::cli
