// SPDX-License-Identifier: BSD-3-Clause
// What the user asked for makes no sense: exit status 2.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace gossamer::cli {

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw usage_error(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gossamer::cli
