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

/// Kernels of every named device read and write the whole vector. Elements on another device come through
/// NVLink or the bus. Its device_span is valid wherever a device_span is an argument. Memory is mapped in
/// units of 2 MiB, so cuts move to the nearest multiple. The allocation hook is not called. A copy with
/// CUDA's functions has to copy piece by piece, as copy_from() and copy_to() do.
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
  /// The device of each element: the actual cuts. No share is empty.
  [[nodiscard]] std::vector<device_share> shares() const;

  /// Copies from and to size() elements in host memory; another size throws size_mismatch. Synchronous, after
  /// all work on its devices.
  void copy_from(std::span<const V> host);
  void copy_to(std::span<V> host) const;

 private:
  std::unique_ptr<hybrids::distributed_vector_base> base_;
};

/// Shares of a vector of `size` elements that match the rows of a hybrid plan: each device has the elements
/// of its part's rows, scaled if size is not their number. The rows are those of A, or of the transpose in a
/// plan of that alone. Elements of a part on cores go to the preceding device,
/// or else the first. Throws invalid_argument if no part is on a GPU.
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

/// The parts among which inspect divides a matrix; not a plan.
struct hybrid {
  std::vector<hybrid_part> parts;
  /// How rows are partitioned in proportion to the powers. By nonzeros, neighbours stay together. PMF
  /// scatters rows, which costs more than its even row lengths gain on every matrix of paper 004
  /// (docs/guides/several-gpus.md).
  partition_options sharing = {.algorithm = partition_algorithm::nonzeros};
};

/// Parses parts such as "cpu:8,cuda:0": a group of cores by its number of threads ("cpu": threads = 0), a
/// device by its number. `powers` has one power for each part; if it is empty, all are 1. Throws
/// invalid_argument that names the part or the powers.
GOSSAMER_API hybrid parse_hybrid(std::string_view parts, std::span<const double> powers = {});

/// A plan whose parts multiply their rows concurrently. With host vectors, the calling thread runs the first
/// part; a thread of the workspace runs each other part. A set, the rows of a part, is as partition_rows
/// returns it for the powers. The set of a part whose power is 0 is empty.
///
/// Device vectors. At least one part must be on a GPU, else unsupported.
/// - x, y and the stream may each belong to any GPU. Memory that no GPU reaches: invalid_argument.
/// - A part uses a vector in place if it is on the part's device or is a distributed_vector that names this
///   device. Otherwise the columns of x that the part needs, and its rows of y, are copied there and back.
/// - If more than 1/8 of the part's columns of a distributed x are remote, the part's columns of x, from the
///   first to the last, are copied in one piece.
/// - If all parts are on GPUs, the product is asynchronous in the stream. From the second product on with
///   vectors at the same addresses, it allocates nothing and is capturable in a CUDA graph.
/// - Parts on cores copy all of x to the host and their rows of y back. The call first waits for the stream,
///   and returns when these parts are done.
/// - Scattered rows (pmf) are unsupported if a part is on cores, or on a GPU that does not reach y's GPU.
/// - Once a copy needs it, peer access between a part's device and a vector's is enabled and stays enabled.
/// - A workspace launches one product at a time: a second call at the same moment throws busy.
///
/// Members of the plan. format() is "hybrid". options() names parts, powers, sharing and each part's rows and
/// format. where() is the cpu. inspect does not accept describe(). update_values takes host values only.
/// Without options.copy, a plan may use the caller's arrays for columns and values of adjacent rows on a cpu.
///
/// Reproducibility. The bits of y depend on the powers. They do not depend on the times of parts or the
/// places of vectors.
///
/// Errors. multiply waits for all parts and throws the error of the first part that failed.
/// - With host vectors, y is unspecified in the rows of parts whose rows are adjacent. It is unchanged in all
///   others.
/// - With device vectors, parts on GPUs count before parts on cores. The rows of the parts on GPUs before the
///   failed part are complete, its own rows are unspecified, and all other rows are unchanged. The stream
///   reports errors that a device reports later.
/// - If update_values fails, all parts keep their old values. The exceptions are a device error, and lack
///   of memory for the old values.
///
/// Synchronous. Throws what inspect throws, with the part in front of the message. Throws invalid_argument if
/// there is no part, a power is negative or not finite, all powers are 0, or a part has options and no
/// format. Throws unsupported if the groups of cores together have more threads than one group may have.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const hybrid& where,
                             const inspect_options& options = {});

struct power_options {
  /// Time spent on the samples of one product: one part and one pattern.
  double seconds = 0.02;
  /// False: measurements are not read from tune's cache (docs/guides/choosing.md) and not written to it.
  bool use_cache = true;
};

/// The same parts with measured computing powers, in millions of nonzeros a second. A power is the geometric
/// mean over nine fixed patterns (docs/guides/several-gpus.md). The part multiplies alone, as in a hybrid
/// plan: host vectors are copied to a GPU and back. Takes some seconds the first time on a machine.
/// Throws what inspect throws, with the part in front of the message.
template <value V>
GOSSAMER_API hybrid measure_powers(hybrid where, const inspect_options& options = {},
                                   const power_options& how = {});

struct rebalance_options {
  int rounds = 6;           ///< Maximum number of plans, each with the powers measured by its predecessor.
  int products = 9;         ///< Timed products of each plan, after one untimed product. The median counts.
  double tolerance = 0.05;  ///< Stops when every part's time is within this fraction of their mean.
  /// Paired products in the final comparison of the best shares with the best part alone; 6 to 10,000.
  int pairs = 21;
};

/// The same parts with powers that even out their times for this matrix: for products by A, or by its
/// transpose if options.operations is transposed. `where` has the initial powers. A
/// part of power 0 stays without rows. The resulting powers are fixed: plans of inspect have the same bits
/// for the same powers, and other bits for others.
///
/// Algorithm. Each round builds a plan, times its parts, and sets each power to nonzeros / seconds (in
/// millions, to four digits). The shares of the fastest product are kept. They are then timed alternately
/// with the fastest part alone. This part gets all rows unless sharing is faster by more than the tolerance,
/// throughout the 95 % interval of the pairs' ratio. Once some shares were accepted, shares that a format
/// refuses are skipped.
///
/// Memory. The plan of the best shares and that of the best part are in memory together. If memory does not
/// hold them, or forces one of them into another plan than it has alone, the earlier medians decide.
///
/// Cost. rounds + parts + 2 plans, and products + 1 products of each. Each pair takes about four more
/// products of the last two plans.
///
/// Errors. Throws what inspect throws. Throws invalid_argument for options below 1 (rounds, products), below
/// 0 (tolerance), or outside 6 to 10,000 (pairs).
template <value V, offset O>
GOSSAMER_API hybrid rebalance(const csr_view<V, O>& a, hybrid where, const inspect_options& options = {},
                              const rebalance_options& how = {});

}  // namespace gossamer::inline v0
