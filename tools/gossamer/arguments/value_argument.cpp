// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/value_argument.hpp"

namespace gossamer::cli {

void add_value_to(subcommand& command, std::string& name) {
  command.add_option("--value", name, "Type of the values of A, x and y")
      .check(is_member({"f32", "f64"}))
      .capture_default_str();
}

}  // namespace gossamer::cli
