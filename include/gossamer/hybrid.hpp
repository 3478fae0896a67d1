// SPDX-License-Identifier: BSD-3-Clause
// One matrix over several groups of cores and GPUs: each part multiplies a set of rows (paper 004, sections 3
// and 5).
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

/// So many consecutive elements of a vector, in the memory of that device.
struct device_share {
  int device = 0;
  std::int64_t size = 0;
};

namespace hybrids {
struct distributed_vector_base;
}

/// Kernels of every device that is named read and write all of it; what another device has comes through
/// NVLink or the bus. A device_span of it goes wherever one is taken. Memory is mapped in units of 2 MiB, so
/// that cuts move to the nearest multiple. It is not taken through the allocation hook. Whoever copies by
/// CUDA's functions copies piece by piece, as copy_from() and copy_to() do.
template <value V>
class GOSSAMER_API distributed_vector {
 public:
  /// Uninitialised. Throws unsupported where a device does not map memory or reach another's, out_of_memory,
  /// no_device, device_error, invalid_argument for no share or a negative one.
  explicit distributed_vector(std::span<const device_share> shares);
  distributed_vector(distributed_vector&&) noexcept;
  distributed_vector& operator=(distributed_vector&&) noexcept;
  /// Waits for work in flight on all its devices.
  ~distributed_vector();

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] device_span<V> span() noexcept;
  [[nodiscard]] device_span<const V> span() const noexcept;
  /// Where its elements are: cuts as they came out, no share is empty.
  [[nodiscard]] std::vector<device_share> shares() const;

  /// From and to as many elements in host memory, else size_mismatch; after all work on its devices, and done
  /// when it returns.
  void copy_from(std::span<const V> host);
  void copy_to(std::span<V> host) const;

 private:
  std::unique_ptr<hybrids::distributed_vector_base> base_;
};

/// For a vector of `size` elements beside the rows of a plan over several resources: each device has those of
/// its part's rows, which are scaled where size is not rows(). What belongs to cores goes to the device
/// before them, or else the first. Throws invalid_argument where no part is on a GPU.
template <value V>
GOSSAMER_API std::vector<device_share> device_shares(const plan<V>& made, std::int64_t size);

/// One part: a resource, its computing power and its format.
struct hybrid_part {
  resource where =
      cpu{};  ///< cpu{.threads = 0}: an equal share of the threads that the other parts leave, at least 1
  double power =
      1;  ///< Computing power relative to the other parts, in any unit (see measure_powers). 0: no rows.
  std::string format = {};    ///< empty: the format and options of inspect_options
  option_texts options = {};  ///< of `format`, which is named then
};

struct hybrid {
  std::vector<hybrid_part> parts;
  /// How rows are shared out in proportion to the powers. By nonzeros neighbours stay together; PMF scatters
  /// rows, which cost more than its even row lengths gained on every matrix of paper 004 (docs/hybrid.md).
  partition_options sharing = {.algorithm = partition_algorithm::nonzeros};
};

/// "cpu:8,cuda:0" with one power for each, all 1 where `powers` is empty: groups of cores by their number of
/// threads ("cpu": threads = 0) and devices by theirs. Throws invalid_argument that names the part or the
/// powers.
GOSSAMER_API hybrid parse_hybrid(std::string_view parts, std::span<const double> powers = {});

