// SPDX-License-Identifier: BSD-3-Clause
// Rows that an older version wrote.
#pragma once

#include <nlohmann/json.hpp>

namespace gossamer::cli {

/// Gives rows of a document of schema 1 the format names of record_schema.
void rename_formats_of_schema_1(nlohmann::ordered_json& rows);

}  // namespace gossamer::cli
