// SPDX-License-Identifier: BSD-3-Clause
// Rounds over all products. Whether a sample is hot or cold is decided here; how long it takes, in stopwatch.cpp.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "timer/interleave.hpp"
#include "timer/order_statistics.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr double shortest_sample = 50e-6;
constexpr std::int64_t most_rounds = 100000;

/// Calls of one hot sample.
std::int64_t calls_of_sample(timer::stopwatch& watch, const product_call& product) {
  constexpr std::int64_t most_calls = std::int64_t{1} << 20;  // of a product that does nothing
  std::int64_t calls = 1;
  while (calls < most_calls && watch.time(product, calls) < shortest_sample) calls *= 2;
  return calls;
}

/// Calls that bring a product's arrays back into the caches after the others ran.
std::int64_t untimed_calls(std::int64_t calls_of_sample) {
  return calls_of_sample > 1 ? 2 : 1;
}

/// Product number `place` of a round: it begins one further each time and every second round goes backwards, so that each
/// product has each of the others before it now and then.
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
  if (how.flush_bytes > 0 || how.cache == cache_state::hot) return how.flush_bytes;
  return (std::holds_alternative<cuda>(where) ? 4 : 2) * last_level_cache_bytes(where);
}

}  // namespace

std::string_view name(cache_state state) noexcept {
  return state == cache_state::hot ? "hot" : "cold";
}

comparison timer::interleave(std::span<const product_call> products, stopwatch& watch,
                             const interleaving& how, bool on_host) {
  const std::size_t n = products.size();
  comparison result;
  result.seconds.resize(n);
  result.preempted.resize(n);

  const bool hot = how.cache == cache_state::hot;
  std::vector<std::int64_t> calls;
  for (const product_call& product : products) {
    watch.run(product, 1);  // page faults, module loading, thread start
    calls.push_back(hot ? calls_of_sample(watch, product) : 1);
  }
  const std::int64_t exposed_before = watch.exposed();
  const double budget = how.seconds * static_cast<double>(n);
  const auto begin = host_clock::now();
  for (std::int64_t round = 0; round < most_rounds; ++round) {
    if (round >= how.rounds && seconds_since(begin) >= budget) break;
    for (std::size_t place = 0; place < n; ++place) {
      const std::size_t p = in_turn(round, place, n);
      const product_call& product = products[p];
      const std::int64_t switches = involuntary_switches();
      // A product alone is hot already.
      if (hot && n > 1) watch.run(product, untimed_calls(calls[p]));
      const double seconds = hot ? watch.time(product, calls[p]) : watch.time_cold(product);
      result.seconds[p].push_back(seconds / static_cast<double>(calls[p]));
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
