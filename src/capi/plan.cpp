// SPDX-License-Identifier: BSD-3-Clause
// gossamer_plan: made of a matrix, and what it reports.
#include <utility>

#include "capi/any_matrix.hpp"
#include "capi/any_plan.hpp"
#include "capi/progress.hpp"
#include "capi/status.hpp"
#include "capi/text_options.hpp"
#include "gossamer/gossamer.hpp"

using namespace gossamer;
using namespace gossamer::capi;

namespace {

constexpr std::size_t first_info_size = 96;
static_assert(sizeof(gossamer_plan_info) >= first_info_size);

operation_set exchanged(operation_set operations) {
  if (operations == operation_set::both) return operations;
  return operations == operation_set::forward ? operation_set::transposed : operation_set::forward;
}

template <class V, class O>
plan<V> make(const csr_view<V, O>& view, const any_matrix&, const inspect_request& request) {
  return inspect(view, request.where, request.options);
}
template <class V, class O>
plan<V> make(const csr_view<V, O, device_space>& view, const any_matrix& any,
             const inspect_request& request) {
  const auto* const device = std::get_if<cuda>(&request.where);
  if (device == nullptr || device->device != any.device)
    fail(errc::unsupported, "the matrix is in the memory of cuda:{}, so the plan cannot be on {}", any.device,
         name(request.where));
  return inspect(view, *device, request.options);
}

/// The matrix's own arrays, if the plan may refer to them.
template <class V>
std::shared_ptr<void> arrays_used(const any_matrix& from, const plan<V>& of, bool copy) {
  const bool on_gpu = std::holds_alternative<cuda>(of.where());
  const bool from_gpu = std::visit([](const auto& view) { return is_on_device(view); }, from.view);
  return copy || on_gpu != from_gpu ? nullptr : from.owned;
}

template <class V>
gossamer_plan* made(const any_matrix& from, plan<V>&& of, bool copy) {
  std::string description = of.describe();
  std::string options = text_of(of.options());
  return new gossamer_plan{.arrays = arrays_used(from, of, copy),
                           .is_transposed = from.is_transposed,
                           .any = std::move(of),
                           .description = std::move(description),
                           .options = std::move(options)};
}

template <class V>
gossamer_plan_info info_of(const gossamer_plan& of, const plan<V>& p) {
  gossamer_plan_info to{};
  const auto computes = [&](operation_set one) {
    return static_cast<int32_t>(p.operations() == operation_set::both || p.operations() == one);
  };
  to.rows = of.is_transposed ? p.cols() : p.rows();
  to.cols = of.is_transposed ? p.rows() : p.cols();
  to.nnz = p.nnz();
  to.bytes = p.bytes();
  to.streamed_bytes = p.streamed_bytes();
  to.inspect_seconds = p.inspect_seconds();
  to.value_type = std::is_same_v<V, float> ? GOSSAMER_F32 : GOSSAMER_F64;
  const auto* const device = std::get_if<cuda>(&p.where());
  to.device = device == nullptr ? -1 : device->device;
  to.forward = computes(of.is_transposed ? operation_set::transposed : operation_set::forward);
  to.transposed = computes(of.is_transposed ? operation_set::forward : operation_set::transposed);
  to.symmetric = static_cast<int32_t>(p.symmetric());
  to.reencodes = static_cast<int32_t>(p.reencodes());
  to.format = p.format().data();
  to.options = of.options.c_str();
  return to;
}

}  // namespace

gossamer_status gossamer_inspect(gossamer_plan** plan, const gossamer_matrix* matrix, const char* where,
                                 const char* options, const gossamer_progress* progress) {
  return guarded([&] {
    require(plan, "plan");
    *plan = nullptr;
    require(matrix, "matrix");
    inspect_request request = parse_inspect_request(where, options);
    if (matrix->any.is_transposed) request.options.operations = exchanged(request.options.operations);
    request.options.progress = callback_of(progress);
    *plan = std::visit(
        [&](const auto& view) {
          return made(matrix->any, make(view, matrix->any, request), request.options.copy);
        },
        matrix->any.view);
  });
}

gossamer_status gossamer_inspect_like(gossamer_plan** plan, const gossamer_matrix* matrix,
                                      const char* description) {
  return guarded([&] {
    require(plan, "plan");
    *plan = nullptr;
    require(matrix, "matrix");
    require(description, "description");
    *plan = std::visit(
        [&]<class V, class O, class Space>(const csr_view<V, O, Space>& view) -> gossamer_plan* {
          if constexpr (std::is_same_v<Space, host_space>)
            return made(matrix->any, inspect(view, gossamer::description{description}), false);
          else
            fail(errc::unsupported, "gossamer_inspect_like: the matrix is in device memory");
        },
        matrix->any.view);
  });
}

void gossamer_plan_destroy(gossamer_plan* plan) {
  delete plan;
}

gossamer_status gossamer_plan_get_info(const gossamer_plan* plan, gossamer_plan_info* info) {
  return guarded([&] {
    require(plan, "plan");
    return_structure(std::visit([&](const auto& p) { return info_of(*plan, p); }, plan->any), info,
                     first_info_size, "info");
  });
}

gossamer_status gossamer_describe(const gossamer_plan* plan, const char** description) {
  return guarded([&] {
    require(plan, "plan");
    require(description, "description");
    *description = plan->description.c_str();
  });
}

gossamer_status gossamer_plan_matrix(const gossamer_plan* plan, gossamer_matrix** matrix) {
  return guarded([&] {
    require(matrix, "matrix");
    *matrix = nullptr;
    require(plan, "plan");
    any_matrix any = std::visit([](const auto& p) { return owning(p.to_csr()); }, plan->any);
    any.is_transposed = plan->is_transposed;
    *matrix = new gossamer_matrix{std::move(any)};
  });
}

gossamer_status gossamer_plan_permutation(const gossamer_plan* plan, const int32_t** permutation) {
  return guarded([&] {
    require(permutation, "permutation");
    *permutation = nullptr;
    require(plan, "plan");
    const auto order = std::visit([](const auto& p) { return p.permutation(); }, plan->any);
    if (!order.empty()) *permutation = order.data();
  });
}

int32_t gossamer_cuda_device_count(void) {
  return cuda_device_count();
}

const char* gossamer_format_name(int32_t index) {
  const char* found = nullptr;
  static_cast<void>(guarded([&] {
    const auto formats = list_formats();
    if (index >= 0 && static_cast<std::size_t>(index) < formats.size())
      found = formats[static_cast<std::size_t>(index)].name.data();
  }));
  return found;
}
