// SPDX-License-Identifier: BSD-3-Clause
#include "ghosts.hpp"

#include <algorithm>
#include <span>

#include "attached.hpp"
#include "block_columns.hpp"
#include "guarded.hpp"

namespace gossamer::petsc {
namespace {

constexpr const char* attached_as = "gossamer_ghost_exchange";

}  // namespace

ghost_exchange::~ghost_exchange() {
  PetscSFDestroy(&sf_);
}

PetscErrorCode ghost_exchange::make(Mat matrix, const PetscInt* rows, PetscInt count) {
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  PetscLayout owners = nullptr;
  PetscSF made = nullptr;  // is kept only if all succeeds
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&sf_));
  PetscCall(guarded_together(comm, [&] { global_rows_.assign(rows, rows + count); }));
  PetscCall(MatGetLayouts(matrix, nullptr, &owners));
  PetscCall(PetscSFCreate(comm, &made));
  PetscCall(PetscSFSetGraphLayout(made, owners, count, nullptr, PETSC_COPY_VALUES, rows));
  PetscCall(PetscSFSetUp(made));
  sf_ = made;
  PetscFunctionReturn(success);
}

PetscErrorCode ghost_exchange::update(Mat matrix) {
  Mat diagonal = nullptr;
  Mat off_diagonal = nullptr;
  const PetscInt* rows = nullptr;
  PetscInt count = 0;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &diagonal, &off_diagonal, &rows));
  PetscCall(MatGetLocalSize(off_diagonal, nullptr, &count));
  // Owned rows stay the same: if a matrix gets another distribution, PETSc destroys the objects attached to
  // it. Ghost rows may change on some processes only, and making the exchange is collective.
  int fits =
      sf_ != nullptr && std::ranges::equal(global_rows_, std::span(rows, static_cast<std::size_t>(count)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN,
                             PetscObjectComm(reinterpret_cast<PetscObject>(matrix))));
  if (fits == 0) PetscCall(make(matrix, rows, count));
  PetscFunctionReturn(success);
}

PetscErrorCode ghost_exchange::gather_begin(const dense_view<const PetscScalar>& owned,
                                            const dense_view<PetscScalar>& ghosts) const {
  PetscFunctionBegin;
  for (PetscInt j = 0; j < owned.cols; ++j)
    PetscCall(PetscSFBcastBegin(sf_, MPIU_SCALAR, column(owned, j), column(ghosts, j), MPI_REPLACE));
  PetscFunctionReturn(success);
}

PetscErrorCode ghost_exchange::gather_end(const dense_view<const PetscScalar>& owned,
                                          const dense_view<PetscScalar>& ghosts) const {
  PetscFunctionBegin;
  for (PetscInt j = 0; j < owned.cols; ++j)
    PetscCall(PetscSFBcastEnd(sf_, MPIU_SCALAR, column(owned, j), column(ghosts, j), MPI_REPLACE));
  PetscFunctionReturn(success);
}

PetscErrorCode ghost_exchange::add_to_owners(const dense_view<const PetscScalar>& ghosts,
                                             const dense_view<PetscScalar>& owned) const {
  PetscFunctionBegin;
  for (PetscInt j = 0; j < ghosts.cols; ++j)
    PetscCall(PetscSFReduceBegin(sf_, MPIU_SCALAR, column(ghosts, j), column(owned, j), MPIU_SUM));
  for (PetscInt j = 0; j < ghosts.cols; ++j)
    PetscCall(PetscSFReduceEnd(sf_, MPIU_SCALAR, column(ghosts, j), column(owned, j), MPIU_SUM));
  PetscFunctionReturn(success);
}

PetscErrorCode find_ghost_exchange(Mat matrix, ghost_exchange*& found) {
  PetscFunctionBegin;
  PetscCall(find_attached(matrix, attached_as, found));
  PetscCall(found->update(matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode remove_ghost_exchange(Mat matrix) {
  return remove_attached(matrix, attached_as);
}

}  // namespace gossamer::petsc
