// SPDX-License-Identifier: BSD-3-Clause
// Computing powers, measured (paper 004, section 5): each part multiplies the same matrices alone.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/fail.hpp"
#include "core/json.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "gossamer/timer.hpp"
#include "gossamer/version.hpp"
#include "hybrids/balance.hpp"
#include "hybrids/groups.hpp"
#include "hybrids/part.hpp"
#include "hybrids/power_matrices.hpp"
#include "plans/build_with_transpose.hpp"
#include "plans/schema.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/store.hpp"

namespace gossamer::inline v0 {
namespace {

/// A part as it would work beside the others.
struct seat {
  const hybrid_part& part;
  int copying = 0;  ///< threads that copy the vectors of a part on a GPU; 0 on cores
};

std::vector<seat> part_setups_of(const std::vector<hybrid_part>& parts) {
  std::vector<resource> places;
  places.reserve(parts.size());
  for (const hybrid_part& each : parts) places.push_back(each.where);
  const int copying = hybrids::copying_threads(places);
  std::vector<seat> seats;
  seats.reserve(parts.size());
  for (const hybrid_part& each : parts)
    seats.push_back({each, std::holds_alternative<cuda>(each.where) ? copying : 0});
  return seats;
}

template <value V>
std::string key_of(const seat& at, const inspect_options& options) {
  const hybrid_part& part = at.part;
  const inspect_options own = hybrids::options_of(part, options);
  json::array texts;
  for (const auto& [name, text] : own.options) texts.emplace_back(json_array({name, text}));
  std::string all;
  for (const hybrids::power_matrix& each : hybrids::power_matrices()) all.append(each.name).append(";");
  json::object key = json_object({{"version", json_array({version_major, version_minor, version_patch})},
                                  {"power_of", tuning::device_key(part.where)},
                                  {"copying_threads", at.copying},
                                  {"value", value_name<V>()},
                                  {"schema", plans::schema},
                                  {"format", own.format},
                                  {"options", std::move(texts)},
                                  {"memory_limit", own.memory_limit},
                                  {"values_change", own.values_change},
                                  {"calls", own.calls},
                                  {"matrices", all}});
  return json(std::move(key)).one_line();
}

/// Of each of hybrids::power_matrices(); none where the format refuses it.
using rates = std::vector<std::optional<double>>;

std::optional<rates> kept_rates(const std::filesystem::path& folder, const std::string& key) {
  const std::optional<json> kept = tuning::read_kept(folder, key);
  const json* const list = kept ? kept->find("rates") : nullptr;
  const auto* const numbers = list != nullptr ? list->get_if<json::array>() : nullptr;
  if (numbers == nullptr) return {};
  rates all;
  for (const json& each : *numbers) {
    const double rate = each.number().value_or(0);
    all.push_back(rate > 0 && std::isfinite(rate) ? std::optional(rate) : std::nullopt);
  }
  return all.size() == hybrids::power_matrices().size() ? std::optional(all) : std::nullopt;
}

void keep_rates(const std::filesystem::path& folder, const std::string& key, const rates& all) {
  json::array list(all.begin(), all.end());
  tuning::keep(folder, key, json_object({{"rates", std::move(list)}}));
}

/// Nonzeros a second with host vectors; none where the format refuses the matrix.
template <value V>
std::optional<double> rate_of(const csr_matrix<V, std::int64_t>& a, const seat& at,
                              const inspect_options& options, double seconds, std::string& refusal) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(a.rows));
  std::iota(rows.begin(), rows.end(), 0);
  try {
    const auto whole = hybrids::make_part<V, std::int64_t>(a.view(), rows, at.part.where,
                                                           hybrids::options_of(at.part, options));
    const thread_limit limit(at.copying);
    const std::vector<V> x(static_cast<std::size_t>(whole.product.cols()), V{1});
    std::vector<V> y(static_cast<std::size_t>(a.rows));
    const timing timed =
        time_repeatedly([&] { whole.product.multiply(V{1}, std::span<const V>(x), V{0}, y); }, seconds);
    return static_cast<double>(a.nnz()) / timed.median;
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported) throw;
    refusal = problem.what();
    return {};
  }
}

