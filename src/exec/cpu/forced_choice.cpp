// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/forced_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/fail.hpp"

namespace gossamer::inline v0::exec {

std::size_t forced_choice(const char* variable, std::span<const std::string_view> choices) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return 0;
  const auto at = std::find(choices.begin(), choices.end(), std::string_view(value));
  if (at == choices.end()) {
    std::string all;
    for (const std::string_view choice : choices) all += (all.empty() ? "" : ", ") + std::string(choice);
    fail(errc::invalid_argument, "{} = \"{}\" is not one of {}", std::string_view(variable),
         std::string_view(value), all);
  }
  return static_cast<std::size_t>(at - choices.begin());
}

}  // namespace gossamer::inline v0::exec
