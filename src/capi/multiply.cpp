// SPDX-License-Identifier: BSD-3-Clause
// Products of a gossamer_plan, their workspaces, and new values.
#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "capi/any_plan.hpp"
#include "capi/status.hpp"
#include "exec/cuda/device.hpp"

using namespace gossamer;
using namespace gossamer::capi;

namespace {

constexpr std::size_t first_dense_size = 48;
static_assert(sizeof(gossamer_dense) >= first_dense_size);
constexpr std::size_t first_epilogue_size = 168;
static_assert(sizeof(gossamer_epilogue) >= first_epilogue_size);

/// Whether the plan's forward product is the one that is asked for.
bool is_forward(const gossamer_plan& plan, gossamer_operation op) {
  if (op != GOSSAMER_FORWARD && op != GOSSAMER_TRANSPOSED)
    fail(errc::invalid_argument, "op is {}; it must be GOSSAMER_FORWARD or GOSSAMER_TRANSPOSED", op);
  return (op == GOSSAMER_FORWARD) != plan.is_transposed;
}

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// Calls multiply() or multiply_transposed() of the plan.
template <class V, class... Arguments>
void multiply(const plan<V>& p, bool forward, Arguments&&... arguments) {
  if (forward)
    p.multiply(std::forward<Arguments>(arguments)...);
  else
    p.multiply_transposed(std::forward<Arguments>(arguments)...);
}

/// Elements of x and of y.
struct vector_sizes {
  std::size_t x;
  std::size_t y;
};

/// Those of a product with single vectors, which must not be null.
template <class V>
vector_sizes checked_sizes(const plan<V>& p, bool forward, const void* x, const void* y) {
  const vector_sizes sizes{.x = size(forward ? p.cols() : p.rows()),
                           .y = size(forward ? p.rows() : p.cols())};
  if (sizes.x > 0) require(x, "x");
  if (sizes.y > 0) require(y, "y");
  return sizes;
}

/// A dense matrix of the caller's, up to its last element.
template <class V, class Space>
dense_view<V, Space> view_of(const gossamer_dense& d) {
  const bool column_major = d.order == GOSSAMER_COLUMN_MAJOR;
  const std::int64_t length = column_major ? d.rows : d.cols;
  const std::int64_t count = column_major ? d.cols : d.rows;
  const std::int64_t elements = length > 0 && count > 0 ? (count - 1) * d.leading + length : 0;
  return {.rows = d.rows,
          .cols = d.cols,
          .leading = d.leading,
          .order = column_major ? layout::column_major : layout::row_major,
          .data = {static_cast<V*>(d.data), size(elements)}};
}

/// The caller's epilogue for y of `size` elements.
template <class V, class Space>
epilogue<V, Space> epilogue_of(const gossamer_epilogue& from, std::size_t n) {
  const auto all = [&](const void* data) {
    return span_in<const V, Space>(static_cast<const V*>(data), data == nullptr ? 0 : n);
  };
  const auto one = [](const void* at) {
    return span_in<const V, Space>(static_cast<const V*>(at), at == nullptr ? 0 : 1);
  };
  const auto dot = [&](int k) {
    double* const result = from.dot_result[k];
    return dot_product<V, Space>{.with = all(from.dot_with[k]),
                                 .result = {result, result == nullptr ? std::size_t{0} : 1}};
  };
  return {.z = all(from.z),
          .scale = all(from.scale),
          .gamma = static_cast<V>(from.gamma),
          .u = all(from.u),
          .bounds = {.lower = all(from.lower),
                     .upper = all(from.upper),
                     .factor = static_cast<V>(from.bounds_factor),
                     .outside = from.outside != 0},
          .second = {.out = {static_cast<V*>(from.out), from.out == nullptr ? 0 : n},
                     .y_factor = static_cast<V>(from.out_y_factor),
                     .add = all(from.add),
                     .add_factor = static_cast<V>(from.out_add_factor)},
          .dots = {dot(0), dot(1)},
          .from_memory = {.alpha = one(from.alpha_at),
                          .beta = one(from.beta_at),
                          .gamma = one(from.gamma_at),
                          .bounds = one(from.bounds_factor_at)}};
}

void check(const gossamer_dense& d, std::string_view name) {
  if (d.order != GOSSAMER_COLUMN_MAJOR && d.order != GOSSAMER_ROW_MAJOR)
    fail(errc::invalid_argument, "{}->order is {}; it must be GOSSAMER_COLUMN_MAJOR or GOSSAMER_ROW_MAJOR",
         name, d.order);
  if (d.memory != GOSSAMER_HOST && d.memory != GOSSAMER_DEVICE)
    fail(errc::invalid_argument, "{}->memory is {}; it must be GOSSAMER_HOST or GOSSAMER_DEVICE", name,
         d.memory);
  if (d.rows < 0 || d.cols < 0 || d.leading < 0)
    fail(errc::invalid_argument, "{} has {} rows, {} columns and the leading dimension {}", name, d.rows,
         d.cols, d.leading);
  if (d.rows == 0 || d.cols == 0) return;
  require(d.data, std::string(name) + "->data");
  constexpr std::int64_t most_elements = std::numeric_limits<std::int64_t>::max() / 16;
  if (d.leading > most_elements / std::max(d.rows, d.cols))
    fail(errc::invalid_argument, "{}->leading is {}, which is too large", name, d.leading);
}

}  // namespace

