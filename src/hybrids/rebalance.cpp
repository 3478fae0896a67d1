// SPDX-License-Identifier: BSD-3-Clause
// Powers by the times that parts take with one matrix.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/timer.hpp"
#include "hybrids/balance.hpp"
#include "timer/stopwatch.hpp"

namespace gossamer::inline v0 {
namespace {

struct timed_shares {
  double seconds = 0;          ///< of a product
  std::int64_t bus_bytes = 0;  ///< of the plan
  option_texts made;           ///< its options, which name its parts' formats
  std::vector<hybrids::part_work> parts;
};

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

template <value V>
timed_shares time_shares(const plan<V>& made, const hybrid& where, int products, std::span<const V> x,
                         std::span<V> y) {
  std::vector<double> whole;
  std::vector<std::vector<double>> by_part(where.parts.size());
  made.multiply(V{1}, x, V{0}, y);
  for (int i = 0; i < products; ++i) {
    const auto begin = timer::host_clock::now();
    made.multiply(V{1}, x, V{0}, y);
    whole.push_back(timer::seconds_since(begin));
    const std::vector<plan_part> parts = made.parts();
    for (std::size_t k = 0; k < parts.size(); ++k) by_part[k].push_back(parts[k].seconds);
  }
  timed_shares result{.seconds = median(whole), .bus_bytes = made.bus_bytes(), .made = made.options()};
  const std::vector<plan_part> parts = made.parts();
  for (std::size_t k = 0; k < parts.size(); ++k)
    result.parts.push_back(
        {.power = where.parts[k].power, .nnz = parts[k].nnz, .seconds = median(by_part[k])});
  return result;
}

/// `one` and `together` in turns: what nine products of each foretold alone, thirty did not confirm.
template <value V>
comparison time_pairs(const plan<V>& one, const plan<V>& together, int pairs, std::span<const V> x,
                      std::span<V> y) {
  const std::vector<product_call> calls{[&](cuda_stream) { one.multiply(V{1}, x, V{0}, y); },
                                        [&](cuda_stream) { together.multiply(V{1}, x, V{0}, y); }};
  return time_interleaved(calls, cpu{}, {.seconds = 0, .rounds = pairs});
}

struct best_of {
  hybrid shares;
  timed_shares measurement{
      .seconds = std::numeric_limits<double>::infinity(), .bus_bytes = 0, .made = {}, .parts = {}};

