// SPDX-License-Identifier: BSD-3-Clause
// The list of formats as data, made from the list of types.
#include <array>
#include <set>

#include "core/fork.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "formats/all_formats.hpp"
#include "plans/forecast.hpp"
#include "plans/format_entry.hpp"

namespace gossamer::inline v0 {
namespace {

/// In the order of all_formats.hpp.
const std::vector<const plans::format_entry*>& entries() {
  static constinit core::found_once<std::vector<const plans::format_entry*>> once;
  return once.get([] {
    std::vector<const plans::format_entry*> all;
    formats::all_formats::for_each([&]<class F>() { all.push_back(&plans::entry_of<F>()); });
    return all;
  });
}

/// What the exhaustive tests try of one option.
std::vector<std::string> settings_of(const option_info& option, device_set kind) {
  std::vector<std::string> settings;
  for (const option_choice& choice : option.choices) {
    if (contains(choice.devices, kind)) settings.emplace_back(choice.name);
  }
  if (option.is_limit) {
    settings = {std::to_string(option.max)};
  } else if (option.choices.empty()) {
    settings = {option.default_text, std::to_string(option.min), std::to_string(option.max)};
    if (option.has_auto) settings.emplace_back(formats::auto_text);
    if (option.has_unbounded) settings.emplace_back(formats::unbounded_text);
    if (option.has_published) settings.emplace_back(formats::published_text);
    if (option.test_value != 0) settings.push_back(std::to_string(option.test_value));
  }
  const std::set<std::string> distinct(settings.begin(), settings.end());
  return {distinct.begin(), distinct.end()};
}

/// Every setting of one option appended to every text made so far.
void multiply_out(std::vector<option_texts>& all, const option_info& option, device_set kind) {
  const std::vector<std::string> settings = settings_of(option, kind);
  std::vector<option_texts> longer;
  for (const option_texts& texts : all) {
    for (const std::string& setting : settings) {
      longer.push_back(texts);
      longer.back().emplace_back(option.name, setting);
    }
  }
  all = std::move(longer);
}

/// Some of `all`, in which every two settings that stand together in one of them still do: always the one
/// that has most pairs which none before it has.
std::vector<option_texts> with_all_pairs(const std::vector<option_texts>& all) {
  const auto for_each_pair = [](const option_texts& texts, auto&& f) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = i + 1; j < texts.size(); ++j)
        f(std::array{texts[i].first, texts[i].second, texts[j].first, texts[j].second});
    }
  };
  std::set<std::array<std::string, 4>> missing;
  for (const option_texts& texts : all) for_each_pair(texts, [&](const auto& pair) { missing.insert(pair); });
  std::vector<option_texts> chosen;
  while (!missing.empty()) {
    const option_texts* best = nullptr;
    std::int64_t most = 0;
    for (const option_texts& texts : all) {
      std::int64_t fresh = 0;
      for_each_pair(texts, [&](const auto& pair) { fresh += missing.contains(pair) ? 1 : 0; });
      if (fresh > most) {
        most = fresh;
        best = &texts;
      }
    }
    for_each_pair(*best, [&](const auto& pair) { missing.erase(pair); });
    chosen.push_back(*best);
  }
  return chosen;
}

formats::machine machine_of(const resource& where, double bandwidth_gbs) {
  formats::machine machine{.bandwidth_gbs = bandwidth_gbs};
  if (const auto* host = std::get_if<cpu>(&where)) machine.cores = thread_count(*host);
  return machine;
}

/// A format's tests take seconds a variant; those of a CPU run everywhere, those of a device where there is
/// one.
constexpr std::size_t most_variants(device_set kind) {
  return kind == device_set::cpu ? 32 : 64;
}

}  // namespace

std::span<const format_info> list_formats() {
  return naming_out_of_memory("list_formats", [&]() -> std::span<const format_info> {
    static constinit core::found_once<std::vector<format_info>> once;
    return once.get([] {
      std::vector<format_info> all;
      for (const plans::format_entry* each : entries()) all.push_back(each->describe());
      return all;
    });
  });
}

