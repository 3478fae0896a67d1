// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/device_vector.hpp"

#include "exec/cuda/device_buffer.hpp"

namespace gossamer::bench_support {

template <value V>
struct device_vector<V>::memory {
  memory(std::size_t size, int device_number) : values(size, device_number), device(device_number) {}
  exec::device_buffer<V> values;
  int device;
};

template <value V>
device_vector<V>::device_vector(std::span<const V> from, const cuda& where) {
  exec::require_device(where.device);
  const exec::device_guard guard(where.device);
  memory_ = std::make_unique<memory>(from.size(), where.device);
  exec::copy_async(memory_->values.data(), from.data(), from.size_bytes(), exec::copy_kind::host_to_device,
                   {});
  exec::synchronize({});
}
template <value V>
device_vector<V>::device_vector(device_vector&&) noexcept = default;
template <value V>
device_vector<V>& device_vector<V>::operator=(device_vector&&) noexcept = default;
template <value V>
device_vector<V>::~device_vector() = default;

template <value V>
device_span<V> device_vector<V>::span() noexcept {
  return {memory_->values.data(), memory_->values.size()};
}
template <value V>
device_span<const V> device_vector<V>::span() const noexcept {
  return std::as_const(memory_->values).span();
}
template <value V>
std::vector<V> device_vector<V>::fetch() const {
  const exec::device_guard guard(memory_->device);
  exec::synchronize_device();
  std::vector<V> to(memory_->values.size());
  exec::copy_async(to.data(), memory_->values.data(), to.size() * sizeof(V), exec::copy_kind::device_to_host,
                   {});
  exec::synchronize({});
  return to;
}

void wait_for(cuda_stream stream) {
  exec::synchronize(stream);
}

template class device_vector<float>;
template class device_vector<double>;

}  // namespace gossamer::bench_support
