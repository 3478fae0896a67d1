// SPDX-License-Identifier: BSD-3-Clause
// --value: from the words f32 and f64 to the types.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gossamer::cli {

inline void add_value_to(CLI::App& command, std::string& name) {
  command.add_option("--value", name, "Type of the values of A, x and y")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
}

/// f.template operator()<float>() or <double>().
template <class F>
auto with_value_type(const std::string& name, F&& f) {
  return name == "f32" ? f.template operator()<float>() : f.template operator()<double>();
}

}  // namespace gossamer::cli