gossamer_status gossamer_multiply(const gossamer_plan* plan, gossamer_operation op, double alpha,
                                  const void* x, double beta, void* y) {
  return guarded([&] {
    require(plan, "plan");
    const bool forward = is_forward(*plan, op);
    std::visit(
        [&]<class V>(const gossamer::plan<V>& p) {
          const vector_sizes sizes = checked_sizes(p, forward, x, y);
          multiply(p, forward, static_cast<V>(alpha), std::span(static_cast<const V*>(x), sizes.x),
                   static_cast<V>(beta), std::span(static_cast<V*>(y), sizes.y));
        },
        plan->any);
  });
}

gossamer_status gossamer_multiply_device(const gossamer_plan* plan, gossamer_operation op, double alpha,
                                         const void* x, double beta, void* y, void* stream,
                                         gossamer_workspace* workspace) {
  return guarded([&] {
    require(plan, "plan");
    const bool forward = is_forward(*plan, op);
    std::visit(
        [&]<class V>(const gossamer::plan<V>& p) {
          const vector_sizes sizes = checked_sizes(p, forward, x, y);
          const device_span<const V> from(static_cast<const V*>(x), sizes.x);
          const device_span<V> to(static_cast<V*>(y), sizes.y);
          const cuda_stream in(static_cast<CUstream_st*>(stream));
          if (workspace == nullptr)
            multiply(p, forward, static_cast<V>(alpha), from, static_cast<V>(beta), to, in);
          else
            multiply(p, forward, static_cast<V>(alpha), from, static_cast<V>(beta), to, in,
                     workspace->memory);
        },
        plan->any);
  });
}

gossamer_status gossamer_multiply_epilogue(const gossamer_plan* plan, gossamer_operation op, double alpha,
                                           const void* x, double beta, void* y,
                                           const gossamer_epilogue* epilogue, gossamer_memory memory,
                                           void* stream, gossamer_workspace* workspace) {
  return guarded([&] {
    require(plan, "plan");
    const bool forward = is_forward(*plan, op);
    const gossamer_epilogue e = structure(epilogue, first_epilogue_size, "epilogue");
    if (memory != GOSSAMER_HOST && memory != GOSSAMER_DEVICE)
      fail(errc::invalid_argument, "memory is {}; it must be GOSSAMER_HOST or GOSSAMER_DEVICE", memory);
    std::visit(
        [&]<class V>(const gossamer::plan<V>& p) {
          const vector_sizes sizes = checked_sizes(p, forward, x, y);
          const auto with_workspace = [&](auto&&... arguments) {
            if (workspace == nullptr)
              multiply(p, forward, arguments...);
            else
              multiply(p, forward, arguments..., workspace->memory);
          };
          const V a = static_cast<V>(alpha);
          const V b = static_cast<V>(beta);
          if (memory == GOSSAMER_HOST)
            with_workspace(a, std::span(static_cast<const V*>(x), sizes.x), b,
                           std::span(static_cast<V*>(y), sizes.y), epilogue_of<V, host_space>(e, sizes.y));
          else
            with_workspace(a, device_span<const V>(static_cast<const V*>(x), sizes.x), b,
                           device_span<V>(static_cast<V*>(y), sizes.y),
                           epilogue_of<V, device_space>(e, sizes.y),
                           cuda_stream(static_cast<CUstream_st*>(stream)));
        },
        plan->any);
  });
}

