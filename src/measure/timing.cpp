// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>

#include "exec/device_buffer.hpp"
#include "gossamer/measure.hpp"

namespace gossamer::inline v0 {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

timing summarise(std::vector<double>& samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {
      .median = median, .min = samples.front(), .max = samples.back(), .count = static_cast<std::int64_t>(n)};
}

/// batch(n) makes n calls and returns the seconds they took.
template <class Batch>
timing sample(Batch&& batch, double seconds) {
  constexpr double shortest_sample = 50e-6;
  constexpr std::size_t most_samples = 100000;
  static_cast<void>(batch(1));  // page faults, module loading, thread start
  std::int64_t calls = 1;
  double one = batch(calls);
  while (one < shortest_sample) {
    calls *= 2;
    one = batch(calls);
  }
  std::vector<double> samples;
  const auto begin = clock::now();
  do {
    samples.push_back(batch(calls) / static_cast<double>(calls));
  } while ((seconds_since(begin) < seconds || samples.size() < 3) && samples.size() < most_samples);
  return summarise(samples);
}

}  // namespace

timing time_repeatedly(const std::function<void()>& once, double seconds) {
  return sample(
      [&](std::int64_t calls) {
        const auto begin = clock::now();
        for (std::int64_t c = 0; c < calls; ++c) once();
        return seconds_since(begin);
      },
      seconds);
}

template <value V>
timing time_products(const plan<V>& plan, double seconds) {
  const std::vector<V> x = ramp<V>(plan.cols());
  const auto* gpu = std::get_if<cuda>(&plan.where());
  if (gpu == nullptr) {
    std::vector<V> y(static_cast<std::size_t>(plan.rows()));
    return time_repeatedly([&] { plan.multiply(V{1}, x, V{0}, y); }, seconds);
  }
  const exec::device_guard guard(gpu->device);
  exec::device_buffer<V> x_there(x.size(), gpu->device);
  exec::device_buffer<V> y_there(static_cast<std::size_t>(plan.rows()), gpu->device);
  exec::copy_async(x_there.data(), x.data(), x.size() * sizeof(V), exec::copy_kind::host_to_device, {});
  exec::synchronize_device();
  const exec::owned_stream stream;
  exec::stream_timer timer;
  const device_span<const V> x_span(x_there.data(), x_there.size());
  const device_span<V> y_span(y_there.data(), y_there.size());
  return sample(
      [&](std::int64_t calls) {
        timer.start(stream.get());
        for (std::int64_t c = 0; c < calls; ++c) plan.multiply(V{1}, x_span, V{0}, y_span, stream.get());
        return timer.stop(stream.get());
      },
      seconds);
}

template GOSSAMER_API timing time_products(const plan<float>&, double);
template GOSSAMER_API timing time_products(const plan<double>&, double);

}  // namespace gossamer::inline v0
