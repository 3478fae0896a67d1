// SPDX-License-Identifier: BSD-3-Clause
// The products as XLA calls them: handlers of JAX's foreign function interface.
#include "jax.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "operator.hpp"
#include "xla/ffi/api/ffi.h"

namespace nb = nanobind;
namespace ffi = xla::ffi;
using namespace nb::literals;

struct CUstream_st;

namespace gossamer::python {
namespace {

/// A buffer as a dense matrix. Row-major: its two axes are rows and columns. Otherwise its last axis is a
/// column, and the others count columns, as vmap lays them out.
gossamer_dense dense_of(const ffi::AnyBuffer& buffer, bool row_major, gossamer_memory memory) {
  const auto axes = buffer.dimensions();
  gossamer_dense d{};
  d.struct_size = sizeof d;
  d.memory = memory;
  d.data = buffer.untyped_data();
  if (row_major) {
    d.order = GOSSAMER_ROW_MAJOR;
    d.rows = axes[0];
    d.cols = axes[1];
    d.leading = d.cols;
  } else {
    d.order = GOSSAMER_COLUMN_MAJOR;
    d.rows = axes.back();
    d.cols = std::accumulate(axes.begin(), axes.end() - 1, std::int64_t{1}, std::multiplies<>());
    d.leading = d.rows;
  }
  return d;
}

ffi::Error multiply(const ffi::AnyBuffer& x, ffi::AnyBuffer& y, std::int64_t number, std::int64_t op,
                    bool row_major, gossamer_memory memory, void* stream) {
  const std::shared_ptr<plan_pair> pair = find_pair(number);
  if (pair == nullptr) return ffi::Error::InvalidArgument("gossamer: the matrix of this product was deleted");
  if (memory == GOSSAMER_DEVICE && pair->device < 0)
    return ffi::Error::InvalidArgument(
        "gossamer: x is on a GPU, the matrix on the CPU: make it with device=\"cuda\"");
  product of;
  of.op = static_cast<gossamer_operation>(op);
  of.x = dense_of(x, row_major, memory);
  of.y = dense_of(y, row_major, memory);
  of.vectors = !row_major && of.x.cols == 1;
  of.stream = stream;
  if (pair->plans[op == GOSSAMER_TRANSPOSED ? 1 : 0].load()->multiply_without_gil(of) != GOSSAMER_SUCCESS)
    return ffi::Error::Internal(std::string("gossamer: ") + gossamer_last_error());
  return ffi::Error::Success();
}

ffi::Error on_host(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, std::int64_t number, std::int64_t op,
                   bool row_major) {
  return multiply(x, *y, number, op, row_major, GOSSAMER_HOST, nullptr);
}

ffi::Error on_device(CUstream_st* stream, ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y,
                     std::int64_t number, std::int64_t op, bool row_major) {
  return multiply(x, *y, number, op, row_major, GOSSAMER_DEVICE, stream);
}

XLA_FFI_DEFINE_HANDLER(multiply_on_host, on_host,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<std::int64_t>("number")
                           .Attr<std::int64_t>("op")
                           .Attr<bool>("row_major"));
// Without kCmdBufferCompatible: XLA would replay kernels after the matrix was deleted.
XLA_FFI_DEFINE_HANDLER(multiply_on_device, on_device,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<CUstream_st*>>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<std::int64_t>("number")
                           .Attr<std::int64_t>("op")
                           .Attr<bool>("row_major"));

/// The number and the operation of the product with the matrix, or with its transpose.
nb::tuple number_of(nb::handle self, bool transposed) {
  const auto& matrix = nb::cast<const matrix_operator&>(self);
  static_cast<void>(plan_for(matrix, self, transposed));
  const gossamer_operation op = matrix.operation(transposed);
  return nb::make_tuple(matrix.number(), op);
}

}  // namespace

void bind_jax(nb::module_& module) {
  module.def("jax_handlers", [] {
    nb::dict handlers;
    handlers["cpu"] = nb::capsule(reinterpret_cast<void*>(multiply_on_host));
    handlers["CUDA"] = nb::capsule(reinterpret_cast<void*>(multiply_on_device));
    return handlers;
  });
  module.def("jax_number", &number_of, "matrix"_a, "transposed"_a);
}

}  // namespace gossamer::python
