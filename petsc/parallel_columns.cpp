// SPDX-License-Identifier: BSD-3-Clause
#include "parallel_columns.hpp"

#include <algorithm>
#include <memory>

#include "block_columns.hpp"
#include "ghosts.hpp"
#include "guarded.hpp"

namespace gossamer::petsc {
namespace {

struct blocks {
  Mat diagonal = nullptr;
  Mat off_diagonal = nullptr;
};

/// Columns that are exchanged and multiplied together. PETSc keeps a buffer for each message in progress, and
/// searches through all of them.
constexpr PetscInt most_columns = 16;

/// Columns of ghost rows.
struct ghost_columns {
  std::unique_ptr<PetscScalar[]> values;  // NOLINT(modernize-avoid-c-arrays)
  dense_view<PetscScalar> view;
};

PetscErrorCode allocate(MPI_Comm comm, PetscInt rows, PetscInt columns, ghost_columns& made) {
  // PETSc distinguishes transfers in progress by their addresses, also if there are no ghost rows.
  const PetscInt leading = std::max<PetscInt>(rows, 1);
  PetscFunctionBegin;
  PetscCall(guarded_together(comm, [&] {
    made.values = std::make_unique_for_overwrite<PetscScalar[]>(  // NOLINT(modernize-avoid-c-arrays)
        static_cast<std::size_t>(leading) * static_cast<std::size_t>(columns));
  }));
  made.view = view_of(made.values.get(), rows, columns, leading);
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_forward(const blocks& a, const ghost_exchange& exchange,
                                const dense_view<const PetscScalar>& x, const dense_view<PetscScalar>& ghosts,
                                const dense_view<PetscScalar>& y) {
  PetscFunctionBegin;
  PetscCall(exchange.gather_begin(x, ghosts));
  const PetscErrorCode failed = multiply_columns(a.diagonal, operation::forward, x, 0, y);
  PetscCall(exchange.gather_end(x, ghosts));  // after a failure too: other processes wait
  PetscCall(failed);
  PetscCall(multiply_columns(a.off_diagonal, operation::forward, ghosts, 1, y));
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_transposed(const blocks& a, const ghost_exchange& exchange,
                                   const dense_view<const PetscScalar>& x,
                                   const dense_view<PetscScalar>& ghosts, const dense_view<PetscScalar>& y) {
  PetscFunctionBegin;
  const PetscErrorCode failed_off_diagonal =
      multiply_columns(a.off_diagonal, operation::transposed, x, 0, ghosts);
  const PetscErrorCode failed_diagonal = multiply_columns(a.diagonal, operation::transposed, x, 0, y);
  PetscCall(exchange.add_to_owners(ghosts, y));  // after a failure too: other processes wait
  PetscCall(failed_off_diagonal);
  PetscCall(failed_diagonal);
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode multiply_columns_by_blocks(Mat a, operation product, const dense_view<const PetscScalar>& x,
                                          const dense_view<PetscScalar>& y) {
  blocks of_a;
  ghost_exchange* exchange = nullptr;
  ghost_columns ghosts;
  const auto columns = static_cast<PetscInt>(x.cols);
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(a, &of_a.diagonal, &of_a.off_diagonal, nullptr));
  PetscCall(find_ghost_exchange(a, exchange));
  PetscCall(allocate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), exchange->size(),
                     std::min(columns, most_columns), ghosts));
  const auto multiply_blocks = product == operation::forward ? multiply_forward : multiply_transposed;
  for (PetscInt first = 0; first < columns; first += most_columns) {
    const PetscInt count = std::min(columns - first, most_columns);
    PetscCall(multiply_blocks(of_a, *exchange, columns_of(x, first, count), columns_of(ghosts.view, 0, count),
                              columns_of(y, first, count)));
  }
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