  void keep(const hybrid& others, timed_shares timed) {
    if (timed.seconds >= measurement.seconds) return;
    shares = others;
    measurement = std::move(timed);
  }
  /// Whether it has what the trial's had. One that was made beside another may have found less room on a
  /// device, and read more through the bus or be of another format.
  template <value V>
  [[nodiscard]] bool is_as_tried(const plan<V>& made) const {
    return made.bus_bytes() == measurement.bus_bytes && made.options() == measurement.made;
  }
};

void check(const rebalance_options& how) {
  if (how.rounds < 1) fail(errc::invalid_argument, "rebalance: rounds = {} is below 1", how.rounds);
  if (how.products < 1) fail(errc::invalid_argument, "rebalance: products = {} is below 1", how.products);
  if (!(how.tolerance >= 0))
    fail(errc::invalid_argument, "rebalance: tolerance = {} is not a number of at least 0", how.tolerance);
  constexpr int least_pairs = 6;  // of fewer no interval has 95 %
  constexpr int most_pairs = 10'000;
  if (how.pairs < least_pairs || how.pairs > most_pairs)
    fail(errc::invalid_argument, "rebalance: pairs = {} is not from {} to {}", how.pairs, least_pairs,
         most_pairs);
}

hybrid alone(const hybrid& where, std::size_t part) {
  hybrid result = where;
  for (std::size_t k = 0; k < result.parts.size(); ++k) result.parts[k].power = k == part ? 1 : 0;
  return result;
}

/// Of products by `a` itself.
template <value V, offset O>
hybrid rebalance_forward(const csr_view<V, O>& a, hybrid where, const inspect_options& options,
                         const rebalance_options& how) {
  host_buffer<V> x(static_cast<std::size_t>(a.cols));
  host_buffer<V> y(static_cast<std::size_t>(a.rows));
  std::fill_n(x.data(), x.size(), V{1});
  best_of shared;
  best_of single;
  // Once there are shares that can be had, others that a format refuses, or memory does not hold, are no
  // error.
  const auto attempt = [&](const hybrid& shares) -> std::optional<timed_shares> {
    try {
      const plan<V> made = inspect(a, shares, options);
      return time_shares<V>(made, shares, how.products, std::as_const(x).span(), y.span());
    } catch (const error& problem) {
      if (!hybrids::is_refusal(problem.code()) || shared.shares.parts.empty()) throw;
      return {};
    }
  };
  for (int round = 0; round < how.rounds; ++round) {
    const std::optional<timed_shares> timed = attempt(where);
    if (!timed) break;
    shared.keep(where, *timed);
    if (hybrids::unevenness(timed->parts) <= how.tolerance) break;
    const std::vector<double> powers = hybrids::corrected_powers(timed->parts);
    for (std::size_t k = 0; k < powers.size(); ++k) where.parts[k].power = powers[k];
  }
  const auto works = [](const hybrid_part& each) { return each.power > 0; };  // as given: corrections leave 0
  if (std::count_if(where.parts.begin(), where.parts.end(), works) < 2) return shared.shares;
  for (std::size_t k = 0; k < where.parts.size(); ++k) {
    if (!works(where.parts[k])) continue;
    const hybrid one = alone(where, k);
    const std::optional<timed_shares> timed = attempt(one);
    if (timed) single.keep(one, *timed);
  }
  if (single.shares.parts.empty()) return shared.shares;
  const auto by_medians = [&] {
    return single.measurement.seconds < shared.measurement.seconds * (1 + how.tolerance) ? single.shares
                                                                                         : shared.shares;
  };
  try {
    const plan<V> together = inspect(a, shared.shares, options);
    const plan<V> one = inspect(a, single.shares, options);
    if (!shared.is_as_tried(together) || !single.is_as_tried(one)) return by_medians();
    const comparison timed = time_pairs<V>(one, together, how.pairs, std::as_const(x).span(), y.span());
    return hybrids::is_gain(timed.seconds[0], timed.seconds[1], how.tolerance) ? shared.shares
                                                                               : single.shares;
  } catch (const error& problem) {
    if (!hybrids::is_refusal(problem.code())) throw;
    return by_medians();
  }
}

}  // namespace

template <value V, offset O>
hybrid rebalance(const csr_view<V, O>& a, hybrid where, const inspect_options& options,
                 const rebalance_options& how) {
  return naming_out_of_memory("rebalance", [&]() -> hybrid {
    check(how);
    inspect_options own = options;
    own.operations = operation_set::forward;
    own.symmetric = symmetry::unknown;
    if (options.operations != operation_set::transposed)
      return rebalance_forward(a, std::move(where), own, how);
    validate(a);
    return rebalance_forward(transpose(a).view(), std::move(where), own, how);
  });
}

template GOSSAMER_API hybrid rebalance(const csr_view<float, std::int32_t>&, hybrid, const inspect_options&,
                                       const rebalance_options&);
template GOSSAMER_API hybrid rebalance(const csr_view<float, std::int64_t>&, hybrid, const inspect_options&,
                                       const rebalance_options&);
template GOSSAMER_API hybrid rebalance(const csr_view<double, std::int32_t>&, hybrid, const inspect_options&,
                                       const rebalance_options&);
template GOSSAMER_API hybrid rebalance(const csr_view<double, std::int64_t>&, hybrid, const inspect_options&,
                                       const rebalance_options&);

}  // namespace gossamer::inline v0
