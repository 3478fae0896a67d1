// SPDX-License-Identifier: BSD-3-Clause
// seqaijgossamer: AIJ whose products, transposed ones included, are a plan's. What is not replaced here is
// AIJ's own, for example factors.
#include <array>

#include "columns.hpp"
#include "gossamer_petsc.h"
#include "guarded.hpp"
#include "operations.hpp"
#include "product.hpp"
#include "shadow.hpp"
#include "types.hpp"

namespace gossamer::petsc {
namespace {

/// What AIJ does: as found in a matrix that nobody has touched, since a program may have replaced operations
/// of one that is converted.
struct inherited {
  mult_function mult = nullptr;
  mult_add_function mult_add = nullptr;
  mult_function mult_transpose = nullptr;
  mult_add_function mult_transpose_add = nullptr;
  duplicate_function duplicate = nullptr;
  assembly_end_function assembly_end = nullptr;
  view_function view = nullptr;
  destroy_function destroy = nullptr;
};
inherited aij;

/// AIJ's functions that change a matrix without increasing its object state.
struct silent {
  retrieve_values_function retrieve_values = nullptr;
  set_columns_function set_columns = nullptr;
};
silent silent_aij;

constexpr const char* retrieve_values_name = "MatRetrieveValues_C";
constexpr const char* set_columns_name = "MatSeqAIJSetColumnIndices_C";

PetscErrorCode find_inherited(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(find_operation(matrix, MATOP_MULT, aij.mult));
  PetscCall(find_operation(matrix, MATOP_MULT_ADD, aij.mult_add));
  PetscCall(find_operation(matrix, MATOP_MULT_TRANSPOSE, aij.mult_transpose));
  PetscCall(find_operation(matrix, MATOP_MULT_TRANSPOSE_ADD, aij.mult_transpose_add));
  PetscCall(find_operation(matrix, MATOP_DUPLICATE, aij.duplicate));
  PetscCall(find_operation(matrix, MATOP_ASSEMBLY_END, aij.assembly_end));
  PetscCall(find_operation(matrix, MATOP_VIEW, aij.view));
  PetscCall(find_operation(matrix, MATOP_DESTROY, aij.destroy));
  PetscCall(find_composed(matrix, retrieve_values_name, silent_aij.retrieve_values));
  PetscCall(find_composed(matrix, set_columns_name, silent_aij.set_columns));
  PetscFunctionReturn(success);
}

/// y = op(A) x, or y += op(A) x where beta is 1.
PetscErrorCode apply(shadow& s, operation product, Vec x, PetscScalar beta, Vec y) {
  const shadow::cached_plan& made = s.plan_of(product);
  PetscFunctionBegin;
  if (made.current) {
    PetscCall(multiply(*made.current, product, x, beta, y));
  } else if (beta == 0) {
    PetscCall(VecSet(y, 0));
  }
  PetscFunctionReturn(success);
}

/// y = op(A) x. `by_aij`: AIJ's own function for it.
PetscErrorCode mult_by(Mat matrix, operation product, mult_function by_aij, Vec x, Vec y) {
  shadow* s = nullptr;
  PetscFunctionBegin;
  PetscCall(refresh(matrix, product, s));
  PetscCall(s->leaves_products_to_aij ? by_aij(matrix, x, y) : apply(*s, product, x, 0, y));
  PetscFunctionReturn(success);
}

/// z = y + op(A) x. `by_aij`: AIJ's own function for it.
PetscErrorCode mult_add_by(Mat matrix, operation product, mult_add_function by_aij, Vec x, Vec y, Vec z) {
  shadow* s = nullptr;
  PetscFunctionBegin;
  PetscCall(refresh(matrix, product, s));
  if (s->leaves_products_to_aij) {
    PetscCall(by_aij(matrix, x, y, z));
    PetscFunctionReturn(success);
  }
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(apply(*s, product, x, 1, z));
  PetscFunctionReturn(success);
}

PetscErrorCode mult(Mat matrix, Vec x, Vec y) {
  return mult_by(matrix, operation::forward, aij.mult, x, y);
}
PetscErrorCode mult_add(Mat matrix, Vec x, Vec y, Vec z) {
  return mult_add_by(matrix, operation::forward, aij.mult_add, x, y, z);
}
PetscErrorCode mult_transpose(Mat matrix, Vec x, Vec y) {
  return mult_by(matrix, operation::transposed, aij.mult_transpose, x, y);
}
PetscErrorCode mult_transpose_add(Mat matrix, Vec x, Vec y, Vec z) {
  return mult_add_by(matrix, operation::transposed, aij.mult_transpose_add, x, y, z);
}

PetscErrorCode retrieve_values(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(silent_aij.retrieve_values(matrix));
  PetscCall(expect_new_values(matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode set_columns(Mat matrix, PetscInt* columns) {
  PetscFunctionBegin;
  PetscCall(silent_aij.set_columns(matrix, columns));
  PetscCall(expect_new_structure(matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy) {
  shadow* from = nullptr;
  shadow* to = nullptr;
  PetscFunctionBegin;
  PetscCall(aij.duplicate(matrix, option, copy));
  PetscCall(find_shadow(matrix, from));
  PetscCall(find_shadow(*copy, to));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] { to->chosen = from->chosen; }));
  PetscCall(inherit_prefix(matrix, *copy));
  PetscCall(keep_mark_of(matrix, *copy));
  PetscFunctionReturn(success);
}

PetscErrorCode choose_from_options(Mat matrix) {
  shadow* s = nullptr;
  settings wanted;
  bool on_host = false;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, s));
  if (s->is_block) PetscFunctionReturn(success);
  PetscCall(read_settings(matrix, wanted));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] { choose(*s, wanted); }));
  PetscCall(leaves_products_to_aij(matrix, wanted, on_host));
  PetscCall(keep_vectors_with(matrix, on_host ? resource(cpu{}) : wanted.where));
  PetscFunctionReturn(success);
}

