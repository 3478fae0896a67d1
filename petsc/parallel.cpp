// SPDX-License-Identifier: BSD-3-Clause
// mpiaijgossamer: MPIAIJ whose two blocks, the columns of this process and those of others, are
// seqaijgossamer. MPIAIJ's own products then use the blocks' plans.
#include <array>

#include "columns.hpp"
#include "ghosts.hpp"
#include "gossamer_petsc.h"
#include "guarded.hpp"
#include "operations.hpp"
#include "product.hpp"
#include "shadow.hpp"
#include "types.hpp"

namespace gossamer::petsc {
namespace {

PetscErrorCode parallel_from_aij(Mat matrix, MatType type, MatReuse reuse, Mat* result);
PetscErrorCode parallel_to_aij(Mat matrix, MatType type, MatReuse reuse, Mat* result);

/// What MPIAIJ does; see sequential.cpp.
struct inherited {
  duplicate_function duplicate = nullptr;
  assembly_end_function assembly_end = nullptr;
  view_function view = nullptr;
  destroy_function destroy = nullptr;
};
inherited aij;

PetscErrorCode find_inherited(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(find_operation(matrix, MATOP_DUPLICATE, aij.duplicate));
  PetscCall(find_operation(matrix, MATOP_ASSEMBLY_END, aij.assembly_end));
  PetscCall(find_operation(matrix, MATOP_VIEW, aij.view));
  PetscCall(find_operation(matrix, MATOP_DESTROY, aij.destroy));
  PetscFunctionReturn(success);
}

PetscErrorCode find_blocks(Mat matrix, std::array<Mat, 2>& blocks) {
  return MatMPIAIJGetSeqAIJ(matrix, blocks.data(), &blocks[1], nullptr);
}

#if PETSC_VERSION_LT(3, 22, 0)

constexpr const char* preallocate_coo_name = "MatSetPreallocationCOO_C";
preallocate_coo_function preallocate_coo_of_aij = nullptr;

/// Only later versions count in MatGetInfo() what this allocates for the blocks.
PetscErrorCode preallocate_coo(Mat matrix, PetscCount count, PetscInt* rows, PetscInt* cols) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(preallocate_coo_of_aij(matrix, count, rows, cols));
  PetscCall(find_blocks(matrix, blocks));
  for (Mat each : blocks) PetscCall(mark_as_allocated(each));
  PetscFunctionReturn(success);
}

PetscErrorCode find_preallocation(Mat matrix) {
  return find_composed(matrix, preallocate_coo_name, preallocate_coo_of_aij);
}

PetscErrorCode replace_preallocation(Mat matrix, bool ours) {
  return compose(matrix, preallocate_coo_name, ours ? preallocate_coo : preallocate_coo_of_aij);
}

#else

PetscErrorCode find_preallocation(Mat) {
  return success;
}

PetscErrorCode replace_preallocation(Mat, bool) {
  return success;
}

#endif

PetscErrorCode adopt_blocks(Mat matrix, const settings& wanted) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(find_blocks(matrix, blocks));
  for (Mat each : blocks) {
    if (each == nullptr) continue;
    PetscCall(adopt_block(each, wanted));
    PetscCall(keep_vectors_like(each, matrix));
  }
  PetscFunctionReturn(success);
}

/// While a matrix is made, which is when MPIAIJ asks its second block for the vector of other processes' x,
/// the blocks that it has are told where vectors are to be.
PetscErrorCode prepare_blocks(Mat matrix) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(find_blocks(matrix, blocks));
  for (Mat each : blocks) {
    if (each != nullptr) PetscCall(keep_vectors_like(each, matrix));
  }
  PetscFunctionReturn(success);
}

/// MPIAIJ makes its blocks when it is preallocated, and the second one again when columns are added: after
/// its own part both are there.
PetscErrorCode assembly_end(Mat matrix, MatAssemblyType type) {
  settings wanted;
  PetscFunctionBegin;
  if (type != MAT_FINAL_ASSEMBLY) {
    PetscCall(aij.assembly_end(matrix, type));
    PetscFunctionReturn(success);
  }
  const PetscErrorCode problem = read_settings(matrix, wanted);  // the same on all processes
  if (problem == success) {
    PetscCall(keep_vectors_with(matrix, wanted.where));
    PetscCall(prepare_blocks(matrix));
  }
  PetscCall(
      aij.assembly_end(matrix, type));  // entries of other processes are under way, whatever the options say
  PetscCall(problem);
  PetscCall(adopt_blocks(matrix, wanted));
  PetscFunctionReturn(success);
}

PetscErrorCode adopt_assembled(Mat matrix) {
  settings wanted;
  PetscFunctionBegin;
  PetscCall(read_settings(matrix, wanted));
  PetscCall(keep_vectors_with(matrix, wanted.where));
  PetscCall(adopt_blocks(matrix, wanted));
  PetscFunctionReturn(success);
}

PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy) {
  PetscBool assembled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(aij.duplicate(matrix, option, copy));
  PetscCall(inherit_prefix(matrix, *copy));
  PetscCall(MatAssembled(*copy, &assembled));
  if (assembled) PetscCall(adopt_assembled(*copy));
  PetscCall(keep_mark_of(matrix, *copy));
  PetscFunctionReturn(success);
}

PetscErrorCode view(Mat matrix, PetscViewer viewer) {
  PetscBool wants = PETSC_FALSE;
  PetscBool of_all = PETSC_FALSE;
  std::array<Mat, 2> blocks{};
  std::array<std::string, 2> lines;
  PetscMPIInt rank = 0;
  PetscMPIInt size = 0;
  PetscFunctionBegin;
  PetscCall(aij.view(matrix, viewer));
  PetscCall(wants_summary(viewer, wants, of_all));
  if (!wants) PetscFunctionReturn(success);
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(find_blocks(matrix, blocks));
  for (std::size_t i = 0; i < blocks.size(); ++i) PetscCall(summarize(blocks[i], lines[i]));
  constexpr const char* text = "Gossamer, process %d of %d, %s block: %s\n";
  constexpr std::array names{"diagonal", "off-diagonal"};
  if (of_all) PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const char* line = lines[i].c_str();
    if (of_all) {
      PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, text, rank, size, names[i], line));
    } else {
      PetscCall(PetscViewerASCIIPrintf(viewer, text, rank, size, names[i], line));
    }
  }
  if (of_all) {
    PetscCall(PetscViewerFlush(viewer));
    PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  }
  PetscFunctionReturn(success);
}

PetscErrorCode replace_converters(Mat matrix, bool ours) {
  PetscFunctionBegin;
  for (const char* name : {"MatConvert_mpiaij_mpigossamer_C", "MatConvert_mpiaij_mpiaijgossamer_C",
                           "MatConvert_mpiaijgossamer_mpigossamer_C"}) {
    PetscCall(compose(matrix, name, ours ? parallel_from_aij : nullptr));
  }
  PetscCall(compose(matrix, "MatConvert_mpiaijgossamer_mpiaij_C", ours ? parallel_to_aij : nullptr));
  PetscFunctionReturn(success);
}

PetscErrorCode replace_product_by_columns(Mat matrix, bool ours) {
  return compose(matrix, parallel_product_by_columns, ours ? choose_product_by_columns : nullptr);
}

PetscErrorCode forget(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(remove_ghost_exchange(matrix));
  PetscCall(replace_converters(matrix, false));
  PetscCall(replace_preallocation(matrix, false));
  PetscCall(replace_product_by_columns(matrix, false));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ));
  PetscFunctionReturn(success);
}

PetscErrorCode destroy(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(forget(matrix));
  PetscCall(aij.destroy(matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode replace_operations(Mat matrix, const inherited& by) {
  PetscFunctionBegin;
  PetscCall(replace_operation(matrix, MATOP_DUPLICATE, by.duplicate));
  PetscCall(replace_operation(matrix, MATOP_ASSEMBLY_END, by.assembly_end));
  PetscCall(replace_operation(matrix, MATOP_VIEW, by.view));
  PetscCall(replace_operation(matrix, MATOP_DESTROY, by.destroy));
  PetscFunctionReturn(success);
}

PetscErrorCode become_ours(Mat matrix) {
  PetscBool assembled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(replace_operations(
      matrix, {.duplicate = duplicate, .assembly_end = assembly_end, .view = view, .destroy = destroy}));
  PetscCall(replace_converters(matrix, true));
  PetscCall(replace_preallocation(matrix, true));
  PetscCall(replace_product_by_columns(matrix, true));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), MATMPIAIJGOSSAMER));
  PetscCall(MatAssembled(matrix, &assembled));
  if (assembled) PetscCall(adopt_assembled(matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode parallel_from_aij(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(matrix, *result, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(success);
  }
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, result));
  } else {
    *result = matrix;
  }
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(*result), MATMPIAIJGOSSAMER, &is_ours));
  if (!is_ours) PetscCall(become_ours(*result));
  PetscFunctionReturn(success);
}

PetscErrorCode parallel_to_aij(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(matrix, *result, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(success);
  }
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, result));
  } else {
    *result = matrix;
  }
  PetscCall(find_blocks(*result, blocks));
  for (Mat each : blocks) {
    PetscBool is_ours = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(each), MATSEQAIJGOSSAMER, &is_ours));
    if (is_ours) PetscCall(sequential_to_aij(each, MATSEQAIJ, MAT_INPLACE_MATRIX, &each));
  }
  PetscCall(replace_operations(*result, aij));
  PetscCall(forget(*result));
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode inherit_parallel() {
  Mat plain = nullptr;
  PetscFunctionBegin;
  PetscCall(make_plain(MATMPIAIJ, plain));
  PetscCall(find_inherited(plain));
  PetscCall(find_preallocation(plain));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(success);
}

PetscErrorCode create_parallel(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(MatSetType(matrix, MATMPIAIJ));
  PetscCall(become_ours(matrix));
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
