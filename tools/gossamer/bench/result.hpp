// SPDX-License-Identifier: BSD-3-Clause
// One measured product of the benchmark, and how it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/members.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"
#include "output/table.hpp"

namespace gossamer::cli {

enum class bench_status { ok, unsupported, failed };
/// As documents have it.
const char* word(bench_status status);

/// How much faster than another library's product: its time over ours.
struct advantage {
  std::string peer;
  paired_ratio over;
  /// The whole interval lies below `lost_below`.
  [[nodiscard]] bool lost() const noexcept;
  /// "faster", "same", "slower" or "unclear", by where the interval lies.
  [[nodiscard]] const char* outcome() const noexcept;
};

/// For example "cold cache, y = A^T x, 4 columns". `all`: also names y = A x and one column.
std::string situation_text(std::string_view cache, operation op, std::int64_t columns, bool all = false);

struct bench_result {
  bench_member matrix;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::string value;
  operation op = operation::forward;
  std::int64_t columns = 1;  ///< of X and Y
  std::string device;
  std::string format;  ///< or the peer's name
  std::string options;
  std::string asked;        ///< see bench_format
  std::size_t answers = 0;  ///< which of the settings' formats, or behind them peers, asked for it
  bool by_default = false;  ///< the options are those that the format picks itself
  bool peer = false;
  cache_state cache = cache_state::hot;
  bench_status status = bench_status::ok;
  std::string reason;
  // What is measured; without meaning where the status is not ok.
  double inspect_seconds = 0;
  std::optional<double> device_inspect_seconds;  ///< of a matrix that is in the GPU's memory already
  std::optional<double> update_seconds;          ///< with --values-change: of values in host memory
  std::optional<double> device_update_seconds;   ///< of values in the GPU's memory
  timing seconds;
  std::int64_t preempted = 0;                  ///< samples in which another program had a processor
  std::optional<std::int64_t> bytes;           ///< a peer may not say
  std::optional<std::int64_t> streamed_bytes;  ///< what a product reads of them
  std::int64_t bus_bytes = 0;                  ///< of these, what a GPU reads in host memory
  std::optional<std::int64_t> slots;           ///< of ours: values stored, padding included
  std::int64_t csr_equivalent_bytes = 0;
  std::int64_t vector_bytes = 0;  ///< x and y, or all columns of X and Y, each once
  std::int64_t llc_bytes = 0;
  double copy_gbs = 0;
  std::optional<double> predicted_seconds;
  std::optional<double> latency_seconds;  ///< of one call on a GPU as the host sees it
  std::optional<double> vector_seconds;   ///< solver: of the vector kernels; `seconds` is without them
  std::optional<double> error_ratio;      ///< also of a wrong product
  std::optional<rounding_error>
      rounding;  ///< of a plan of ours that rounds; error_ratio is that of the rounded matrix
  std::int64_t blind_rows = 0;
  std::vector<advantage> vs_peers;  ///< of ours: each peer that was timed, by name
  std::optional<advantage> vs_best_peer;
  std::vector<advantage> vs_alone;  ///< of a hybrid plan: each of its parts with the whole matrix
  std::optional<double> break_even_multiplies;
  std::vector<plan_part> parts;  ///< of a hybrid plan, with the times of its last product
  std::vector<double> powers;    ///< of its parts
  std::vector<double> samples;   ///< that `seconds` sums up; those of one cache state are pairs, in order

  [[nodiscard]] double gflops() const;
  [[nodiscard]] std::optional<double> bytes_per_nonzero() const;
  [[nodiscard]] double csr_equivalent_gbs() const;
  [[nodiscard]] std::optional<double> stream_fraction() const;
  /// Whether A and the vectors are more than twice the last-level cache: only then, or cold, is a bandwidth
  /// the memory's.
  [[nodiscard]] bool exceeds_llc() const;
};

nlohmann::ordered_json to_json(const bench_result& result);
nlohmann::ordered_json to_json(const std::vector<plan_part>& parts);

/// The columns of the table of --verbose; `matrix_width` fits the longest name.
table bench_table(std::size_t matrix_width);
std::vector<std::string> cells(const bench_result& result);
}  // namespace gossamer::cli
