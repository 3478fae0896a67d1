// SPDX-License-Identifier: BSD-3-Clause
// Computing powers, measured (paper 004, section 5): each part multiplies the same matrices by itself.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/generate.hpp"
#include "gossamer/measure.hpp"
#include "gossamer/version.hpp"
#include "hybrid/balance.hpp"
#include "hybrid/groups.hpp"
#include "hybrid/part.hpp"
#include "tune/fingerprint.hpp"
#include "tune/store.hpp"

namespace gossamer::inline v0 {
namespace {

using kept_json = nlohmann::ordered_json;

/// Of half a million to four million nonzeros, short and long rows, near and far columns. What was kept for others is not taken.
constexpr std::string_view spread[] = {
    "stencil(nx=700,ny=700,points=5)",
    "stencil(nx=80,ny=80,nz=80,points=7)",
    "stencil(nx=48,ny=48,nz=48,points=27)",
    "fem(nx=16,dof=3)",
    "fem(nx=24,dof=1)",
    "banded(n=60000,lower=20,upper=20)",
    "uniform(rows=100000,per_row=16)",
    "uniform(rows=500000,per_row=4)",
    "power_law(rows=200000,cols=200000,mean=8,exponent=2.5,max=20000)",
    "rmat(scale=16,edge_factor=16)",
    "circuit(rows=200000)",
    "dense(rows=1200,cols=1200)",
};

inspect_options options_of(const hybrid_part& part, const inspect_options& options) {
  inspect_options own = options;
  if (!part.format.empty()) {
    own.format = part.format;
    own.options = part.options;
  }
  if (std::holds_alternative<cpu>(part.where)) own.memory_limit.reset();
  return own;
}

template <value V>
std::string key_of(const hybrid_part& part, const inspect_options& options) {
  const inspect_options own = options_of(part, options);
  kept_json texts = kept_json::array();
  for (const auto& [name, text] : own.options) texts.push_back({name, text});
  std::string all;
  for (const std::string_view each : spread) all.append(each).append(";");
  const kept_json key = {{"version", {version_major, version_minor, version_patch}},
                         {"power_of", tuning::device_key(part.where)},
                         {"value", value_name<V>()},
                         {"format", own.format},
                         {"options", texts},
                         {"matrices", all}};
  return key.dump();
}

std::optional<double> kept_power(const std::filesystem::path& folder, const std::string& key) {
  const std::optional<kept_json> kept = tuning::read_kept(folder, key);
  if (!kept || !kept->contains("power") || !kept->at("power").is_number()) return {};
  const double power = kept->at("power").get<double>();
  return power > 0 && std::isfinite(power) ? std::optional(power) : std::nullopt;
}

/// Nonzeros a second with host vectors; none where the format refuses the matrix.
template <value V>
std::optional<double> rate_of(const csr_matrix<V, std::int64_t>& a, const hybrid_part& part,
                              const inspect_options& options, double seconds) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(a.rows));
  std::iota(rows.begin(), rows.end(), 0);
  try {
    const auto whole =
        hybrids::make_part<V, std::int64_t>(a.view(), rows, part.where, options_of(part, options));
    const std::vector<V> x(static_cast<std::size_t>(whole.product.cols()), V{1});
    std::vector<V> y(static_cast<std::size_t>(a.rows));
    const timing timed =
        time_repeatedly([&] { whole.product.multiply(V{1}, std::span<const V>(x), V{0}, y); }, seconds);
    return static_cast<double>(a.nnz()) / timed.median;
  } catch (const error& problem) {
    if (problem.code() == errc::unsupported) return {};
    throw;
  }
}

/// Over the same matrices for all: a power is beside the others'.
template <value V>
void measure_unknown(std::map<std::string, std::optional<double>>& powers,
                     const std::vector<hybrid_part>& parts, const inspect_options& options, double seconds,
                     const std::filesystem::path& folder) {
  std::map<std::string, std::vector<double>> rates;
  for (const std::string_view specification : spread) {
    const auto a = generate<V>(specification);
    std::map<std::string, double> these;
    bool all = true;
    for (std::size_t k = 0; k < parts.size() && all; ++k) {
      const std::string key = key_of<V>(parts[k], options);
      if (powers.at(key) || these.contains(key)) continue;
      try {
        const std::optional<double> rate = rate_of(a, parts[k], options, seconds);
        all = rate.has_value();
        if (rate) these[key] = *rate;
      } catch (const error& problem) {
        fail(problem.code(), "hybrid: part {} ({}): {}", k + 1, hybrids::part_name(parts[k].where),
             problem.what());
      }
    }
    if (!all) continue;
    for (const auto& [key, rate] : these) rates[key].push_back(rate);
  }
  if (rates.empty())
    fail(errc::unsupported, "measure_powers: {} takes none of {} matrices", options.format,
         std::size(spread));
  for (const auto& [key, of_one] : rates) {
    double logarithm = 0;
    for (const double rate : of_one) logarithm += std::log(rate);
    powers[key] = hybrids::power_of(std::exp(logarithm / static_cast<double>(of_one.size())));
    tuning::keep(folder, key, {{"power", *powers[key]}});
  }
}

template <value V>
hybrid measured(hybrid where, const inspect_options& options, const power_options& how) {
  if (where.parts.empty()) fail(errc::invalid_argument, "hybrid: there are no parts");
  if (!(how.seconds >= 0))
    fail(errc::invalid_argument, "measure_powers: seconds = {} is no number from 0 on", how.seconds);
  for (hybrid_part& each : where.parts) each.power = 1;
  std::vector<hybrid_part> groups = where.parts;
  hybrids::give_threads(groups);
  const std::filesystem::path folder = how.use_cache ? tuning::cache_folder() : std::filesystem::path();
  std::map<std::string, std::optional<double>> powers;  // parts of one kind have one power
  for (const hybrid_part& each : groups) {
    const std::string key = key_of<V>(each, options);
    powers[key] = kept_power(folder, key);
  }
  const bool all_known =
      std::all_of(powers.begin(), powers.end(), [](const auto& each) { return each.second.has_value(); });
  if (!all_known) measure_unknown<V>(powers, groups, options, how.seconds, folder);
  for (std::size_t k = 0; k < groups.size(); ++k)
    where.parts[k].power = *powers.at(key_of<V>(groups[k], options));
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
