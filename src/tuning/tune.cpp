// SPDX-License-Identifier: BSD-3-Clause
// tune(): the search with real plans, the project's timer and the cache.
#include "gossamer/tune.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "exec/target.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/timer.hpp"
#include "plans/inspect.hpp"
#include "tuning/cache.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/search.hpp"
#include "tuning/settings.hpp"
#include "tuning/store.hpp"

namespace gossamer::inline v0 {
namespace {

using clock = std::chrono::steady_clock;

constexpr double longest_sampling = 0.05;
constexpr double sampling_share = 0.02;  // of the budget, for the samples of one setting

void check(const tune_options& options) {
  const auto time = [](std::string_view what, double given) {
    if (!(given >= 0) || std::isinf(given))
      fail(errc::invalid_argument, "tune: {} = {} is not a finite number of at least 0", what, given);
  };
  time("calls", options.calls);
  time("budget_seconds", options.budget_seconds);
  if (options.memory_bytes < 0)
    fail(errc::invalid_argument, "tune: memory_bytes = {} is negative", options.memory_bytes);
  static_cast<void>(name(options.product));
}

/// What the callback of a search hears.
class reporter {
 public:
  explicit reporter(const progress_callback& callback) : callback_(callback) {}
  void operator()(std::string_view stage, double fraction = 0) const {
    if (callback_ && !callback_({.stage = stage, .fraction = std::min(1.0, fraction)}))
      fail(errc::cancelled, "tune: cancelled in stage {}", stage);
  }

 private:
  const progress_callback& callback_;
};

/// Whether an earlier search says as much as the one that is asked for would.
bool answers(const tuning::cache_entry& entry, const tune_options& options) {
  return entry.result.complete || entry.budget_seconds >= options.budget_seconds;
}

template <value V, offset O>
tuning_result tune_checked(const csr_view<V, O>& a, const resource& where, const tune_options& options,
                           clock::time_point begin) {
  const reporter report(options.progress);
  const auto elapsed = [begin] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  const thread_limit limit(exec::target_of(where).threads);
  report("validate");
  validate(a);
  report("statistics");
  const row_statistics statistics = measure_rows(a);

  // What there is no room for within a limit of the caller's own says nothing about others.
  const bool cached = options.use_cache && options.memory_bytes == 0;
  const std::filesystem::path folder = cached ? tuning::cache_folder() : std::filesystem::path();
  const std::string key =
      folder.empty() ? std::string() : tuning::fingerprint(a, statistics, where, options.values_change);
  const rank_options ranking{.values_change = options.values_change, .memory_bytes = options.memory_bytes};
  const machine_description machine = describe_machine(where);
  std::optional<tuning::cache_entry> entry = tuning::read_cache(folder, key);
  if (entry) entry->result.chosen = tuning::least_total(entry->result.measurements, options.calls);
  bool all_fitted = true;  // else the times are those of a device that others share, or of today's hour
  if (!entry || !answers(*entry, options) ||
      !tuning::accepts(a, statistics, machine, entry->result.best(), ranking)) {
    report("rank");
    const double sampling = std::min(longest_sampling, sampling_share * options.budget_seconds);
    const auto measure = [&](const candidate& p) {
      report("try", options.budget_seconds > 0 ? elapsed() / options.budget_seconds : 1);
      const plan<V> made = plans::inspect_with<V, O>(
          a, where,
          {.format = p.setting.format, .options = p.setting.options, .values_change = options.values_change},
          {});
      all_fitted = all_fitted && made.bus_bytes() == 0;
      product_vectors<V> vectors(made.rows(), made.cols(), where);
      return tuning::measured_times{
          .inspect_seconds = made.inspect_seconds(),
          .multiply_seconds = time_product(vectors.call(made), where, sampling).median};
    };
    const auto others = [&](const candidate& by_default) {
      report("rank", options.budget_seconds > 0 ? elapsed() / options.budget_seconds : 1);
      return tuning::other_settings(a, statistics, machine, ranking, by_default);
    };
    std::vector<candidate> ranked = rank_formats(a, statistics, machine, ranking);
    entry = {.budget_seconds = options.budget_seconds,
             .result = tuning::search(std::move(ranked), options.calls, options.budget_seconds,
                                      {.measure = measure, .others = others, .elapsed = elapsed})};
  }
  // Also where all was known: what was chosen last is what "tuned" takes.
  entry->calls = options.calls;
  if (all_fitted) tuning::write_cache(folder, key, *entry);
  entry->result.spent_seconds = elapsed();
  return std::move(entry->result);
}

}  // namespace

template <value V, offset O>
tuning_result tune(const csr_view<V, O>& a, const resource& where, const tune_options& options) {
  return naming_out_of_memory("tune", [&] {
    const auto begin = clock::now();
    check(options);
    if (options.product == operation::forward) return tune_checked(a, where, options, begin);
    validate(a);
    const reporter report(options.progress);
    report("transpose");
    return tune_checked(transpose(a).view(), where, options, begin);
  });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API tuning_result tune(const csr_view<V, O>&, const resource&, const tune_options&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
