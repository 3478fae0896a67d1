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

std::size_t x_size(const plan<PetscScalar>& p, operation product) {
  return static_cast<std::size_t>(product == operation::forward ? p.cols() : p.rows());
}
std::size_t y_size(const plan<PetscScalar>& p, operation product) {
  return static_cast<std::size_t>(product == operation::forward ? p.rows() : p.cols());
}

PetscErrorCode multiply_on_host(const plan<PetscScalar>& p, operation product, Vec xx, PetscScalar beta,
                                Vec yy) {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(xx, &x));
  PetscCall(beta == 0 ? VecGetArrayWrite(yy, &y) : VecGetArray(yy, &y));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    const std::span of_x(x, x_size(p, product));
    const std::span of_y(y, y_size(p, product));
    product == operation::forward ? p.multiply(1, of_x, beta, of_y)
                                  : p.multiply_transposed(1, of_x, beta, of_y);
  }));
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

/// The device in whose stream PETSc works now.
PetscErrorCode is_current_gpu(int device, PetscBool& is) {
  PetscDeviceContext context = nullptr;
  PetscDevice current = nullptr;
  PetscDeviceType type = PETSC_DEVICE_HOST;
  PetscInt number = -1;
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDevice(context, &current));
  PetscCall(PetscDeviceGetType(current, &type));
  PetscCall(PetscDeviceGetDeviceId(current, &number));
  is = type == PETSC_DEVICE_CUDA && number == device ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(success);
}

PetscErrorCode can_stay_on_gpu(const plan<PetscScalar>& p, Vec x, Vec y, PetscBool& can) {
  const cuda* const gpu = std::get_if<cuda>(&p.where());
  PetscFunctionBegin;
  can = PETSC_FALSE;
  if (gpu == nullptr) PetscFunctionReturn(success);
  PetscCall(is_on_gpu(x, can));
  if (can) PetscCall(is_on_gpu(y, can));
  if (can) PetscCall(is_current_gpu(gpu->device, can));
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_on_gpu(const plan<PetscScalar>& p, operation product, Vec xx, PetscScalar beta,
                               Vec yy) {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  void* stream = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetStreamHandle(nullptr, &stream));
  PetscCall(VecGetArrayReadAndMemType(xx, &x, nullptr));
  PetscCall(beta == 0 ? VecGetArrayWriteAndMemType(yy, &y, nullptr) : VecGetArrayAndMemType(yy, &y, nullptr));
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    const device_span of_x(x, x_size(p, product));
    const device_span of_y(y, y_size(p, product));
    const cuda_stream in = *static_cast<CUstream_st**>(stream);
    product == operation::forward ? p.multiply(1, of_x, beta, of_y, in)
                                  : p.multiply_transposed(1, of_x, beta, of_y, in);
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
PetscErrorCode is_gpu_of_vectors(const resource& where, bool& is) {
  const cuda* const gpu = std::get_if<cuda>(&where);
  PetscDevice device = nullptr;
  PetscInt number = -1;
  PetscFunctionBegin;
  is = false;
  if (gpu == nullptr) PetscFunctionReturn(success);
  PetscCall(PetscDeviceCreate(PETSC_DEVICE_CUDA, PETSC_DECIDE, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &number));
  PetscCall(PetscDeviceDestroy(&device));
  is = number == gpu->device;
  PetscFunctionReturn(success);
}

constexpr const char* vectors_on_gpu = VECCUDA;

#else

PetscErrorCode can_stay_on_gpu(const plan<PetscScalar>&, Vec, Vec, PetscBool& can) {
  can = PETSC_FALSE;
  return success;
}
constexpr auto multiply_on_gpu = multiply_on_host;

PetscErrorCode wait_for_stream() {
  return success;
}

PetscErrorCode is_gpu_of_vectors(const resource&, bool& is) {
  is = false;
  return success;
}

constexpr const char* vectors_on_gpu = VECSTANDARD;

#endif

/// What a matrix has whose vectors were sent to the GPU here, and not by the program.
constexpr const char* sent_as = "gossamer_vectors_sent";

PetscErrorCode were_sent(Mat matrix, bool& were) {
  PetscObject mark = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(matrix), sent_as, &mark));
  were = mark != nullptr;
  PetscFunctionReturn(success);
}

PetscErrorCode mark_as_sent(Mat matrix, bool sent) {
  PetscContainer mark = nullptr;
  PetscFunctionBegin;
  if (sent) PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &mark));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), sent_as,
                               reinterpret_cast<PetscObject>(mark)));
  if (sent) PetscCall(PetscContainerDestroy(&mark));
  PetscFunctionReturn(success);
}

PetscErrorCode send_vectors(Mat matrix, bool to_gpu) {
  PetscFunctionBegin;
  PetscCall(MatSetVecType(matrix, to_gpu ? vectors_on_gpu : VECSTANDARD));
  PetscCall(mark_as_sent(matrix, to_gpu));
  PetscFunctionReturn(success);
}

/// Only what nobody else chose is changed.
PetscErrorCode place_vectors(Mat matrix, bool on_gpu) {
  VecType type = nullptr;
  PetscBool is_default = PETSC_FALSE;
  PetscBool is_as_sent = PETSC_FALSE;
  bool sent = false;
  PetscFunctionBegin;
  PetscCall(were_sent(matrix, sent));
  PetscCall(MatGetVecType(matrix, &type));
  PetscCall(PetscStrcmp(type, VECSTANDARD, &is_default));
  PetscCall(PetscStrcmp(type, vectors_on_gpu, &is_as_sent));
  if (on_gpu && is_default) PetscCall(send_vectors(matrix, true));
  if (!on_gpu && sent && is_as_sent) PetscCall(send_vectors(matrix, false));
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode multiply(const plan<PetscScalar>& p, operation product, Vec x, PetscScalar beta, Vec y) {
  PetscBool on_gpu = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(can_stay_on_gpu(p, x, y, on_gpu));
  if (on_gpu) {
    PetscCall(multiply_on_gpu(p, product, x, beta, y));
  } else {
    PetscCall(finish_products(p));  // this one has a stream of its own
    PetscCall(multiply_on_host(p, product, x, beta, y));
  }
  PetscFunctionReturn(success);
}

PetscErrorCode keep_vectors_with(Mat matrix, const resource& where) {
  bool mine = false;
  PetscFunctionBegin;
  PetscCall(is_gpu_of_vectors(where, mine));
  int all = mine ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN,
                             PetscObjectComm(reinterpret_cast<PetscObject>(matrix))));
  PetscCall(place_vectors(matrix, all == 1));
  PetscFunctionReturn(success);
}

PetscErrorCode keep_vectors_like(Mat block, Mat matrix) {
  bool sent = false;
  PetscFunctionBegin;
  PetscCall(were_sent(matrix, sent));
  PetscCall(place_vectors(block, sent));
  PetscFunctionReturn(success);
}

PetscErrorCode keep_mark_of(Mat matrix, Mat copy) {
  bool sent = false;
  PetscFunctionBegin;
  PetscCall(were_sent(matrix, sent));
  PetscCall(mark_as_sent(copy, sent));
  PetscFunctionReturn(success);
}

PetscErrorCode finish_products(const plan<PetscScalar>& p) {
  return is_on_gpu(p) ? wait_for_stream() : success;
}

}  // namespace gossamer::petsc
