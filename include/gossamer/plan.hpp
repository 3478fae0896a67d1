// SPDX-License-Identifier: BSD-3-Clause
// inspect() turns a matrix into a plan. A plan multiplies the matrix by vectors, many times.
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

/// Whether a plan may copy the columns and values of a matrix.
enum class matrix_memory {
  automatic,     ///< the format decides
  caller_arrays  ///< the plan refers to the caller's arrays, without a copy of columns and values
};

/// Options of inspect(). With the defaults, the library chooses the format and its options.
struct inspect_options {
  /// The name of a format from list_formats(), or "auto" or "tuned".
  ///
  /// "auto" chooses a format from the inputs alone. It measures nothing and reads no file:
  /// - Few products (see `calls`): csr.
  /// - CPU: the format with the least predicted time. With values_change, formats that encode values again
  ///   are excluded.
  /// - GPU: packed. If packed might take more than 64 GiB, csr.
  ///
  /// Equal inputs give equal choices. On a CPU, the inputs are the matrix, the types of its values and
  /// offsets, the instruction set and these options. On a GPU, they are the sizes of the matrix, the type of
  /// its values and these options. The choice does not depend on threads, cache sizes, free memory, load or
  /// files.
  ///
  /// "tuned" uses the cached result of tune() for this resource and a matrix of the same structure.
  /// Structures are compared by their sizes, row statistics and a sample (gossamer/tune.hpp). Without a
  /// result, or with memory_limit, "tuned" chooses as "auto" does. A matrix in device memory is copied to the
  /// host for it.
  ///
  /// On a CPU, `vectors` affects both choices.
  std::string format = "auto";
  /// Options of the named format, for example {{"kernel", "balanced"}}. Omitted options have their defaults.
  /// Throws invalid_argument if there are options and the format is "auto" or "tuned".
  option_texts options;
  /// Expected number of products. For few products, "auto" is csr, which takes less time to build:
  /// - CPU: for fewer than 100 products.
  /// - GPU: for fewer than 24, if the matrix is in that GPU's memory and the plan needs no arrays of its own.
  ///   It needs them with `copy`, with `values_change` and for the transpose.
  ///
  /// Throws invalid_argument if it is negative or NaN.
  double calls = 1000;
  /// True: the program will call update_values(). The plan then owns its values, and keeps the data that an
  /// update needs.
  bool values_change = false;
  /// True: the plan owns all its arrays. False: it may refer to the caller's arrays if they are in the memory
  /// of its resource. The caller must then keep them alive and unchanged. Change values only by
  /// update_values(), since some kernels use a second copy of them.
  bool copy = false;
  /// caller_arrays: the plan is csr and refers to the caller's columns and values.
  /// - The plan allocates O(rows) bytes, on a CPU, or on a GPU if the matrix is in that GPU's memory.
  /// - "auto" and "tuned" choose csr. Another format throws unsupported.
  /// - A matrix in host memory must be copied to a GPU, so the option has no effect there.
  /// - `copy`, `values_change` and other operations than forward need arrays of the plan's own. With one of
  ///   them, inspect throws invalid_argument, as it does for a coo_view or several resources.
  matrix_memory memory = matrix_memory::automatic;
  /// Limit in bytes of the device memory that a GPU plan allocates for A. The caller's device arrays do not
  /// count.
  ///
  /// Arrays beyond the limit are in pinned host memory, and each product reads them over the bus. The
  /// smallest array that is large enough moves to the host. If no array alone is large enough, the largest
  /// ones move first. The bits of results do not depend on the limit.
  ///
  /// By default, the limit is the free device memory minus the vectors. With a device allocation hook, there
  /// is no default limit. A CPU plan with a limit throws invalid_argument.
  std::optional<std::int64_t> memory_limit = {};
  /// The products that the plan computes. Other products throw unsupported. With both, the plan stores A and
  /// its transpose. A named format stores both; "auto" chooses a format for each. memory_limit then holds for
  /// both together, and A is placed first.
  operation_set operations = operation_set::forward;
  /// check: compares A with its transpose. If they are equal, the plan stores one matrix for both products.
  /// Equal means: each row has the same columns, in ascending order, and values with the same bits. Throws
  /// invalid_argument with values_change, or if `operations` is not both.
  symmetry symmetric = symmetry::unknown;
  /// Expected number of columns of X in products with row-major X and Y. Products with any other number work
  /// too.
  ///
  /// On a CPU with more than 1 column, "auto" and "tuned" choose among the formats that multiply so many
  /// columns at once. If there are none, they choose as for one column. Hybrid plans multiply column by
  /// column and ignore this option. Throws invalid_argument if it is less than 1.
  std::int64_t vectors = 1;
  /// Called at the start of each stage: "validate", "statistics", "choose", "build", "map" and "upload". If
  /// the GPU builds the plan, "upload" comes first. A coo_view has the stage "sort" first. For a transpose,
  /// the stages of each stored matrix are reported, and "validate" and "transpose".
  progress_callback progress;
};

