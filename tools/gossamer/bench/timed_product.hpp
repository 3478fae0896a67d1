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
#include "bench_support/split/split_product.hpp"
#include "gossamer/error.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// A dense matrix of so many columns, row by row without gaps.
template <class T>
dense_view<T> by_rows(std::span<T> all, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(all.size()) / columns;
  return {.rows = rows, .cols = columns, .leading = columns, .order = layout::row_major, .data = all};
}
template <class T>
dense_view<T, device_space> by_rows(device_span<T> all, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(all.size()) / columns;
  return {.rows = rows, .cols = columns, .leading = columns, .order = layout::row_major, .data = all};
}

/// Adapts one product of a plan to multiply(). With several columns, x and y are X and Y in row-major order.
template <value V>
class planned_product {
 public:
  planned_product(const plan<V>& made, operation op, std::int64_t columns)
      : made_(&made), op_(op), columns_(columns) {}
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const { choose(alpha, x, beta, y); }
  void multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream) const {
    choose(alpha, x, beta, y, stream);
  }

 private:
  template <class X, class Y, class... Stream>
  void choose(V alpha, X x, V beta, Y y, Stream... stream) const {
    if (columns_ == 1) return run(alpha, x, beta, y, stream...);
    run(alpha, by_rows(x, columns_), beta, by_rows(y, columns_), stream...);
  }
  template <class... Arguments>
  void run(const Arguments&... all) const {
    if (op_ == operation::forward) return made_->multiply(all...);
    made_->multiply_transposed(all...);
  }

  const plan<V>* made_;
  operation op_;
  std::int64_t columns_;
};

/// One product: prepared, and ready to be called as long as this stands where it is.
template <value V>
struct timed_product {
  bench_result result;
  bool shown = true;  ///< false: measured only because others are compared with it
  std::optional<plan<V>> ours;
  std::optional<planned_product<V>> planned;  ///< of ours
  std::optional<bench_support::split_product<V>> split;
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
  c.planned.reset();
  c.split.reset();
  c.ours.reset();
  c.theirs.reset();
}

}  // namespace gossamer::cli
