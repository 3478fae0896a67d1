// SPDX-License-Identifier: BSD-3-Clause
// inspect() turns a matrix into a plan; a plan multiplies it by vectors, many times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

namespace plans {
template <value V>
class plan_base;
class workspace_base;
}  // namespace plans

/// What to build. The defaults make a plan of default_format(), whose kernel is chosen from the row
/// statistics.
struct inspect_options {
  /// A name from list_formats(). Empty: default_format() of the resource, or of each part's in a plan over
  /// several resources. "auto": what tune() found for a matrix like this one on this resource, where it was
  /// asked before (gossamer/tune.hpp), else what the model predicts to multiply in the least time; of formats
  /// that code values anew none where values_change.
  std::string format = {};
  option_texts
      options;  ///< of that format; what is not given is "auto" or the default. None where format is "auto"
  bool values_change =
      false;          ///< update_values() will be called: the plan owns its values and keeps the map for it
  bool copy = false;  ///< false: a CPU plan may refer to the caller's arrays, which must then outlive it
      ///< and stay as they are (some kernels keep a second copy of values): new ones by update_values()
  std::optional<std::int64_t> memory_limit =
      {};  ///< of a plan on a GPU: bytes of device memory that it may take for A, arrays of the caller's there not counted. Of a larger A
  ///< arrays stay in host memory, pinned (the smallest that suffices, else the largest first), and each product reads them through the
  ///< bus; bits are the same. Absent: what is free there, less room for vectors, and behind a device allocation hook what it gives:
  ///< where that fails, out_of_memory. On a CPU only absent; else invalid_argument
  operation op = operation::none;  ///< only none for now; else unsupported
  int vectors = 1;                 ///< right-hand sides of one product; only 1 for now; else unsupported
  progress_callback
      progress;  ///< called as each stage begins: "validate", "statistics", "choose", "build", "map", "upload", the last one first where a device codes the matrix
};

/// What plan::describe() printed, to make the same plan again without any choosing.
struct description {
  std::string json;
};

/// What one part of a plan over several resources (gossamer/hybrid.hpp) does.
struct plan_part {
  resource where;
  std::string format;  ///< "none" where it has no rows
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  double seconds = 0;  ///< of its last product, copies of x and y between host and device included; 0 before
};

/// Scratch memory of one product. Two threads may use one plan at once, each with its own workspace.
/// Made by plan::make_workspace(), usable with that plan alone (and it must not outlive the plan's device).
class GOSSAMER_API workspace {
 public:
  explicit workspace(std::unique_ptr<plans::workspace_base> base) noexcept;
  workspace(workspace&&) noexcept;
  workspace& operator=(workspace&&) noexcept;
  ~workspace();
  [[nodiscard]] std::int64_t bytes() const noexcept;  ///< memory that it holds now

 private:
  template <value V>
  friend class plan;
  std::unique_ptr<plans::workspace_base> base_;
};

/// A matrix stored in one format on one resource, ready to multiply: y = alpha A x + beta y.
///
/// Arithmetic. Where beta == 0, y is never read, so a NaN in it does not survive. Where alpha == 0, neither A nor x
/// is read. Duplicate entries add up; a stored zero multiplies like any value; a row without entries gives beta y.
/// Padding is no entry: an Inf or NaN in x reaches only the rows that have an entry in its column.
///
/// Reproducibility. The bits of y depend on the matrix, alpha, x, beta, y and describe() alone: not on the number of
/// threads, the alignment of the vectors, the stream or the run. The option accumulate = atomic, where a format has
/// it, gives that up; describe() says so ("deterministic": false).
///
/// Floating-point environment. On a CPU, the worker threads of multiply use the calling thread's rounding
/// mode, denormal flushing and trap mask. So do those of inspect and update_values when they round values.
/// Exception flags raised on worker threads are discarded. CUDA devices always round to nearest and keep
/// denormals.
///
/// Vectors. Any alignment of a multiple of sizeof(V). x has cols() and y has rows() elements, else size_mismatch;
/// they must not share memory, else overlap. Host spans on a cuda plan are copied there and back: synchronous, slower,
/// not capturable. Device spans on a cuda plan: no allocation, no synchronisation, capturable in a CUDA graph; the
/// vectors live on the plan's device and the work is ordered by the stream. Device spans on a cpu plan: unsupported; on one over several resources: hybrid.hpp.
///
/// A product on a GPU may begin while the kernel before it in the stream ends, and lets the next one begin so (CUDA's programmatic dependent
/// launch, compute capability 9.0 and newer): it waits before it touches x or y. Ordinary kernels and copies notice nothing. A kernel that the
/// caller launches programmatically behind a product calls cudaGridDependencySynchronize(), as CUDA asks of it. A graph that products are captured
/// in has programmatic edges between them.
///
/// Threads. multiply is const. Without a workspace argument it uses the plan's own, which serves one product at a
/// time: a second host call at the same moment throws busy; with device spans the caller's stream must order the
/// products, and two at once on one workspace leave it unusable. With one workspace each, any number of threads and
/// streams may multiply at once.
/// Exceptions leave the plan usable; where multiply throws after its arguments were accepted, y is unspecified.
///
/// fork(). A child process may use and destroy the parent's CPU plans. If the parent had several threads, the
/// thread that called fork() runs on one thread in the child, since OpenMP's worker threads are not
/// inherited. Threads that the child starts run in parallel. In the child, the parent's CUDA plans throw
/// unsupported and may be destroyed. A child forked on another thread than main()'s must end by exit() or
/// _exit(): if the thread's function returns, GNU OpenMP waits for ever for worker threads that are not
/// there.
///
/// Lifetime. Movable, not copyable; a moved-from plan may only be assigned to or destroyed. Destruction needs no
/// fence: it waits for products in flight.
template <value V>
class GOSSAMER_API plan {
 public:
  explicit plan(std::unique_ptr<plans::plan_base<V>> base) noexcept;
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;
  ~plan();