/// A description of a plan. inspect() rebuilds the same plan from it.
struct description {
  std::string json;  ///< the text of plan::describe()
};

/// One part of a hybrid plan (gossamer/hybrid.hpp).
struct plan_part {
  resource where;         ///< resource of the part
  std::string format;     ///< name of its format; "none" if it has no rows
  std::int64_t rows = 0;  ///< number of its rows
  std::int64_t nnz = 0;   ///< number of entries in these rows
  double seconds = 0;  ///< time of its last product, including copies of x and y; 0 before the first product
};

/// What a plan stores for one of its products. plan::storage() returns it.
struct storage_info {
  std::string format;               ///< name of the format
  option_texts options;             ///< its options, with every "auto" replaced
  std::int64_t bytes = 0;           ///< memory of the stored matrix; see plan::bytes()
  std::int64_t slots = 0;           ///< values that a product reads; see plan::slots()
  std::int64_t streamed_bytes = 0;  ///< bytes that a product reads; see plan::streamed_bytes()
  std::int64_t bus_bytes = 0;       ///< the part of them in host memory; see plan::bus_bytes()
  std::vector<plan_part> parts;     ///< parts of a hybrid plan; otherwise empty
};

/// Scratch memory of products. It serves one product with A and one with the transpose at a time. Threads
/// that use one plan at the same time need a workspace each. plan::make_workspace() makes one for that plan
/// only. It must not outlive the CUDA context of the plan's device.
class GOSSAMER_API workspace {
 public:
  /// Moves the memory; the other workspace may then only be assigned to or destroyed.
  workspace(workspace&&) noexcept;
  /// Moves the memory; the other workspace may then only be assigned to or destroyed.
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

/// A matrix prepared for products y = alpha op(A) x + beta y. op(A) is A or its transpose.
///
/// inspect() makes a plan. A plan is on one resource; a hybrid plan has parts on several
/// (gossamer/hybrid.hpp). There are two types, plan<float> and plan<double>. The values of A, x, y, alpha and
/// beta all have this type.
///
/// @par Arithmetic
/// If beta is 0, y is not read, so old NaNs in y have no effect. If alpha is 0, A and x are not read.
/// Duplicate entries add up. A stored zero is multiplied like any value. A row without entries gives beta y.
/// Padding is never multiplied into a result: an Inf or NaN in x only affects the rows with an entry in its
/// column.
///
/// @par Reproducibility
/// The bits of y depend only on the matrix, alpha, x, beta, y and describe(). They do not depend on the
/// number of threads, the alignment of vectors, the stream or the run. There is one exception: some formats
/// have an option "accumulate"; with "atomic", bits vary from run to run. describe() then has
/// "deterministic": false.
///
/// @par Vectors
/// x has cols() and y has rows() elements; otherwise multiply throws size_mismatch. If x and y share memory,
/// it throws overlap. Their addresses must be multiples of sizeof(Vector).
///
/// @par Host and device vectors
/// - A CPU plan multiplies host vectors. For device vectors, it throws unsupported.
/// - A GPU plan multiplies vectors in its device's memory. The product is asynchronous in the stream. It
///   allocates no memory, does not synchronize, and can be captured in a CUDA graph.
/// - A GPU plan also multiplies host vectors. It copies them to the device and back. The product is
///   synchronous, slower, and cannot be captured.
/// - For hybrid plans, see gossamer/hybrid.hpp.
///
/// @par Threads
/// multiply() is const. Several threads and streams may multiply with one plan at the same time if each has
/// its own workspace. Without a workspace argument, multiply() uses the plan's own workspace. It serves one
/// product with A and one with the transpose at a time:
/// - Host vectors: a second product at the same time throws busy.
/// - Device vectors: the caller orders the products by streams. Two products at the same time corrupt the
///   workspace.
///
/// @par Exceptions
/// A plan stays usable after an exception. If multiply() throws after it has accepted its arguments, y is
/// unspecified.
///
/// @par Transpose
/// The plan stores the transpose as a separate matrix. Products take as long, and have the same bits, as
/// those of a plan of transpose(a). All paragraphs here hold for it, with rows and columns exchanged.
///
/// @par Dependent launch
/// On GPUs of compute capability 9.0 and newer, consecutive kernels overlap by programmatic dependent launch.
/// A product waits for its predecessor in the stream before it accesses x or y. Ordinary kernels and copies
/// need no change. If the caller launches a kernel programmatically after a product, this kernel must call
/// cudaGridDependencySynchronize(). Captured graphs have programmatic edges between products.
///
/// @par Floating-point environment
/// On a CPU, the worker threads of multiply() use the calling thread's rounding mode, denormal flushing and
/// trap mask. The same holds for inspect() and update_values() if they round values. Exception flags that
/// worker threads raise are discarded. CUDA devices round to nearest and keep denormals.
///
/// @par fork()
/// A child process may use and destroy the parent's CPU plans. The parent's CUDA plans throw unsupported in
/// the child; it may destroy them. If the parent had several threads, the child's first thread multiplies on
/// one thread, since OpenMP's worker threads are not inherited. Products in threads that the child starts use
/// several threads. If fork() was called in another thread than the parent's main thread, the child must end
/// by exit() or _exit(). If the thread's function returned instead, GNU OpenMP would wait forever for worker
/// threads that do not exist.
///
/// @par Lifetime
/// A plan is movable and not copyable. A moved-from plan may only be assigned to or destroyed. The destructor
/// waits for products in flight.
template <value Matrix, value Vector = Matrix>
class GOSSAMER_API plan {
  static_assert(std::is_same_v<Matrix, Vector>, "there are plan<float> and plan<double>");

