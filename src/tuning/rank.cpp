// SPDX-License-Identifier: BSD-3-Clause
// The model's choice: every format is asked what it would store and how long that would take; the least comes
// first.
#include <algorithm>

#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "gossamer/tune.hpp"
#include "plans/forecast.hpp"
#include "tuning/machine.hpp"
#include "tuning/settings.hpp"

namespace gossamer::inline v0 {
namespace {

/// "unsupported: FORMAT: reason" without what stands before the reason.
std::string reason_of(const error& problem, std::string_view format) {
  const std::string text = problem.what();
  const std::string prefix = "unsupported: " + std::string(format) + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Building takes host memory about as much again as what is kept.
constexpr std::int64_t host_bytes_a_byte = 2;

/// Why a plan of so many bytes finds no room; empty where it does.
std::string shortage(std::int64_t bytes, std::int64_t allowed, std::int64_t host) {
  if (allowed > 0) {
    if (bytes <= allowed) return {};
    return message("it needs {} bytes; the limit is {}", {bytes, allowed});
  }
  if (bytes > host / host_bytes_a_byte)
    return message("building it needs about twice {} bytes; {} are free", {bytes, host});
  return {};
}

/// What each product reads through the bus besides.
double bus_seconds(std::int64_t bytes, const machine_description& machine, const rank_options& options) {
  if (machine.kind == device_set::cpu) return 0;
  const std::int64_t room = options.memory_limit.value_or(machine.available_device_bytes);
  return bytes > room ? static_cast<double>(bytes - room) / (tuning::nominal_bus_gbs * 1e9) : 0;
}

template <value V, offset O>
candidate expect(const csr_view<V, O>& a, const row_statistics& statistics,
                 const machine_description& machine, format_setting wanted, bool by_default,
                 const rank_options& options, plans::sizing size = plans::sizing::measured) {
  const exec::target target = tuning::target_of(machine);
  const formats::machine speed = tuning::speed_of(machine, a);
  candidate p{.setting = std::move(wanted), .by_default = by_default};
  const format_setting& s = p.setting;
  try {
    option_texts texts = s.options;
    if (options.values_change)
      texts = plans::find_entry(s.format).options_for_new_values(texts, machine.kind);
    format_forecast said = plans::forecast_on(a, statistics, s.format, texts, target, speed, size);
    p.setting.options = std::move(said.options);
    p.bytes = said.bytes;
    p.seconds = said.seconds + bus_seconds(said.bytes, machine, options);
    p.refusal = std::move(said.refusal);
  } catch (const error& problem) {
    const bool no_room =
        problem.code() == errc::out_of_memory && p.setting.format != plain_format();  // an estimate's own
    if (problem.code() != errc::unsupported && !no_room) throw;
    p.refusal = reason_of(problem, p.setting.format);
  }
  if (p.refusal.empty() && options.values_change &&
      contains(find_format(p.setting.format).reencodes, machine.kind))
    p.refusal = "new values would be encoded again, which takes as long as inspect";
  if (p.refusal.empty() && p.setting.format != plain_format())
    p.refusal = shortage(p.bytes, options.memory_bytes, machine.available_host_bytes);
  return p;
}

void best_first(std::vector<candidate>& all) {
  const auto refused =
      std::stable_partition(all.begin(), all.end(), [](const candidate& p) { return p.refusal.empty(); });
  std::stable_sort(all.begin(), refused,
                   [](const candidate& p, const candidate& q) { return p.seconds < q.seconds; });
}

}  // namespace

template <value V, offset O>
std::vector<candidate> tuning::other_settings(const csr_view<V, O>& a, const row_statistics& statistics,
                                              const machine_description& machine, const rank_options& options,
                                              const candidate& by_default) {
  std::vector<candidate> all;
  for (option_texts& texts : plans::candidates_on(by_default.setting.format, statistics, target_of(machine),
                                                  options.values_change)) {
    candidate other =
        expect(a, statistics, machine, {by_default.setting.format, std::move(texts)}, false, options);
    const auto same = [&](const candidate& p) { return p.setting == other.setting; };
    if (!same(by_default) && std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(other));
  }
  best_first(all);
  return all;
}

template <value V, offset O>
std::optional<candidate> tuning::first_of_ranking(const csr_view<V, O>& a, const row_statistics& statistics,
                                                  const machine_description& machine,
                                                  const rank_options& options, std::int64_t vectors,
                                                  std::span<const std::string_view> among) {
  const exec::target target = target_of(machine);
  const formats::machine speed = speed_of(machine, a);
  struct asked {
    std::string_view format;
    std::size_t place;  ///< in the list: the first of equals comes first
    plans::least_time least;
  };
  std::vector<asked> all;
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, machine.kind) ||
        (options.values_change && contains(format.reencodes, machine.kind)))
      continue;
    if (!among.empty() && std::find(among.begin(), among.end(), format.name) == among.end()) continue;
    if (vectors > 1 && !plans::multiplies_at_once(format.name, machine.kind, vectors)) continue;
    asked next{.format = format.name, .place = all.size(), .least = {}};
    try {
      next.least = plans::least_seconds(a, statistics, format.name, target, speed);
    } catch (const error& problem) {
      // The forecast says it again, as a refusal.
      if (problem.code() != errc::unsupported && problem.code() != errc::out_of_memory) throw;
    }
    all.push_back(next);
  }
  std::stable_sort(all.begin(), all.end(), [](const asked& p, const asked& q) {
    return p.least.reads_all != q.least.reads_all ? q.least.reads_all : p.least.seconds < q.least.seconds;
  });
  std::optional<candidate> first;
  std::size_t place = 0;
  for (const asked& next : all) {
    if (first && next.least.seconds > first->seconds) continue;
    candidate p = expect(a, statistics, machine, {std::string(next.format), {}}, true, options,
                         plans::sizing::estimated);
    if (!p.refusal.empty()) continue;
    const bool is_first =
        !first || p.seconds < first->seconds || (p.seconds == first->seconds && next.place < place);
    if (!is_first) continue;
    first = std::move(p);
    place = next.place;
  }
  return first;
}

