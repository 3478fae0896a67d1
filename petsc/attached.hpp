// SPDX-License-Identifier: BSD-3-Clause
// Attaches objects of ours to a matrix of PETSc, which destroys them with itself unless they are removed
// earlier.
#pragma once

#include <petscmat.h>

#include <memory>

#include "guarded.hpp"

namespace gossamer::petsc {

#if PETSC_VERSION_LT(3, 23, 0)
template <class T>
PetscErrorCode destroy_attached(void* attached) {
  delete static_cast<T*>(attached);
  return success;
}
#else
/// PETSc passes the address of the pointer, as void** before 3.26 and as void* from then on.
template <class T, class Address>
PetscErrorCode destroy_attached(Address address) {
  void** attached = static_cast<void**>(address);
  delete static_cast<T*>(*attached);
  *attached = nullptr;
  return success;
}
#endif

template <class T>
PetscErrorCode attach(Mat matrix, const char* name, T*& made) {
  PetscContainer container = nullptr;
  std::unique_ptr<T> fresh;
  PetscFunctionBegin;
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] { fresh = std::make_unique<T>(); }));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, fresh.get()));
#if PETSC_VERSION_LT(3, 23, 0)
  PetscCall(PetscContainerSetUserDestroy(container, destroy_attached<T>));
#else
  PetscCall(PetscContainerSetCtxDestroy(container, destroy_attached<T>));
#endif
  made = fresh.release();
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), name,
                               reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(success);
}

/// The object attached under `name`, which is made if there is none.
template <class T>
PetscErrorCode find_attached(Mat matrix, const char* name, T*& found) {
  PetscObject container = nullptr;
  void* attached = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(matrix), name, &container));
  if (container == nullptr) {
    PetscCall(attach(matrix, name, found));
  } else {
    PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &attached));
    found = static_cast<T*>(attached);
  }
  PetscFunctionReturn(success);
}

/// Destroys the object attached under `name`, if there is one.
inline PetscErrorCode remove_attached(Mat matrix, const char* name) {
  return PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), name, nullptr);
}

}  // namespace gossamer::petsc
