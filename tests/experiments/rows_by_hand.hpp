// SPDX-License-Identifier: BSD-3-Clause
// Rows of an experiment's document, as tests write them.
#pragma once

#include <string>

#include "experiments/experiment.hpp"

namespace gossamer_test {

using gossamer::experiments::json;

/// As `gossamer experiment --json` writes it; without a median it was not measured.
inline json row(const std::string& matrix, const std::string& series, double median, bool stand_in = false) {
  const json none = nullptr;
  const bool ok = median > 0;
  return {{"matrix", matrix},
          {"source", stand_in ? "like" : "file"},
          {"stand_in", stand_in},
          {"values", "file"},
          {"nnz", 1000},
          {"row_mean", 10.0},
          {"row_sd", 5.0},
          {"series", series},
          {"options", ""},
          {"status", ok ? "ok" : "unsupported"},
          {"reason", ""},
          {"seconds", ok ? json{{"median", median}} : none},
          {"gflops", ok ? json(2e-6 / median) : none},
          {"paper_bandwidth_gbs", ok ? json(1e-6 / median) : none},
          {"slots_per_nonzero", ok ? json(1.25) : none},
          {"speed_up", none}};
}

}  // namespace gossamer_test
