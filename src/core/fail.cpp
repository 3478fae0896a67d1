// SPDX-License-Identifier: BSD-3-Clause
#include "core/fail.hpp"

#include <fmt/args.h>

namespace gossamer::inline v0 {

std::string message(std::string_view text, std::initializer_list<message_argument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const message_argument& argument : arguments)
    std::visit([&](const auto& value) { store.push_back(value); }, argument.get());
  return fmt::vformat(text, store);
}

}  // namespace gossamer::inline v0
