// SPDX-License-Identifier: BSD-3-Clause
// A program that uses an installed Gossamer: multiplies a 3 x 3 matrix in every format and catches an error.
#include <cstdio>
#include <vector>

#include "gossamer/gossamer.hpp"

int main() {
  const std::vector<std::int32_t> row_ptr{0, 2, 3, 5};
  const std::vector<std::int32_t> col{0, 2, 1, 0, 2};
  const std::vector<double> val{4, 1, 3, 1, 4};
  const gossamer::csr_view<double, std::int32_t> a{
      .rows = 3, .cols = 3, .row_ptr = row_ptr, .col = col, .val = val};
  const std::vector<double> x{1, 2, 3};
  const std::vector<double> expected{7, 6, 13};
  int formats = 0;
  for (const gossamer::format_info& format : gossamer::list_formats()) {
    if (!contains(format.devices, gossamer::device_set::cpu)) continue;
    ++formats;
    const auto plan = gossamer::inspect(a, gossamer::cpu{}, {.format = std::string(format.name)});
    std::vector<double> y(3, -1);
    plan.multiply(1.0, x, 0.0, y);
    if (y != expected) {
      std::printf("%s: %g %g %g\n", plan.describe().c_str(), y[0], y[1], y[2]);
      return 1;
    }
  }
  try {
    static_cast<void>(gossamer::inspect(a, gossamer::cpu{}, {.format = "no such format"}));
  } catch (const gossamer::error& problem) {
    if (formats > 0 && problem.code() == gossamer::errc::invalid_argument) std::puts("OK");
  }
}
