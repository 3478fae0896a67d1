// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/cpu_features.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/fail.hpp"

namespace gossamer::inline v0::exec {

bool made_by_intel() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

bool has_fast_gathers() {
  constexpr std::array<std::string_view, 3> choices{"auto", "fast", "slow"};
  const std::size_t chosen = forced_choice("GOSSAMER_GATHERS", choices);
  return chosen == 0 ? made_by_intel() : choices[chosen] == "fast";
}

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
