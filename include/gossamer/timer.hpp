// SPDX-License-Identifier: BSD-3-Clause
// Times products against each other in one process, so that disturbances of the machine affect all alike.
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

/// State of the caches when a product begins. hot: as its previous call left them. solver: as a step of an
/// iterative solver leaves them, in which vector kernels run between two products. cold: without any of its
/// data.
enum class cache_state { hot, solver, cold };

/// "hot", "solver" or "cold".
GOSSAMER_API std::string_view name(cache_state state) noexcept;

/// One product with all its arguments bound. On a cuda resource it is asynchronous in the stream. On a cpu it
/// returns when it is done, and ignores the stream.
using product_call = std::function<void(cuda_stream)>;

/// The vector kernels of a solver around its product: `before` writes x, `after` reads y. On a cuda resource
/// both are asynchronous in the stream.
struct vector_kernels {
  product_call before;
  product_call after;
};

struct interleaving {
  cache_state cache = cache_state::hot;
  double seconds = 0.5;          ///< of samples and what belongs to them, for each product
  std::int64_t rounds = 11;      ///< at least, whatever the seconds say
  std::int64_t flush_bytes = 0;  ///< cold: 0 is twice last_level_cache_bytes on a cpu, four times on a GPU
  vector_kernels kernels = {};   ///< solver: run around each call of every product
};

/// seconds[p][r] is product p's sample in round r: a round has one of each product, taken one after another.
struct comparison {
  std::vector<std::vector<double>> seconds;
  /// Samples on a GPU that began before the host had launched all of their calls, so that the host may show
  /// in them.
  std::int64_t exposed = 0;
  /// For each product, samples on a cpu during which the system took a processor away from this process. If
  /// there are more than a few, other programs were measured too.
  std::vector<std::int64_t> preempted;
  /// solver, otherwise empty: vector_seconds[p][r] is the time of the vector kernels that was subtracted from
  /// product p's sample in round r.
  std::vector<std::vector<double>> vector_seconds;
  /// For each product, samples of the state solver that are too short for the timer: the product's part is
  /// less than 5 microseconds of the longest batch. `seconds` holds them as measured, also where they are
  /// negative.
  std::vector<std::int64_t> unresolved;
};

/// Takes rounds until the seconds are spent. The order within a round rotates and reverses.
/// - Hot: each product runs once or twice untimed, then as many times as make a sample of at least 50
///   microseconds. The sample is divided by their number.
/// - Cold: memory larger than the caches is written and read by all threads of the resource, then one call is
///   timed.
/// - Solver: a step is `before`, the product, `after`. Steps run untimed. Then a batch of them is timed, and
///   next to it a batch of as many calls of the vector kernels alone. The sample is the difference, divided
///   by the number of calls. There are enough calls that the difference is at least 50 microseconds when it
///   is first measured. A sample with a difference of less than 5 microseconds is taken again with twice as
///   many calls, up to a batch of 10 milliseconds.
///
/// On a GPU the times are those between two events of a stream. Before the first event, the device is kept
/// busy while the host launches the calls, so samples do not include the host's launch time.
/// call_latency() includes it. Throws what the products throw, invalid_argument for settings without meaning
/// (also the state solver without vector kernels), out_of_memory, no_device, device_error.
GOSSAMER_API comparison time_interleaved(std::span<const product_call> products, const resource& where,
                                         const interleaving& how = {});

/// From the call to the finished product as the host sees it: launch, work and waiting; hot. Median of
/// `rounds`.
GOSSAMER_API double call_latency(const product_call& product, const resource& where,
                                 std::int64_t rounds = 11);

struct paired_ratio {
  double ratio = 0;  ///< median of the rounds' ratios
  double low = 0;
  double high = 0;
  std::int64_t rounds = 0;
  double confidence = 0;  ///< that [low, high] holds the true median: at least 0.95 from 6 rounds on
};

/// numerator[r] / denominator[r] over the rounds. The interval needs no assumption about the distribution of
/// times. It lies between two order statistics; their ranks are exact quantiles of the binomial distribution
/// (n, 1/2). Under 6 rounds no ranks reach 95 %: the interval is then the whole range, with a smaller
/// `confidence`. Throws invalid_argument if there are no rounds, size_mismatch if they are not pairs.
GOSSAMER_API paired_ratio ratio_of(std::span<const double> numerator, std::span<const double> denominator);

