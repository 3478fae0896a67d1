// SPDX-License-Identifier: BSD-3-Clause
// What an environment variable says in place of what the library would find out of the processor.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gossamer::inline v0::exec {

/// Which of `choices` the variable is, the first, "auto", where it is not set or empty. Throws invalid_argument where it is none of them.
std::size_t forced_choice(const char* variable, std::span<const std::string_view> choices);

}  // namespace gossamer::inline v0::exec
