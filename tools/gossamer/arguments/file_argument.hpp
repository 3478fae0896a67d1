// SPDX-License-Identifier: BSD-3-Clause
// File arguments: "-" for stdin and stdout, and checks that a command's inputs and outputs are distinct.
#pragma once

#include <string>
#include <vector>

#include "commands/command.hpp"

namespace CLI {
class Option;
}

namespace gossamer::cli {

/// The file name that replaces "-" in input options.
inline constexpr const char* stdin_name = "/dev/stdin";

/// "-" is stdin.
CLI::Option* reads_file(CLI::Option* option);
/// "-" is stdout.
CLI::Option* writes_file(CLI::Option* option);

/// Checks all files of one command; empty names are ignored. Throws if an output is not writable, or is also
/// an input or another output, or if two inputs are one open descriptor.
void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace gossamer::cli
