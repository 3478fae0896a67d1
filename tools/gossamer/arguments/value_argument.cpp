// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/value_argument.hpp"

#include <CLI/CLI.hpp>

namespace gossamer::cli {

void add_value_to(CLI::App& command, std::string& name) {
  command.add_option("--value", name, "Type of the values of A, x and y")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
}

}  // namespace gossamer::cli
