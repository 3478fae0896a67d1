// SPDX-License-Identifier: BSD-3-Clause
// From numbers to places along an axis, and the numbers written along it.
#pragma once

#include <string>
#include <vector>

namespace gossamer::experiments {

struct axis {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;  ///< ascending, within [low, high]

  /// 0 at low, 1 at high; what lies outside is moved to the end.
  [[nodiscard]] double place_of(double value) const;
};

/// From 0 to a round number not below `most`, with 4 to 11 ticks. `most` may be 0.
axis linear_axis(double most);

/// Ends at powers of ten, or at 2 or 5 times one, around [least, most]; both positive, least may equal most.
axis logarithmic_axis(double least, double most);

/// "0.25", "1000", "2e+06": as few digits as tell ticks apart.
std::string tick_text(double value);

}  // namespace gossamer::experiments
