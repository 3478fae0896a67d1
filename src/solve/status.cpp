// SPDX-License-Identifier: BSD-3-Clause
// Names of outcomes.
#include "core/fail.hpp"
#include "gossamer/solve.hpp"

namespace gossamer::inline v0::solve {

std::string_view name(status outcome) {
  switch (outcome) {
    case status::converged:
      return "converged";
    case status::maxiter:
      return "maxiter";
    case status::breakdown:
      return "breakdown";
    case status::breakdown_rho:
      return "breakdown_rho";
    case status::breakdown_omega:
      return "breakdown_omega";
    case status::stagnation:
      return "stagnation";
    case status::not_finite:
      return "not_finite";
    case status::stopped:
      return "stopped";
  }
  fail(errc::invalid_argument, "status = {}: not a status", static_cast<int>(outcome));
}

}  // namespace gossamer::inline v0::solve
