// SPDX-License-Identifier: BSD-3-Clause
// The timed rounds of a matrix's products, and how each compares with the others.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "bench/settings.hpp"
#include "bench/timed_product.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {

/// What is written between products so that they begin with nothing in a cache.
inline std::int64_t flush_bytes(const bench_settings& settings, cache_state state) {
  const bool on_gpu = std::holds_alternative<cuda>(settings.where);
  return state == cache_state::cold ? (on_gpu ? 4 : 2) * settings.llc_bytes : 0;
}

/// The ratios of each to the peers, to the parts of a hybrid alone, and to plain CSR (null: there is none).
template <value V>
void compare(const std::vector<timed_product<V>*>& ready, const timed_product<V>* csr) {
  const timed_product<V>* best_peer = nullptr;
  for (const timed_product<V>* c : ready) {
    if (c->result.peer &&
        (best_peer == nullptr || c->result.seconds.median < best_peer->result.seconds.median))
      best_peer = c;
  }
  for (timed_product<V>* c : ready) {
    bench_result& r = c->result;
    r.vs_peers.clear();
    r.vs_best_peer.reset();
    r.break_even_multiplies.reset();
    for (const timed_product<V>* peer : ready) {
      if (r.peer || !peer->result.peer) continue;
      r.vs_peers.push_back({peer->result.format, ratio_of(peer->samples, c->samples)});
      if (peer == best_peer) r.vs_best_peer = r.vs_peers.back();
    }
    r.vs_alone.clear();
    for (const timed_product<V>* one : ready) {
      if (c->alone.empty() && !one->alone.empty() && one->result.answers == r.answers && !r.peer)
        r.vs_alone.push_back({one->alone, ratio_of(one->samples, c->samples)});
    }
    if (csr == nullptr || csr == c || csr->samples.empty()) continue;
    const double saved = csr->result.seconds.median - r.seconds.median;
    if (saved > 0)
      r.break_even_multiplies = std::max(0.0, (r.inspect_seconds - csr->result.inspect_seconds) / saved);
  }
}

/// The result of one contestant in one state. It fails in this state if the timer does not resolve its
/// samples.
template <value V>
void take_samples(timed_product<V>& c, comparison& timed, std::size_t index) {
  bench_result& r = c.result;
  std::vector<double>& samples = timed.seconds[index];
  r.preempted = timed.preempted[index];
  if (!timed.vector_seconds.empty()) r.vector_seconds = summarise(timed.vector_seconds[index]).median;
  if (timed.unresolved[index] > 0) {
    r.status = bench_status::failed;
    r.reason = fmt::format(
        "not resolved: {} of {} samples with the product are not measurably longer than without it",
        timed.unresolved[index], samples.size());
    return;
  }
  c.samples = std::move(samples);
  r.seconds = summarise(c.samples);
}

/// Times `ready` interleaved and returns those whose times were resolved. A failure is the failure of all.
/// `vectors` are those of the products; null if these have others, which is so in the hot state alone.
template <value V>
std::vector<timed_product<V>*> time_together(const std::vector<timed_product<V>*>& ready, cache_state state,
                                             const bench_settings& settings, product_vectors<V>* vectors) {
  std::vector<product_call> calls;
  for (const timed_product<V>* c : ready) calls.push_back(c->call);
  interleaving how{.cache = state, .seconds = settings.seconds, .flush_bytes = flush_bytes(settings, state)};
  comparison timed;
  for (timed_product<V>* c : ready) {
    attempt(*c, [&] {
      if (c == ready.front()) {
        if (state == cache_state::solver) how.kernels = vectors->solver_kernels();
        timed = time_interleaved(calls, settings.where, how);
      }
      if (timed.seconds.empty())
        throw error(errc::device_error, "not timed: " + ready.front()->result.reason);
    });
  }
  if (timed.seconds.empty()) return {};
  const bench_result& of = ready.front()->result;
  if (timed.exposed > 0)
    remark(fmt::format("{} {} {}: {} samples may include the time in which the host launches kernels",
                       of.matrix.title(), of.value, name(state), timed.exposed));
  std::int64_t samples = 0;
  std::int64_t disturbed = 0;
  std::vector<timed_product<V>*> resolved;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    samples += static_cast<std::int64_t>(timed.seconds[i].size());
    disturbed += timed.preempted[i];
    take_samples(*ready[i], timed, i);
    if (ready[i]->result.status == bench_status::ok) resolved.push_back(ready[i]);
  }
  if (4 * disturbed > samples)
    remark(fmt::format("{} {} {}: other programs used the processors during {} of {} samples",
                       of.matrix.title(), of.value, name(state), disturbed, samples));
  return resolved;
}

/// Times all products that can be called, and compares them. Those that are not shown follow on their own:
/// interleaved, they would take the others' data out of the caches.
template <value V>
void time_rounds(timed_products<V>& all, cache_state state, const bench_settings& settings,
                 product_vectors<V>* vectors, progress_bar& bar) {
  std::vector<timed_product<V>*> shown;
  std::vector<timed_product<V>*> hidden;
  for (timed_product<V>& c : all) {
    c.result.cache = state;
    c.result.vector_seconds.reset();
    c.samples.clear();
    if (!c.call) continue;
    c.result.status = bench_status::ok;  // it may have failed in another state
    c.result.reason.clear();
    (c.shown ? shown : hidden).push_back(&c);
  }
  bar.show(name(state), 0);
  const std::vector<timed_product<V>*> resolved = time_together(shown, state, settings, vectors);
  time_together(hidden, state, settings, vectors);
  compare(resolved, plain_csr(all));
}

}  // namespace gossamer::cli
