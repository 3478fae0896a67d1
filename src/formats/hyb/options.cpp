// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <set>

#include "formats/hyb/format.hpp"

namespace gossamer::inline v0::formats {

/// The rule's width, half of it, and the mean length: the rule leaves a third of the rows reaching into the
/// tail, the mean about half.
std::vector<hyb::options> hyb::candidates(const row_statistics& s, const exec::target& target) {
  const std::int64_t rule = resolve({}, s, target).width;
  const std::set<std::int64_t> widths{rule, rule / 2, std::llround(s.mean)};
  std::vector<options> all;
  for (const std::int64_t width : widths) {
    for (std::size_t tail = 0; tail < tails.size(); ++tail) {
      for (std::size_t head = 0; head < heads.size(); ++head) {
        if (width == 0 && head > 0) continue;                   // there is none
        if (width >= s.max && width > 0 && tail > 0) continue;  // there is none
        all.push_back(
            {.width = width, .tail = static_cast<hyb_tail>(tail), .head = static_cast<hyb_head>(head)});
      }
    }
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
