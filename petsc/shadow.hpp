// SPDX-License-Identifier: BSD-3-Clause
// The plans that stand behind a sequential AIJ matrix, and the state of the matrix that they were made from.
#pragma once

#include <petscmat.h>

#include <optional>

#include "gossamer/plan.hpp"
#include "settings.hpp"

namespace gossamer::petsc {

struct shadow {
  /// Where the entries are, and of which structure: while this stays the same, a plan only needs new values.
  /// The matrix itself and the number that PETSc gave what it holds are part of it, since PETSc may move what
  /// one matrix holds into another whose states were counted apart (MatHeaderMerge), and memory may hand out
  /// one address again.
  struct structure {
    Mat matrix = nullptr;
    PetscObjectId id = -1;
    PetscObjectState nonzero_state = -1;
    const PetscInt* row_ptr = nullptr;
    const PetscInt* col = nullptr;
    PetscInt rows = 0;
    PetscInt cols = 0;
    bool operator==(const structure&) const = default;
  };

  /// A plan for one operation, and the state of the matrix that it was made from.
  struct cached_plan {
    std::optional<plan<PetscScalar>> current;
    structure inspected;
    PetscObjectState object_state = -1;
    const PetscScalar* values = nullptr;
  };

  std::optional<settings> chosen;  ///< what plans are made by; none: the options have not been read yet
  bool is_block = false;           ///< of a parallel matrix, which reads the options for it
  cached_plan forward;
  cached_plan transposed;                         ///< made by the first product by the transpose
  const PetscScalar* allocated_values = nullptr;  ///< by PETSc, although MatGetInfo() does not count them
  bool leaves_products_to_aij = false;            ///< the program owns the arrays; no plan
  PetscInt inspections = 0;
  PetscInt updates = 0;

  [[nodiscard]] cached_plan& plan_of(operation product) noexcept {
    return product == operation::forward ? forward : transposed;
  }
};

/// Registers the events of -log_view.
PetscErrorCode register_events();

/// The matrix's shadow; made where there is none.
PetscErrorCode find_shadow(Mat matrix, shadow*& found);

/// Takes the shadow away.
PetscErrorCode remove_shadow(Mat matrix);

/// Another format or device than before discards both plans.
void choose(shadow& s, const settings& wanted);

/// Brings the plan for a product, forward or transposed, up to date with the matrix: no change, new values,
/// or a new inspection. There is no plan if the matrix has no entries, or if the program owns the arrays and
/// may change them without notifying PETSc.
PetscErrorCode refresh(Mat matrix, operation product, shadow*& up_to_date);

/// Whether AIJ multiplies on the host, since the program owns the arrays and no plan may copy them.
PetscErrorCode leaves_products_to_aij(Mat matrix, const settings& wanted, bool& leaves);

/// Call after an in-place change that does not increase PETSc's object state; refresh() then updates the
/// plan.
PetscErrorCode expect_new_values(Mat matrix);
PetscErrorCode expect_new_structure(Mat matrix);

/// PETSc allocated the arrays that the matrix has now, although MatGetInfo() does not say so.
PetscErrorCode mark_as_allocated(Mat matrix);

}  // namespace gossamer::petsc
