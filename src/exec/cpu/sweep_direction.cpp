// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/sweep_direction.hpp"

#include <array>

#include "exec/cpu/cpu_features.hpp"

namespace gossamer::inline v0::exec {

sweep_rule detect_sweep_rule() {
  constexpr std::array<std::string_view, 3> choices{"auto", "forward", "alternating"};
  switch (forced_choice("GOSSAMER_SWEEPS", choices)) {
    case 1:
      return sweep_rule::forward;
    case 2:
      return sweep_rule::alternating;
    default:
      return made_by_intel() ? sweep_rule::by_size : sweep_rule::forward;
  }
}

}  // namespace gossamer::inline v0::exec
