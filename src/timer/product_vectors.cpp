// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0 {

template <value V>
std::vector<V> ramp(std::int64_t size) {
  return naming_out_of_memory("ramp", [&] {
    if (size < 0) fail(errc::invalid_argument, "ramp: size = {} is negative", size);
    std::vector<V> x(static_cast<std::size_t>(size));
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<V>(1.0 + static_cast<double>(j % 97) / 97.0);
    return x;
  });
}

template GOSSAMER_API std::vector<float> ramp(std::int64_t);
template GOSSAMER_API std::vector<double> ramp(std::int64_t);

namespace timer {

template <value V>
struct product_vectors_base {
  resource where;
  int device = -1;  ///< none: a cpu
  host_buffer<V> x;
  host_buffer<V> y;
  exec::device_buffer<V> device_x;
  exec::device_buffer<V> device_y;
};

}  // namespace timer

namespace {

/// By the threads that will read it, so that its pages lie with them.
template <value V>
host_buffer<V> first_touched(std::span<const V> from, int threads) {
  host_buffer<V> to(from.size());
  core::parallel_for(
      static_cast<std::int64_t>(from.size()), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::copy(from.begin() + begin, from.begin() + end, to.data() + begin);
      },
      threads);
  return to;
}

template <value V>
std::unique_ptr<timer::product_vectors_base<V>> vectors_on(std::int64_t rows, std::int64_t cols,
                                                           const resource& where) {
  if (rows < 0 || cols < 0)
    fail(errc::invalid_argument, "product_vectors: {} rows and {} columns", rows, cols);
  auto made = std::make_unique<timer::product_vectors_base<V>>();
  made->where = where;
  const std::vector<V> x = ramp<V>(cols);
  const auto size = static_cast<std::size_t>(rows);
  if (const auto* gpu = std::get_if<cuda>(&where)) {
    const exec::device_guard guard(gpu->device);
    made->device = gpu->device;
    made->x = first_touched<V>(x, 0);
    made->device_x = exec::device_buffer<V>(x.size(), gpu->device);
    made->device_y = exec::device_buffer<V>(size, gpu->device);
    exec::copy_async(made->device_x.data(), x.data(), x.size() * sizeof(V), exec::copy_kind::host_to_device,
                     {});
    exec::synchronize_device();
  } else {
    const int threads = thread_count(std::get<cpu>(where));
    made->x = first_touched<V>(x, threads);
    made->y = first_touched<V>(std::vector<V>(size), threads);
  }
  return made;
}

}  // namespace

template <value V>
product_vectors<V>::product_vectors(std::int64_t rows, std::int64_t cols, const resource& where)
    : base_(naming_out_of_memory("product_vectors", [&] { return vectors_on<V>(rows, cols, where); })) {}

template <value V>
product_vectors<V>::product_vectors(product_vectors&&) noexcept = default;
template <value V>
product_vectors<V>& product_vectors<V>::operator=(product_vectors&&) noexcept = default;
template <value V>
product_vectors<V>::~product_vectors() = default;

template <value V>
bool product_vectors<V>::on_device() const noexcept {
  return base_->device >= 0;
}
template <value V>
std::span<const V> product_vectors<V>::x() const noexcept {
  return base_->x.span();
}
template <value V>
std::span<V> product_vectors<V>::y() noexcept {
  return base_->y.span();
}
template <value V>
device_span<const V> product_vectors<V>::device_x() const noexcept {
  return {base_->device_x.data(), base_->device_x.size()};
}
template <value V>
device_span<V> product_vectors<V>::device_y() noexcept {
  return {base_->device_y.data(), base_->device_y.size()};
}

template <value V>
void product_vectors<V>::poison() {
  naming_out_of_memory("poison", [&] {
    constexpr V nan = std::numeric_limits<V>::quiet_NaN();
    if (!on_device()) {
      std::fill(y().begin(), y().end(), nan);
      return;
    }
    const exec::device_guard guard(base_->device);
    const std::vector<V> poisoned(base_->device_y.size(), nan);
    exec::copy_async(base_->device_y.data(), poisoned.data(), poisoned.size() * sizeof(V),
                     exec::copy_kind::host_to_device, {});
    exec::synchronize_device();
  });
}

template <value V>
std::vector<V> product_vectors<V>::result() const {
  return naming_out_of_memory("result", [&]() -> std::vector<V> {
    if (!on_device()) {
      const std::span<const V> y = base_->y.span();
      return {y.begin(), y.end()};
    }
    const exec::device_guard guard(base_->device);
    exec::synchronize_device();
    std::vector<V> y(base_->device_y.size());
    exec::copy_async(y.data(), base_->device_y.data(), y.size() * sizeof(V), exec::copy_kind::device_to_host,
                     {});
    exec::synchronize_device();
    return y;
  });
}

template class GOSSAMER_API product_vectors<float>;
template class GOSSAMER_API product_vectors<double>;

}  // namespace gossamer::inline v0
