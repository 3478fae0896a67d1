// SPDX-License-Identifier: BSD-3-Clause
// Throwing an error with a formatted message, in one line.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "gossamer/error.hpp"

namespace gossamer::inline v0 {

template <class... Args>
[[noreturn]] void fail(errc code, fmt::format_string<Args...> text, Args&&... args) {
  throw error(code, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gossamer::inline v0
