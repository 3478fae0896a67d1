// SPDX-License-Identifier: BSD-3-Clause
// Ghost rows: the rows of X or Y that other processes own, one for each column of the off-diagonal block.
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

  /// Makes the exchange again if the matrix has other ghost rows than before. Collective.
  PetscErrorCode update(Mat matrix);

  [[nodiscard]] PetscInt size() const noexcept { return static_cast<PetscInt>(global_rows_.size()); }

  /// Starts to copy ghost rows from the owners' rows. Until gather_end(), the caller must not change
  /// `owned` or use `ghosts`.
  PetscErrorCode gather_begin(const dense_view<const PetscScalar>& owned,
                              const dense_view<PetscScalar>& ghosts) const;
  PetscErrorCode gather_end(const dense_view<const PetscScalar>& owned,
                            const dense_view<PetscScalar>& ghosts) const;

  /// Adds ghost rows to the owners' rows, in the order of MatMultTranspose().
  PetscErrorCode add_to_owners(const dense_view<const PetscScalar>& ghosts,
                               const dense_view<PetscScalar>& owned) const;

 private:
  PetscErrorCode make(Mat matrix, const PetscInt* rows, PetscInt count);

  PetscSF sf_ = nullptr;               ///< roots: owned rows; leaves: ghost rows
  std::vector<PetscInt> global_rows_;  ///< indices of the ghost rows in the whole matrix
};

/// The exchange of a parallel matrix, made or updated if necessary. Collective.
PetscErrorCode find_ghost_exchange(Mat matrix, ghost_exchange*& found);

PetscErrorCode remove_ghost_exchange(Mat matrix);

}  // namespace gossamer::petsc
