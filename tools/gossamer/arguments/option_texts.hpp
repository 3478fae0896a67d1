// SPDX-License-Identifier: BSD-3-Clause
// Options of formats as they are typed and printed: "name=value", joined by commas.
#pragma once

#include <string>
#include <vector>

#include "gossamer/formats.hpp"

namespace gossamer::cli {

/// Each argument is "name=value" or several of them joined by commas. Throws usage_error.
option_texts parse_option_texts(const std::vector<std::string>& arguments);

std::string joined(const option_texts& options);

/// "csr", or "csr kernel=thread,..." where there are options.
std::string format_and_options(std::string_view format, const option_texts& options);

/// Throws what find_format throws, usage_error for an option that the format does not have, and what
/// forecast throws for a value that it does not take on that resource: all before a matrix is read.
void check_options(std::string_view format, const option_texts& options, const resource& where);

}  // namespace gossamer::cli
