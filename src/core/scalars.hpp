// SPDX-License-Identifier: BSD-3-Clause
// The types of a product: of the matrix's values, of x and y, and of sums.
#pragma once

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
using sum_t = typename S::accumulator;  ///< of alpha, beta and scratch too

template <class S>
concept scalar_types = value<matrix_t<S>> && value<vector_t<S>> && value<sum_t<S>>;

using f32 = scalars<float>;
using f64 = scalars<double>;

/// The supported ones, as a list of types and for explicit instantiations: instance(S, more...) for each S.
template <template <class...> class List>
using all_scalars = List<f32, f64>;

#if defined(GOSSAMER_ONLY_SCALARS)  // a unit of a file that the build splits
#define GOSSAMER_FOR_EACH_SCALARS(instance, ...) instance(GOSSAMER_ONLY_SCALARS __VA_OPT__(, ) __VA_ARGS__)
#else
#define GOSSAMER_FOR_EACH_SCALARS(instance, ...) \
  instance(f32 __VA_OPT__(, ) __VA_ARGS__) instance(f64 __VA_OPT__(, ) __VA_ARGS__)
#endif

/// An instance that declares or defines a class. Name: "template class c" or "extern template class c".
#define GOSSAMER_CLASS_INSTANCE(S, name) name<S>;

}  // namespace gossamer::inline v0
