// SPDX-License-Identifier: BSD-3-Clause
// The rows of X and Y that belong to other processes and meet the off-diagonal block: ghost rows.
#pragma once

#include <petscmat.h>
#include <petscsf.h>

#include <vector>

#include "gossamer/matrix.hpp"

namespace gossamer::petsc {

/// Moves ghost rows between this process and their owners. Each function that takes columns is collective and
/// expects the same number of columns on all processes.
class ghost_exchange {
 public:
  ghost_exchange() = default;
  ghost_exchange(const ghost_exchange&) = delete;
  ghost_exchange& operator=(const ghost_exchange&) = delete;
  ~ghost_exchange();

  /// Fits the exchange to the matrix, whose ghost rows are the columns of its off-diagonal block. Collective.
  PetscErrorCode update(Mat matrix);

  [[nodiscard]] PetscInt size() const noexcept { return static_cast<PetscInt>(rows_.size()); }

  /// Copies ghost rows from the owners' rows. Neither may change until gather_end().
  PetscErrorCode gather_begin(const dense_view<const PetscScalar>& owned,
                              const dense_view<PetscScalar>& ghosts) const;
  PetscErrorCode gather_end(const dense_view<const PetscScalar>& owned,
                            const dense_view<PetscScalar>& ghosts) const;

  /// Adds ghost rows to the owners' rows, in the order of MatMultTranspose().
  PetscErrorCode add_to_owners(const dense_view<const PetscScalar>& ghosts,
                               const dense_view<PetscScalar>& owned) const;

 private:
  PetscErrorCode make(Mat matrix, const PetscInt* rows, PetscInt count);

  PetscSF forest_ = nullptr;    ///< roots: owned rows; leaves: ghost rows
  std::vector<PetscInt> rows_;  ///< their numbers in the whole matrix
};

/// The exchange of a parallel matrix, fitted to it. Collective.
PetscErrorCode find_ghost_exchange(Mat matrix, ghost_exchange*& found);

PetscErrorCode remove_ghost_exchange(Mat matrix);

}  // namespace gossamer::petsc
