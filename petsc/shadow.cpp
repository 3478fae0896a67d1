// SPDX-License-Identifier: BSD-3-Clause
#include "shadow.hpp"

#include <petsc/private/petscimpl.h>  // PetscObjectStateGet()

#include <span>

#include "attached.hpp"
#include "guarded.hpp"
#include "product.hpp"

namespace gossamer::petsc {
namespace {

static_assert(value<PetscScalar> && offset<PetscInt>, "configuring should have refused this PETSc");

constexpr const char* attached_as = "gossamer_shadow";

PetscLogEvent inspect_event = 0;
PetscLogEvent update_event = 0;

struct entries {
  shadow::structure structure;
  std::span<const PetscInt> row_ptr;
  std::span<const PetscInt> col;
  std::span<const PetscScalar> val;
};

PetscErrorCode find_entries(Mat matrix, entries& found) {
  PetscScalar* val = nullptr;
  PetscFunctionBegin;
  found.structure.matrix = matrix;
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(matrix), &found.structure.id));
  PetscCall(MatGetLocalSize(matrix, &found.structure.rows, &found.structure.cols));
  PetscCall(MatGetNonzeroState(matrix, &found.structure.nonzero_state));
  PetscCall(MatSeqAIJGetCSRAndMemType(matrix, &found.structure.row_ptr, &found.structure.col, &val, nullptr));
  const auto rows = static_cast<std::size_t>(found.structure.rows);
  if (rows != 0) {
    found.row_ptr = {found.structure.row_ptr, rows + 1};
    const auto count = static_cast<std::size_t>(found.row_ptr.back());
    found.col = {found.structure.col, count};
    found.val = {val, count};
  }
  PetscFunctionReturn(success);
}

/// Whether the program owns the arrays. MatGetInfo() counts the entries that PETSc allocated: none after
/// MatCreateSeqAIJWithArrays(). Where PETSc itself calls that, to convert a nest for example, the arrays
/// count as the program's.
PetscErrorCode find_user_arrays(Mat matrix, const shadow& s, const entries& now, bool& has) {
  MatInfo info;
  PetscFunctionBegin;
  PetscCall(MatGetInfo(matrix, MAT_LOCAL, &info));
  has = info.nz_allocated < info.nz_used && now.val.data() != s.allocated_values;
  PetscFunctionReturn(success);
}

void inspect_again(shadow& s, shadow::cached_plan& made, operation product, const entries& now) {
  made.current.reset();  // before the new one takes its memory
  ++s.inspections;
  const csr_view<PetscScalar, PetscInt> a{.rows = now.structure.rows,
                                          .cols = now.structure.cols,
                                          .row_ptr = now.row_ptr,
                                          .col = now.col,
                                          .val = now.val};
  made.current = inspect(
      a, s.chosen->where,
      {.format = s.chosen->format,
       .options = s.chosen->options,
       .values_change = true,
       .operations = product == operation::forward ? operation_set::forward : operation_set::transposed});
}

}  // namespace

PetscErrorCode register_events() {
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("GossamerInspect", MAT_CLASSID, &inspect_event));
  PetscCall(PetscLogEventRegister("GossamerUpdate", MAT_CLASSID, &update_event));
  PetscFunctionReturn(success);
}

PetscErrorCode find_shadow(Mat matrix, shadow*& found) {
  return find_attached(matrix, attached_as, found);
}

PetscErrorCode remove_shadow(Mat matrix) {
  return remove_attached(matrix, attached_as);
}

namespace {

void discard_plans(shadow& s) {
  s.forward.current.reset();
  s.transposed.current.reset();
}

}  // namespace

void choose(shadow& s, const settings& wanted) {
  if (s.chosen && !same(*s.chosen, wanted)) discard_plans(s);
  s.chosen = wanted;
}

PetscErrorCode expect_new_values(Mat matrix) {
  shadow* s = nullptr;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, s));
  s->forward.values = nullptr;
  s->transposed.values = nullptr;
  PetscFunctionReturn(success);
}

PetscErrorCode expect_new_structure(Mat matrix) {
  shadow* s = nullptr;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, s));
  s->forward.inspected = {};
  s->transposed.inspected = {};
  PetscFunctionReturn(success);
}

PetscErrorCode mark_as_allocated(Mat matrix) {
  shadow* s = nullptr;
  entries now;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, s));
  PetscCall(find_entries(matrix, now));
  s->allocated_values = now.val.data();
  PetscFunctionReturn(success);
}

PetscErrorCode leaves_products_to_aij(Mat matrix, const settings& wanted, bool& leaves) {
  shadow* s = nullptr;
  entries now;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, s));
  PetscCall(find_entries(matrix, now));
  PetscCall(find_user_arrays(matrix, *s, now, leaves));
  leaves = leaves && !wanted.copy_user_arrays;
  PetscFunctionReturn(success);
}

PetscErrorCode refresh(Mat matrix, operation product, shadow*& up_to_date) {
  PetscObjectState state = 0;
  entries now;
  PetscFunctionBegin;
  PetscCall(find_shadow(matrix, up_to_date));
  shadow& s = *up_to_date;
  shadow::cached_plan& made = s.plan_of(product);
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(matrix), &state));
  PetscCall(find_entries(matrix, now));
  const bool same_structure = made.current && made.inspected == now.structure;
  const bool same_values = made.object_state == state && made.values == now.val.data();
  if (same_structure && same_values) PetscFunctionReturn(success);
  if (!s.chosen) {
    settings wanted;
    PetscCall(read_settings(matrix, wanted));
    choose(s, wanted);
  }
  bool has_user_arrays = false;
  PetscCall(find_user_arrays(matrix, s, now, has_user_arrays));
  s.leaves_products_to_aij = has_user_arrays && !s.chosen->copy_user_arrays;
  if (now.col.empty() || s.leaves_products_to_aij) {
    discard_plans(s);
    PetscFunctionReturn(success);
  }
  // The other plan is of no use for a new structure, and its memory is wanted.
  shadow::cached_plan& other = product == operation::forward ? s.transposed : s.forward;
  if (other.current && !(other.inspected == now.structure)) other.current.reset();
  const PetscLogEvent event = same_structure ? update_event : inspect_event;
  PetscCall(PetscLogEventBegin(event, matrix, 0, 0, 0));
  if (same_structure) PetscCall(finish_products(*made.current));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    if (same_structure) {
      made.current->update_values(now.val);
      ++s.updates;
    } else {
      inspect_again(s, made, product, now);
    }
  }));
  PetscCall(PetscLogEventEnd(event, matrix, 0, 0, 0));
  made.inspected = now.structure;
  made.object_state = state;
  made.values = now.val.data();
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
