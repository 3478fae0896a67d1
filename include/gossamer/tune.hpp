// SPDX-License-Identifier: BSD-3-Clause
// Choosing the fastest format: by the performance model, or by a search within a time budget.
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

/// The predicted performance of one format setting.
struct candidate {
  format_setting setting;  ///< options with every "auto" replaced
  bool by_default = true;  ///< the options are those that the format chooses itself
  std::int64_t bytes = 0;  ///< what the plan would hold, or an upper bound
  double seconds = 0;      ///< predicted for one product
  /// Why it cannot be chosen; empty if it can. If set, options, bytes and seconds are meaningless.
  std::string refusal;
};

struct rank_options {
  bool every_setting = false;  ///< also rank non-default options worth timing
  bool values_change = false;  ///< as inspect_options has it: formats that encode values again are refused
  /// Memory limit of a plan in bytes. 0: half of the available host memory, since plans are built on the
  /// host. The plain format is exempt. On a CPU it borrows the caller's arrays; on a GPU, memory_limit keeps
  /// the rest on the host.
  std::int64_t memory_bytes = 0;
  /// As in inspect_options. The model adds the bus transfer of arrays beyond the limit.
  std::optional<std::int64_t> memory_limit = {};
};

/// Ranks the formats that run on `machine` by predicted time, fastest first; refused formats follow in the
/// order of list_formats(). Preconditions: `a` is valid (see validate) and `statistics` is measure_rows(a).
/// The result does not depend on the machine that runs this function. O(nonzeros); no plan is built. Throws
/// out_of_memory, and invalid_argument for a description or options out of range.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const machine_description& machine,
                                                 const rank_options& options = {});

/// The same for describe_machine(where), whose errors are thrown too.
template <value V, offset O>
GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                                 const resource& where, const rank_options& options = {});

struct tune_options {
  double calls = 1000;  ///< products by the matrix in the life of a plan, at least 0
  double budget_seconds =
      2;  ///< of the whole search, at least 0. The plain format is tried whatever it takes
  bool values_change = false;  ///< as in inspect_options
  /// The product to tune for. A plan of both with format "tuned" finds the cached result of each.
  operation product = operation::forward;
  std::int64_t memory_bytes = 0;  ///< as in rank_options
  /// False: cached results are not read and none is written. If a plan did not fit the device's memory, none
  /// is written either
  bool use_cache = true;
  progress_callback
      progress;  ///< "validate", "statistics", "rank", and "try", whose fraction is the budget's
};

/// A candidate with its measured times.
struct measurement {
  candidate expected;
  double inspect_seconds =
      std::numeric_limits<double>::quiet_NaN();  ///< measured; NaN where it was not tried
  double multiply_seconds =
      std::numeric_limits<double>::quiet_NaN();  ///< median of one hot product; the same
  std::string note;  ///< why there is no measurement: refused, failed, or no time left

  [[nodiscard]] bool measured() const noexcept { return !std::isnan(multiply_seconds); }
  /// The search minimises this; NaN if it was not tried.
  [[nodiscard]] double total_seconds(double calls) const noexcept {
    return inspect_seconds + calls * multiply_seconds;
  }
};

struct tuning_result {
  /// First the plain format, then all formats with default options in the order of rank_formats. Other
  /// settings follow, those of the fastest format first.
  std::vector<measurement> measurements;
  std::size_t chosen = 0;  ///< of measurements: the one of the least total
  /// Every candidate was measured: the budget sufficed and no format failed with its default options.
  bool complete = false;
  bool from_cache = false;  ///< measured by a search before this one
  double spent_seconds = 0;

  [[nodiscard]] const format_setting& best() const { return measurements[chosen].expected.setting; }
};

/// Measures the candidates of rank_formats: the plain format first, then in the order of predicted time.
/// Stops when the budget would be exceeded by a candidate as slow as the slowest so far. Chooses the least
/// inspect_seconds + calls * multiply_seconds. A result is kept on disk (docs/guides/choosing.md) and answers
/// the same question again, for any number of calls and a budget no larger; inspect() with format = "tuned"
/// then takes what was chosen last. One plan at a time is in memory. Throws what inspect throws,
/// invalid_argument for options without meaning, cancelled.
template <value V, offset O>
GOSSAMER_API tuning_result tune(const csr_view<V, O>& a, const resource& where = cpu{},
                                const tune_options& options = {});

}  // namespace gossamer::inline v0
