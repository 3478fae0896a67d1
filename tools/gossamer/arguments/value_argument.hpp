// SPDX-License-Identifier: BSD-3-Clause
// --value: from the words f32 and f64 to the types.
#pragma once

#include <string>

#include "arguments/command_line.hpp"

namespace gossamer::cli {

void add_value_to(subcommand& command, std::string& name);

/// f.template operator()<float>() or <double>().
template <class F>
auto with_value_type(const std::string& name, F&& f) {
  return name == "f32" ? f.template operator()<float>() : f.template operator()<double>();
}

}  // namespace gossamer::cli
