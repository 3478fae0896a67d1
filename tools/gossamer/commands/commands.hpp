// SPDX-License-Identifier: BSD-3-Clause
// Every subcommand: each adds itself to the parser and, where the user named it, stores what to run.
#pragma once

#include <functional>

#include "commands/command.hpp"

namespace gossamer::cli {

/// Returns the exit status: 0 done, 1 wrong result. Bad usage and bad input are thrown.
using action = std::function<int()>;

void add_formats(CLI::App& app, action& chosen);
void add_info(CLI::App& app, action& chosen);
void add_multiply(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);
void add_tune(CLI::App& app, action& chosen);
void add_partition(CLI::App& app, action& chosen);
void add_experiment(CLI::App& app, action& chosen);
void add_generate(CLI::App& app, action& chosen);
void add_convert(CLI::App& app, action& chosen);

}  // namespace gossamer::cli
