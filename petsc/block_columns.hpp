// SPDX-License-Identifier: BSD-3-Clause
// Products of a sequential matrix by columns in host memory.
#pragma once

#include <petscmat.h>

#include <cstddef>

#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::petsc {

/// The address of column j. `x` is column-major.
template <class T>
T* column(const dense_view<T>& x, PetscInt j) {
  return x.data.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(x.leading);
}

/// Column-major. Without elements, nothing at `data` is read or written.
template <class T>
dense_view<T> view_of(T* data, PetscInt rows, PetscInt columns, PetscInt leading) {
  const std::size_t extent = rows == 0 || columns == 0
                                 ? 0
                                 : static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(leading) +
                                       static_cast<std::size_t>(rows);
  return {.rows = rows, .cols = columns, .leading = leading, .data = {data, extent}};
}

/// `count` columns from `first` on. `x` is column-major.
template <class T>
dense_view<T> columns_of(const dense_view<T>& x, PetscInt first, PetscInt count) {
  return view_of(column(x, first), static_cast<PetscInt>(x.rows), count, static_cast<PetscInt>(x.leading));
}

/// Y = op(A) X, or Y += op(A) X where beta is 1; op(A) is A or its transpose. A plan gets all columns at
/// once. A matrix without a plan multiplies each by its own product with a vector. X and Y are column-major.
PetscErrorCode multiply_columns(Mat a, operation product, const dense_view<const PetscScalar>& x,
                                PetscScalar beta, const dense_view<PetscScalar>& y);

}  // namespace gossamer::petsc
