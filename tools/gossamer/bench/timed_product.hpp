// SPDX-License-Identifier: BSD-3-Clause
// One product of a matrix that others are timed beside, with all that it needs.
#pragma once

#include <algorithm>
#include <deque>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/without_prefix.hpp"
#include "bench/result.hpp"
#include "bench/shared.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/error.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// Adapts multiply_transposed() of a plan to multiply().
template <value V>
class transposed_product {
 public:
  explicit transposed_product(const plan<V>& made) : made_(&made) {}
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
    made_->multiply_transposed(alpha, x, beta, y);
  }
  void multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream) const {
    made_->multiply_transposed(alpha, x, beta, y, stream);
  }

 private:
  const plan<V>* made_;
};

/// One product: prepared, and ready to be called as long as this stands where it is.
template <value V>
struct timed_product {
  bench_result result;
  bool shown = true;  ///< false: measured only because others are compared with it
  std::optional<plan<V>> ours;
  std::optional<transposed_product<V>> transposed;  ///< of ours
  std::optional<bench_support::peer_product<V>> theirs;
  product_call call;
  std::string alone;                             ///< the part of a hybrid that has the whole matrix here
  std::optional<spread_vectors<V>> spread;       ///< of parts on GPUs, or
  std::optional<product_vectors<V>> on_one_gpu;  ///< of the one that is alone
  std::vector<double> samples;                   ///< of the cache state that is being measured
};

/// Calls refer to what stands in it.
template <value V>
using timed_products = std::deque<timed_product<V>>;

/// The plain CSR that others' break-even is counted from; null where there is none.
template <value V>
timed_product<V>* plain_csr(timed_products<V>& all) {
  const auto is_plain = [](const timed_product<V>& c) {
    return !c.result.peer && c.result.format == plain_format() && c.result.by_default;
  };
  const auto found = std::find_if(all.begin(), all.end(), is_plain);
  return found == all.end() ? nullptr : &*found;
}

/// Runs `work`; what it cannot do becomes the result's status.
template <value V, class Work>
void attempt(timed_product<V>& c, Work&& work) {
  bench_result& r = c.result;
  try {
    work();
  } catch (const error& problem) {
    const errc code = problem.code();
    if (code != errc::unsupported && code != errc::out_of_memory && code != errc::device_error) throw;
    r.status = code == errc::unsupported ? bench_status::unsupported : bench_status::failed;
    r.reason = without_prefix(problem.what(), r.format);
  } catch (const std::bad_alloc&) {
    r.status = bench_status::failed;
    r.reason = "out of memory";
  }
  if (r.status == bench_status::ok) return;
  c.call = {};
  c.spread.reset();
  c.on_one_gpu.reset();
  c.transposed.reset();
  c.ours.reset();
  c.theirs.reset();
}

}  // namespace gossamer::cli
