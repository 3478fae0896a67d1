// SPDX-License-Identifier: BSD-3-Clause
// What measuring a matrix for an experiment came to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/result.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "experiment/settings.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// What a matrix's rows in sets are.
struct partition_figures {
  std::vector<double> powers;
  double relative_difference = 0;  ///< the sum of the sets' absolute ones
  double mean_density = 1;
  std::int64_t padded_slots = 0;
  timing seconds;
};

/// What a series came to: a result, a forecast, a partition, or why there is none.
struct outcome {
  const experiments::series* what = nullptr;
  std::size_t meeting = 0;
  const bench_result* result = nullptr;
  std::optional<format_forecast> expected;
  std::optional<partition_figures> shared_out;
  std::string absent;
  std::vector<const bench_result*> tried;  ///< of a search: every setting

  [[nodiscard]] bool measured() const { return result != nullptr && result->status == bench_status::ok; }
};

/// What a meeting came to.
struct meeting_results {
  std::optional<std::int64_t> nnz;  ///< of its portion; nothing where the matrix was not divided
  std::string unsupported;          ///< not empty: why there is nothing to measure
  std::vector<bench_result> all;
};

}  // namespace gossamer::cli
