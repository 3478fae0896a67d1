// SPDX-License-Identifier: BSD-3-Clause
// The types of a product: of the matrix's values, of x and y, and of sums.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/pack.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// Code of products is a template over S, one of these: S says which of the three a type is. Code of matrices
/// alone is a template over V, the type of their values.
template <class Matrix, class Vector = Matrix, class Accumulator = Vector>
struct scalars {
  using matrix = Matrix;
  using vector = Vector;
  using accumulator = Accumulator;
};

template <class S>
using matrix_t = typename S::matrix;
template <class S>
using vector_t = typename S::vector;
template <class S>
using sum_t = typename S::accumulator;  ///< of scratch too
/// Pointers to x and y; of packs, what stands for one.
template <class S>
using x_rows_t = typename rows_of<const vector_t<S>>::type;
template <class S>
using y_rows_t = typename rows_of<vector_t<S>>::type;
template <class S>
using factor_t = typename number_of<sum_t<S>>::type;  ///< of alpha and beta

/// An element of x and y, or a sum: a number, or a pack of the numbers of several columns.
template <class T>
concept element = value<T> || is_pack<T>;

template <class S>
concept scalar_types = value<matrix_t<S>> && element<vector_t<S>> && element<sum_t<S>>;

using f32 = scalars<float>;
using f64 = scalars<double>;

/// Of products by K columns that are stored row by row.
template <class T, int K>
using pack_scalars = scalars<T, pack<T, K>>;
using f32x4 = pack_scalars<float, 4>;
using f32x8 = pack_scalars<float, 8>;
using f32x16 = pack_scalars<float, 16>;
using f64x4 = pack_scalars<double, 4>;
using f64x8 = pack_scalars<double, 8>;
using f64x16 = pack_scalars<double, 16>;

/// The same on a GPU, which loads and stores up to 16 bytes at once.
template <class T, int K>
using device_pack_scalars = scalars<T, pack<T, K, std::min<std::size_t>(16, K * sizeof(T))>>;
using f32_device_x1 = device_pack_scalars<float, 1>;
using f32_device_x2 = device_pack_scalars<float, 2>;
using f32_device_x4 = device_pack_scalars<float, 4>;
using f64_device_x1 = device_pack_scalars<double, 1>;
using f64_device_x2 = device_pack_scalars<double, 2>;
using f64_device_x4 = device_pack_scalars<double, 4>;

/// The supported ones, as a list of types and for explicit instantiations: instance(S, more...) for each S.
template <template <class...> class List>
using all_scalars = List<f32, f64>;

#if defined(GOSSAMER_ONLY_SCALARS)  // a unit of a file that the build splits
#define GOSSAMER_FOR_EACH_SCALARS(instance, ...) instance(GOSSAMER_ONLY_SCALARS __VA_OPT__(, ) __VA_ARGS__)
#define GOSSAMER_FOR_EACH_PACKS(instance, ...) \
  GOSSAMER_PACKS_OF(GOSSAMER_ONLY_SCALARS, instance __VA_OPT__(, ) __VA_ARGS__)
#define GOSSAMER_FOR_EACH_DEVICE_PACKS(instance, ...) \
  GOSSAMER_DEVICE_PACKS_OF(GOSSAMER_ONLY_SCALARS, instance __VA_OPT__(, ) __VA_ARGS__)
#else
#define GOSSAMER_FOR_EACH_SCALARS(instance, ...) \
  instance(f32 __VA_OPT__(, ) __VA_ARGS__) instance(f64 __VA_OPT__(, ) __VA_ARGS__)
#define GOSSAMER_FOR_EACH_PACKS(instance, ...)                \
  GOSSAMER_PACKS_OF(f32, instance __VA_OPT__(, ) __VA_ARGS__) \
  GOSSAMER_PACKS_OF(f64, instance __VA_OPT__(, ) __VA_ARGS__)
#define GOSSAMER_FOR_EACH_DEVICE_PACKS(instance, ...)                \
  GOSSAMER_DEVICE_PACKS_OF(f32, instance __VA_OPT__(, ) __VA_ARGS__) \
  GOSSAMER_DEVICE_PACKS_OF(f64, instance __VA_OPT__(, ) __VA_ARGS__)
#endif
/// The same for packs, in the formats and parts that have products by them.
#define GOSSAMER_PACKS_OF(scalars, ...) GOSSAMER_PACKS_OF_NAME(scalars, __VA_ARGS__)
#define GOSSAMER_PACKS_OF_NAME(scalars, instance, ...)                                              \
  instance(scalars##x4 __VA_OPT__(, ) __VA_ARGS__) instance(scalars##x8 __VA_OPT__(, ) __VA_ARGS__) \
      instance(scalars##x16 __VA_OPT__(, ) __VA_ARGS__)
#define GOSSAMER_DEVICE_PACKS_OF(scalars, ...) GOSSAMER_DEVICE_PACKS_OF_NAME(scalars, __VA_ARGS__)
#define GOSSAMER_DEVICE_PACKS_OF_NAME(scalars, instance, ...)  \
  instance(scalars##_device_x1 __VA_OPT__(, ) __VA_ARGS__)     \
      instance(scalars##_device_x2 __VA_OPT__(, ) __VA_ARGS__) \
          instance(scalars##_device_x4 __VA_OPT__(, ) __VA_ARGS__)

/// An instance that declares or defines a class. Name: "template class c" or "extern template class c".
#define GOSSAMER_CLASS_INSTANCE(S, name) name<S>;

}  // namespace gossamer::inline v0