/// A plan whose parts multiply their rows concurrently. With host vectors, the calling thread runs the first
/// part; a thread of the workspace runs each other part. Sets are those of partition_rows for the powers; a
/// part whose power is 0 has none.
///
/// Device vectors, where a part is on a GPU (else unsupported): x and y may be on any GPU, each its own, and
/// the stream of any. A part finds a vector in place where that is on its device or is a distributed_vector
/// (gossamer/hybrid.hpp) that names it (of an x of which others have more than an eighth of its columns it
/// makes a copy anyway); else the columns of x that it needs, and its rows of y, are copied there and back.
/// Where all parts are on GPUs the product is asynchronous in the stream, and from the second one with
/// vectors at the same places on it allocates nothing and is capturable in a CUDA graph. Parts on cores take
/// all of x to the host and their rows of y back: the call then returns when they are done, and waits for the
/// stream first. Scattered rows (pmf): unsupported beside device vectors on cores, and on a GPU that does not
/// reach y's. Peer access between a part's device and a vector's is switched on, and stays on, once a copy
/// needs it. Memory that no GPU reaches: invalid_argument. One product at a time a workspace launches: a
/// second call at the same moment throws busy.
///
/// Of the plan's contract: format() is "hybrid", options() names parts, powers, sharing and each part's rows
/// and format; where() is the cpu; describe() is not taken back by inspect. update_values takes host values
/// alone. The bits of y depend on the powers, and not on the time that parts take or on where vectors are.
/// Without options.copy, columns and values of adjacent rows on a cpu may stay the caller's. Where a part
/// fails, multiply waits for all and throws the error of the first: y is unspecified in the rows of parts
/// whose rows are adjacent in the matrix, and as it was in all others. With device vectors it throws, once
/// nothing is under way, what the first part to fail threw, cores counted last: rows of parts on GPUs before
/// it are written in full, its own are unspecified, all others as they were. What a device reports later, the
/// stream reports. Where update_values fails all parts keep their old values, except for an error of a
/// device, or where memory for them is gone.
///
/// Synchronous. Throws what inspect throws, with the part in front of the message; invalid_argument where
/// there is no part, a power is negative or not finite, all are 0, or a part has options and no format;
/// unsupported where the groups of cores together have more threads than one group may have.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const hybrid& where,
                             const inspect_options& options = {});

struct power_options {
  double seconds = 0.02;  ///< for the samples of one product
  /// False: what was measured before (kept where tune's results are, docs/tuning.md) is neither read nor
  /// written
  bool use_cache = true;
};

/// The same parts with computing powers that were measured: millions of nonzeros a second, the geometric mean
/// over nine fixed patterns (docs/hybrid.md), multiplied by that part alone as in a
/// hybrid plan: host vectors, copied to a GPU and back. Takes some seconds the first time on a machine.
/// Throws what inspect throws, with the part in front of the message.
template <value V>
GOSSAMER_API hybrid measure_powers(hybrid where, const inspect_options& options = {},
                                   const power_options& how = {});

struct rebalance_options {
  int rounds = 6;           ///< Maximum number of plans, each with the powers measured by its predecessor.
  int products = 9;         ///< by each, after one that is not counted; the median counts
  double tolerance = 0.05;  ///< Stops when every part's time is within this fraction of their mean.
  /// Rounds in which the best shares and the best part alone are timed in turns, at the end; from 6 on
  int pairs = 21;
};

/// The same parts with powers that even out their times for this matrix: makes a plan, times its parts, gives
/// each the power nonzeros / seconds (in millions, to four digits), and again. The shares of the fastest
/// product are kept, and timed in turns with the fastest part alone: it gets all rows unless sharing is
/// faster by more than the tolerance throughout the 95 % interval of the pairs' ratio. Both plans are in
/// memory then; where it does not hold them, or one of them finds so little that it is another plan than
/// alone, the medians before decide. The powers are then fixed: the plan that inspect makes of them has the
/// same bits each time, other bits than with other powers. `where` has powers to begin with; a part of power
/// 0 stays without rows. Shares that a format refuses after others were taken are passed over.
/// Costs rounds + parts + 2 plans, products + 1 products of each and some four of the last two for each pair.
/// Throws what inspect throws, and invalid_argument for options below 1 (rounds, products), 6 (pairs; or over
/// 10,000) or 0 (tolerance).
template <value V, offset O>
GOSSAMER_API hybrid rebalance(const csr_view<V, O>& a, hybrid where, const inspect_options& options = {},
                              const rebalance_options& how = {});

}  // namespace gossamer::inline v0