gossamer_status gossamer_multiply_dense(const gossamer_plan* plan, gossamer_operation op, double alpha,
                                        const gossamer_dense* x, double beta, const gossamer_dense* y,
                                        void* stream, gossamer_workspace* workspace) {
  return guarded([&] {
    require(plan, "plan");
    const bool forward = is_forward(*plan, op);
    const gossamer_dense from = structure(x, first_dense_size, "x");
    const gossamer_dense to = structure(y, first_dense_size, "y");
    check(from, "x");
    check(to, "y");
    if (from.memory != to.memory)
      fail(errc::invalid_argument, "x and y must be both in host memory or both in device memory");
    const cuda_stream in(static_cast<CUstream_st*>(stream));
    std::visit(
        [&]<class V>(const gossamer::plan<V>& p) {
          const auto with_workspace = [&](auto&&... arguments) {
            if (workspace == nullptr)
              multiply(p, forward, arguments...);
            else
              multiply(p, forward, arguments..., workspace->memory);
          };
          const V a = static_cast<V>(alpha);
          const V b = static_cast<V>(beta);
          if (from.memory == GOSSAMER_HOST)
            with_workspace(a, view_of<const V, host_space>(from), b, view_of<V, host_space>(to));
          else
            with_workspace(a, view_of<const V, device_space>(from), b, view_of<V, device_space>(to), in);
        },
        plan->any);
  });
}

gossamer_status gossamer_workspace_create(gossamer_workspace** workspace, const gossamer_plan* plan) {
  return guarded([&] {
    require(workspace, "workspace");
    *workspace = nullptr;
    require(plan, "plan");
    *workspace =
        std::visit([](const auto& p) { return new gossamer_workspace{p.make_workspace()}; }, plan->any);
  });
}

void gossamer_workspace_destroy(gossamer_workspace* workspace) {
  delete workspace;
}

gossamer_status gossamer_stream_id(void* stream, int32_t* captured, uint64_t* id) {
  return guarded([&] {
    require(captured, "captured");
    require(id, "id");
    const exec::stream_identity found = exec::identity_of(static_cast<CUstream_st*>(stream));
    *captured = found.is_captured ? 1 : 0;
    *id = found.number;
  });
}

gossamer_status gossamer_update_values(gossamer_plan* plan, const void* values, gossamer_memory memory,
                                       void* stream) {
  return guarded([&] {
    require(plan, "plan");
    if (memory != GOSSAMER_HOST && memory != GOSSAMER_DEVICE)
      fail(errc::invalid_argument, "memory is {}; it must be GOSSAMER_HOST or GOSSAMER_DEVICE", memory);
    std::visit(
        [&]<class V>(gossamer::plan<V>& p) {
          if (p.nnz() > 0) require(values, "values");
          const auto* const from = static_cast<const V*>(values);
          if (memory == GOSSAMER_HOST)
            p.update_values(std::span(from, size(p.nnz())));
          else
            p.update_values(device_span<const V>(from, size(p.nnz())),
                            cuda_stream(static_cast<CUstream_st*>(stream)));
        },
        plan->any);
  });
}
