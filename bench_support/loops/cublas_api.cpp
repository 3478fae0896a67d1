// SPDX-License-Identifier: BSD-3-Clause
// Loads cuBLAS, so that ours is never linked with it.
#include "bench_support/loops/cublas_api.hpp"

#include "core/fail.hpp"

namespace gossamer::bench_support::loops {

#if defined(GOSSAMER_HAVE_CUBLAS)

namespace {

std::string load_cublas(cublas_api& api) {
  const peers::loaded_library library =
      peers::load({.variable = "GOSSAMER_CUBLAS",
                   .names = {"libcublas.so.13", "libcublas.so.12"},
                   .folders = {GOSSAMER_CUDA_LIBRARIES, "/usr/local/cuda/lib64"},
                   .companions = {"libcublasLt.so.13", "libcublasLt.so.12"}});
  if (library.handle == nullptr) return library.reason;
  peers::symbols all(library);
  decltype(&cublasGetProperty) property = nullptr;
  all.bind(api.create, "cublasCreate_v2");
  all.bind(api.destroy, "cublasDestroy_v2");
  all.bind(api.set_stream, "cublasSetStream_v2");
  all.bind(api.set_workspace, "cublasSetWorkspace_v2");
  all.bind(api.set_pointer_mode, "cublasSetPointerMode_v2");
  all.bind(api.text_of, "cublasGetStatusString");
  all.bind(property, "cublasGetProperty");
  all.bind(api.f32.dot, "cublasSdot_v2");
  all.bind(api.f32.axpy, "cublasSaxpy_v2");
  all.bind(api.f32.scal, "cublasSscal_v2");
  all.bind(api.f32.copy, "cublasScopy_v2");
  all.bind(api.f32.geam, "cublasSgeam");
  all.bind(api.f64.dot, "cublasDdot_v2");
  all.bind(api.f64.axpy, "cublasDaxpy_v2");
  all.bind(api.f64.scal, "cublasDscal_v2");
  all.bind(api.f64.copy, "cublasDcopy_v2");
  all.bind(api.f64.geam, "cublasDgeam");
  if (std::string reason = all.reason(); !reason.empty()) return reason;
  int parts[3] = {};
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) property(part, &parts[part]);
  api.version = message("{}.{}.{}", {parts[MAJOR_VERSION], parts[MINOR_VERSION], parts[PATCH_LEVEL]});
  return "";
}

}  // namespace

peers::found<cublas_api> find_cublas() {
  static peers::looked_up<cublas_api> api;
  return api.find(load_cublas);
}

peer_presence look_for_cublas() {
  const peers::found<cublas_api> cublas = find_cublas();
  if (cublas.api == nullptr) return {.reason = cublas.reason};
  if (cuda_device_count() == 0)
    return {.version = cublas.api->version, .reason = "this machine has no usable CUDA device"};
  return {.present = true, .version = cublas.api->version};
}

#else

peer_presence look_for_cublas() {
  return {.reason =
              built_with_cuda()
                  ? "this build of gossamer was made without cuBLAS's header (cublas_v2.h of the toolkit)"
                  : "this build of gossamer has no CUDA"};
}

#endif

}  // namespace gossamer::bench_support::loops