std::string_view plain_format() noexcept {
  return formats::plain::name;
}

const format_info& find_format(std::string_view name) {
  return naming_out_of_memory("find_format", [&]() -> const format_info& {
    std::string known;
    for (const format_info& each : list_formats()) {
      if (each.name == name) return each;
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    fail(errc::invalid_argument, "unknown format \"{}\"; there are {}", name, known);
  });
}

const plans::format_entry& plans::find_entry(std::string_view name) {
  return *entries()[static_cast<std::size_t>(&find_format(name) - list_formats().data())];
}

template <value V, offset O>
format_forecast plans::forecast_on(const csr_view<V, O>& a, const row_statistics& statistics,
                                   std::string_view format, const option_texts& options,
                                   const exec::target& target, const formats::machine& machine, sizing size) {
  return naming_out_of_memory("forecast", [&] {
    return find_entry(format).functions<scalars<V>, O>().forecast(a, statistics, options, target, machine,
                                                                  size);
  });
}

template <value V, offset O>
format_forecast forecast(const csr_view<V, O>& a, const row_statistics& statistics, std::string_view format,
                         const option_texts& options, const resource& where, double bandwidth_gbs) {
  const thread_limit limit(exec::planned_target_of(where).threads);
  return plans::forecast_on(a, statistics, format, options, exec::planned_target_of(where),
                            machine_of(where, bandwidth_gbs), plans::sizing::measured);
}

template <value V, offset O>
plans::least_time plans::least_seconds(const csr_view<V, O>& a, const row_statistics& statistics,
                                       std::string_view format, const exec::target& target,
                                       const formats::machine& machine) {
  return naming_out_of_memory("forecast", [&] {
    return find_entry(format).functions<scalars<V>, O>().least_seconds(a, statistics, target, machine);
  });
}

bool plans::multiplies_at_once(std::string_view format, device_set kind, std::int64_t columns) {
  const std::int64_t least = find_entry(format).least_columns(kind);
  return least > 0 && columns >= least;
}

std::vector<option_texts> plans::candidates_on(std::string_view format, const row_statistics& statistics,
                                               const exec::target& target, bool values_change) {
  return naming_out_of_memory(
      "candidates", [&] { return find_entry(format).candidates(statistics, target, values_change); });
}

std::vector<option_texts> candidates(std::string_view format, const row_statistics& statistics,
                                     const resource& where) {
  return plans::candidates_on(format, statistics, exec::planned_target_of(where), false);
}

std::vector<option_texts> variants(std::string_view format, const resource& where) {
  return naming_out_of_memory("variants", [&] {
    const exec::target target = exec::planned_target_of(where);
    const format_info& info = find_format(format);
    const plans::format_entry& entry = plans::find_entry(format);
    std::vector<option_texts> all;
    if (!contains(info.devices, target.kind)) return all;
    all.emplace_back();
    for (const option_info& option : info.options) {
      if (contains(option.devices, target.kind)) multiply_out(all, option, target.kind);
    }
    // A combination that the format refuses is no variant.
    std::erase_if(all, [&](const option_texts& texts) {
      try {
        entry.check_options(texts, target);
        return false;
      } catch (const error&) {
        return true;
      }
    });
    return all.size() > most_variants(target.kind) ? with_all_pairs(all) : all;
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                           \
  template GOSSAMER_API format_forecast forecast(const csr_view<V, O>&, const row_statistics&,            \
                                                 std::string_view, const option_texts&, const resource&,  \
                                                 double);                                                 \
  template format_forecast plans::forecast_on(const csr_view<V, O>&, const row_statistics&,               \
                                              std::string_view, const option_texts&, const exec::target&, \
                                              const formats::machine&, sizing);                           \
  template plans::least_time plans::least_seconds(const csr_view<V, O>&, const row_statistics&,           \
                                                  std::string_view, const exec::target&,                  \
                                                  const formats::machine&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