 public:
  /// For the library's own use: a plan that multiplies by A only.
  explicit plan(std::unique_ptr<plans::plan_base<scalars<Matrix, Vector, Vector>>> forward) noexcept;
  /// For the library's own use: a plan of A, of its transpose, or of both; an absent one is null. With
  /// `symmetric`, `forward` computes both products and `transposed` is null.
  plan(std::unique_ptr<plans::plan_base<scalars<Matrix, Vector, Vector>>> forward,
       std::unique_ptr<plans::transposed_plan<scalars<Matrix, Vector, Vector>>> transposed,
       bool symmetric) noexcept;
  /// Moves the plan; the other one may then only be assigned to or destroyed.
  plan(plan&&) noexcept;
  /// Destroys this plan and moves the other one.
  plan& operator=(plan&&) noexcept;
  /// Waits for products in flight.
  ~plan();

  /// y = alpha A x + beta y for host vectors: x has cols() and y has rows() elements. Synchronous. Throws
  /// size_mismatch, overlap, busy, out_of_memory, device_error, and unsupported if operations() is
  /// transposed.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  /// The same with a workspace of this plan. Throws invalid_argument for the workspace of another plan.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                workspace& scratch) const;

  /// y = alpha A x + beta y for vectors in device memory. Asynchronous in `stream`. Throws size_mismatch,
  /// overlap, device_error, and unsupported on a CPU or if operations() is transposed.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream, workspace& scratch) const;

