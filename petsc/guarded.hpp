// SPDX-License-Identifier: BSD-3-Clause
// Exceptions end here: what the library throws becomes a PETSc error.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "gossamer/error.hpp"
#include "success.hpp"

namespace gossamer::petsc {

inline PetscErrorCode code_of(errc code) {
  switch (code) {
    case errc::invalid_argument:
    case errc::parse_error:
      return PETSC_ERR_ARG_OUTOFRANGE;
    case errc::size_mismatch:
      return PETSC_ERR_ARG_SIZ;
    case errc::unsupported:
      return PETSC_ERR_SUP;
    case errc::out_of_memory:
      return PETSC_ERR_MEM;
    case errc::no_device:
    case errc::device_error:
      return PETSC_ERR_GPU;
    default:
      return PETSC_ERR_LIB;
  }
}

/// Runs what may throw. `about` is what the message begins with.
template <class F>
PetscErrorCode guarded(MPI_Comm comm, const char* about, F&& body) {
  PetscFunctionBegin;
  try {
    std::forward<F>(body)();
  } catch (const error& failure) {
    SETERRQ(comm, code_of(failure.code()), "%s: %s", about, failure.what());
  } catch (const std::bad_alloc&) {
    SETERRQ(comm, PETSC_ERR_MEM, "%s: out of memory", about);
  } catch (const std::exception& failure) {
    SETERRQ(comm, PETSC_ERR_LIB, "%s: %s", about, failure.what());
  }
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
