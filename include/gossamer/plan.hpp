// SPDX-License-Identifier: BSD-3-Clause
// inspect() turns a matrix into a plan; a plan multiplies it by vectors, many times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

template <class Matrix, class Vector, class Accumulator>
struct scalars;

namespace plans {
template <class S>
class plan_base;
template <class S>
class transposed_plan;
class workspace_base;
}  // namespace plans

/// Whether a plan may copy the columns and values of the caller's arrays.
enum class matrix_memory {
  automatic,     ///< the format decides
  caller_arrays  ///< it may not: the plan refers to the caller's arrays
};

/// Options of inspect(). The defaults choose a format, and its kernel from the row statistics.
struct inspect_options {
  /// A name from list_formats(), or one of these:
  /// "auto": csr for few products (see calls). Else on a CPU, the format with the least predicted time; with
  /// values_change, formats that encode values again are excluded. On a GPU, packed, or csr if packed might
  /// take more than 64 GiB. On a CPU the choice depends on the matrix, the types of its values and offsets,
  /// the instruction set and these options; on a GPU on the sizes of the matrix, the type of its values and
  /// these options. It does not depend on threads, cache sizes, free memory, load or files.
  /// "tuned": the cached result of tune() on this resource for a matrix of the same sizes and row statistics,
  /// as far as a sample tells the same structure (gossamer/tune.hpp). A matrix in device memory is copied to
  /// the host for it. Without a result, or with memory_limit: as "auto". See vectors for several vectors.
  std::string format = "auto";
  /// Options of that format. Missing ones are "auto" or the default. Must be empty if format is "auto" or
  /// "tuned".
  option_texts options;
  /// Expected number of products. For few, "auto" is csr, if that is built in less time: for fewer than 100
  /// on a CPU; for fewer than 24 on a GPU, if the matrix is in its memory and the plan does not need arrays
  /// of its own (copy, values_change, a transpose). Throws invalid_argument if it is negative or NaN.
  double calls = 1000;
  /// update_values() will be called: the plan owns its values and keeps what it needs to find their places.
  bool values_change = false;
  /// False: a CPU plan may refer to the caller's arrays, which must then outlive it and stay unchanged. Some
  /// kernels keep a second copy of values, so change values only with update_values().
  bool copy = false;
  /// With caller_arrays, "auto" and "tuned" are csr, and naming another format throws unsupported. The plan
  /// then allocates O(rows) bytes on a CPU, and on a GPU if the matrix is in that GPU's memory. A matrix
  /// in host memory has to be copied to a GPU, so there the option has no effect. Otherwise it throws
  /// invalid_argument if combined with copy, values_change, operations other than forward, a coo_view or
  /// several resources, all of which need arrays of the plan's own.
  matrix_memory memory = matrix_memory::automatic;
  /// Limit in bytes of the device memory that a GPU plan takes for A. The caller's device arrays do not
  /// count. Arrays beyond the limit stay in pinned host memory, and each product reads them through the bus.
  /// The smallest array that suffices is placed there, otherwise the largest ones first. The result keeps its
  /// bits. Absent: the free device memory less the vectors; with a device allocation hook, no limit. A CPU
  /// plan throws invalid_argument if it is set.
  std::optional<std::int64_t> memory_limit = {};
  /// The products that the plan computes; the other one throws unsupported. With both, the plan stores A and
  /// its transpose. A named format is used for both; with "auto", each is chosen separately. memory_limit
  /// then holds for both together: A is placed first.
  operation_set operations = operation_set::forward;
  /// check: compares A with its transpose, and stores one matrix for both products if they are equal: the
  /// same columns in ascending order in each row, and the same bits of values. Another matrix is stored
  /// twice. Throws invalid_argument with values_change, and without operations = both.
  symmetry symmetric = symmetry::unknown;
  /// Expected number of columns of X in products with row-major X and Y. With more than 1, "auto" and "tuned"
  /// prefer on a CPU formats that multiply so many columns at once. If there are none, they choose as for one
  /// column. Products with any other number of columns work too. Hybrid plans multiply column by column and
  /// ignore this. Throws invalid_argument if less than 1.
  std::int64_t vectors = 1;
  /// Called at the start of each stage: "validate", "statistics", "choose", "build", "map", "upload". If the
  /// device builds the plan, "upload" comes first. For a transpose, there are the stages of each matrix that
  /// is stored, and "validate" and "transpose".
  progress_callback progress;
};

