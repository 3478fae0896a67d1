// SPDX-License-Identifier: BSD-3-Clause
// A row of a record that compares solvers.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "experiment/loops/timed_loop.hpp"

namespace gossamer::cli {

/// What all rows of a matrix have in common.
struct loop_setting {
  bench_support::loop_method method = bench_support::loop_method::cg;
  bool made = false;  ///< see bench_support::spd_system
  double rtol = 0;
  std::int64_t few = 0;  ///< iterations of the shorter runs
  std::int64_t many = 0;
  resource where;
};

/// A row for each loop. `shared`: what matrix_part() made.
template <value V>
nlohmann::ordered_json loop_rows(const nlohmann::ordered_json& shared, const experiments::experiment& what,
                                 const std::vector<timed_loop<V>>& all, const loop_setting& setting);

}  // namespace gossamer::cli
