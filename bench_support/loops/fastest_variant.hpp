// SPDX-License-Identifier: BSD-3-Clause
// The choice between variants of an iteration, as a careful user would make it: each is captured in a CUDA
// graph and timed, and the fastest is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench_support/loops/captured_graph.hpp"
#include "bench_support/loops/methods.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::bench_support::loops {

/// cuSPARSE's products that steps are made of.
inline constexpr std::string_view csr_products[] = {"cusparse_csr_alg1", "cusparse_csr_alg2",
                                                    "cusparse_spmvop_alg1", "cusparse_spmvop_alg2"};
inline constexpr std::string_view sliced_ell_product[] = {"cusparse_sliced_ell"};

/// The reason of the first peer, if none of the peers is available.
inline std::string reason_no_product(std::span<const std::string_view> peers) {
  std::string reason;
  for (const std::string_view peer : peers) {
    const peer_presence here = find_peer_here(peer);
    if (here.present) return {};
    if (reason.empty()) reason = here.reason;
  }
  return reason;
}

/// Runs `work`; false if it refuses or the device fails, and then `reason` is the message.
template <class Work>
bool succeeds(std::string& reason, Work&& work) {
  try {
    work();
    return true;
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported && problem.code() != errc::device_error &&
        problem.code() != errc::out_of_memory)
      throw;
    reason = problem.what();
    return false;
  }
}

/// The matrix in each of the peers that takes it.
template <value V>
std::vector<std::shared_ptr<peer_product<V>>> products_of(std::span<const std::string_view> peers,
                                                          const csr_view<V, std::int32_t>& a,
                                                          const resource& where, std::string& reason) {
  std::vector<std::shared_ptr<peer_product<V>>> all;
  for (const std::string_view peer : peers)
    succeeds(reason,
             [&] { all.push_back(std::make_shared<peer_product<V>>(inspect_peer<V>(peer, a, where))); });
  return all;
}

/// One way to make a step.
template <value V>
struct step_variant {
  step_products<V> how;
  captured_graph graph;  ///< of the iterations of one launch
};

/// Times start(how, stream) and one graph of each, alternately; the index of the fastest.
template <value V, class Start>
std::size_t fastest_of(const std::vector<step_variant<V>>& variants, const resource& where, Start&& start) {
  std::vector<product_call> calls;
  for (const step_variant<V>& each : variants)
    calls.push_back([&](cuda_stream stream) {
      start(each.how, stream);
      each.graph.launch(stream);
    });
  constexpr std::int64_t rounds = 7;
  const comparison timed = time_interleaved(calls, where, {.seconds = 0.01, .rounds = rounds});
  std::size_t best = 0;
  double least = summarise(timed.seconds[0]).median;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    const double median = summarise(timed.seconds[i]).median;
    if (median < least) {
      best = i;
      least = median;
    }
  }
  return best;
}

}  // namespace gossamer::bench_support::loops