  /// y = alpha A^T x + beta y for host vectors: x has rows() and y has cols() elements. Synchronous. Throws
  /// unsupported if operations() is forward, and the other errors of multiply().
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                           workspace& scratch) const;
  /// y = alpha A^T x + beta y for vectors in device memory. Asynchronous in `stream`. Throws unsupported if
  /// operations() is forward, and the other errors of multiply().
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream, workspace& scratch) const;

  /// Y = alpha A X + beta Y for several vectors, the columns of X and Y. X has cols() rows and Y has rows()
  /// rows. Both have the same number of columns, 0 or more. Synchronous.
  ///
  /// The rules of a single product hold for each column, and column j of Y has the bits of a single product.
  /// docs/guides/several-vectors.md lists the exceptions. Many formats read the matrix once for several
  /// columns. The workspace grows at the first product that needs room for copied columns or for scratch of
  /// several columns.
  ///
  /// Throws the errors of a single product, and invalid_argument if a leading dimension is too small.
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                const dense_view<Vector>& y) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta, const dense_view<Vector>& y,
                workspace& scratch) const;
  /// Y = alpha A X + beta Y in device memory. Asynchronous in `stream`. A CUDA graph can capture it; the
  /// workspace then grows outside the graph. Throws unsupported for row-major matrices if the plan is a
  /// hybrid.
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream, workspace& scratch) const;

  /// Y = alpha A^T X + beta Y in host memory: X has rows() rows and Y has cols() rows. Otherwise as
  /// multiply().
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y, workspace& scratch) const;
  /// Y = alpha A^T X + beta Y in device memory. Asynchronous in `stream`. Otherwise as multiply().
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream,
                           workspace& scratch) const;

  /// Replaces all values. `values` has nnz() elements, in the order of the inspected matrix; the structure
  /// stays. The plan then equals a new one with the same options, bit for bit.
  ///
  /// Synchronous. No product may be in flight. Throws unsupported without inspect_options::values_change, and
  /// size_mismatch.
  ///
  /// If reencodes() is true, all values are encoded again. This takes as long as inspect() and memory for a
  /// second plan. If it fails, the plan keeps its old values. Graphs that were captured before must be
  /// captured again. If reencodes() is false, captured graphs use the new values.
  void update_values(std::span<const Matrix> values);
  /// Replaces all values by those in device memory, for a GPU plan. Asynchronous in `stream`; a CUDA graph
  /// can capture it. Products in `stream` are ordered with the update. Products in other streams must have
  /// finished. Synchronize `stream` before products with host vectors, since they run in another stream.
  /// Throws unsupported on a CPU, and if reencodes() is true.
  void update_values(device_span<const Matrix> values, cuda_stream stream);

  /// Whether update_values() encodes all values again, on the host. It concerns plans with values_change. It
  /// is true for bccoo, and for packed on a CPU. It is also true for packed on a GPU with values = encoded or
  /// a rounding precision.
  [[nodiscard]] bool reencodes() const noexcept;
  /// The rounding error of the stored values. Absent if no option of the format rounds values.
  [[nodiscard]] std::optional<rounding_error> rounding() const;
  /// The values of `a` as this plan stores them. Without rounding(), they are a's own values, borrowed. With
  /// rounding(), they are rounded copies. Tests compare products with these values. `a` must have the
  /// structure of the inspected matrix. Throws size_mismatch, out_of_memory.
  template <offset O>
  [[nodiscard]] host_buffer<Matrix> stored_values(const csr_view<Matrix, O>& a) const;

  /// Converts the stored matrix back to CSR in host memory. Values are rounded if rounding() is present.
  /// format_info::keeps states what is preserved. A plan of the transpose only returns A with ascending
  /// columns in each row. Throws out_of_memory.
  [[nodiscard]] csr_matrix<Matrix, std::int64_t> to_csr() const;

  /// Allocates scratch memory for products with this plan. Throws out_of_memory.
  [[nodiscard]] workspace make_workspace() const;

  [[nodiscard]] std::int64_t rows() const noexcept;         ///< number of rows of A
  [[nodiscard]] std::int64_t cols() const noexcept;         ///< number of columns of A
  [[nodiscard]] std::int64_t nnz() const noexcept;          ///< number of entries of A
  [[nodiscard]] operation_set operations() const noexcept;  ///< the products that the plan computes
  /// Whether one stored matrix serves both products (inspect_options::symmetric).
  [[nodiscard]] bool symmetric() const noexcept;
  /// What the plan stores for one product. No product may be in flight. Throws unsupported if the plan does
  /// not compute this product.
  [[nodiscard]] storage_info storage(operation product) const;
  /// Memory of all stored arrays, for both products together. It includes borrowed arrays and the data that
  /// update_values() needs. It excludes vectors and scratch.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Number of values that a product A x reads, including padding; nnz() without padding.
  ///
  /// slots(), streamed_bytes(), bus_bytes(), parts(), format(), options() and rounding() describe the matrix
  /// stored for A x. In a plan of the transpose only, they describe the transpose. storage() describes either
  /// one.
  [[nodiscard]] std::int64_t slots() const noexcept;
  /// Bytes of A that one product reads. They are bytes() without duplicated values and without the data that
  /// update_values() needs.
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept;
  /// The part of streamed_bytes() that a GPU plan keeps in host memory (inspect_options::memory_limit). 0 on
  /// a CPU.
  [[nodiscard]] std::int64_t bus_bytes() const noexcept;
  /// The parts of a hybrid plan, including those without rows; empty for other plans. Times are those of the
  /// last product without a workspace argument. No product may be in flight.
  [[nodiscard]] std::vector<plan_part> parts() const;
  /// Wall-clock time of inspect() in seconds, including uploads.
  [[nodiscard]] double inspect_seconds() const noexcept;
  /// Name of the format.
  [[nodiscard]] std::string_view format() const noexcept;
  /// The plan's resource.
  [[nodiscard]] const resource& where() const noexcept;
  /// The format's options, with every "auto" replaced.
  [[nodiscard]] const option_texts& options() const noexcept;
  /// A description of the plan as one JSON object. inspect() rebuilds the plan from it.
  [[nodiscard]] std::string describe() const;

 private:
  using base = plans::plan_base<scalars<Matrix, Vector, Vector>>;
  [[nodiscard]] const base& primary() const noexcept;
  [[nodiscard]] const base& forward() const;     // throws unsupported if it is absent
  [[nodiscard]] const base& transposed() const;  // throws unsupported if it is absent

  std::unique_ptr<base> forward_;
  std::unique_ptr<plans::transposed_plan<scalars<Matrix, Vector, Vector>>> transposed_;
  bool symmetric_ = false;
};

