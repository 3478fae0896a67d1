// SPDX-License-Identifier: BSD-3-Clause
// Timing of products. Products are timed alternately in one process, so that disturbances affect all alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// State of the caches when a product begins.
enum class cache_state {
  hot,     ///< as the previous call of the same product left them
  solver,  ///< as in an iterative solver: vector kernels run between two products
  cold     ///< without any data of the product
};

/// The name of a state: "hot", "solver" or "cold".
GOSSAMER_API std::string_view name(cache_state state) noexcept;

/// A product with all arguments bound. On a GPU, it is asynchronous in the stream. On a CPU, it is
/// synchronous and ignores the stream.
using product_call = std::function<void(cuda_stream)>;

/// The vector kernels of a solver around its product. On a GPU, both are asynchronous in the stream.
struct vector_kernels {
  product_call before;  ///< runs before the product and writes x
  product_call after;   ///< runs after the product and reads y
};

/// Options of time_interleaved().
struct interleaving {
  cache_state cache = cache_state::hot;  ///< state of the caches
  double seconds = 0.5;                  ///< time for each product, including warm-up and flushes
  std::int64_t rounds = 11;  ///< minimum number of rounds, even if they take longer than `seconds`
  /// cold: bytes that are written and read to flush the caches. 0: twice last_level_cache_bytes() on a CPU,
  /// four times this size on a GPU.
  std::int64_t flush_bytes = 0;
  vector_kernels kernels = {};  ///< solver: these run around each call of every product
};

/// Samples of several products. A round has one sample of each product.
struct comparison {
  std::vector<std::vector<double>> seconds;  ///< seconds[p][r]: time of one call of product p in round r
  /// Number of samples on a GPU that began before the host had launched all calls of the sample. Such samples
  /// may include launch time.
  std::int64_t exposed = 0;
  /// For each product, the number of samples on a CPU during which the system preempted this process. If
  /// there are more than a few, other programs disturbed the measurement.
  std::vector<std::int64_t> preempted;
  /// solver: vector_seconds[p][r] is the time of the vector kernels that was subtracted from the sample of
  /// product p in round r. Empty in other states.
  std::vector<std::vector<double>> vector_seconds;
  /// solver: for each product, the number of samples that are too short for the timer. In such a sample, less
  /// than 5 microseconds remain for the product after the time of the vector kernels is subtracted. `seconds`
  /// has these samples as measured, even if they are negative.
  std::vector<std::int64_t> unresolved;
};

/// Times products alternately until the time is spent. The order within a round rotates and reverses. How a
/// sample is taken depends on interleaving::cache:
/// - hot: the product first runs once or twice untimed. Then it is called so often that the sample takes at
///   least 50 microseconds. The sample is divided by the number of calls.
/// - cold: all threads of the resource write and read memory larger than the caches. Then one call is timed.
/// - solver: a step is `before`, the product, `after`. A batch of steps is timed, then a batch of as many
///   vector kernels alone. The sample is the difference of both times, divided by the number of steps.
///   Batches grow up to 10 milliseconds, so that the difference is at least 5 microseconds.
///
/// On a GPU, times are those between two events of a stream. The device is kept busy while the host launches
/// the calls, so samples exclude launch time. call_latency() includes launch time.
///
/// Throws the errors of the products, out_of_memory, no_device, device_error. Throws invalid_argument for
/// options that contradict each other or are out of range, and for the state solver without vector kernels.
GOSSAMER_API comparison time_interleaved(std::span<const product_call> products, const resource& where,
                                         const interleaving& how = {});

/// Seconds from the call to the finished product, as the host measures them: launch, work and wait. Caches
/// are hot. The result is the median of `rounds` calls.
GOSSAMER_API double call_latency(const product_call& product, const resource& where,
                                 std::int64_t rounds = 11);

/// The ratio of two products' times, with a confidence interval.
struct paired_ratio {
  double ratio = 0;         ///< median of the rounds' ratios
  double low = 0;           ///< lower bound of the confidence interval
  double high = 0;          ///< upper bound of the confidence interval
  std::int64_t rounds = 0;  ///< number of rounds
  /// Probability that the true median is in [low, high]. It is at least 0.95 with 6 or more rounds.
  double confidence = 0;
};

/// The median of numerator[r] / denominator[r] over the rounds, with a confidence interval. The interval
/// makes no assumption about the distribution of times.
///
/// Its bounds are order statistics of the ratios. Their ranks are exact quantiles of the binomial
/// distribution (n, 1/2). Fewer than 6 rounds cannot give 95 % confidence: the interval is then the whole
/// range, and `confidence` is lower. Throws invalid_argument if there are no rounds, and size_mismatch if the
/// lengths differ.
GOSSAMER_API paired_ratio ratio_of(std::span<const double> numerator, std::span<const double> denominator);

/// Statistics of the time of one call, in seconds.
struct timing {
  double median = 0;       ///< median of the samples
  double min = 0;          ///< shortest sample
  double max = 0;          ///< longest sample
  std::int64_t count = 0;  ///< number of samples
  /// Lower bound of the 95 % confidence interval of the median, from order statistics. With fewer than 6
  /// samples, it is the minimum.
  double low = 0;
  double high = 0;  ///< upper bound of this interval; with fewer than 6 samples, the maximum
  /// Relative spread of the samples, a robust standard deviation: (q3 - q1) / (1.349 median).
  double spread = 0;
};

