// SPDX-License-Identifier: BSD-3-Clause
// Exceptions end here: what the library throws becomes a PETSc error.
#pragma once

#include <array>
#include <exception>
#include <new>
#include <string_view>
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

/// Runs what may throw on some processes of `comm` and not on others: what the first of them says is then the
/// error of all, so that none goes on and waits. Collective.
template <class F>
PetscErrorCode guarded_together(MPI_Comm comm, F&& body) {
  struct {
    PetscErrorCode code{};
    std::array<char, 1024> text{};
  } failure;
  PetscMPIInt rank = 0;
  PetscMPIInt size = 0;
  PetscMPIInt first = 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const auto fail = [&](PetscErrorCode code, const char* text) {
    failure.code = code;
    const std::size_t length = std::string_view(text).copy(failure.text.data(), failure.text.size() - 1);
    failure.text[length] = 0;
  };
  try {
    std::forward<F>(body)();
  } catch (const error& thrown) {
    fail(code_of(thrown.code()), thrown.what());
  } catch (const std::bad_alloc&) {
    fail(PETSC_ERR_MEM, "Gossamer: out of memory");
  } catch (const std::exception& thrown) {
    fail(PETSC_ERR_LIB, thrown.what());
  }
  const PetscMPIInt mine = failure.code ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(success);
  PetscCallMPI(MPI_Bcast(&failure, sizeof failure, MPI_BYTE, first, comm));
  SETERRQ(comm, failure.code, "%s", failure.text.data());
}

}  // namespace gossamer::petsc
