// SPDX-License-Identifier: BSD-3-Clause
// What a product does with a row before it writes it (gossamer/epilogue.hpp), as kernels see it: in the
// kernel of the product, or in a pass over the vectors behind it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exec/product.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// a b + c. On a device fused, so that all kernels give the same bits.
template <class V>
GOSSAMER_HOST_DEVICE inline V multiply_add(V a, V b, V c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// A POD that is passed by value; null pointers stand for parts that are left out. Pointers are host or
/// device pointers, as the kernel is.
template <class S>
struct row_epilogue {
  using V = vector_t<S>;

  const V* z = nullptr;  ///< null: y
  const V* scale = nullptr;
  const V* u = nullptr;
  const V* lower = nullptr;
  const V* upper = nullptr;
  const V* add = nullptr;
  V* out = nullptr;
  const V* with[2] = {};
  double* result[2] = {};
  /// Where the blocks of a kernel that finishes rows leave their parts of the dot products, two numbers each
  /// (exec/cuda/kernel/finished_rows.cuh); null: they do not. All are 0 before and after the product.
  double* dot_parts = nullptr;
  // Factors in memory, which replace alpha and beta of the product and the next two; null: they do not.
  const V* alpha = nullptr;
  const V* beta = nullptr;
  const V* gamma_at = nullptr;
  const V* bounds_at = nullptr;
  V gamma{1};
  V bounds_factor{1};
  V y_factor{1};
  V add_factor{1};
  bool outside = false;
  bool more = false;  ///< has_more()

  /// Whether it reads the old y, which then must not be overwritten by A x before.
  [[nodiscard]] bool reads(const V* y, V beta_of_product) const {
    const bool may_add_z = beta != nullptr || beta_of_product != V{0};
    return (may_add_z && (z == nullptr || z == y)) || scale == y || u == y || lower == y || upper == y ||
           add == y;
  }
  [[nodiscard]] bool has_dots() const { return result[0] != nullptr || result[1] != nullptr; }

  /// Whether it has one of the parts that most products lack. Kernels skip all of them at once.
  [[nodiscard]] bool has_more() const {
    return scale != nullptr || u != nullptr || lower != nullptr || upper != nullptr || out != nullptr;
  }

  /// What N rows need from memory: factors, and the elements of z and of the vectors of dot products.
  template <int N>
  struct elements {
    V alpha;
    V beta;
    V z[N];
    V with[2][N];
  };
  /// Loads those of rows first, first + step, ... before `end`, for finish(). A kernel calls it before it has
  /// the sums, so that they do not wait for each other. Of `p`, this reads alpha, beta and y.
  template <int N>
  GOSSAMER_HOST_DEVICE void load(const product<S>& p, std::int64_t first, std::int64_t step, std::int64_t end,
                                 elements<N>& loaded) const {
    const auto load_each = [&](const V* from, V(&to)[N]) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int r = 0; r < N; ++r)
        to[r] = from != nullptr && first + r * step < end ? from[first + r * step] : V{0};
    };
    loaded.alpha = alpha == nullptr ? p.alpha : *alpha;
    loaded.beta = beta == nullptr ? p.beta : *beta;
    const bool may_add_z = beta != nullptr || p.beta != V{0};
    load_each(!may_add_z ? nullptr : z == nullptr ? p.y : z, loaded.z);
    for (int k = 0; k < 2; ++k)
      load_each(with[k] == p.y || with[k] == out ? nullptr : with[k], loaded.with[k]);
  }

  /// The elements of y and `out`, of one row.
  struct row {
    V y;
    V other;
  };
  /// Finishes and stores the same rows, where `sum` is A x.
  template <int N>
  GOSSAMER_HOST_DEVICE void finish(const product<S>& p, std::int64_t first, std::int64_t step,
                                   std::int64_t end, const sum_t<S> (&sum)[N], const elements<N>& loaded,
                                   row (&finished)[N]) const {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = 0; r < N; ++r) {
      const std::int64_t i = first + r * step;
      if (N > 1 && i >= end) continue;
      V t = loaded.alpha == V{0} ? V{0} : static_cast<V>(loaded.alpha * sum[r]);
      if (loaded.beta != V{0}) t = multiply_add(loaded.beta, loaded.z[r], t);
      finished[r] = more ? finish_more(i, t) : row{.y = t, .other = V{0}};
      p.y[i] = finished[r].y;
      if (out != nullptr) out[i] = finished[r].other;
    }
  }

  /// Part of dot product k of row r of those.
  template <int N>
  GOSSAMER_HOST_DEVICE double dot_of(int k, const product<S>& p, const elements<N>& loaded, int r,
                                     const row& finished) const {
    const V other = with[k] == p.y ? finished.y : with[k] == out ? finished.other : loaded.with[k][r];
    return static_cast<double>(finished.y) * static_cast<double>(other);
  }

 private:
  /// The parts that most products lack. All loads come before the first use.
  GOSSAMER_HOST_DEVICE row finish_more(std::int64_t i, V t) const {
    const auto element = [&](const V* of, V otherwise) { return of == nullptr ? otherwise : of[i]; };
    const V gamma_now = gamma_at == nullptr ? gamma : *gamma_at;
    const V bounds_now = bounds_at == nullptr ? bounds_factor : *bounds_at;
    const bool adds_u = u != nullptr && gamma_now != V{0};
    const bool adds_second = add != nullptr && add_factor != V{0};
    const V scaled_by = element(scale, V{1});
    const V from_u = element(adds_u ? u : nullptr, V{0});
    const V low = element(lower, V{0});
    const V high = element(upper, V{0});
    const V added = element(adds_second ? add : nullptr, V{0});
    t *= scaled_by;
    if (adds_u) t = multiply_add(gamma_now, from_u, t);
    V inside = t;  // NaN stays NaN: no comparison with it is true
    if (const V bound = multiply_add(bounds_now, low, V{0}); lower != nullptr && inside < bound)
      inside = bound;
    if (const V bound = multiply_add(bounds_now, high, V{0}); upper != nullptr && inside > bound)
      inside = bound;
    const bool is_bounded = lower != nullptr || upper != nullptr;
    const V y = is_bounded ? (outside ? t - inside : inside) : t;
    const V scaled_y = y_factor * y;
    return {.y = y, .other = adds_second ? multiply_add(add_factor, added, scaled_y) : scaled_y};
  }
};

