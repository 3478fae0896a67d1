// SPDX-License-Identifier: BSD-3-Clause
// Files on the command line: "-" for stdin and stdout, and what a command's files owe each other.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace CLI {
class Option;
}

namespace gossamer::cli {

/// What "-" becomes where a file is read.
inline constexpr const char* stdin_name = "/dev/stdin";

/// "-" is stdin.
CLI::Option* reads_file(CLI::Option* option);
/// "-" is stdout.
CLI::Option* writes_file(CLI::Option* option);

/// Of one command; empty names are none. Throws where an output cannot be written, or is an input or another output
/// as well, and where stdin is to be read twice.
void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace gossamer::cli
