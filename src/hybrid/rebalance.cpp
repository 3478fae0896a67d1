// SPDX-License-Identifier: BSD-3-Clause
// Powers by the times that parts take with one matrix.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/fail.hpp"
#include "gossamer/compare.hpp"
#include "gossamer/host_buffer.hpp"
#include "gossamer/hybrid.hpp"
#include "hybrid/balance.hpp"
#include "measure/stopwatch.hpp"

namespace gossamer::inline v0 {
namespace {

struct trial_of_shares {
  double seconds = 0;  ///< of a product
  std::vector<hybrids::part_work> parts;
};

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

template <value V>
trial_of_shares time_shares(const plan<V>& made, const hybrid& where, int products, std::span<const V> x,
                            std::span<V> y) {
  std::vector<double> whole;
  std::vector<std::vector<double>> by_part(where.parts.size());
  made.multiply(V{1}, x, V{0}, y);
  for (int i = 0; i < products; ++i) {
    const auto begin = measuring::host_clock::now();
    made.multiply(V{1}, x, V{0}, y);
    whole.push_back(measuring::seconds_since(begin));
    const std::vector<plan_part> parts = made.parts();
    for (std::size_t k = 0; k < parts.size(); ++k) by_part[k].push_back(parts[k].seconds);
  }
  trial_of_shares result{.seconds = median(whole)};
  const std::vector<plan_part> parts = made.parts();
  for (std::size_t k = 0; k < parts.size(); ++k)
    result.parts.push_back(
        {.power = where.parts[k].power, .nnz = parts[k].nnz, .seconds = median(by_part[k])});
  return result;
}

/// How many times as long `one` takes as `together`, in turns: what nine products of each foretold by themselves, thirty did not confirm.
template <value V>
paired_ratio time_pairs(const plan<V>& one, const plan<V>& together, int pairs, std::span<const V> x,
                        std::span<V> y) {
  const std::vector<product_call> calls{[&](cuda_stream) { one.multiply(V{1}, x, V{0}, y); },
                                        [&](cuda_stream) { together.multiply(V{1}, x, V{0}, y); }};
  const comparison timed = time_interleaved(calls, cpu{}, {.seconds = 0, .rounds = pairs});
  return ratio_of(timed.seconds[0], timed.seconds[1]);
}

struct best_of {
  hybrid shares;
  double seconds = std::numeric_limits<double>::infinity();

  void keep(const hybrid& others, double took) {
    if (took >= seconds) return;
    shares = others;
    seconds = took;
  }
};

void check(const rebalance_options& how) {
  if (how.rounds < 1) fail(errc::invalid_argument, "rebalance: rounds = {} is below 1", how.rounds);
  if (how.products < 1) fail(errc::invalid_argument, "rebalance: products = {} is below 1", how.products);
  if (!(how.tolerance >= 0))
    fail(errc::invalid_argument, "rebalance: tolerance = {} is no number from 0 on", how.tolerance);
  if (how.pairs < 1) fail(errc::invalid_argument, "rebalance: pairs = {} is below 1", how.pairs);
}

hybrid alone(const hybrid& where, std::size_t part) {
  hybrid result = where;
  for (std::size_t k = 0; k < result.parts.size(); ++k) result.parts[k].power = k == part ? 1 : 0;
  return result;
}

}  // namespace

template <value V, offset O>
hybrid rebalance(const csr_view<V, O>& a, hybrid where, const inspect_options& options,
                 const rebalance_options& how) {
  check(how);
  host_buffer<V> x(static_cast<std::size_t>(a.cols));
  host_buffer<V> y(static_cast<std::size_t>(a.rows));
  std::fill_n(x.data(), x.size(), V{1});
  best_of shared;
  best_of single;
  // Once there are shares that can be had, others that a format refuses, or memory does not hold, are no error.
  const auto attempt = [&](const hybrid& shares) -> std::optional<trial_of_shares> {
    try {
      const plan<V> made = inspect(a, shares, options);
      return time_shares<V>(made, shares, how.products, std::as_const(x).span(), y.span());
    } catch (const error& problem) {
      if (!hybrids::is_refusal(problem.code()) || shared.shares.parts.empty()) throw;
      return {};
    }
  };
  for (int round = 0; round < how.rounds; ++round) {
    const std::optional<trial_of_shares> timed = attempt(where);
    if (!timed) break;
    shared.keep(where, timed->seconds);
    if (hybrids::unevenness(timed->parts) <= how.tolerance) break;
    const std::vector<double> powers = hybrids::corrected_powers(timed->parts);
    for (std::size_t k = 0; k < powers.size(); ++k) where.parts[k].power = powers[k];
  }
  for (std::size_t k = 0; k < where.parts.size() && where.parts.size() > 1; ++k) {
    if (where.parts[k].power == 0) continue;  // as given: corrections leave 0
    const hybrid one = alone(where, k);
    const std::optional<trial_of_shares> timed = attempt(one);
    if (timed) single.keep(one, timed->seconds);
  }
  if (single.shares.parts.empty()) return shared.shares;
  try {
    const plan<V> together = inspect(a, shared.shares, options);
    const plan<V> one = inspect(a, single.shares, options);
    const paired_ratio times = time_pairs<V>(one, together, how.pairs, std::as_const(x).span(), y.span());
    return hybrids::is_gain(times, how.tolerance) ? shared.shares : single.shares;
  } catch (const error& problem) {  // memory for both at a time
    if (!hybrids::is_refusal(problem.code())) throw;
    return single.seconds < shared.seconds * (1 + how.tolerance) ? single.shares : shared.shares;
  }
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
