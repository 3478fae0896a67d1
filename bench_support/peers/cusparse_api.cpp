// SPDX-License-Identifier: BSD-3-Clause
// Loads cuSPARSE, so that ours is never linked with it.
#include "bench_support/peers/cusparse_api.hpp"

namespace gossamer::bench_support::peers::cusparse {

#if defined(GOSSAMER_HAVE_CUSPARSE)

namespace {

/// Binds the functions of SpMVOp. 12.7 has the same names with other parameters.
spmvop_api load_spmvop(symbols& all, std::string_view version, int minor) {
  spmvop_api api;
  all.bind_optional(api.buffer_size, "cusparseSpMVOp_bufferSize");
  all.bind_optional(api.create_descriptor, "cusparseSpMVOp_createDescr");
  all.bind_optional(api.destroy_descriptor, "cusparseSpMVOp_destroyDescr");
  all.bind_optional(api.create_plan, "cusparseSpMVOp_createPlan");
  all.bind_optional(api.destroy_plan, "cusparseSpMVOp_destroyPlan");
  all.bind_optional(api.multiply, "cusparseSpMVOp");
  constexpr int oldest_minor = 8;
  if (api.multiply == nullptr)
    api.reason = message("cuSPARSE {} has no SpMVOp", {version});
  else if (minor < oldest_minor || api.buffer_size == nullptr || api.create_descriptor == nullptr ||
           api.destroy_descriptor == nullptr || api.create_plan == nullptr || api.destroy_plan == nullptr)
    api.reason = message("SpMVOp of cuSPARSE {} has another interface; 12.8 or newer is needed", {version});
  return api;
}

std::string load_cusparse(cusparse_api& api) {
  const std::string soname = message("libcusparse.so.{}", {CUSPARSE_VER_MAJOR});
  const loaded_library library = load({.variable = "GOSSAMER_CUSPARSE",
                                       .names = {soname},
                                       .folders = {GOSSAMER_CUDA_LIBRARIES, "/usr/local/cuda/lib64"},
                                       .companions = {"libnvJitLink.so.12", "libnvJitLink.so.13"}});
  if (library.handle == nullptr) return library.reason;
  symbols all(library);
  decltype(&cusparseGetProperty) property = nullptr;
  all.bind(property, "cusparseGetProperty");
  all.bind(api.create, "cusparseCreate");
  all.bind(api.destroy, "cusparseDestroy");
  all.bind(api.set_stream, "cusparseSetStream");
  all.bind(api.text_of, "cusparseGetErrorString");
  all.bind(api.create_csr, "cusparseCreateCsr");
  all.bind(api.create_coo, "cusparseCreateCoo");
  all.bind_optional(api.create_sell, "cusparseCreateSlicedEll");
  all.bind_optional(api.create_bsr, "cusparseCreateBsr");
  all.bind(api.destroy_matrix, "cusparseDestroySpMat");
  all.bind(api.create_vector, "cusparseCreateDnVec");
  all.bind(api.destroy_vector, "cusparseDestroyDnVec");
  all.bind(api.set_values, "cusparseDnVecSetValues");
  all.bind(api.create_dense, "cusparseCreateDnMat");
  all.bind(api.destroy_dense, "cusparseDestroyDnMat");
  all.bind(api.set_dense_values, "cusparseDnMatSetValues");
  all.bind(api.buffer_size, "cusparseSpMV_bufferSize");
  all.bind_optional(api.preprocess, "cusparseSpMV_preprocess");
  all.bind(api.multiply, "cusparseSpMV");
  all.bind(api.spmm_buffer_size, "cusparseSpMM_bufferSize");
  all.bind_optional(api.spmm_preprocess, "cusparseSpMM_preprocess");
  all.bind(api.spmm, "cusparseSpMM");
  if (std::string reason = all.reason(); !reason.empty()) return reason;
  int parts[3] = {};
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) property(part, &parts[part]);
  api.version = message("{}.{}.{}", {parts[MAJOR_VERSION], parts[MINOR_VERSION], parts[PATCH_LEVEL]});
  api.spmvop = load_spmvop(all, api.version, parts[MINOR_VERSION]);
  return "";
}

}  // namespace

found<cusparse_api> find_cusparse() {
  static looked_up<cusparse_api> api;
  return api.find(load_cusparse);
}

peer_presence look() {
  const found<cusparse_api> cusparse = find_cusparse();
  if (cusparse.api == nullptr) return {.reason = cusparse.reason};
  if (cuda_device_count() == 0)
    return {.version = cusparse.api->version, .reason = "this machine has no usable CUDA device"};
  return {.present = true, .version = cusparse.api->version};
}

peer_presence look_for_spmvop() {
  const found<cusparse_api> cusparse = find_cusparse();
  if (cusparse.api != nullptr && !cusparse.api->spmvop.reason.empty())
    return {.version = cusparse.api->version, .reason = cusparse.api->spmvop.reason};
  return look();
}

#else

peer_presence look() {
  return {.reason =
              built_with_cuda()
                  ? "this build of gossamer was made without cuSPARSE's header (cusparse.h of the toolkit)"
                  : "this build of gossamer has no CUDA"};
}

peer_presence look_for_spmvop() {
  return look();
}

#endif

}  // namespace gossamer::bench_support::peers::cusparse