PetscErrorCode assembly_end(Mat matrix, MatAssemblyType type) {
  PetscFunctionBegin;
  PetscCall(aij.assembly_end(matrix, type));
  if (type == MAT_FINAL_ASSEMBLY) PetscCall(choose_from_options(matrix));
  PetscFunctionReturn(success);
}

std::string text_of(const plan<PetscScalar>& p) {
  std::string text = "format ";
  text.append(p.format()).append(" on ").append(name(p.where()));
  for (const auto& [option, value] : p.options()) text.append(", ").append(option).append("=").append(value);
  return text + "; " + std::to_string(p.bytes()) + " bytes";
}

PetscErrorCode view(Mat matrix, PetscViewer viewer) {
  PetscBool wants = PETSC_FALSE;
  PetscBool of_all = PETSC_FALSE;
  MatFactorType factor = MAT_FACTOR_NONE;
  std::string line;
  PetscFunctionBegin;
  PetscCall(aij.view(matrix, viewer));
  PetscCall(wants_summary(viewer, wants, of_all));
  PetscCall(MatGetFactorType(matrix, &factor));
  if (!wants || factor != MAT_FACTOR_NONE) PetscFunctionReturn(success);
  PetscCall(summarize(matrix, line));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Gossamer: %s\n", line.c_str()));
  PetscFunctionReturn(success);
}

PetscErrorCode replace_converters(Mat matrix, bool ours) {
  PetscFunctionBegin;
  for (const char* name : {"MatConvert_seqaij_seqgossamer_C", "MatConvert_seqaij_seqaijgossamer_C",
                           "MatConvert_seqaijgossamer_seqgossamer_C"}) {
    PetscCall(compose(matrix, name, ours ? sequential_from_aij : nullptr));
  }
  PetscCall(compose(matrix, "MatConvert_seqaijgossamer_seqaij_C", ours ? sequential_to_aij : nullptr));
  PetscFunctionReturn(success);
}

PetscErrorCode replace_product_by_columns(Mat matrix, bool ours) {
  return compose(matrix, sequential_product_by_columns, ours ? choose_product_by_columns : nullptr);
}

PetscErrorCode replace_silent(Mat matrix, const silent& by) {
  PetscFunctionBegin;
  PetscCall(compose(matrix, retrieve_values_name, by.retrieve_values));
  PetscCall(compose(matrix, set_columns_name, by.set_columns));
  PetscFunctionReturn(success);
}

PetscErrorCode forget(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(remove_shadow(matrix));
  PetscCall(replace_converters(matrix, false));
  PetscCall(replace_silent(matrix, silent_aij));
  PetscCall(replace_product_by_columns(matrix, false));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), MATSEQAIJ));
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
  PetscCall(replace_operation(matrix, MATOP_MULT, by.mult));
  PetscCall(replace_operation(matrix, MATOP_MULT_ADD, by.mult_add));
  PetscCall(replace_operation(matrix, MATOP_MULT_TRANSPOSE, by.mult_transpose));
  PetscCall(replace_operation(matrix, MATOP_MULT_TRANSPOSE_ADD, by.mult_transpose_add));
  PetscCall(replace_operation(matrix, MATOP_DUPLICATE, by.duplicate));
  PetscCall(replace_operation(matrix, MATOP_ASSEMBLY_END, by.assembly_end));
  PetscCall(replace_operation(matrix, MATOP_VIEW, by.view));
  PetscCall(replace_operation(matrix, MATOP_DESTROY, by.destroy));
  PetscFunctionReturn(success);
}

PetscErrorCode become_ours(Mat matrix) {
  shadow* made = nullptr;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, made));
  PetscCall(replace_operations(matrix, {.mult = mult,
                                        .mult_add = mult_add,
                                        .mult_transpose = mult_transpose,
                                        .mult_transpose_add = mult_transpose_add,
                                        .duplicate = duplicate,
                                        .assembly_end = assembly_end,
                                        .view = view,
                                        .destroy = destroy}));
  PetscCall(replace_converters(matrix, true));
  PetscCall(replace_silent(matrix, {.retrieve_values = retrieve_values, .set_columns = set_columns}));
  PetscCall(replace_product_by_columns(matrix, true));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), MATSEQAIJGOSSAMER));
  PetscFunctionReturn(success);
}

