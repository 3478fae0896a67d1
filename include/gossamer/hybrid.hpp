// SPDX-License-Identifier: BSD-3-Clause
// One matrix on several groups of cores and GPUs. Each part multiplies a set of rows. Source: paper 004
// (docs/papers.md), sections 3 and 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// Consecutive elements of a vector in the memory of one device.
struct device_share {
  int device = 0;         ///< CUDA device number
  std::int64_t size = 0;  ///< number of elements
};

namespace hybrids {
struct distributed_vector_base;
}

/// A vector in one address range over the memory of several GPUs. Movable, not copyable.
///
/// Kernels of all its devices read and write the whole vector. Elements on another device are accessed over
/// NVLink or the bus. All device_span arguments of this library accept span(). CUDA's copy functions accept a
/// range only if the range is on one device. copy_from() and copy_to() copy the whole vector.
///
/// Memory is mapped in units of 2 MiB, so the boundaries between devices are at multiples of 2 MiB. The
/// device allocation hook (set_device_allocation_hook()) is not used.
template <value V>
class GOSSAMER_API distributed_vector {
 public:
  /// Allocates uninitialised memory for these shares, in this order. Each boundary between shares moves to
  /// the nearest multiple of 2 MiB.
  ///
  /// Throws invalid_argument if there is no share or a share is negative. Throws unsupported if a device
  /// cannot map memory, or cannot access the memory of another device. Throws out_of_memory, no_device,
  /// device_error.
  explicit distributed_vector(std::span<const device_share> shares);
  /// Moves the memory. The other vector may then only be assigned to or destroyed.
  distributed_vector(distributed_vector&&) noexcept;
  /// Moves the memory. The other vector may then only be assigned to or destroyed.
  distributed_vector& operator=(distributed_vector&&) noexcept;
  /// Waits for work in flight on all its devices and releases the memory.
  ~distributed_vector();

  [[nodiscard]] std::size_t size() const noexcept;           ///< number of elements
  [[nodiscard]] device_span<V> span() noexcept;              ///< all elements, to read and write
  [[nodiscard]] device_span<const V> span() const noexcept;  ///< all elements, to read
  /// The shares as they were allocated. Empty shares are omitted.
  [[nodiscard]] std::vector<device_share> shares() const;

  /// Copies size() elements from host memory. Synchronous; before the copy, it waits for all work on the
  /// vector's devices. Throws size_mismatch.
  void copy_from(std::span<const V> host);
  /// Copies all elements to host memory. Synchronous; before the copy, it waits for all work on the vector's
  /// devices. Throws size_mismatch.
  void copy_to(std::span<V> host) const;

 private:
  std::unique_ptr<hybrids::distributed_vector_base> base_;
};

/// Shares for a distributed_vector of `size` elements, so that each GPU of a hybrid plan has the elements of
/// its own rows.
///
/// Elements of a CPU part go to the preceding device, or to the first one. If the plan has another number of
/// rows than `size`, the shares are scaled. In a plan of the transpose only, the rows are those of the
/// transpose. Throws invalid_argument if no part is on a GPU.
template <value V>
GOSSAMER_API std::vector<device_share> device_shares(const plan<V>& made, std::int64_t size);

/// One part: a resource, its computing power and its format.
struct hybrid_part {
  /// Resource of the part. All parts with cpu{.threads = 0} divide the remaining threads equally, with at
  /// least one thread each.
  resource where = cpu{};
  /// Computing power relative to the other parts, in any unit (see measure_powers()). A part of power 0 gets
  /// no rows.
  double power = 1;
  /// Name of the part's format. If it is empty, inspect_options::format and inspect_options::options apply.
  std::string format = {};
  /// Options of `format`. They must be empty if `format` is empty.
  option_texts options = {};
};

/// The parts among which inspect() divides a matrix.
struct hybrid {
  std::vector<hybrid_part> parts;  ///< the parts, at least one
  /// How partition_rows() divides the rows in proportion to the powers. The default, by nonzeros, keeps
  /// neighbouring rows together. The algorithm pmf scatters rows. On the matrices of paper 004, this costs
  /// more than it gains (docs/guides/several-gpus.md).
  partition_options sharing = {.algorithm = partition_algorithm::nonzeros};
};

/// Parses a list of parts such as "cpu:8,cuda:0". "cpu:8" is a group of 8 threads, "cpu" is cpu{.threads =
/// 0}, and "cuda:0" is a device. `powers` has one power for each part. If `powers` is empty, all powers are
/// 1. Throws invalid_argument; the message names the wrong part or power.
GOSSAMER_API hybrid parse_hybrid(std::string_view parts, std::span<const double> powers = {});

