// SPDX-License-Identifier: BSD-3-Clause
#include "bench/schema.hpp"

#include <istream>
#include <nlohmann/json.hpp>

namespace gossamer::cli {

nlohmann::ordered_json parse_json(std::istream& in) {
  return nlohmann::ordered_json::parse(in, nullptr, false);
}

}  // namespace gossamer::cli