template <value V>
void measure_unknown(std::map<std::string, std::optional<rates>>& known, const std::vector<seat>& seats,
                     const inspect_options& options, double seconds, const std::filesystem::path& folder) {
  std::map<std::string, rates> found;
  std::map<std::string, std::string> refusals;  // what was said last
  for (const hybrids::power_matrix& pattern : hybrids::power_matrices()) {
    const auto a = hybrids::build<V>(pattern);
    std::set<std::string> done;
    for (std::size_t k = 0; k < seats.size(); ++k) {
      const std::string key = key_of<V>(seats[k], options);
      if (known.at(key) || !done.insert(key).second) continue;
      try {
        found[key].push_back(rate_of(a, seats[k], options, seconds, refusals[key]));
      } catch (const error& problem) {
        fail(problem.code(), "hybrid: part {} ({}): {}", k + 1, hybrids::part_name(seats[k].part.where),
             problem.what());
      }
    }
  }
  for (const auto& [key, all] : found) {
    // Nothing at all is no power but a mistake in what was asked, which is not to be found again in the
    // cache.
    if (std::none_of(all.begin(), all.end(), [](const auto& rate) { return rate.has_value(); }))
      fail(errc::unsupported, "measure_powers: {}", refusals.at(key));
    keep_rates(folder, key, all);
    known[key] = all;
  }
}

/// The geometric mean over the matrices that all parts take: a power is beside the others'.
double power_over_common(const rates& own, const std::map<std::string, std::optional<rates>>& all) {
  double logarithm = 0;
  int taken = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!std::all_of(all.begin(), all.end(), [&](const auto& each) { return (*each.second)[i].has_value(); }))
      continue;
    logarithm += std::log(*own[i]);
    ++taken;
  }
  if (taken == 0)
    fail(errc::unsupported, "measure_powers: none of {} matrices is taken by the formats of all parts",
         own.size());
  return hybrids::power_of(std::exp(logarithm / taken));
}

template <value V>
hybrid measured(hybrid where, const inspect_options& options, const power_options& how) {
  if (where.parts.empty()) fail(errc::invalid_argument, "hybrid: there are no parts");
  plans::check_products(options);
  if (!(how.seconds >= 0))
    fail(errc::invalid_argument, "measure_powers: seconds = {} is not a number of at least 0", how.seconds);
  for (hybrid_part& each : where.parts) each.power = 1;
  std::vector<hybrid_part> groups = where.parts;
  hybrids::give_threads(groups);
  const std::filesystem::path folder = how.use_cache ? tuning::cache_folder() : std::filesystem::path();
  std::map<std::string, std::optional<rates>> known;  // parts of one kind have one power
  const std::vector<seat> seats = part_setups_of(groups);
  for (const seat& each : seats) {
    const std::string key = key_of<V>(each, options);
    known[key] = kept_rates(folder, key);
  }
  if (!std::all_of(known.begin(), known.end(), [](const auto& each) { return each.second.has_value(); }))
    measure_unknown<V>(known, seats, options, how.seconds, folder);
  for (std::size_t k = 0; k < groups.size(); ++k)
    where.parts[k].power = power_over_common(*known.at(key_of<V>(seats[k], options)), known);
  return where;
}

}  // namespace

template <value V>
hybrid measure_powers(hybrid where, const inspect_options& options, const power_options& how) {
  return naming_out_of_memory("measure_powers", [&] { return measured<V>(std::move(where), options, how); });
}

template GOSSAMER_API hybrid measure_powers<float>(hybrid, const inspect_options&, const power_options&);
template GOSSAMER_API hybrid measure_powers<double>(hybrid, const inspect_options&, const power_options&);

}  // namespace gossamer::inline v0
