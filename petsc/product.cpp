// SPDX-License-Identifier: BSD-3-Clause
#include "product.hpp"

#include <petscdevice.h>

#include <span>
#include <variant>

#include "guarded.hpp"

namespace gossamer::petsc {
namespace {

double flops(const plan<PetscScalar>& p) {
  return 2.0 * static_cast<double>(p.nnz());
}

bool is_on_gpu(const plan<PetscScalar>& p) {
  return std::holds_alternative<cuda>(p.where());
}

std::size_t x_size(const plan<PetscScalar>& p) {
  return static_cast<std::size_t>(p.cols());
}
std::size_t y_size(const plan<PetscScalar>& p) {
  return static_cast<std::size_t>(p.rows());
}

PetscErrorCode multiply_on_host(const plan<PetscScalar>& p, Vec xx, PetscScalar beta, Vec yy) {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(xx, &x));
  PetscCall(beta == 0 ? VecGetArrayWrite(yy, &y) : VecGetArray(yy, &y));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer",
                    [&] { p.multiply(1, std::span(x, x_size(p)), beta, std::span(y, y_size(p))); }));
  PetscCall(beta == 0 ? VecRestoreArrayWrite(yy, &y) : VecRestoreArray(yy, &y));
  PetscCall(VecRestoreArrayRead(xx, &x));
  PetscCall(PetscLogFlops(flops(p)));
  PetscFunctionReturn(success);
}

// PETSc tells others its stream from 3.20 on.
#if defined(PETSC_HAVE_CUDA) && PETSC_VERSION_GE(3, 20, 0)

/// Whether PETSc keeps a vector on a GPU: what its type says, since to ask for the array would move it there.
PetscErrorCode is_on_gpu(Vec v, PetscBool& is) {
  PetscBool bound = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(v), &is, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(VecBoundToCPU(v, &bound));
  if (bound) is = PETSC_FALSE;
  PetscFunctionReturn(success);
}

PetscErrorCode can_stay_on_gpu(const plan<PetscScalar>& p, Vec x, Vec y, PetscBool& can) {
  PetscFunctionBegin;
  can = PETSC_FALSE;
  if (!is_on_gpu(p)) PetscFunctionReturn(success);
  PetscCall(is_on_gpu(x, can));
  if (can) PetscCall(is_on_gpu(y, can));
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_on_gpu(const plan<PetscScalar>& p, Vec xx, PetscScalar beta, Vec yy) {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  void* stream = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetStreamHandle(nullptr, &stream));
  PetscCall(VecGetArrayReadAndMemType(xx, &x, nullptr));
  PetscCall(beta == 0 ? VecGetArrayWriteAndMemType(yy, &y, nullptr) : VecGetArrayAndMemType(yy, &y, nullptr));
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    p.multiply(1, device_span(x, x_size(p)), beta, device_span(y, y_size(p)),
               *static_cast<CUstream_st**>(stream));
  }));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(beta == 0 ? VecRestoreArrayWriteAndMemType(yy, &y) : VecRestoreArrayAndMemType(yy, &y));
  PetscCall(VecRestoreArrayReadAndMemType(xx, &x));
  PetscCall(PetscLogGpuFlops(flops(p)));
  PetscFunctionReturn(success);
}

PetscErrorCode wait_for_stream() {
  return PetscDeviceContextSynchronize(nullptr);
}

/// Whether PETSc would keep this process's vectors on the GPU of a plan.
PetscErrorCode is_gpu_of_vectors(const cuda& where, bool& is) {
  PetscDevice device = nullptr;
  PetscInt number = -1;
  PetscFunctionBegin;
  PetscCall(PetscDeviceCreate(PETSC_DEVICE_CUDA, PETSC_DECIDE, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &number));
  PetscCall(PetscDeviceDestroy(&device));
  is = number == where.device;
  PetscFunctionReturn(success);
}

/// Only what nobody chose is changed.
PetscErrorCode choose_vectors(Mat matrix, const resource& where) {
  const cuda* const gpu = std::get_if<cuda>(&where);
  VecType type = nullptr;
  PetscBool is_default = PETSC_FALSE;
  bool is_there = false;
  PetscFunctionBegin;
  if (gpu == nullptr) PetscFunctionReturn(success);
  PetscCall(MatGetVecType(matrix, &type));
  PetscCall(PetscStrcmp(type, VECSTANDARD, &is_default));
  if (!is_default) PetscFunctionReturn(success);
  PetscCall(is_gpu_of_vectors(*gpu, is_there));
  if (is_there) PetscCall(MatSetVecType(matrix, VECCUDA));
  PetscFunctionReturn(success);
}

#else

PetscErrorCode can_stay_on_gpu(const plan<PetscScalar>&, Vec, Vec, PetscBool& can) {
  can = PETSC_FALSE;
  return success;
}
constexpr auto multiply_on_gpu = multiply_on_host;

PetscErrorCode wait_for_stream() {
  return success;
}

PetscErrorCode choose_vectors(Mat, const resource&) {
  return success;
}

#endif

}  // namespace

PetscErrorCode multiply(const plan<PetscScalar>& p, Vec x, PetscScalar beta, Vec y) {
  PetscBool on_gpu = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(can_stay_on_gpu(p, x, y, on_gpu));
  if (on_gpu) {
    PetscCall(multiply_on_gpu(p, x, beta, y));
  } else {
    PetscCall(finish_products(p));  // this one has a stream of its own
    PetscCall(multiply_on_host(p, x, beta, y));
  }
  PetscFunctionReturn(success);
}

PetscErrorCode keep_vectors_with(Mat matrix, const resource& where) {
  return choose_vectors(matrix, where);
}

PetscErrorCode finish_products(const plan<PetscScalar>& p) {
  return is_on_gpu(p) ? wait_for_stream() : success;
}

}  // namespace gossamer::petsc
