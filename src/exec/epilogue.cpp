// SPDX-License-Identifier: BSD-3-Clause
// Epilogues on a CPU: blocks of rows that stay in the first-level cache, one loop for each part, so that the
// compiler makes vector code of each.
#include "exec/epilogue.hpp"

#include <algorithm>
#include <array>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr std::int64_t epilogue_block = 256;
constexpr std::size_t dot_lanes = 8;

/// The sum of a[i] b[i]: lane by lane, then the lanes pair by pair.
template <class V>
double dot_of_block(const V* a, const V* b, std::int64_t size) {
  std::array<double, dot_lanes> lane{};
  std::int64_t i = 0;
  constexpr auto lanes = static_cast<std::int64_t>(dot_lanes);
  for (; i + lanes <= size; i += lanes)
    for (std::size_t j = 0; j < dot_lanes; ++j) {
      const auto k = i + static_cast<std::int64_t>(j);
      lane[j] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    }
  for (std::size_t j = 0; i < size; ++i, ++j)
    lane[j] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (std::size_t half = dot_lanes / 2; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

/// Factors in memory are read here, once a call.
template <class V>
V factor_now(const V* in_memory, V given) {
  return in_memory == nullptr ? given : *in_memory;
}

template <class V>
void bound_block(V* t, const V* lower, const V* upper, V by, bool outside, std::int64_t size) {
  std::array<V, epilogue_block> inside;
  std::copy(t, t + size, inside.begin());
  if (lower != nullptr)
    for (std::int64_t i = 0; i < size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      inside[k] = inside[k] < by * lower[i] ? by * lower[i] : inside[k];
    }
  if (upper != nullptr)
    for (std::int64_t i = 0; i < size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      inside[k] = inside[k] > by * upper[i] ? by * upper[i] : inside[k];
    }
  for (std::int64_t i = 0; i < size; ++i) {
    const V in = inside[static_cast<std::size_t>(i)];
    t[i] = outside ? t[i] - in : in;
  }
}

/// At most `epilogue_block` rows.
template <class S>
void finish_block(const row_epilogue<S>& e, const product<S>& p, std::int64_t first, std::int64_t size,
                  const vector_t<S>* scaled, double* sums) {
  using V = vector_t<S>;
  std::array<V, epilogue_block> room;
  V* const t = room.data();
  if (scaled == nullptr)
    std::fill(t, t + size, V{0});
  else
    std::copy(scaled, scaled + size, t);
  V* const y = p.y + first;
  if (const V beta = factor_now(e.beta, p.beta); beta != V{0}) {
    const V* const z = e.z == nullptr ? y : e.z + first;
    for (std::int64_t i = 0; i < size; ++i) t[i] = multiply_add(beta, z[i], t[i]);
  }
  if (e.scale != nullptr)
    for (std::int64_t i = 0; i < size; ++i) t[i] = e.scale[first + i] * t[i];
  if (const V gamma = factor_now(e.gamma_at, e.gamma); e.u != nullptr && gamma != V{0})
    for (std::int64_t i = 0; i < size; ++i) t[i] = multiply_add(gamma, e.u[first + i], t[i]);
  if (e.lower != nullptr || e.upper != nullptr)
    bound_block(t, e.lower == nullptr ? nullptr : e.lower + first,
                e.upper == nullptr ? nullptr : e.upper + first, factor_now(e.bounds_at, e.bounds_factor),
                e.outside, size);
  std::array<V, epilogue_block> other;
  if (e.out != nullptr) {
    for (std::int64_t i = 0; i < size; ++i) other[static_cast<std::size_t>(i)] = e.y_factor * t[i];
    if (e.add != nullptr && e.add_factor != V{0})
      for (std::int64_t i = 0; i < size; ++i) {
        V& each = other[static_cast<std::size_t>(i)];
        each = multiply_add(e.add_factor, e.add[first + i], each);
      }
  }
  std::copy(t, t + size, y);
  if (e.out != nullptr) std::copy_n(other.begin(), size, e.out + first);
  for (int k = 0; k < 2; ++k)
    if (e.result[k] != nullptr) sums[k] += dot_of_block(y, e.with[k] + first, size);
}

}  // namespace

template <class S>
void finish_rows(const row_epilogue<S>& e, const product<S>& p, std::int64_t begin, std::int64_t end,
                 const vector_t<S>* scaled, double* sums) {
  for (std::int64_t first = begin; first < end; first += epilogue_block)
    finish_block(e, p, first, std::min(epilogue_block, end - first),
                 scaled == nullptr ? nullptr : scaled + (first - begin), sums);
}

template <class S>
void finish_all_rows(const row_epilogue<S>& e, const product<S>& p, std::int64_t rows,
                     const vector_t<S>* scaled, double* tile_sums, int threads) {
  const std::int64_t tiles = (rows + rows_of_dot_tile - 1) / rows_of_dot_tile;
  core::parallel_for(
      tiles, 4,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
          double* const sums = tile_sums + 2 * tile;
          sums[0] = sums[1] = 0;
          const std::int64_t first = tile * rows_of_dot_tile;
          finish_rows(e, p, first, std::min(rows, first + rows_of_dot_tile),
                      scaled == nullptr ? nullptr : scaled + first, sums);
        }
      },
      threads);
  for (int k = 0; k < 2; ++k) {
    if (e.result[k] == nullptr) continue;
    double sum = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) sum += tile_sums[2 * tile + k];
    *e.result[k] = sum;
  }
}

#define GOSSAMER_INSTANCE(S)                                                                          \
  template void finish_rows<S>(const row_epilogue<S>&, const product<S>&, std::int64_t, std::int64_t, \
                               const S::vector*, double*);                                            \
  template void finish_all_rows<S>(const row_epilogue<S>&, const product<S>&, std::int64_t,           \
                                   const S::vector*, double*, int);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