  /// y = alpha A x + beta y on vectors in host memory.
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const;
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, workspace& scratch) const;

  /// The same on vectors in device memory; asynchronous in `stream`.
  void multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream) const;
  void multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream,
                workspace& scratch) const;

  /// New values, in the order of the matrix that was inspected; the structure stays. The plan is then the same, bit
  /// for bit, as a fresh one with the same options. Needs inspect_options::values_change, else unsupported.
  /// Synchronous; no product may be in flight. A format that compresses values codes them anew, which takes memory and as long as
  /// inspect did; where it fails the plan stays as it was. On a cuda plan of such a format (format_info::recodes) its arrays are others then:
  /// graphs that captured a product must be captured again. With any other format they multiply by the new values.
  void update_values(std::span<const V> values);
  /// The same from device memory, on a cuda plan; asynchronous in `stream`, capturable. A product of host vectors runs in a stream
  /// of its own: wait for `stream` first. Throws unsupported where the format codes values anew (format_info::recodes), which the host does.
  void update_values(device_span<const V> values, cuda_stream stream);

  /// What the values that the plan has lost by rounding; absent where an option of the format does not round them, which none does unless it
  /// is given.
  [[nodiscard]] std::optional<rounding_error> rounding() const;
  /// The values that the plan would multiply by, were it given those of `a`, which has the structure that was inspected: a's own, borrowed, or,
  /// where there is a rounding(), those rounded. What products are to be compared with: verify() by these.
  template <offset O>
  [[nodiscard]] host_buffer<V> stored_values(const csr_view<V, O>& a) const;

  /// The matrix back, up to what the format keeps (see format_info::keeps) and with rounded values where there is a rounding().
  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const;

  [[nodiscard]] workspace make_workspace() const;

  [[nodiscard]] std::int64_t rows() const noexcept;
  [[nodiscard]] std::int64_t cols() const noexcept;
  [[nodiscard]] std::int64_t nnz() const noexcept;
  /// Memory of A in this format, borrowed arrays and the map of update_values included, vectors and scratch not.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Values that a product reads, padding included: nnz() where there is none.
  [[nodiscard]] std::int64_t slots() const noexcept;
  /// Of bytes(), what one product reads: without the map of update_values, and of values that are held twice one copy.
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept;
  /// Of streamed_bytes(), what a plan on a GPU keeps in host memory (inspect_options::memory_limit); 0 on a CPU.
  [[nodiscard]] std::int64_t bus_bytes() const noexcept;
  /// Of a plan over several resources each part, those without rows included; else none. Their seconds are those of the last product without a workspace argument;
  /// none may be under way.
  [[nodiscard]] std::vector<plan_part> parts() const;
  /// Wall-clock time of inspect, upload included.
  [[nodiscard]] double inspect_seconds() const noexcept;
  /// The format's name, the resource, and the options with every "auto" replaced.
  [[nodiscard]] std::string_view format() const noexcept;
  [[nodiscard]] const resource& where() const noexcept;
  [[nodiscard]] const option_texts& options() const noexcept;
  /// All of it as one JSON object, which inspect() accepts back.
  [[nodiscard]] std::string describe() const;

 private:
  std::unique_ptr<plans::plan_base<V>> base_;
};

/// Validates the matrix, measures it, and builds the plan. All memory that products need is taken
/// here, but for the staging of host vectors on a cuda plan, which the first such product takes.
/// Throws invalid_matrix, size_mismatch, invalid_argument, unsupported (the message is "unsupported: FORMAT: reason"
/// where a format refuses the matrix), out_of_memory, no_device, device_error, cancelled.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// From a matrix in device memory, on a cuda plan. A format that codes on the device (packed) reads the arrays there, where they are the plan's device's; for the
/// others they are copied to the host once; one that stores an array of the matrix as it is refers to the device's (unless options.copy). Synchronous with respect to the whole device.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where,
                             const inspect_options& options = {});

/// From coordinates, sorted by row first; the plan never refers to the caller's arrays. update_values then takes the
/// values in the sorted order (by row, the given order within a row).
template <value V>
GOSSAMER_API plan<V> inspect(const coo_view<V>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// The same plan as the one that was described, for this matrix: same format, options, resource and bits.
/// Throws parse_error or invalid_argument for a description that is not one, or not for this kind of matrix.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const description& like);

}  // namespace gossamer::inline v0
