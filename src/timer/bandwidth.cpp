// SPDX-License-Identifier: BSD-3-Clause
// Copy and STREAM triad, over arrays beyond the caches on the host and of 1 GiB on a device, and copies of
// 256 MiB from one to the other.
#include <algorithm>

#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/target.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/timer.hpp"
#include "timer/array_bytes.hpp"

namespace gossamer::inline v0 {
namespace {

/// body(begin, end) on each thread's part; bytes an element over the best time.
template <class Body>
double best_host_bandwidth(std::size_t elements, int threads, double bytes_per_element, Body&& body) {
  constexpr double seconds_per_byte = 0.3 / (1 << 28);  // of an array
  const auto size = static_cast<double>(elements);
  const timing t =
      time_repeatedly([&] { core::parallel_for(static_cast<std::int64_t>(elements), 0, body, threads); },
                      seconds_per_byte * sizeof(double) * size);
  return bytes_per_element * size / t.min * 1e-9;
}

std::int64_t array_bytes(std::int64_t llc_bytes) {
  return timer::array_bytes(llc_bytes > 0 ? llc_bytes : last_level_cache_bytes(cpu{}));
}

double host_copy_bandwidth(int threads, std::int64_t llc_bytes) {
  const auto elements = static_cast<std::size_t>(array_bytes(llc_bytes)) / sizeof(double);
  host_buffer<double> from(elements);
  host_buffer<double> to(elements);
  double* a = from.data();
  double* b = to.data();
  core::parallel_for(
      static_cast<std::int64_t>(elements), 0,
      [&](std::int64_t begin, std::int64_t end) {
        std::fill(a + begin, a + end, 1.0);
        std::fill(b + begin, b + end, 2.0);
      },
      threads);
  return best_host_bandwidth(
      elements, threads, 2 * sizeof(double),
      [&](std::int64_t begin, std::int64_t end) { std::copy(a + begin, a + end, b + begin); });
}

/// Bytes a second, best of several, of copying one array to the other.
double best_copy(const exec::device_buffer<char>& from, exec::device_buffer<char>& to) {
  const exec::owned_stream stream;
  exec::stream_timer timer;
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    timer.start(stream.get());
    exec::copy_async(to.data(), from.data(), to.size(), exec::copy_kind::by_address, stream.get());
    best = std::max(best, static_cast<double>(to.size()) / timer.stop(stream.get()));
  }
  return best;
}

double device_copy_bandwidth(int device) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const exec::device_guard guard(device);
  const exec::device_buffer<char> from(bytes, device);
  exec::device_buffer<char> to(bytes, device);
  return 2e-9 * best_copy(from, to);
}

}  // namespace

double copy_bandwidth(const resource& where, std::int64_t llc_bytes) {
  return naming_out_of_memory("copy_bandwidth", [&] {
    const exec::target target = exec::target_of(where);
    return target.kind == device_set::cuda ? device_copy_bandwidth(target.device)
                                           : host_copy_bandwidth(target.threads, llc_bytes);
  });
}

double host_to_device_bandwidth(const cuda& where) {
  return naming_out_of_memory("host_to_device_bandwidth", [&] {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    exec::require_device(where.device);
    const exec::device_guard guard(where.device);
    host_buffer<char> written(bytes);
    std::fill_n(written.data(), bytes, '\1');
    const exec::device_buffer<char> from(std::move(written), where.device);
    exec::device_buffer<char> to(bytes, where.device);
    return 1e-9 * best_copy(from, to);
  });
}

double stream_triad_bandwidth(int threads, std::int64_t llc_bytes) {
  return naming_out_of_memory("stream_triad_bandwidth", [&] {
    const auto elements = static_cast<std::size_t>(array_bytes(llc_bytes)) / sizeof(double);
    host_buffer<double> first(elements);
    host_buffer<double> second(elements);
    host_buffer<double> third(elements);
    double* a = first.data();
    double* b = second.data();
    double* c = third.data();
    core::parallel_for(
        static_cast<std::int64_t>(elements), 0,
        [&](std::int64_t begin, std::int64_t end) {
          std::fill(a + begin, a + end, 0.0);
          std::fill(b + begin, b + end, 1.0);
          std::fill(c + begin, c + end, 2.0);
        },
        threads);
    constexpr double scalar = 3.0;
    return best_host_bandwidth(elements, threads, 3 * sizeof(double),
                               [&](std::int64_t begin, std::int64_t end) {
                                 for (std::int64_t i = begin; i < end; ++i) a[i] = b[i] + scalar * c[i];
                               });
  });
}

}  // namespace gossamer::inline v0
