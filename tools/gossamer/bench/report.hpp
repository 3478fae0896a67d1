// SPDX-License-Identifier: BSD-3-Clause
// The printed results of bench: a short table for each matrix, or one wide table with --verbose.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/result.hpp"
#include "bench/settings.hpp"
#include "output/table.hpp"

namespace gossamer::cli {

class bench_report {
 public:
  /// `file` is that of --json; it may be empty.
  bench_report(const bench_settings& settings, std::string file);

  /// Prints the head of the wide table; `matrix_width` fits the longest name.
  void begin(std::size_t matrix_width);
  /// Prints all results of one matrix and value type.
  void add(const std::vector<bench_result>& results);
  /// Prints the legend, a summary of the document's rows, and the next step.
  void finish(const nlohmann::ordered_json& rows);

 private:
  void print_matrix(const std::vector<bench_result>& results);
  void note_fastest(const std::vector<bench_result>& results);
  void print_next_step() const;

  bool verbose_;
  int threads_;  ///< of --threads; 0: not given
  std::string file_;
  std::vector<std::string> options_;   ///< of --option
  std::vector<std::string> matrices_;  ///< arguments, one for each
  bool several_ = false;               ///< situations of a matrix
  table wide_;
  bool shown_ = false;                 ///< any result
  bool compared_ = false;              ///< any of them with a peer
  std::vector<bench_result> fastest_;  ///< of our formats, in each situation of the only matrix
};

}  // namespace gossamer::cli