/// The text of plan::describe(). inspect() rebuilds the same plan from it.
struct description {
  std::string json;
};

/// One part of a hybrid plan (gossamer/hybrid.hpp).
struct plan_part {
  resource where;
  std::string format;  ///< "none" where it has no rows
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  double seconds = 0;  ///< Time of its last product, including copies of x and y. 0 before the first product.
};

/// What a plan stores for one of its products; each number as the function of that name in plan says.
struct storage_info {
  std::string format;
  option_texts options;  ///< with every "auto" replaced
  std::int64_t bytes = 0;
  std::int64_t slots = 0;
  std::int64_t streamed_bytes = 0;
  std::int64_t bus_bytes = 0;
  std::vector<plan_part> parts;  ///< of a hybrid plan
};

/// Scratch memory of products: room for one by A and one by its transpose at a time. Two threads may use one
/// plan at once, each with its own workspace. plan::make_workspace() makes one for that plan. It must not
/// outlive the plan's device.
class GOSSAMER_API workspace {
 public:
  workspace(workspace&&) noexcept;
  workspace& operator=(workspace&&) noexcept;
  ~workspace();
  [[nodiscard]] std::int64_t bytes() const noexcept;  ///< memory that it holds now

 private:
  template <value Matrix, value Vector>
  friend class plan;
  workspace() noexcept;
  std::unique_ptr<plans::workspace_base> forward_;
  std::unique_ptr<plans::workspace_base> transposed_;
};

/// A matrix prepared for multiplication: y = alpha op(A) x + beta y, where op(A) is A or its transpose
/// (inspect_options::operations). A plan is on one resource; a hybrid plan (hybrid.hpp) has several parts.
/// Matrix is the type of its values, Vector that of x, y, alpha and beta. Plans exist for float and for
/// double, with both types the same.
///
/// Transpose. The plan stores it as a separate matrix. So a product takes as long as by a plan of
/// transpose(a), and has the same bits. The paragraphs below hold for it too, with rows and columns
/// exchanged.
///
/// Arithmetic. If beta == 0, y is never read, so a NaN in it does not survive. If alpha == 0, A and x are not
/// read. Duplicate entries add up; a stored zero multiplies like any value; a row without entries gives beta
/// y. Padding does not count as an entry: an Inf or NaN in x reaches only the rows that have an entry in its
/// column.
///
/// Reproducibility. The bits of y depend only on the matrix, alpha, x, beta, y and describe(). They do not
/// depend on the number of threads, the alignment of the vectors, the stream or the run. The exception is the
/// option accumulate = atomic of some formats; describe() then has "deterministic": false.
///
/// Floating-point environment. On a CPU, the worker threads of multiply use the calling thread's rounding
/// mode, denormal flushing and trap mask. So do those of inspect and update_values when they round values.
/// Exception flags raised on worker threads are discarded. CUDA devices always round to nearest and keep
/// denormals.
///
/// Vectors. Any alignment of a multiple of sizeof(Vector). x has cols() and y has rows() elements, else
/// size_mismatch. They must not share memory, else overlap. A cuda plan copies host spans to the device and
/// back: synchronous, slower, not capturable. With device spans it does not allocate or synchronise, and is
/// capturable in a CUDA graph. The vectors are on the plan's device, and the stream orders the work. A cpu
/// plan throws unsupported for device spans; for hybrid plans see hybrid.hpp.
///
/// On a GPU, consecutive kernels overlap by programmatic dependent launch (compute capability 9.0 and newer).
/// A product waits for its predecessor before it accesses x or y. Ordinary kernels and copies are not
/// affected. A kernel that the caller launches programmatically after a product must call
/// cudaGridDependencySynchronize(). Captured graphs have programmatic edges between products.
///
/// Threads. multiply is const. Without a workspace argument it uses the plan's own, which serves one product
/// with A and one with the transpose at a time. A second host call at the same moment throws busy. With
/// device spans, the caller's stream must order the products; two at once on one workspace leave it unusable.
/// With one workspace each, any number of threads and streams may multiply at once. Exceptions leave the plan
/// usable. If multiply throws after its arguments were accepted, y is unspecified.
///
/// fork(). A child process may use and destroy the parent's CPU plans. If the parent had several threads, the
/// thread that called fork() runs on one thread in the child, since OpenMP's worker threads are not
/// inherited. Threads that the child starts run in parallel. In the child, the parent's CUDA plans throw
/// unsupported and may be destroyed. A child forked on another thread than primary()'s must end by exit() or
/// _exit(): if the thread's function returns, GNU OpenMP waits for ever for worker threads that are not
/// there.
///
/// Lifetime. Movable, not copyable; a moved-from plan may only be assigned to or destroyed. Destruction needs
/// no fence: it waits for products in flight.
template <value Matrix, value Vector = Matrix>
class GOSSAMER_API plan {
  static_assert(std::is_same_v<Matrix, Vector>, "there are plan<float> and plan<double>");

