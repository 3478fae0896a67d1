// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "bench_support/compare/time_inspections.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "exec/cuda/device_buffer.hpp"

namespace gossamer::bench_support {
namespace {

template <class View>
timing time_inspections_of(const View& a, const auto& where, const inspect_options& options, int times) {
  return naming_out_of_memory("time_inspections", [&] {
    if (times < 1) fail(errc::invalid_argument, "time_inspections: times = {} is less than 1", times);
    std::vector<double> samples;
    for (int i = 0; i <= times; ++i) {
      const double seconds = inspect(a, where, options).inspect_seconds();
      if (i > 0) samples.push_back(seconds);
    }
    return summarise(samples);
  });
}

template <class T>
exec::device_buffer<T> copied(std::span<const T> from, int device) {
  exec::device_buffer<T> there(from.size(), device);
  exec::copy_async(there.data(), from.data(), from.size() * sizeof(T), exec::copy_kind::host_to_device, {});
  return there;
}

}  // namespace

template <value V, offset O>
timing time_inspections(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                        int times) {
  return time_inspections_of(a, where, options, times);
}

template <value V, offset O>
timing time_device_inspections(const csr_view<V, O>& a, const cuda& where, const inspect_options& options,
                               int times) {
  exec::require_device(where.device);
  const exec::device_guard guard(where.device);
  const auto row_ptr = copied(a.row_ptr, where.device);
  const auto col = copied(a.col, where.device);
  const auto val = copied(a.val, where.device);
  exec::synchronize_device();
  const csr_view<V, O, device_space> there{
      .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  return time_inspections_of(there, where, options, times);
}

#define GOSSAMER_INSTANCE(V, O)                                                                          \
  template timing time_inspections(const csr_view<V, O>&, const resource&, const inspect_options&, int); \
  template timing time_device_inspections(const csr_view<V, O>&, const cuda&, const inspect_options&, int);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
