// SPDX-License-Identifier: BSD-3-Clause
// Every subcommand: each adds itself to the parser and, where the user named it, stores what to run.
#pragma once

#include <functional>

#include "arguments/command_line.hpp"

namespace gossamer::cli {

/// Returns the exit status: 0 done, 1 wrong result. Bad usage and bad input are thrown.
using action = std::function<int()>;

void add_formats(command_line& line, action& chosen);
void add_info(command_line& line, action& chosen);
void add_multiply(command_line& line, action& chosen);
void add_bench(command_line& line, action& chosen);
void add_tune(command_line& line, action& chosen);
void add_partition(command_line& line, action& chosen);
void add_experiment(command_line& line, action& chosen);
void add_generate(command_line& line, action& chosen);
void add_convert(command_line& line, action& chosen);

}  // namespace gossamer::cli