template <value V, offset O>
bool tuning::accepts(const csr_view<V, O>& a, const row_statistics& statistics,
                     const machine_description& machine, const format_setting& setting,
                     const rank_options& options) {
  try {
    return expect(a, statistics, machine, setting, false, options, plans::sizing::estimated).refusal.empty();
  } catch (const error& problem) {
    if (problem.code() != errc::invalid_argument) throw;
    return false;
  }
}

template <value V, offset O>
std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                    const machine_description& machine, const rank_options& options) {
  if (options.memory_bytes < 0)
    fail(errc::invalid_argument, "rank_formats: memory_bytes = {} is negative", options.memory_bytes);
  tuning::check(machine, "rank_formats");
  return naming_out_of_memory("rank_formats", [&] {
    std::vector<candidate> all;
    for (const format_info& format : list_formats()) {
      if (!contains(format.devices, machine.kind)) continue;
      const candidate by_default =
          expect(a, statistics, machine, {std::string(format.name), {}}, true, options);
      all.push_back(by_default);
      if (!options.every_setting || !by_default.refusal.empty()) continue;
      for (candidate& other : tuning::other_settings(a, statistics, machine, options, by_default))
        all.push_back(std::move(other));
    }
    best_first(all);
    return all;
  });
}

template <value V, offset O>
std::vector<candidate> rank_formats(const csr_view<V, O>& a, const row_statistics& statistics,
                                    const resource& where, const rank_options& options) {
  return naming_out_of_memory("rank_formats", [&] {
    const thread_limit limit(exec::planned_target_of(where).threads);
    return rank_formats(a, statistics, describe_machine(where), options);
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                           \
  template GOSSAMER_API std::vector<candidate> rank_formats(                                              \
      const csr_view<V, O>&, const row_statistics&, const machine_description&, const rank_options&);     \
  template GOSSAMER_API std::vector<candidate> rank_formats(const csr_view<V, O>&, const row_statistics&, \
                                                            const resource&, const rank_options&);        \
  template std::vector<candidate> tuning::other_settings(const csr_view<V, O>&, const row_statistics&,    \
                                                         const machine_description&, const rank_options&, \
                                                         const candidate&);                               \
  template std::optional<candidate> tuning::first_of_ranking(                                             \
      const csr_view<V, O>&, const row_statistics&, const machine_description&, const rank_options&,      \
      std::int64_t, std::span<const std::string_view>);                                                   \
  template bool tuning::accepts(const csr_view<V, O>&, const row_statistics&, const machine_description&, \
                                const format_setting&, const rank_options&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
