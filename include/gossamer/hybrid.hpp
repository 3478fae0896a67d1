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
/// NVLink or the bus. span() is valid for every device_span argument of this library. CUDA's copy functions
/// accept a range only if it is on one device; copy_from() and copy_to() copy device by device.
///
/// Memory is mapped in units of 2 MiB, so the boundaries between devices are multiples of it. The device
/// allocation hook is not used.
template <value V>
class GOSSAMER_API distributed_vector {
 public:
  /// Allocates uninitialised memory for these shares, in this order. Each boundary moves to the nearest
  /// multiple of 2 MiB. Throws invalid_argument if there is no share or one is negative. Throws unsupported
  /// if a device cannot map memory, or cannot access that of another one. Throws out_of_memory, no_device,
  /// device_error.
  explicit distributed_vector(std::span<const device_share> shares);
  /// Moves the memory; the other vector may then only be assigned to or destroyed.
  distributed_vector(distributed_vector&&) noexcept;
  /// Moves the memory; the other vector may then only be assigned to or destroyed.
  distributed_vector& operator=(distributed_vector&&) noexcept;
  /// Waits for work in flight on all its devices and releases the memory.
  ~distributed_vector();

  [[nodiscard]] std::size_t size() const noexcept;           ///< number of elements
  [[nodiscard]] device_span<V> span() noexcept;              ///< all elements, to read and write
  [[nodiscard]] device_span<const V> span() const noexcept;  ///< all elements, to read
  /// The shares as they were allocated. Empty shares are omitted.
  [[nodiscard]] std::vector<device_share> shares() const;

  /// Copies size() elements from host memory. Synchronous; it waits for all work on its devices first. Throws
  /// size_mismatch.
  void copy_from(std::span<const V> host);
  /// Copies all elements to host memory. Synchronous; it waits for all work on its devices first. Throws
  /// size_mismatch.
  void copy_to(std::span<V> host) const;

 private:
  std::unique_ptr<hybrids::distributed_vector_base> base_;
};

/// Shares of a vector of `size` elements that match the rows of a hybrid plan. Each device gets the elements
/// of its part's rows. If the plan has another number of rows, shares are scaled. Elements of a CPU part go
/// to the preceding device, or to the first one. In a plan of the transpose only, the rows are those of the
/// transpose. Throws invalid_argument if no part is on a GPU.
template <value V>
GOSSAMER_API std::vector<device_share> device_shares(const plan<V>& made, std::int64_t size);

/// One part: a resource, its computing power and its format.
struct hybrid_part {
  /// Resource of the part. With cpu{.threads = 0}, such parts divide the remaining threads equally, at least
  /// 1 each.
  resource where = cpu{};
  /// Computing power relative to the other parts, in any unit (see measure_powers()). A part of power 0 gets
  /// no rows.
  double power = 1;
  /// Name of the part's format. If it is empty, inspect_options has format and options.
  std::string format = {};
  /// Options of `format`. They must be empty if `format` is empty.
  option_texts options = {};
};

/// The parts among which inspect() divides a matrix.
struct hybrid {
  std::vector<hybrid_part> parts;  ///< the parts, at least one
  /// How rows are divided in proportion to the powers. The default, by nonzeros, keeps neighbouring rows
  /// together. PMF scatters rows, which costs more than it gains on the matrices of paper 004
  /// (docs/guides/several-gpus.md).
  partition_options sharing = {.algorithm = partition_algorithm::nonzeros};
};

/// Parses a list of parts such as "cpu:8,cuda:0". "cpu:8" is a group of 8 threads, "cpu" is cpu{.threads =
/// 0}, "cuda:0" is a device. `powers` has one power for each part; if it is empty, all powers are 1. Throws
/// invalid_argument, which names the part or the powers.
GOSSAMER_API hybrid parse_hybrid(std::string_view parts, std::span<const double> powers = {});

