// SPDX-License-Identifier: BSD-3-Clause
// Is it right, and how fast: the oracle, the one timer of the project, and the bandwidth of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gossamer/csr_view.hpp"
#include "gossamer/export.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::inline v0 {

/// How far a product is from the exact one, in units of what rounding may do.
struct verification {
  /// The largest |got - exact| / bound over the rows; at most 1 where the product is right. Infinity for a NaN or Inf that
  /// should not be there, and for a finite value where there should be one.
  double error_ratio = 0;
  std::int64_t row = -1;  ///< where that is; -1 without rows
  /// Rows so long (over 5.5 million entries in f32) that the bound exceeds half the sum of magnitudes: of
  /// those error_ratio says next to nothing, and only whole numbers, whose sums are exact, can be checked.
  std::int64_t blind_rows = 0;
  [[nodiscard]] bool right() const noexcept { return error_ratio <= 1.0; }
};

/// Compares `got` with alpha A x + beta y, summed in long double in the order of the matrix. The bound of row i is
///   gamma(n + 3) (|alpha| sum |a_ij x_j| + |beta y_i|) + (n |alpha| + 3) eta,   gamma(k) = k u / (1 - k u),
/// with n the entries of the row, u half an epsilon of V and eta its smallest denormal: it holds for any order of additions, with and
/// without fused multiply-add (Higham 2002, section 3.1). Where the sum of magnitudes exceeds V's range, Inf or NaN is right too. `y` is y
/// before the product and is not read where beta is 0. On all threads.
/// Throws size_mismatch.
template <value V, offset O>
GOSSAMER_API verification verify(const csr_view<V, O>& a, V alpha, std::span<const V> x, V beta,
                                 std::span<const V> y, std::span<const V> got);

/// x_j = 1 + (j mod 97) / 97: the vector that the command line multiplies by.
template <value V>
GOSSAMER_API std::vector<V> ramp(std::int64_t size);

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

/// Calls `once` again and again for about `seconds` after warming up; each sample is as many calls as make it long enough
/// to be timed (50 microseconds), divided by their number. For synchronous work on the host.
GOSSAMER_API timing time_repeatedly(const std::function<void()>& once, double seconds);

/// Times y = A x (alpha 1, beta 0) with hot caches and with vectors where the plan wants them: in host memory for a cpu
/// plan, on the device for a cuda plan (where samples are taken by events on a stream).
template <value V>
GOSSAMER_API timing time_products(const plan<V>& plan, double seconds);

/// Times inspect() of a matrix in host memory, `times` times after once that is not counted: the first one of a kind in a process loads code. Throws
/// what inspect() throws, and invalid_argument where times < 1.
template <value V, offset O>
GOSSAMER_API timing time_inspections(const csr_view<V, O>& a, const resource& where,
                                     const inspect_options& options, int times);
/// The same of a copy of it in the memory of a CUDA device, made beforehand: what conversion takes where the matrix is there already. Throws
/// no_device and out_of_memory too.
template <value V, offset O>
GOSSAMER_API timing time_inspections_there(const csr_view<V, O>& a, const cuda& where,
                                           const inspect_options& options, int times);

/// Bytes of the last cache before the memory of a resource: a GPU's L2; a cpu's last level, summed over the caches that the
/// processors of this process share (as the system reports them: a virtual machine may be told of more than its part).
/// 32 MiB where the system says nothing. A cpu's is asked of the system once in a process.
GOSSAMER_API std::int64_t last_level_cache_bytes(const resource& where);

/// Copy bandwidth in GB/s (10^9 bytes, read plus written) of arrays far larger than the caches; best of several. For the cpu,
/// with the threads of the resource, of arrays of four times `llc_bytes` (0: what last_level_cache_bytes(cpu{}) says), 16 MiB at
/// least and 512 MiB at most, which is less than that where the system reports a cache of more than 128 MiB; on a GPU of 1 GiB each.
GOSSAMER_API double copy_bandwidth(const resource& where, std::int64_t llc_bytes = 0);

/// Bandwidth in GB/s (10^9 bytes, read) of copies of pinned host memory to a device; best of several. Throws no_device.
GOSSAMER_API double host_to_device_bandwidth(const cuda& where);

/// STREAM's triad a = b + s c on the cpu, in GB/s by STREAM's count (24 bytes an element), over arrays as large as copy_bandwidth's.
GOSSAMER_API double stream_triad_bandwidth(int threads = 0, std::int64_t llc_bytes = 0);

}  // namespace gossamer::inline v0