/// Builds a hybrid plan. Its parts multiply their rows concurrently. partition_rows() assigns the rows by the
/// powers. A part of power 0 has no rows. Synchronous.
///
/// Throws the errors of inspect() for one resource; the message begins with the part. Throws invalid_argument
/// in these cases:
/// - There is no part, or a part has options without a format.
/// - All powers are 0, or a power is negative or not finite.
///
/// Throws unsupported if all groups of cores together have more threads than the maximum of thread_count().
///
/// @par Host vectors
/// The calling thread runs the first part. Each other part has a thread of the workspace.
///
/// @par Device vectors
/// At least one part must be on a GPU; otherwise multiply() throws unsupported.
/// - x, y and the stream may belong to different GPUs. Memory that no GPU can access throws invalid_argument.
/// - A part uses a vector in place if the vector is on the part's device. The same holds for a
///   distributed_vector with elements on this device.
/// - Other vectors are copied: the elements of x that the part needs, and its rows of y.
/// - A distributed x is also copied if more than 1/8 of the elements that a part needs are on other devices.
///   The copy has all elements from the part's first to its last column.
/// - If all parts are on GPUs, the product is asynchronous in the stream. The first product with new vectors
///   may allocate memory. Later products with the same vectors allocate none, and CUDA graphs can capture
///   them.
/// - If a part is on a CPU, the call waits for the stream. It copies x to the host, and the CPU part's rows
///   of y back. It returns when the CPU parts are done.
/// - Scattered rows (partition_algorithm::pmf) throw unsupported in two cases: a part is on a CPU, or a
///   part's GPU cannot access the GPU of y.
/// - Copies enable CUDA peer access between the devices of parts and vectors. Peer access stays enabled after
///   the product.
/// - A workspace starts one product at a time. A second call at the same time throws busy.
///
/// @par Members of the plan
/// - format() is "hybrid".
/// - options() has the parts, the powers, the partition, and each part's rows and format.
/// - where() is the CPU.
/// - describe() is for information only: inspect() cannot rebuild a hybrid plan from this text.
/// - update_values() takes host values only.
///
/// If inspect_options::copy is false, CPU parts with adjacent rows may refer to the caller's columns and
/// values.
///
/// @par Reproducibility
/// The bits of y depend on the powers. They do not depend on the times of parts or on the memory of vectors.
///
/// @par Errors of a product
/// multiply() waits for all parts and throws the error of the first part that failed. In this order, GPU
/// parts come before CPU parts if the vectors are in device memory.
/// - Host vectors: y is unspecified in parts with adjacent rows, and unchanged in parts with scattered rows.
/// - Device vectors: the rows of GPU parts before the failed part are complete. The rows of the failed part
///   are unspecified. All other rows are unchanged. If a device reports an error later, the error appears in
///   the stream.
/// - If update_values() fails, all parts keep their old values. There are two exceptions: a device error, and
///   too little memory to save the old values.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const hybrid& where,
                             const inspect_options& options = {});

/// Options of measure_powers().
struct power_options {
  /// Measuring time in seconds for one part and one pattern.
  double seconds = 0.02;
  /// True: earlier measurements are read from the cache of tune(), and new ones are written to it
  /// (docs/guides/choosing.md).
  bool use_cache = true;
};

/// Measures the computing power of each part and returns the parts with these powers, in millions of nonzeros
/// per second.
///
/// A power is the geometric mean over nine fixed patterns (docs/guides/several-gpus.md). The part multiplies
/// alone, with host vectors; the time on a GPU includes their copies. The first call on a machine takes some
/// seconds. Throws the errors of inspect(); the message begins with the part.
template <value V>
GOSSAMER_API hybrid measure_powers(hybrid where, const inspect_options& options = {},
                                   const power_options& how = {});

/// Options of rebalance().
struct rebalance_options {
  int rounds = 6;           ///< maximum number of rounds; each round uses the powers of the previous one
  int products = 9;         ///< timed products of each plan, after one untimed product; the median is used
  double tolerance = 0.05;  ///< the rounds end if the time of every part is within this fraction of the mean
  /// Number of pairs of products in the final comparison, from 6 to 10,000. A pair has one product with the
  /// best shares and one with the best part alone.
  int pairs = 21;
};

/// Finds powers that balance the parts' times for this matrix, and returns the parts with these powers.
/// `where` has the initial powers. A part of power 0 stays without rows.
///
/// The products are those by A, or by its transpose if options.operations is transposed. Plans with equal
/// powers give the same bits. Plans with different powers may give other bits.
///
/// @par Algorithm
/// Each round builds a plan, times its parts, and sets each power to nonzeros / seconds (in millions, to four
/// digits). The shares of the round with the fastest product are kept. They are then compared with the
/// fastest part alone, in pairs of products. The shares are returned if they are faster by more than
/// `tolerance`, with 95 % confidence. Otherwise, the fastest part gets all rows.
///
/// If a plan of the first round cannot be built, rebalance() throws. If a format or the memory refuses a
/// later plan, the rounds end. A part that cannot store the whole matrix is not compared.
///
/// @par Memory
/// The plan of the best shares and the plan of the best part are in memory together. If memory does not
/// suffice for both plans, the medians of the rounds decide.
///
/// @par Cost
/// It builds at most rounds + parts + 2 plans. Each plan multiplies products + 1 times. Each pair takes about
/// four more products of the last two plans.
///
/// @par Errors
/// Throws the errors of inspect(). Throws invalid_argument if rounds or products are below 1, tolerance is
/// below 0, or pairs are outside 6 to 10,000.
template <value V, offset O>
GOSSAMER_API hybrid rebalance(const csr_view<V, O>& a, hybrid where, const inspect_options& options = {},
                              const rebalance_options& how = {});

}  // namespace gossamer::inline v0
