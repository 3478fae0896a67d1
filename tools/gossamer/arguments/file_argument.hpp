// SPDX-License-Identifier: BSD-3-Clause
// File arguments: "-" for stdin and stdout, and checks that a command's inputs and outputs are distinct.
#pragma once

#include <string>
#include <vector>

#include "arguments/command_line.hpp"

namespace gossamer::cli {

/// The file name that replaces "-" in input options.
inline constexpr const char* stdin_name = "/dev/stdin";

/// "-" is stdin.
option reads_file(option given);
/// "-" is stdout.
option writes_file(option given);

/// Checks all files of one command; empty names are ignored. Throws if an output is not writable, or is also
/// an input or another output, or if two inputs are one open descriptor.
void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace gossamer::cli