/// Computes the statistics of samples, in any order. Throws invalid_argument if there are none.
GOSSAMER_API timing summarise(std::span<const double> samples);

/// Times a synchronous host function for about `seconds`, after a warm-up. Each sample has so many calls that
/// it takes at least 50 microseconds, and is divided by their number.
GOSSAMER_API timing time_repeatedly(const std::function<void()>& once, double seconds);

/// Times a product with hot caches for about `seconds`. Throws the errors of time_interleaved().
GOSSAMER_API timing time_product(const product_call& product, const resource& where, double seconds);

/// The vector x with x_j = 1 + (j mod 97) / 97. The command line multiplies by it.
template <value V>
GOSSAMER_API std::vector<V> ramp(std::int64_t size);

namespace timer {
template <value V>
struct product_vectors_base;
}

/// Vectors x (see ramp()) and y in the memory of a resource. All products that are compared share them.
/// Movable, not copyable.
template <value V>
class GOSSAMER_API product_vectors {
 public:
  /// Allocates x with `cols` and y with `rows` elements. Throws out_of_memory, no_device, device_error.
  product_vectors(std::int64_t rows, std::int64_t cols, const resource& where);
  /// Moves the vectors; the other object may then only be assigned to or destroyed.
  product_vectors(product_vectors&&) noexcept;
  /// Moves the vectors; the other object may then only be assigned to or destroyed.
  product_vectors& operator=(product_vectors&&) noexcept;
  ~product_vectors();

  [[nodiscard]] std::span<const V> x() const noexcept;           ///< x in host memory, on every resource
  [[nodiscard]] std::span<V> y() noexcept;                       ///< y in host memory; empty on a GPU
  [[nodiscard]] device_span<const V> device_x() const noexcept;  ///< x in device memory; empty on a CPU
  [[nodiscard]] device_span<V> device_y() noexcept;              ///< y in device memory; empty on a CPU

  /// Vector kernels as in a step of the conjugate gradient method, with further vectors z and r. `before`
  /// computes x = scale x + step z. `after` computes r = scale r + step y.
  ///
  /// The scale is 1 and the step is 0, so x keeps its values. Both numbers are only known at run time, so the
  /// compiler cannot remove the work. On a GPU, both kernels are asynchronous in the stream. They are valid
  /// as long as this object. Throws out_of_memory, device_error.
  [[nodiscard]] vector_kernels solver_kernels();

  /// Sets every element of y to NaN. Elements that a product does not write are then visible. Synchronous.
  void poison();
  /// Waits for the device and returns y in host memory. On a CPU, this is y() itself. On a GPU, it is a copy,
  /// which the next call of result() overwrites. Throws out_of_memory, device_error.
  [[nodiscard]] std::span<const V> result();

  /// The call y = A x of a plan, or of a class with the same two multiply() functions. `product` and this
  /// object must outlive the call.
  template <class Product>
  [[nodiscard]] product_call call(const Product& product) {
    if (on_device())
      return [&product, x = device_x(), y = device_y()](cuda_stream stream) {
        product.multiply(V{1}, x, V{0}, y, stream);
      };
    return [&product, x = x(), y = y()](cuda_stream) { product.multiply(V{1}, x, V{0}, y); };
  }

 private:
  [[nodiscard]] bool on_device() const noexcept;
  std::unique_ptr<timer::product_vectors_base<V>> base_;
};

/// Size in bytes of the last cache before the memory of a resource. On a GPU, it is the L2 cache. On a CPU,
/// it is the sum of the last-level caches of the processors that this process may use. The system is asked
/// once per process. A virtual machine may report more than its share. If the system reports nothing, the
/// result is 32 MiB.
GOSSAMER_API std::int64_t last_level_cache_bytes(const resource& where);

/// Measures the copy bandwidth in GB/s (10^9 bytes per second, read plus written). The result is that of the
/// fastest of several copies of large arrays.
/// - GPU: arrays of 1 GiB.
/// - CPU: arrays of four times `llc_bytes`, but at least 16 MiB and at most 512 MiB. 0 stands for
///   last_level_cache_bytes(cpu{}). The threads are those of the resource.
GOSSAMER_API double copy_bandwidth(const resource& where, std::int64_t llc_bytes = 0);

/// Measures the bandwidth of copies from pinned host memory to a device, in GB/s (10^9 bytes per second). The
/// result is that of the fastest of several copies. Throws no_device.
GOSSAMER_API double host_to_device_bandwidth(const cuda& where);

/// Measures the STREAM triad a = b + s c on the CPU, in GB/s (10^9 bytes per second). As in STREAM, an
/// element counts as 24 bytes. Arrays are as large as those of copy_bandwidth().
GOSSAMER_API double stream_triad_bandwidth(int threads = 0, std::int64_t llc_bytes = 0);

}  // namespace gossamer::inline v0
