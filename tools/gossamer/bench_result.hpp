// SPDX-License-Identifier: BSD-3-Clause
// One measured product of the benchmark, and how it is shown.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/measure.hpp"
#include "matrix_argument.hpp"
#include "table.hpp"

namespace gossamer::cli {

enum class bench_status { ok, unsupported, failed };

struct bench_machine {
  std::string cpu;
  int threads = 0;
  double stream_gbs = 0;
  std::optional<std::string> gpu;
  double copy_gbs = 0;  ///< of the device that multiplies
};

struct bench_result {
  matrix_facts matrix;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::string value;
  std::string device;
  std::string format;
  std::string options;
  bench_status status = bench_status::ok;
  std::string reason;
  // What is measured; without meaning where the status is not ok.
  double inspect_seconds = 0;
  timing seconds;
  std::int64_t bytes = 0;
  std::int64_t csr_equivalent_bytes = 0;
  std::int64_t least_bytes = 0;  ///< of A in this format, x and y, each once
  double copy_gbs = 0;
  double predicted_seconds = 0;
  std::optional<double> error_ratio;  ///< also of a wrong product
  std::optional<double> break_even_multiplies;

  [[nodiscard]] double gflops() const;
  [[nodiscard]] std::optional<double> bytes_per_nonzero() const;
  [[nodiscard]] double csr_equivalent_gbs() const;
  [[nodiscard]] double stream_fraction() const;
};

nlohmann::ordered_json to_json(const bench_result& result);
nlohmann::ordered_json to_json(const bench_machine& machine);

/// The columns of the table; `matrix_width` fits the longest name.
table bench_table(std::size_t matrix_width);
std::vector<std::string> cells(const bench_result& result);

}  // namespace gossamer::cli
