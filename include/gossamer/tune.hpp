// SPDX-License-Identifier: BSD-3-Clause
// Search for the fastest format: by the performance model, or by measurements within a time budget.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0 {

/// A format setting with its predicted performance.
struct candidate {
  format_setting setting;  ///< the format and its options, with every "auto" replaced
  bool by_default = true;  ///< whether these are the options that the format chooses itself
  std::int64_t bytes = 0;  ///< bytes that a plan would hold, or an upper bound
  double seconds = 0;      ///< predicted time of one product
  /// Why the candidate cannot be chosen; empty if it can. With a refusal, options, bytes and seconds have no
  /// meaning.
  std::string refusal;
};

/// Options of rank_formats().
struct rank_options {
  bool every_setting = false;  ///< whether non-default options that are worth measuring are ranked too
  bool values_change = false;  ///< as in inspect_options; formats that encode values again are refused
  /// Memory limit of a plan in bytes. 0: half of the available host memory, where plans are built. The limit
  /// does not apply to csr: on a CPU, it borrows the caller's arrays; on a GPU, memory_limit keeps the rest
  /// on the host.
  std::int64_t memory_bytes = 0;
  /// As in inspect_options. The predicted time includes the bus transfer of arrays beyond the limit.
  std::optional<std::int64_t> memory_limit = {};
};

/// Ranks the formats that run on `machine` by predicted time, fastest first. Refused formats follow in the
/// order of list_formats(). It takes O(nonzeros) and builds no plan. The result is the same on every machine.
///
/// `a` must be valid (see validate()), and `statistics` must be measure_rows(a). Throws out_of_memory. Throws
/// invalid_argument if the description or the options are out of range.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const machine_description& machine,
                                                 const rank_options& options = {});

/// Ranks the formats for describe_machine(where). Throws its errors too.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const resource& where, const rank_options& options = {});

/// Options of tune().
struct tune_options {
  double calls = 1000;  ///< expected number of products of a plan, at least 0
  /// Time limit of the whole search, at least 0. csr is always measured, even if it takes longer.
  double budget_seconds = 2;
  bool values_change = false;  ///< as in inspect_options
  /// The product to tune for. Tune for each of them if a plan computes both: "tuned" then finds both cached
  /// results.
  operation product = operation::forward;
  std::int64_t memory_bytes = 0;  ///< as in rank_options
  /// Whether cached results are read and the result is written to the cache. It is not written if a plan did
  /// not fit the device's memory.
  bool use_cache = true;
  /// Called in the stages "validate", "statistics", "rank" and "try". The fraction of "try" is that of the
  /// time limit.
  progress_callback progress;
};

/// A candidate with its measured times.
struct measurement {
  candidate expected;  ///< the candidate and its predicted performance
  /// Measured time of inspect(); NaN if the candidate was not measured.
  double inspect_seconds = std::numeric_limits<double>::quiet_NaN();
  /// Median time of one product with hot caches; NaN if the candidate was not measured.
  double multiply_seconds = std::numeric_limits<double>::quiet_NaN();
  std::string note;  ///< why there is no measurement: refused, failed, or no time left

  /// Whether the candidate was measured.
  [[nodiscard]] bool measured() const noexcept { return !std::isnan(multiply_seconds); }
  /// inspect_seconds + calls * multiply_seconds, which the search minimises; NaN if the candidate was not
  /// measured.
  [[nodiscard]] double total_seconds(double calls) const noexcept {
    return inspect_seconds + calls * multiply_seconds;
  }
};

/// The result of a search.
struct tuning_result {
  /// csr first, then all formats with default options in the order of rank_formats(). Other options follow;
  /// those of the fastest format come first.
  std::vector<measurement> measurements;
  std::size_t chosen = 0;  ///< index of the measurement with the least total_seconds()
  /// Whether every candidate was measured. If not, time ran out, or a format failed with its default options.
  bool complete = false;
  bool from_cache = false;   ///< whether the result comes from the cache of an earlier search
  double spent_seconds = 0;  ///< time of the search

  /// The chosen format and its options.
  [[nodiscard]] const format_setting& best() const { return measurements[chosen].expected.setting; }
};

/// Measures the candidates of rank_formats() and chooses the least inspect_seconds + calls *
/// multiply_seconds.
///
/// csr comes first, then the others by predicted time. The search stops if a candidate as slow as the slowest
/// so far would exceed the time limit. One plan at a time is in memory.
///
/// The result is cached on disk (docs/guides/choosing.md). A later search for the same question returns it,
/// for any number of calls and an equal or smaller time limit. inspect() with format = "tuned" uses the
/// latest choice.
///
/// Throws the errors of inspect(), cancelled, and invalid_argument for options that are out of range.
template <value V, offset O>
GOSSAMER_API tuning_result tune(const csr_view<V, O>& a, const resource& where = cpu{},
                                const tune_options& options = {});

}  // namespace gossamer::inline v0