/// Seconds of one call, over `count` samples.
struct timing {
  double median = 0;
  double min = 0;
  double max = 0;
  std::int64_t count = 0;
  double low =
      0;  ///< of the 95 % interval of the median, from order statistics; the range where samples are few
  double high = 0;
  double spread =
      0;  ///< of single samples about the median, relative: (q3 - q1) / (1.349 median), a robust sigma
};

/// Throws invalid_argument where there are no samples. Their order does not matter.
GOSSAMER_API timing summarise(std::span<const double> samples);

/// Calls `once` again and again for about `seconds` after warming up; each sample is as many calls as make it
/// long enough to be timed (50 microseconds), divided by their number. For synchronous work on the host.
GOSSAMER_API timing time_repeatedly(const std::function<void()>& once, double seconds);

/// Times y = A x, or whatever the product does, with hot caches for about `seconds`. Throws what
/// time_interleaved() throws.
GOSSAMER_API timing time_product(const product_call& product, const resource& where, double seconds);

/// x_j = 1 + (j mod 97) / 97: the vector that the command line multiplies by.
template <value V>
GOSSAMER_API std::vector<V> ramp(std::int64_t size);

namespace timer {
template <value V>
struct product_vectors_base;
}

/// x (the ramp) and y, in the memory where products on a resource want them; shared by all that are compared.
template <value V>
class GOSSAMER_API product_vectors {
 public:
  /// Throws out_of_memory, no_device, device_error.
  product_vectors(std::int64_t rows, std::int64_t cols, const resource& where);
  product_vectors(product_vectors&&) noexcept;
  product_vectors& operator=(product_vectors&&) noexcept;
  ~product_vectors();

  [[nodiscard]] std::span<const V> x() const noexcept;  ///< in host memory, whatever the resource
  [[nodiscard]] std::span<V> y() noexcept;              ///< of a cpu; empty on a GPU
  [[nodiscard]] device_span<const V> device_x() const noexcept;
  [[nodiscard]] device_span<V> device_y() noexcept;

  /// Vector kernels as in a step of the conjugate gradient method, with vectors z and r of their own:
  ///   before: x = scale x + step z,   after: r = scale r + step y.
  /// x keeps its values: the scale is 1 and the step 0, which compilers cannot know. On a GPU both are
  /// asynchronous in the stream. The calls are valid as long as the vectors are.
  /// Throws out_of_memory, device_error.
  [[nodiscard]] vector_kernels solver_kernels();

  /// NaN in every element of y, so that one that is not written shows. Synchronous.
  void poison();
  /// Waits for the device, and returns y in host memory. On a cpu this is y() itself; on a GPU it is a copy,
  /// which the next call of result() overwrites.
  /// Throws out_of_memory, device_error.
  [[nodiscard]] std::span<const V> result();

  /// y = A x of a plan, or of anything else with the two multiply functions of a plan.
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

/// Bytes of the last cache before the memory of a resource: a GPU's L2, or a cpu's last level, summed over
/// the caches of this process's processors. For a cpu, the system is asked once in a process; a virtual
/// machine may report more than its share. 32 MiB if the system reports nothing.
GOSSAMER_API std::int64_t last_level_cache_bytes(const resource& where);

/// Copy bandwidth in GB/s (10^9 bytes, read plus written) of arrays far larger than the caches; best of
/// several. On a GPU, arrays have 1 GiB each. On a cpu, they have four times `llc_bytes` (0:
/// last_level_cache_bytes(cpu{})), but at least 16 MiB and at most 512 MiB. So they have less than four times
/// a cache of more than 128 MiB. The threads are those of the resource.
GOSSAMER_API double copy_bandwidth(const resource& where, std::int64_t llc_bytes = 0);

/// Bandwidth in GB/s (10^9 bytes, read) of copies of pinned host memory to a device; best of several. Throws
/// no_device.
GOSSAMER_API double host_to_device_bandwidth(const cuda& where);

/// STREAM's triad a = b + s c on the cpu, in GB/s by STREAM's count (24 bytes an element), over arrays as
/// large as copy_bandwidth's.
GOSSAMER_API double stream_triad_bandwidth(int threads = 0, std::int64_t llc_bytes = 0);

}  // namespace gossamer::inline v0
