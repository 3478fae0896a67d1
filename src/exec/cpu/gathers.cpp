// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/gathers.hpp"

#include <array>

#include "exec/cpu/forced_choice.hpp"
#include "exec/cpu/processor.hpp"

namespace gossamer::inline v0::exec {

bool has_fast_gathers() {
  constexpr std::array<std::string_view, 3> choices{"auto", "fast", "slow"};
  switch (forced_choice("GOSSAMER_GATHERS", choices)) {
    case 1:
      return true;
    case 2:
      return false;
    default:
      return made_by_intel();
  }
}

}  // namespace gossamer::inline v0::exec