 public:
  /// For inspect: a plan that multiplies by A alone.
  explicit plan(std::unique_ptr<plans::plan_base<scalars<Matrix, Vector, Vector>>> forward) noexcept;
  /// For inspect: a plan of A, of its transpose, or of both; a null pointer stands for none. With
  /// `symmetric`, `forward` serves both products and `transposed` is null.
  plan(std::unique_ptr<plans::plan_base<scalars<Matrix, Vector, Vector>>> forward,
       std::unique_ptr<plans::transposed_plan<scalars<Matrix, Vector, Vector>>> transposed,
       bool symmetric) noexcept;
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;
  ~plan();

  /// y = alpha A x + beta y on vectors in host memory.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                workspace& scratch) const;

  /// The same on vectors in device memory; asynchronous in `stream`.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream) const;
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream, workspace& scratch) const;

  /// y = alpha A^T x + beta y on vectors in host memory: x has rows() and y has cols() elements. Throws
  /// unsupported unless operations() is transposed or both, and what multiply throws.
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                           workspace& scratch) const;
  /// The same on vectors in device memory; asynchronous in `stream`.
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream) const;
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream, workspace& scratch) const;

  /// Y = alpha A X + beta Y for several vectors at once, the columns of X and Y: X has cols() and Y has
  /// rows() rows, and both have as many columns, 0 or more. Column j of Y has the bits that a single product
  /// gives (exceptions: docs/guides/several-vectors.md). The rules of a single product hold for each column.
  /// The matrix is read once for several columns if the plan can do so. The first product that needs room in
  /// the workspace allocates it: for copies of columns that are not contiguous, and for scratch of several
  /// columns. Throws size_mismatch, overlap, invalid_argument for a leading dimension that is too small, and
  /// out_of_memory.
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                const dense_view<Vector>& y) const;
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta, const dense_view<Vector>& y,
                workspace& scratch) const;
  /// The same in device memory; asynchronous in `stream`. It can be captured in a graph: room is
  /// allocated outside the graph. Throws unsupported for row-major matrices if the plan is a hybrid.
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream, workspace& scratch) const;

  /// Y = alpha A^T X + beta Y: X has rows() and Y has cols() rows.
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y) const;
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y, workspace& scratch) const;
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream,
                           workspace& scratch) const;

  /// New values for all products of the plan, in the order of the matrix that was inspected; the structure
  /// stays. The plan is then the same, bit for bit, as a fresh one with the same options. Needs
  /// inspect_options::values_change, else unsupported. Synchronous. No product may be in flight.
  /// If reencodes() is true, all values are encoded again, which takes as long as inspect and memory for a
  /// second plan; if that fails, the plan keeps its old values. On a GPU, captured graphs must then be
  /// captured again. Otherwise captured graphs use the new values.
  void update_values(std::span<const Matrix> values);
  /// The same from device memory, on a cuda plan; asynchronous in `stream`, capturable. Products in `stream`
  /// are ordered with it; others must have finished. A product of host vectors runs in another stream:
  /// wait for `stream` first. Throws unsupported if reencodes().
  void update_values(device_span<const Matrix> values, cuda_stream stream);

  /// Of a plan with values_change: whether update_values() encodes all values again, on the host. True for
  /// bccoo; for packed on a CPU, and on a GPU with values = encoded or a precision that rounds.
  [[nodiscard]] bool reencodes() const noexcept;
  /// The rounding error of the stored values. Absent unless an option of the format rounds them.
  [[nodiscard]] std::optional<rounding_error> rounding() const;
  /// The values of `a` as this plan would store them. `a` must have the inspected structure. They are a's own
  /// values (borrowed), or rounded ones if rounding() is present. Compare products with these values.
  template <offset O>
  [[nodiscard]] host_buffer<Matrix> stored_values(const csr_view<Matrix, O>& a) const;

  /// Converts back to CSR, with rounded values if rounding() is present. format_info::keeps states what is
  /// preserved. A plan of the transpose alone returns A with ascending columns in each row.
  [[nodiscard]] csr_matrix<Matrix, std::int64_t> to_csr() const;

  [[nodiscard]] workspace make_workspace() const;

  [[nodiscard]] std::int64_t rows() const noexcept;  ///< of A, as cols()
  [[nodiscard]] std::int64_t cols() const noexcept;
  [[nodiscard]] std::int64_t nnz() const noexcept;
  [[nodiscard]] operation_set operations() const noexcept;
  /// Whether one matrix serves both products (inspect_options::symmetric).
  [[nodiscard]] bool symmetric() const noexcept;
  /// What is stored for one product; of a symmetric plan the same for both. No product may be in flight.
  /// Throws unsupported if the plan does not compute it.
  [[nodiscard]] storage_info storage(operation product) const;
  /// Memory of all that is stored, of both orientations together. Includes borrowed arrays and the map of
  /// update_values. Excludes vectors and scratch.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Values that a product A x reads, padding included: nnz() where there is none. This and the functions up
  /// to parts(), format(), options() and rounding() describe the transpose if only that is stored; storage()
  /// describes either.
  [[nodiscard]] std::int64_t slots() const noexcept;
  /// Bytes of A that one product reads: bytes() without the map of update_values and without duplicated
  /// values.
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept;
  /// The part of streamed_bytes() that a GPU plan keeps in host memory (inspect_options::memory_limit). 0 on
  /// a CPU.
  [[nodiscard]] std::int64_t bus_bytes() const noexcept;
  /// The parts of a hybrid plan, including empty ones; otherwise none. Their times are those of the last
  /// product without a workspace argument. No product may be in flight.
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
  using base = plans::plan_base<scalars<Matrix, Vector, Vector>>;
  [[nodiscard]] const base& primary() const noexcept;
  [[nodiscard]] const base& forward() const;     // throws unsupported where there is none
  [[nodiscard]] const base& transposed() const;  // throws unsupported where there is none

  std::unique_ptr<base> forward_;
  std::unique_ptr<plans::transposed_plan<scalars<Matrix, Vector, Vector>>> transposed_;
  bool symmetric_ = false;
};

/// Validates the matrix and builds the plan. Allocates all memory that products need. One exception: a cuda
/// plan allocates staging buffers at its first product with host vectors. Throws invalid_matrix,
/// size_mismatch, invalid_argument, unsupported (the message is "unsupported: FORMAT: reason" where a format
/// refuses the matrix), out_of_memory, no_device, device_error, cancelled.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// From a matrix in device memory, on a cuda plan. A format that builds on the device (packed) reads the
/// arrays there if they are on the plan's device. For other formats the arrays are copied to the host once.
/// Arrays that a format stores unchanged are borrowed unless options.copy is set. Synchronizes the whole
/// device.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where,
                             const inspect_options& options = {});

/// From coordinates, sorted by row first; the plan never refers to the caller's arrays. update_values then
/// takes the values in the sorted order (by row, the given order within a row).
template <value V>
GOSSAMER_API plan<V> inspect(const coo_view<V>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// The same plan as the one that was described, for this matrix: same format, options, resource and bits.
/// Throws parse_error or invalid_argument for a description that is not one, or not for this kind of matrix.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const description& like);

}  // namespace gossamer::inline v0
