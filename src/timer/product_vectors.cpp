// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <utility>

#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/staged_copies.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/timer.hpp"
#include "timer/vector_update.hpp"

namespace gossamer::inline v0 {

namespace {

/// Writes the ramp with the threads that will read it, so that its pages are near them. 0 threads: all.
template <value V>
void write_ramp(std::span<V> x, int threads) {
  core::parallel_for(
      static_cast<std::int64_t>(x.size()), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j)
          x[j] = static_cast<V>(1.0 + static_cast<double>(j % 97) / 97.0);
      },
      threads);
}

}  // namespace

template <value V>
std::vector<V> ramp(std::int64_t size) {
  return naming_out_of_memory("ramp", [&] {
    if (size < 0) fail(errc::invalid_argument, "ramp: size = {} is negative", size);
    std::vector<V> x(static_cast<std::size_t>(size));
    write_ramp(std::span<V>(x), 0);
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
  host_buffer<V> y;  ///< on a GPU: the copy for result()
  exec::device_buffer<V> device_x;
  exec::device_buffer<V> device_y;
  // For the vector kernels; empty until solver_kernels() is called.
  host_buffer<V> z;
  host_buffer<V> r;
  exec::device_buffer<V> device_z;
  exec::device_buffer<V> device_r;
  bool has_z_and_r = false;
  V scale = 1;  // on the heap, so that compilers do not know either of the two
  V step = 0;
};

}  // namespace timer

namespace {

/// A number that consists of such bytes is a NaN, in both types.
constexpr unsigned char byte_of_nan = 0xff;

/// Zeros, written by the threads that will read them.
template <value V>
host_buffer<V> zeros(std::size_t size, int threads) {
  host_buffer<V> to(size);
  core::parallel_for(
      static_cast<std::int64_t>(size), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) { std::fill(to.data() + begin, to.data() + end, V{0}); },
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
  made->x = host_buffer<V>(static_cast<std::size_t>(cols));
  const auto size = static_cast<std::size_t>(rows);
  if (const auto* gpu = std::get_if<cuda>(&where)) {
    const exec::device_guard guard(gpu->device);
    made->device = gpu->device;
    write_ramp(made->x.span(), 0);
    made->device_x = exec::device_buffer<V>(made->x.size(), gpu->device);
    made->device_y = exec::device_buffer<V>(size, gpu->device);
    exec::staged_copies(gpu->device)
        .to_device(made->device_x.data(), made->x.data(), made->x.size() * sizeof(V), cuda_stream{});
    exec::synchronize_device();
  } else {
    const int threads = thread_count(std::get<cpu>(where));
    write_ramp(made->x.span(), threads);
    made->y = zeros<V>(size, threads);
  }
  return made;
}

/// Filled with zeros.
template <value V>
void add_z_and_r(timer::product_vectors_base<V>& b) {
  if (const auto* gpu = std::get_if<cuda>(&b.where)) {
    const exec::device_guard guard(gpu->device);
    b.device_z = exec::device_buffer<V>(b.device_x.size(), gpu->device);
    b.device_r = exec::device_buffer<V>(b.device_y.size(), gpu->device);
    exec::fill_now(b.device_z.data(), b.device_z.size() * sizeof(V), 0);
    exec::fill_now(b.device_r.data(), b.device_r.size() * sizeof(V), 0);
  } else {
    const int threads = thread_count(std::get<cpu>(b.where));
    b.z = zeros<V>(b.x.size(), threads);
    b.r = zeros<V>(b.y.size(), threads);
  }
  b.has_z_and_r = true;
}

/// to = scale to + step from.
template <value V>
product_call update(const timer::product_vectors_base<V>& b, std::span<V> to, std::span<const V> from) {
  const int threads = thread_count(std::get<cpu>(b.where));
  return [to, from, scale = b.scale, step = b.step, threads](cuda_stream) {
    core::parallel_for(
        static_cast<std::int64_t>(to.size()), core::default_grain,
        [&](std::int64_t begin, std::int64_t end) {
          std::transform(to.begin() + begin, to.begin() + end, from.begin() + begin, to.begin() + begin,
                         [=](V t, V f) { return scale * t + step * f; });
        },
        threads);
  };
}

template <value V>
product_call update(const timer::product_vectors_base<V>& b, device_span<V> to, device_span<const V> from) {
  return [to, from, scale = b.scale, step = b.step, device = b.device](cuda_stream stream) {
    const exec::device_guard guard(device);
    timer::update_on_device(to.data(), scale, step, from.data(), static_cast<std::int64_t>(to.size()),
                            stream);
  };
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
  return on_device() ? std::span<V>() : base_->y.span();
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
vector_kernels product_vectors<V>::solver_kernels() {
  return naming_out_of_memory("solver_kernels", [&]() -> vector_kernels {
    timer::product_vectors_base<V>& b = *base_;
    if (!b.has_z_and_r) add_z_and_r(b);
    if (on_device())
      return {.before = update<V>(b, device_span<V>(b.device_x.data(), b.device_x.size()), b.device_z.span()),
              .after = update<V>(b, device_span<V>(b.device_r.data(), b.device_r.size()), b.device_y.span())};
    return {.before = update<V>(b, b.x.span(), std::as_const(b.z).span()),
            .after = update<V>(b, b.r.span(), std::as_const(b.y).span())};
  });
}

template <value V>
void product_vectors<V>::poison() {
  naming_out_of_memory("poison", [&] {
    if (!on_device()) {
      std::fill(y().begin(), y().end(), std::numeric_limits<V>::quiet_NaN());
      return;
    }
    const exec::device_guard guard(base_->device);
    exec::synchronize_device();
    exec::fill_now(base_->device_y.data(), base_->device_y.size() * sizeof(V), byte_of_nan);
  });
}

template <value V>
std::span<const V> product_vectors<V>::result() {
  return naming_out_of_memory("result", [&]() -> std::span<const V> {
    host_buffer<V>& y = base_->y;
    if (on_device()) {
      const exec::device_guard guard(base_->device);
      exec::synchronize_device();
      if (y.size() != base_->device_y.size()) y = host_buffer<V>(base_->device_y.size());
      exec::staged_copies(base_->device)
          .to_host(y.data(), base_->device_y.data(), y.size() * sizeof(V), cuda_stream{});
    }
    return y.span();
  });
}

template class GOSSAMER_API product_vectors<float>;
template class GOSSAMER_API product_vectors<double>;

}  // namespace gossamer::inline v0
