// SPDX-License-Identifier: BSD-3-Clause
#include "bench/schema.hpp"

#include <istream>
#include <nlohmann/json.hpp>

#include "arguments/usage_error.hpp"

namespace gossamer::cli {

void fail_schema_1(const std::string& file) {
  fail_usage(
      "{}: a document of schema 1, in which csr on a CPU means pattern_csr; --resume needs schema {}: give "
      "another file to --json",
      file, record_schema);
}

nlohmann::ordered_json parse_json(std::istream& in) {
  return nlohmann::ordered_json::parse(in, nullptr, false);
}

}  // namespace gossamer::cli