/// Builds a hybrid plan. Its parts multiply their rows concurrently. partition_rows() assigns the rows by the
/// powers. A part of power 0 has no rows. Synchronous.
///
/// Throws the errors of inspect() for one resource; the message begins with the part. Throws invalid_argument
/// if there is no part, or if a part has options without a format. Throws it too if all powers are 0, or one
/// is negative or not finite. Throws unsupported if all groups of cores together have more threads than one
/// group may have.
///
/// @par Host vectors
/// The calling thread runs the first part. A thread of the workspace runs each other part.
///
/// @par Device vectors
/// At least one part must be on a GPU; otherwise multiply() throws unsupported.
/// - x, y and the stream may belong to different GPUs. Memory that no GPU can access throws invalid_argument.
/// - A part uses a vector in place if the vector is on the part's device. The same holds for a
///   distributed_vector that has elements on this device. Other vectors are copied: the columns of x that the
///   part needs, and its rows of y.
/// - If more than 1/8 of the part's columns of a distributed x are on other devices, x is copied: in one
///   piece, from the part's first to its last column.
/// - If all parts are GPU parts, the product is asynchronous in the stream. From the second product on with
///   the same vectors, it allocates no memory and can be captured in a CUDA graph.
/// - CPU parts copy all of x to the host and their rows of y back. The call waits for the stream first, and
///   returns when these parts are done.
/// - Scattered rows (partition_algorithm::pmf) throw unsupported in two cases: a part is a CPU part, or a
///   part's GPU cannot access the GPU of y.
/// - Copies enable peer access between a part's device and a vector's device. It stays enabled.
/// - A workspace starts one product at a time. A second call at the same time throws busy.
///
/// @par Members of the plan
/// format() is "hybrid". options() has the parts, the powers, the partition, and each part's rows and format.
/// where() is the CPU. inspect() does not accept describe(). update_values() takes host values only. Without
/// inspect_options::copy, CPU parts with adjacent rows may refer to the caller's columns and values.
///
/// @par Reproducibility
/// The bits of y depend on the powers. They do not depend on the times of parts or on the memory of vectors.
///
/// @par Errors of a product
/// multiply() waits for all parts and throws the error of the first part that failed.
/// - Host vectors: y is unspecified in parts with adjacent rows, and unchanged in parts with scattered rows.
/// - Device vectors: GPU parts precede CPU parts in this order. The rows of GPU parts before the failed part
///   are complete. Its own rows are unspecified. All other rows are unchanged. Errors that a device reports
///   later appear in the stream.
/// - If update_values() fails, all parts keep their old values. There are two exceptions: a device error, and
///   too little memory to save the old values.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const hybrid& where,
                             const inspect_options& options = {});

/// Options of measure_powers().
struct power_options {
  /// Measuring time in seconds for one part and one pattern.
  double seconds = 0.02;
  /// Whether measurements are read from the cache of tune() and written to it (docs/guides/choosing.md).
  bool use_cache = true;
};

/// Measures the computing power of each part and returns the parts with these powers, in millions of nonzeros
/// per second.
///
/// A power is the geometric mean over nine fixed patterns (docs/guides/several-gpus.md). The part multiplies
/// alone, with host vectors that are copied to a GPU and back. It takes some seconds the first time on a
/// machine. Throws the errors of inspect(); the message begins with the part.
template <value V>
GOSSAMER_API hybrid measure_powers(hybrid where, const inspect_options& options = {},
                                   const power_options& how = {});

/// Options of rebalance().
struct rebalance_options {
  int rounds = 6;           ///< maximum number of plans; each has the powers that the previous one measured
  int products = 9;         ///< timed products of each plan, after one untimed product; the median counts
  double tolerance = 0.05;  ///< stops if the time of every part is within this fraction of the mean
  /// Pairs of products in the final comparison of the best shares with the best part alone, 6 to 10,000.
  int pairs = 21;
};

/// Finds powers that balance the parts' times for this matrix, and returns the parts with them. `where` has
/// the initial powers. A part of power 0 stays without rows. The times are those of products by A, or by its
/// transpose if options.operations is transposed. Equal powers give plans with the same bits; different
/// powers may not.
///
/// @par Algorithm
/// Each round builds a plan, times its parts, and sets each power to nonzeros / seconds (in millions, to four
/// digits). The shares of the fastest product are kept. They are then timed in pairs with the fastest part
/// alone. The shares win if they are faster by more than the tolerance, throughout the 95 % interval of the
/// ratio. Otherwise the fastest part gets all rows. After the first accepted shares, shares that a format
/// refuses are skipped.
///
/// @par Memory
/// The plan of the best shares and that of the best part are in memory together. If memory is too small for
/// both, or changes one of the plans, the medians of the rounds decide.
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
