// SPDX-License-Identifier: BSD-3-Clause
#include "timer/stopwatch.hpp"

#include <algorithm>
#include <map>

#include "core/parallel.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/target.hpp"
#include "gossamer/memory.hpp"
#include "timer/device_clock.hpp"

namespace gossamer::inline v0::timer {
namespace {

class host_stopwatch final : public stopwatch {
 public:
  host_stopwatch(int threads, std::int64_t flush_bytes) : threads_(threads), flush_bytes_(flush_bytes) {}

  void run(const product_call& product, std::int64_t calls) override {
    for (std::int64_t c = 0; c < calls; ++c) product({});
  }
  double time(const product_call& product, std::int64_t calls) override {
    const auto begin = host_clock::now();
    run(product, calls);
    return seconds_since(begin);
  }
  double time_cold(const product_call& product) override {
    flush();
    return time(product, 1);
  }
  double time_from_host(const product_call& product) override { return time(product, 1); }

 private:
  /// Every line is written, then every line is read: what other arrays had in the caches is gone, and no line
  /// is left whose writing back the timed call would pay for.
  void flush() {
    constexpr std::int64_t line = 64 / sizeof(double);
    if (buffer_.empty()) {
      buffer_ = host_buffer<double>(static_cast<std::size_t>(flush_bytes_) / sizeof(double) + line);
      each_part([this](std::int64_t begin, std::int64_t end) {
        std::fill(buffer_.data() + begin, buffer_.data() + end, 0.0);
      });
    }
    each_part([this](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; i += line) buffer_[static_cast<std::size_t>(i)] += 1.0;
    });
    each_part([this](std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t i = begin; i < end; i += line) sum += buffer_[static_cast<std::size_t>(i)];
      // Never true of counts; the compiler does not know, so the reads stay.
      if (sum < 0) buffer_[static_cast<std::size_t>(begin)] = sum;
    });
  }
  template <class Body>
  void each_part(Body&& body) {
    core::parallel_for(static_cast<std::int64_t>(buffer_.size()), 0, body, threads_);
  }

  int threads_;
  std::int64_t flush_bytes_;
  host_buffer<double> buffer_;
};

class device_stopwatch final : public stopwatch {
 public:
  device_stopwatch(int device, std::int64_t flush_bytes)
      : device_(device), guard_(device), flush_bytes_(flush_bytes) {}

  void run(const product_call& product, std::int64_t calls) override {
    for (std::int64_t c = 0; c < calls; ++c) product(stream_.get());
  }

  double time(const product_call& product, std::int64_t calls) override {
    return time_behind_wait(product, calls, [] {});
  }

  double time_cold(const product_call& product) override {
    if (buffer_.empty())
      buffer_ =
          exec::device_buffer<float>(static_cast<std::size_t>(flush_bytes_) / sizeof(float) + 1, device_);
    return time_behind_wait(product, 1, [this] {
      flush_on_device(buffer_.data(), static_cast<std::int64_t>(buffer_.size()), stream_.get());
    });
  }

  double time_from_host(const product_call& product) override {
    exec::synchronize(stream_.get());
    const auto begin = host_clock::now();
    product(stream_.get());
    exec::synchronize(stream_.get());
    return seconds_since(begin);
  }

  [[nodiscard]] std::int64_t exposed() const noexcept override { return exposed_; }

 private:
  /// The device waits until the host has launched everything. What was too short a wait is found out and done
  /// again; a product that itself waits for the device can never be hidden, and is not tried twice.
  template <class Prepare>
  double time_behind_wait(const product_call& product, std::int64_t calls, Prepare&& prepare) {
    constexpr double longest_wait = 5e-3;
    constexpr double shortest_wait = 20e-6;
    double& wait = waits_.try_emplace(&product, shortest_wait).first->second;
    for (;;) {
      prepare();
      if (wait > 0) wait_on_device(wait, stream_.get());
      const auto begin = host_clock::now();
      timer_.start(stream_.get());
      run(product, calls);
      const bool hidden = !timer_.started();
      const double launching = seconds_since(begin);
      const double seconds = timer_.stop(stream_.get());
      if (hidden) return seconds;
      if (wait <= 0 || wait >= longest_wait) {
        wait = 0;
        ++exposed_;
        return seconds;
      }
      wait = std::min(longest_wait, std::max(2 * wait, 1.5 * launching));
    }
  }

  int device_;
  exec::device_guard guard_;
  exec::owned_stream stream_;
  exec::stream_timer timer_;
  exec::device_buffer<float> buffer_;
  std::int64_t flush_bytes_;
  std::map<const product_call*, double> waits_;
  std::int64_t exposed_ = 0;
};

}  // namespace

std::unique_ptr<stopwatch> make_stopwatch(const resource& where, std::int64_t flush_bytes) {
  const exec::target target = exec::target_of(where);
  if (target.kind == device_set::cuda) return std::make_unique<device_stopwatch>(target.device, flush_bytes);
  return std::make_unique<host_stopwatch>(target.threads, flush_bytes);
}

}  // namespace gossamer::inline v0::timer
