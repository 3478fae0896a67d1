// SPDX-License-Identifier: BSD-3-Clause
// The version of the documents that bench and experiment write.
#pragma once

#include <string>

#include "arguments/usage_error.hpp"

namespace gossamer::cli {

/// Written as "schema". In schema 1, csr on a CPU is the format that is called pattern_csr now.
inline constexpr int record_schema = 2;

/// Refuses to go on with a document of schema 1.
[[noreturn]] inline void fail_schema_1(const std::string& file) {
  fail_usage(
      "{}: a document of schema 1, whose csr on a CPU is pattern_csr now; --resume needs schema {}: give "
      "another --json",
      file, record_schema);
}

}  // namespace gossamer::cli