/// Another sub-type of AIJ, which -mat_seqaij_type or MatSeqAIJSetType() gave, gives back what it replaced.
/// MatConvert() would refuse a matrix that is not assembled yet.
PetscErrorCode undo_sub_type(Mat matrix) {
  MatType type = nullptr;
  PetscBool is_plain = PETSC_FALSE;
  PetscErrorCode (*to_aij)(Mat, MatType, MatReuse, Mat*) = nullptr;
  std::array<char, 256> name{};
  PetscFunctionBegin;
  PetscCall(MatGetType(matrix, &type));
  PetscCall(PetscStrcmp(type, MATSEQAIJ, &is_plain));
  if (is_plain) PetscFunctionReturn(success);
  PetscCall(PetscSNPrintf(name.data(), name.size(), "MatConvert_%s_%s_C", type, MATSEQAIJ));
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(matrix), name.data(), &to_aij));
  PetscCheck(to_aij != nullptr, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "a matrix of type %s cannot become one of type %s in place", type, MATSEQAIJGOSSAMER);
  PetscCall(to_aij(matrix, MATSEQAIJ, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode inherit_sequential() {
  Mat plain = nullptr;
  PetscFunctionBegin;
  PetscCall(make_plain(MATSEQAIJ, plain));
  PetscCall(find_inherited(plain));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(success);
}

PetscErrorCode summarize(Mat matrix, std::string& line) {
  shadow* s = nullptr;
  MatType type = nullptr;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetType(matrix, &type));
  PetscCall(PetscStrcmp(type, MATSEQAIJGOSSAMER, &is_ours));
  if (!is_ours) {
    PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] { line = std::string("none, the type is ") + type; }));
    PetscFunctionReturn(success);
  }
  PetscCall(refresh(matrix, operation::forward, s));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    if (!s->forward.current) {
      line = s->leaves_products_to_aij
                 ? "no plan, since the program owns the arrays; -mat_gossamer_copy_user_arrays makes one"
                 : "no entries, so no plan";
      return;
    }
    line = text_of(*s->forward.current);
    if (s->transposed.current) line += "; transposed: " + text_of(*s->transposed.current);
    line +=
        "; inspections " + std::to_string(s->inspections) + ", value updates " + std::to_string(s->updates);
  }));
  PetscFunctionReturn(success);
}

PetscErrorCode sequential_from_aij(Mat matrix, MatType, MatReuse reuse, Mat* result) {
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
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(*result), MATSEQAIJGOSSAMER, &is_ours));
  if (is_ours) PetscFunctionReturn(success);
  PetscCall(undo_sub_type(*result));
  PetscCall(become_ours(*result));
  PetscFunctionReturn(success);
}

PetscErrorCode sequential_to_aij(Mat matrix, MatType, MatReuse reuse, Mat* result) {
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
  PetscCall(replace_operations(*result, aij));
  PetscCall(forget(*result));
  PetscFunctionReturn(success);
}

PetscErrorCode create_sequential(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(MatSetType(matrix, MATSEQAIJ));
  PetscCall(sequential_from_aij(matrix, MATSEQAIJGOSSAMER, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(success);
}

PetscErrorCode adopt_block(Mat block, const settings& wanted) {
  PetscBool is_aij = PETSC_FALSE;
  PetscBool is_ours = PETSC_FALSE;
  shadow* s = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(block), MATSEQAIJ, &is_aij));
  if (is_aij) PetscCall(become_ours(block));
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(block), MATSEQAIJGOSSAMER, &is_ours));
  if (!is_ours) PetscFunctionReturn(success);  // another sub-type that -mat_seqaij_type asked for
  PetscCall(find_shadow(block, s));
  s->is_block = true;
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] { choose(*s, wanted); }));
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc

PetscErrorCode GossamerPetscGetCounts(Mat matrix, PetscInt* inspections, PetscInt* updates) {
  PetscBool parallel = PETSC_FALSE;
  PetscBool ours = PETSC_FALSE;
  Mat blocks[] = {matrix, nullptr};
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJGOSSAMER, &parallel));
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], nullptr));
  if (inspections != nullptr) *inspections = 0;
  if (updates != nullptr) *updates = 0;
  for (Mat each : blocks) {
    gossamer::petsc::shadow* s = nullptr;
    if (each == nullptr) continue;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(each), MATSEQAIJGOSSAMER, &ours));
    PetscCheck(ours || parallel, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "matrix: not of type " MATGOSSAMER);
    if (!ours) continue;
    PetscCall(gossamer::petsc::find_shadow(each, s));
    if (inspections != nullptr) *inspections += s->inspections;
    if (updates != nullptr) *updates += s->updates;
  }
  PetscFunctionReturn(gossamer::petsc::success);
}
