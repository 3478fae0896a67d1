// SPDX-License-Identifier: BSD-3-Clause
// Matrices and vectors of small whole numbers, whose products are exact in any order, as AIJ and as
// Gossamer's type.
#pragma once

#include <gtest/gtest.h>
#include <petscmat.h>

#include <string>
#include <utility>
#include <vector>

namespace gossamer::petsc_tests {

/// A PETSc function that fails ends the run on all processes: the others would wait for this one.
#define CHECK_PETSC(call) PetscCallAbort(PETSC_COMM_WORLD, call)

inline int rank() {
  int number = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &number);
  return number;
}

inline int processes() {
  int number = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &number);
  return number;
}

struct shape {
  PetscInt rows = 60;
  PetscInt cols = 60;
  bool last_has_all = false;   ///< every process but the last has neither rows nor columns
  bool others_insert = false;  ///< rows are given by another process than the one that they belong to
  bool tridiagonal = false;
};

class matrix {
 public:
  explicit matrix(Mat handle) : handle_(handle) {}
  matrix(matrix&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  matrix& operator=(matrix&&) = delete;
  ~matrix() { MatDestroy(&handle_); }
  Mat release() { return std::exchange(handle_, nullptr); }
  operator Mat() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  Mat handle_;
};

matrix make(const char* type, const shape& s = {}, const char* prefix = nullptr);

/// A copy of PETSc's, of the type given.
matrix convert(Mat from, const char* type);

std::string type_of(Mat a);

/// The two blocks of a parallel matrix, or the matrix.
std::vector<Mat> blocks_of(Mat a);

/// Of a sequential matrix.
PetscInt entries_of(Mat block);

void assemble_again(Mat a);

/// This process's part of y = A x, y = y0 + A x, and the same of the transposed matrix.
std::vector<PetscScalar> products(Mat a);

/// products() makes so many plans of a block: one of its entries, one of their transpose.
inline constexpr int plans_of_products = 2;

/// Inspections and updates of this process.
std::pair<int, int> counts(Mat a);

/// What -mat_view ::ascii_info prints.
std::string summary(Mat a, PetscViewerFormat format = PETSC_VIEWER_ASCII_INFO);

/// An option as long as the object lives.
class option {
 public:
  option(std::string name, const char* value) : name_(std::move(name)) {
    CHECK_PETSC(PetscOptionsSetValue(nullptr, name_.c_str(), value));
  }
  option(const option&) = delete;
  option& operator=(const option&) = delete;
  ~option() { PetscOptionsClearValue(nullptr, name_.c_str()); }

 private:
  std::string name_;
};

}  // namespace gossamer::petsc_tests
