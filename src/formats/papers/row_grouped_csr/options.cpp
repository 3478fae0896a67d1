// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/row_grouped_csr/format.hpp"

namespace gossamer::inline v0::formats {

row_grouped_csr::options row_grouped_csr::resolve(options o, const row_statistics&, const exec::target&) {
  if (o.group_rows % group_lanes != 0)
    fail(errc::invalid_argument, "row_grouped_csr: option group_rows = \"{}\" is not a multiple of {}",
         o.group_rows, group_lanes);
  return o;
}

/// Smaller groups pad less, and have more offsets.
std::vector<row_grouped_csr::options> row_grouped_csr::candidates(const row_statistics&,
                                                                  const exec::target&) {
  return {{.group_rows = 128}, {.group_rows = 64}, {.group_rows = 32}, {.group_rows = 256}};
}

double row_grouped_csr::expected_slots(const row_statistics& s, const options& o) {
  const double width = usual_longest(s);
  const double of_the_longest = (static_cast<double>(s.max) - width) * static_cast<double>(o.group_rows);
  return width * static_cast<double>(groups(s.rows, o) * o.group_rows) + of_the_longest;
}

}  // namespace gossamer::inline v0::formats
