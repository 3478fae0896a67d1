// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 4 of paper 004 as it is published: one resource multiplies the diagonal blocks of a matrix and
// another one its other entries, at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <numeric>
#include <optional>
#include <semaphore>
#include <span>
#include <thread>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::bench_support {

/// Who multiplies which entries of a matrix.
struct split_sides {
  hybrid_part blocks;  ///< entries in square blocks along the diagonal
  hybrid_part rest;
};

/// Host vectors. The blocks have a result of their own; the sum is a product by the identity on all threads.
template <value V>
class split_product {
 public:
  template <offset O>
  split_product(const csr_view<V, O>& a, const split_sides& sides, inspect_options how)
      : split_product(split_diagonal_blocks(a), sides, copying(how)) {}
  split_product(const split_product&) = delete;
  split_product& operator=(const split_product&) = delete;
  ~split_product() {
    if (!worker_.joinable()) return;
    stop_ = true;
    start_.release();
    worker_.join();
  }

  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
    alpha_ = alpha;
    x_ = x;
    start_.release();
    std::exception_ptr own;
    try {
      rest_.multiply(alpha, x, beta, y);
    } catch (...) {
      own = std::current_exception();
    }
    done_.acquire();
    if (failure_) std::rethrow_exception(failure_);
    if (own) std::rethrow_exception(own);
    sum_->multiply(V{1}, std::span<const V>(of_blocks_.span()), V{1}, y);
  }
  /// Never: its vectors are on the host.
  void multiply(V /*alpha*/, device_span<const V> /*x*/, V /*beta*/, device_span<V> /*y*/,
                cuda_stream /*stream*/) const {
    throw error(errc::unsupported, "diagonal blocks on a GPU: host vectors only");
  }

  [[nodiscard]] std::int64_t bytes() const { return blocks_.bytes() + rest_.bytes(); }
  [[nodiscard]] std::int64_t slots() const { return blocks_.slots() + rest_.slots(); }
  [[nodiscard]] double inspect_seconds() const { return blocks_.inspect_seconds() + rest_.inspect_seconds(); }
  /// The blocks, then the rest.
  [[nodiscard]] std::vector<plan_part> parts() const {
    std::vector<plan_part> all = blocks_.parts();
    for (const plan_part& each : rest_.parts()) all.push_back(each);
    return all;
  }

 private:
  /// The parts of the matrix are gone when products begin.
  static inspect_options copying(inspect_options how) {
    how.copy = true;
    return how;
  }

  template <offset O>
  split_product(const diagonal_blocks<V, O>& parts, const split_sides& sides, const inspect_options& how)
      : blocks_(inspect(parts.blocks.view(), hybrid{.parts = {sides.blocks}}, how)),
        rest_(inspect(parts.rest.view(), hybrid{.parts = {sides.rest}}, how)),
        of_blocks_(static_cast<std::size_t>(parts.blocks.rows)) {
    std::vector<std::int32_t> numbers(of_blocks_.size() + 1);
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::vector<V> ones(of_blocks_.size(), V{1});
    const csr_view<V, std::int32_t> identity{.rows = parts.blocks.rows,
                                             .cols = parts.blocks.rows,
                                             .row_ptr = numbers,
                                             .col = std::span(numbers).first(ones.size()),
                                             .val = ones};
    sum_.emplace(inspect(identity, cpu{}, {.format = "dia", .copy = true}));
    worker_ = std::thread([this] { run(); });
  }

  void run() {
    for (;;) {
      start_.acquire();
      if (stop_) return;
      failure_ = nullptr;
      try {
        blocks_.multiply(alpha_, x_, V{0}, of_blocks_.span());
      } catch (...) {
        failure_ = std::current_exception();
      }
      done_.release();
    }
  }

  plan<V> blocks_;
  plan<V> rest_;
  mutable host_buffer<V> of_blocks_;
  std::optional<plan<V>> sum_;
  mutable V alpha_ = 0;
  mutable std::span<const V> x_;
  mutable std::exception_ptr failure_;
  mutable std::binary_semaphore start_{0};
  mutable std::binary_semaphore done_{0};
  std::atomic<bool> stop_ = false;
  std::thread worker_;
};

}  // namespace gossamer::bench_support
