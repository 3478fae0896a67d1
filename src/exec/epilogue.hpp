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
  /// Where the warps of a kernel that finishes rows store their partial dot products; null: they do not.
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

  /// Whether y is alpha A x.
  [[nodiscard]] bool is_identity(V beta_of_product) const {
    return alpha == nullptr && beta == nullptr && beta_of_product == V{0} && !more;
  }

  /// Whether it has one of the parts that most products lack. Kernels skip all of them at once.
  [[nodiscard]] bool has_more() const {
    return scale != nullptr || u != nullptr || lower != nullptr || upper != nullptr || out != nullptr;
  }

  /// The elements of y and `out`, of one row.
  struct row {
    V y;
    V other;
  };
  /// Those of rows first, first + step, ... before `end`, at most N, where `scaled` is alpha A x. Of `p`,
  /// this reads beta and y. Each part is asked for once for all rows.
  template <int N>
  GOSSAMER_HOST_DEVICE void finish(const product<S>& p, std::int64_t first, std::int64_t step,
                                   std::int64_t end, const V (&scaled)[N], row (&finished)[N]) const {
    const auto for_each = [&](auto&& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int r = 0; r < N; ++r)
        if (N == 1 || first + r * step < end) f(finished[r], first + r * step);
    };
    for (int r = 0; r < N; ++r) finished[r] = {.y = scaled[r], .other = V{0}};
    if (const V by = beta == nullptr ? p.beta : *beta; by != V{0}) {
      const V* const added = z == nullptr ? p.y : z;
      for_each([&](row& of, std::int64_t i) { of.y = multiply_add(by, added[i], of.y); });
    }
    constexpr int at_once = N < 2 ? N : 2;  // more would take too many registers
    static_assert(N % at_once == 0);
    if (more)
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int r = 0; r < N; r += at_once) finish_more<at_once>(first + r * step, step, end, finished + r);
    for_each([&](row& of, std::int64_t i) { p.y[i] = of.y; });
    if (more && out != nullptr) for_each([&](row& of, std::int64_t i) { out[i] = of.other; });
  }

  /// Row i's part of dot product k.
  GOSSAMER_HOST_DEVICE double dot_of(int k, const product<S>& p, std::int64_t i, const row& finished) const {
    const V other = with[k] == p.y ? finished.y : with[k][i];
    return static_cast<double>(finished.y) * static_cast<double>(other);
  }

  /// The sum of row i times the factor in memory, or else times alpha of the product.
  GOSSAMER_HOST_DEVICE V scaled(const product<S>& p, V sum) const {
    const V by = alpha == nullptr ? p.alpha : *alpha;
    return by == V{0} ? V{0} : by * sum;
  }

 private:
  /// The parts that most products lack, for N rows. All loads come before the first use, so that they wait
  /// together.
  template <int N>
  GOSSAMER_HOST_DEVICE void finish_more(std::int64_t first, std::int64_t step, std::int64_t end,
                                        row* of) const {
    struct elements {
      V scale, u, lower, upper, add;
    };
    const V gamma_now = gamma_at == nullptr ? gamma : *gamma_at;
    const V bounds_now = bounds_at == nullptr ? bounds_factor : *bounds_at;
    const bool has_u = u != nullptr && gamma_now != V{0};
    const bool has_add = add != nullptr && add_factor != V{0};
    elements loaded[N];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = 0; r < N; ++r) {
      const std::int64_t i = first + r * step;
      const auto element = [&](bool has, const V* vector, V otherwise) {
        return has && (N == 1 || i < end) ? vector[i] : otherwise;
      };
      loaded[r] = {.scale = element(scale != nullptr, scale, V{1}),
                   .u = element(has_u, u, V{0}),
                   .lower = element(lower != nullptr, lower, V{0}),
                   .upper = element(upper != nullptr, upper, V{0}),
                   .add = element(has_add, add, V{0})};
    }
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = 0; r < N; ++r) {
      V t = loaded[r].scale * of[r].y;
      if (has_u) t = multiply_add(gamma_now, loaded[r].u, t);
      if (lower != nullptr || upper != nullptr)
        t = bounded(t, multiply_add(bounds_now, loaded[r].lower, V{0}),
                    multiply_add(bounds_now, loaded[r].upper, V{0}));
      const V scaled_y = y_factor * t;
      of[r] = {.y = t, .other = has_add ? multiply_add(add_factor, loaded[r].add, scaled_y) : scaled_y};
    }
  }

  /// NaN stays NaN: no comparison with it is true.
  GOSSAMER_HOST_DEVICE V bounded(V t, V low, V high) const {
    V inside = t;
    if (lower != nullptr && inside < low) inside = low;
    if (upper != nullptr && inside > high) inside = high;
    return outside ? t - inside : inside;
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
/// Adds the partial dot products that the kernel of a product stored in e.dot_parts, of so many parts.
template <class S>
void sum_dot_parts_on_device(const row_epilogue<S>& e, std::int64_t parts, double* room, cuda_stream stream);

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
    typename exec::row_epilogue<S>::row finished[1];
    epilogue.template finish<1>(*this, row, 1, row + 1, {epilogue.scaled(*this, sum)}, finished);
  }
};

}  // namespace gossamer::inline v0