/// Dot products of so many rows are added one after another, to the sum of a tile. The sums of tiles are
/// added afterwards. A constant, since the bits depend on it.
inline constexpr std::int64_t rows_of_dot_tile = 1024;

/// The types of a product with an epilogue. product<with_epilogue<S>> makes a kernel, which is a template
/// over S, one that finishes its rows by the epilogue.
template <class S>
struct with_epilogue : S {
  using plain = S;
};

/// Finishes rows [begin, end), whose alpha A x is scaled[0] and what follows; null: it is 0. `scaled` may be
/// the rows' elements of y. Adds the rows' dot products to sums[0] and sums[1], in an order that depends on
/// begin and end alone.
template <class S>
void finish_rows(const row_epilogue<S>& e, const product<S>& p, std::int64_t begin, std::int64_t end,
                 const vector_t<S>* scaled, double* sums);

/// The same for all rows, in parallel, with the results of dot products. `tile_sums`: room for
/// dot_sums_of_rows(rows).
template <class S>
void finish_all_rows(const row_epilogue<S>& e, const product<S>& p, std::int64_t rows,
                     const vector_t<S>* scaled, double* tile_sums, int threads);

/// The same on the device, asynchronous in `stream`. A factor for alpha in memory is applied here. `room`:
/// device_dot_sums(rows) numbers, the first of them zero before and after.
template <class S>
void finish_all_rows_on_device(const row_epilogue<S>& e, const product<S>& p, std::int64_t rows,
                               const vector_t<S>* scaled, double* room, cuda_stream stream);

/// The dot products alone, of rows that are finished.
template <class S>
void sum_dots_on_device(const row_epilogue<S>& e, vector_t<S>* y, std::int64_t rows, double* room,
                        cuda_stream stream);

/// Two for each tile.
constexpr std::int64_t dot_sums_of_rows(std::int64_t rows) noexcept {
  return 2 * std::max<std::int64_t>(1, (rows + rows_of_dot_tile - 1) / rows_of_dot_tile);
}
/// A count of the tiles that are done, which is zero before and after, and the sums.
constexpr std::int64_t device_dot_sums(std::int64_t rows) noexcept {
  return dot_sums_of_rows(rows) + 1;
}

}  // namespace gossamer::inline v0::exec

namespace gossamer::inline v0 {

template <class S>
struct product<exec::with_epilogue<S>> : product<S> {
  exec::row_epilogue<S> epilogue;

  GOSSAMER_HOST_DEVICE void finish_row(std::int64_t row, sum_t<S> sum) const {
    typename exec::row_epilogue<S>::template elements<1> loaded;
    typename exec::row_epilogue<S>::row finished[1];
    epilogue.template load<1>(*this, row, 1, row + 1, loaded);
    epilogue.template finish<1>(*this, row, 1, row + 1, {sum}, loaded, finished);
  }
};

}  // namespace gossamer::inline v0