/// Validates a matrix in host memory and builds a plan on a CPU or a GPU.
///
/// It allocates all memory that later products need. One exception: a GPU plan allocates staging buffers at
/// its first product with host vectors. Synchronous. The plan may refer to the caller's arrays (see
/// inspect_options::copy).
///
/// Throws invalid_matrix, size_mismatch, invalid_argument, unsupported, out_of_memory, no_device,
/// device_error, cancelled. If a format refuses the matrix, the message is "unsupported: FORMAT: reason".
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// Validates a matrix in device memory and builds a GPU plan. It synchronizes the whole device. Throws the
/// errors of inspect() for host memory.
///
/// packed is built on the device if the arrays are in that device's memory. For other formats, the arrays are
/// copied to the host once. For csr these are only the row offsets, if the plan may refer to the caller's
/// arrays. Arrays that a format stores unchanged are borrowed unless options.copy is true.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where,
                             const inspect_options& options = {});

/// Sorts a COO matrix by row and builds a plan. The plan never refers to the caller's arrays. update_values()
/// takes values in the sorted order: by row, and within a row in the given order. Throws the errors of the
/// first inspect().
template <value V>
GOSSAMER_API plan<V> inspect(const coo_view<V>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// Rebuilds a described plan for this matrix. Format, options, resource and the bits of products are the
/// same. Throws the errors of the first inspect(). Throws parse_error or invalid_argument if the text is not
/// a description, or is one for another type of matrix.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const description& like);

}  // namespace gossamer::inline v0
