// SPDX-License-Identifier: BSD-3-Clause
#include "exec/gathers.hpp"

#include <cstdlib>
#include <string_view>

#include "core/fail.hpp"

namespace gossamer::inline v0::exec {

bool has_fast_gathers() {
  if (const char* forced = std::getenv("GOSSAMER_GATHERS"); forced != nullptr && *forced != '\0') {
    const std::string_view text = forced;
    if (text == "fast") return true;
    if (text == "slow") return false;
    if (text != "auto")
      fail(errc::invalid_argument, "GOSSAMER_GATHERS = \"{}\" is not one of auto, fast, slow", text);
  }
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

}  // namespace gossamer::inline v0::exec
