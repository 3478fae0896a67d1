// SPDX-License-Identifier: BSD-3-Clause
// What each set is to have, from the computing powers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fail.hpp"

namespace gossamer::inline v0::partition {

class targets {
 public:
  /// `place` is the function that errors name. Throws invalid_argument.
  targets(std::string_view place, std::span<const double> powers, bool carry) : carry_(carry) {
    if (powers.empty()) fail(errc::invalid_argument, "{}: powers is empty; there is no set", place);
    before_.push_back(0);
    for (std::size_t k = 0; k < powers.size(); ++k) {
      if (!std::isfinite(powers[k]) || powers[k] <= 0)
        fail(errc::invalid_argument, "{}: powers[{}] = {} is not a positive finite number", place, k,
             powers[k]);
      power_.push_back(powers[k]);
      before_.push_back(before_.back() + powers[k]);
    }
  }

  [[nodiscard]] std::size_t sets() const noexcept { return before_.size() - 1; }

  /// Set k's share of `size` rows or entries.
  [[nodiscard]] long double share(std::size_t k, std::int64_t size) const noexcept {
    return part(power_[k], size);
  }

  /// What set k is to take where the sets before it have taken `taken` of `size`.
  [[nodiscard]] long double goal(std::size_t k, std::int64_t size, std::int64_t taken) const noexcept {
    return carry_ ? part(before_[k + 1], size) - static_cast<long double>(taken) : share(k, size);
  }

 private:
  [[nodiscard]] long double part(long double power, std::int64_t size) const noexcept {
    const long double exact = power * static_cast<long double>(size) / before_.back();
    // 0.1, 0.2 and 0.3 add up to a little more or less than 0.6: 6 rows are to be 1, 2 and 3, though numbers
    // are rounded down.
    const long double whole = std::round(exact);
    return std::abs(exact - whole) <= 1e-12L * whole ? whole : exact;
  }

  bool carry_;
  std::vector<long double> power_;
  std::vector<long double> before_;  ///< sums of the powers of the sets before; the last is that of all
};

}  // namespace gossamer::inline v0::partition
