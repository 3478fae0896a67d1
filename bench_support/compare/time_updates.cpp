// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/compare/time_updates.hpp"

#include "core/out_of_memory.hpp"
#include "exec/cuda/device_buffer.hpp"

namespace gossamer::bench_support {

template <value V>
timing time_updates(plan<V>& made, std::span<const V> values, double seconds) {
  return time_repeatedly([&] { made.update_values(values); }, seconds);
}

template <value V>
timing time_device_updates(plan<V>& made, std::span<const V> values, double seconds) {
  return naming_out_of_memory("time_device_updates", [&] {
    const auto& where = std::get<cuda>(made.where());
    exec::require_device(where.device);
    const exec::device_guard guard(where.device);
    exec::device_buffer<V> there(values.size(), where.device);
    exec::copy_async(there.data(), values.data(), values.size_bytes(), exec::copy_kind::host_to_device, {});
    exec::synchronize_device();
    const device_span<const V> span(std::as_const(there).data(), there.size());
    return time_product([&](cuda_stream stream) { made.update_values(span, stream); }, made.where(), seconds);
  });
}

template timing time_updates(plan<float>&, std::span<const float>, double);
template timing time_updates(plan<double>&, std::span<const double>, double);
template timing time_device_updates(plan<float>&, std::span<const float>, double);
template timing time_device_updates(plan<double>&, std::span<const double>, double);

}  // namespace gossamer::bench_support
