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
  format_setting setting;  ///< the format and its options; see plan::options()
  bool by_default = true;  ///< whether `setting` has the format's default options
  std::int64_t bytes = 0;  ///< memory of a plan in bytes, or an upper bound
  double seconds = 0;      ///< predicted time of one product
  /// Why the candidate cannot be chosen; empty if it can. If it is not empty, the options, bytes and seconds
  /// have no meaning.
  std::string refusal;
};

/// Options of rank_formats().
struct rank_options {
  bool every_setting = false;  ///< true: also rank settings with other than default options
  /// As in inspect_options. Formats whose update_values() encodes all values again are refused.
  bool values_change = false;
  /// Memory limit of a plan in bytes. A format whose plan would need more is refused. csr is never refused
  /// for this reason.
  ///
  /// 0: half of machine_description::available_host_bytes, since building a plan may need twice its size.
  /// The same limit holds for GPU plans, since their arrays may be built in host memory.
  std::int64_t memory_bytes = 0;
  /// Limit in bytes of the device memory of a GPU plan. Without a value, the limit is
  /// machine_description::available_device_bytes. Bytes beyond the limit are in host memory, and the
  /// predicted time includes reading them over the bus. No format is refused because of this limit.
  std::optional<std::int64_t> memory_limit = {};
};

/// Ranks the formats for `machine` by predicted time, fastest first. Refused formats follow in the order of
/// list_formats(). It takes O(nonzeros) and builds no plan. The result depends only on the arguments, not on
/// the machine that runs this function.
///
/// `a` must be valid (see validate()), and `statistics` must be measure_rows(a). Throws out_of_memory. Throws
/// invalid_argument if the description or the options are out of range.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const machine_description& machine,
                                                 const rank_options& options = {});

/// Ranks the formats for a resource of this machine, as described by describe_machine(where). Throws the
/// errors of describe_machine() and of the function above.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const resource& where, const rank_options& options = {});

/// Options of tune().
struct tune_options {
  double calls = 1000;  ///< expected number of products of a plan, at least 0
  /// Time limit of the whole search, at least 0. csr is measured even if this takes longer.
  double budget_seconds = 2;
  bool values_change = false;  ///< as in inspect_options
  /// The product to tune for: with A or with its transpose. A plan of both products may have two formats.
  /// Call tune() once for each product, so that "tuned" finds both results.
  operation product = operation::forward;
  std::int64_t memory_bytes = 0;  ///< as in rank_options
  /// True: cached results are read, and the result is cached. The cache is not used if memory_bytes is not 0.
  /// The result is not cached if a plan did not fit into device memory.
  bool use_cache = true;
  /// Called in the stages "transpose" (for the transposed product), "validate", "statistics", "rank" and
  /// "try". Candidates are measured in the stage "try". There, progress is the elapsed share of the time
  /// limit.
  progress_callback progress = {};
};

/// A candidate with its measured times.
struct measurement {
  candidate expected;  ///< the candidate and its predicted performance
  /// Measured time of inspect(); NaN if the candidate was not measured.
  double inspect_seconds = std::numeric_limits<double>::quiet_NaN();
  /// Median time of one product with hot caches; NaN if the candidate was not measured.
  double multiply_seconds = std::numeric_limits<double>::quiet_NaN();
  std::string note;  ///< why the candidate was not measured: refused, failed, or no time left

  /// Whether the candidate was measured.
  [[nodiscard]] bool measured() const noexcept { return !std::isnan(multiply_seconds); }
  /// inspect_seconds + calls * multiply_seconds, which the search minimises. NaN if the candidate was not
  /// measured.
  [[nodiscard]] double total_seconds(double calls) const noexcept {
    return inspect_seconds + calls * multiply_seconds;
  }
};

/// The result of a search.
struct tuning_result {
  /// csr first, then all formats with default options, in the order of rank_formats(). Candidates with other
  /// options follow, first those of the fastest format.
  std::vector<measurement> measurements;
  std::size_t chosen = 0;  ///< index of the measurement with the least total_seconds()
  /// False if candidates were skipped for lack of time, or if a format failed with its default options.
  /// Refused candidates do not count.
  bool complete = false;
  bool from_cache = false;   ///< whether the result comes from the cache of an earlier search
  double spent_seconds = 0;  ///< time of the search

  /// The chosen format and its options.
  [[nodiscard]] const format_setting& best() const { return measurements[chosen].expected.setting; }
};

/// Measures the candidates of rank_formats() and chooses the one with the least total time: inspect_seconds +
/// calls * multiply_seconds.
///
/// @code
/// const gossamer::tuning_result found = gossamer::tune(a, gossamer::cpu{}, {.calls = 10'000});
/// const auto plan = gossamer::inspect(
///     a, gossamer::cpu{}, {.format = found.best().format, .options = found.best().options});
/// @endcode
///
/// @par Search
/// For each candidate, tune() builds one plan and times its products with hot caches (time_product()). One
/// plan at a time is in memory. The threads are those of `where`.
///
/// csr comes first. All formats with default options follow, by predicted time. Further options of the
/// fastest formats come last. The search assumes that the next candidate takes as long as the
/// slowest one so far. If this would exceed the time limit, all following candidates are skipped.
///
/// @par Cache
/// Results are cached on disk (docs/guides/choosing.md). A result belongs to:
/// - the structure of the matrix, or of its transpose for transposed products: sizes, row statistics, and a
///   sample of offsets and columns,
/// - the types of values and offsets,
/// - whether a sample of the values has more than 256 distinct ones, which is too many for a table of values,
/// - the device: model of the CPU, threads and instruction set, or model of the GPU,
/// - values_change and the version of the library.
///
/// If the cache has such a result, tune() measures nothing. It chooses from the cached times for the given
/// `calls`. If the cached search ran out of time, its result is used only for an equal or smaller budget.
///
/// inspect() with format = "tuned" uses the choice of the latest tune() with the same structure and device.
/// The `calls` of that tune() count, not those of inspect().
///
/// @par Errors
/// Throws the errors of inspect(). Throws cancelled if the callback stops the search. Throws invalid_argument
/// for options that are out of range.
template <value V, offset O>
GOSSAMER_API tuning_result tune(const csr_view<V, O>& a, const resource& where = cpu{},
                                const tune_options& options = {});

}  // namespace gossamer::inline v0
