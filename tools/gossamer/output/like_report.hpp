// SPDX-License-Identifier: BSD-3-Clause
// What a paper prints of a matrix beside what its stand-in has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::cli {

/// The stand-in, measured. Sectors are counted for f64, whose classes are stated; 0: not measured.
struct stand_in_figures {
  row_statistics rows;
  bench_support::hyb_division hyb;
  double sectors_per_entry = 0;
};

nlohmann::ordered_json like_json(const bench_support::known_matrix& known, const stand_in_figures& got);
std::string like_text(const bench_support::known_matrix& known, const stand_in_figures& got);

}  // namespace gossamer::cli
