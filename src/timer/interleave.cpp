// SPDX-License-Identifier: BSD-3-Clause
// Rounds over all products. sampler.cpp defines the sample of a cache state, stopwatch.cpp measures its time.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "timer/interleave.hpp"
#include "timer/order_statistics.hpp"
#include "timer/sampler.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::int64_t most_rounds = 100000;

/// Product number `place` of a round: it begins one further each time and every second round goes backwards,
/// so that each product has each of the others before it now and then.
std::size_t in_turn(std::int64_t round, std::size_t place, std::size_t n) {
  const auto begin = static_cast<std::size_t>(round / 2) % n;
  return round % 2 == 0 ? (begin + place) % n : (begin + n - 1 - place) % n;
}

/// Times that a thread of this process lost its processor to another.
std::int64_t involuntary_switches() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::int64_t>(usage.ru_nivcsw) : 0;
}

std::int64_t flush_bytes_of(const resource& where, const interleaving& how) {
  if (how.flush_bytes > 0 || how.cache != cache_state::cold) return how.flush_bytes;
  return (std::holds_alternative<cuda>(where) ? 4 : 2) * last_level_cache_bytes(where);
}

}  // namespace

std::string_view name(cache_state state) noexcept {
  switch (state) {
    case cache_state::hot:
      return "hot";
    case cache_state::solver:
      return "solver";
    default:
      return "cold";
  }
}

comparison timer::interleave(std::span<const product_call> products, stopwatch& watch,
                             const interleaving& how, bool on_host) {
  const std::size_t n = products.size();
  comparison result;
  result.seconds.resize(n);
  result.preempted.resize(n);

  const bool solver = how.cache == cache_state::solver;
  if (solver) result.vector_seconds.resize(n);
  result.unresolved.resize(n);

  const auto samples = make_sampler(products, watch, how);
  for (std::size_t p = 0; p < n; ++p) samples->prepare(p);
  const std::int64_t exposed_before = watch.exposed();
  const double budget = how.seconds * static_cast<double>(n);
  const auto begin = host_clock::now();
  for (std::int64_t round = 0; round < most_rounds; ++round) {
    if (round >= how.rounds && seconds_since(begin) >= budget) break;
    for (std::size_t place = 0; place < n; ++place) {
      const std::size_t p = in_turn(round, place, n);
      const std::int64_t switches = involuntary_switches();
      const sample taken = samples->take(p);
      result.seconds[p].push_back(taken.seconds);
      if (solver) result.vector_seconds[p].push_back(taken.vector_seconds);
      if (!taken.resolved) ++result.unresolved[p];
      if (on_host && involuntary_switches() > switches) ++result.preempted[p];
    }
  }
  result.exposed = watch.exposed() - exposed_before;
  return result;
}

comparison time_interleaved(std::span<const product_call> products, const resource& where,
                            const interleaving& how) {
  return naming_out_of_memory("time_interleaved", [&]() -> comparison {
    if (!(how.seconds >= 0) || std::isinf(how.seconds))
      fail(errc::invalid_argument, "time_interleaved: seconds = {} is not a finite number of at least 0",
           how.seconds);
    if (how.rounds < 1 || how.rounds > most_rounds)
      fail(errc::invalid_argument, "time_interleaved: rounds = {} is not from 1 to {}", how.rounds,
           most_rounds);
    if (how.flush_bytes < 0)
      fail(errc::invalid_argument, "time_interleaved: flush_bytes = {} is negative", how.flush_bytes);
    for (std::size_t p = 0; p < products.size(); ++p) {
      if (!products[p]) fail(errc::invalid_argument, "time_interleaved: products[{}] is empty", p);
    }
    if (how.cache == cache_state::solver && !(how.kernels.before && how.kernels.after))
      fail(errc::invalid_argument, "time_interleaved: state solver needs vector kernels before and after");
    if (products.empty()) return {};
    const auto watch = timer::make_stopwatch(where, flush_bytes_of(where, how));
    return timer::interleave(products, *watch, how, std::holds_alternative<cpu>(where));
  });
}

double call_latency(const product_call& product, const resource& where, std::int64_t rounds) {
  return naming_out_of_memory("call_latency", [&] {
    if (!product) fail(errc::invalid_argument, "call_latency: the product is empty");
    if (rounds < 1 || rounds > most_rounds)
      fail(errc::invalid_argument, "call_latency: rounds = {} is not from 1 to {}", rounds, most_rounds);
    const auto watch = timer::make_stopwatch(where, 0);
    watch->run(product, 2);
    std::vector<double> seconds;
    for (std::int64_t round = 0; round < rounds; ++round) seconds.push_back(watch->time_from_host(product));
    std::sort(seconds.begin(), seconds.end());
    return timer::median_of_sorted(seconds);
  });
}

}  // namespace gossamer::inline v0
