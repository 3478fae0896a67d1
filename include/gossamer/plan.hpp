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

#include "gossamer/epilogue.hpp"
#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/reorder.hpp"
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
  automatic,     ///< the format decides what it copies
  caller_arrays  ///< no copy: the plan refers to the caller's columns and values
};

/// Options of inspect(). With the defaults, the library chooses the format and its options.
struct inspect_options {
  /// The name of a format from list_formats(), or "auto" or "tuned".
  ///
  /// "auto" chooses a format from the inputs alone. It measures nothing and reads no file:
  /// - Few products (see `calls`): csr.
  /// - CPU: the format with the least predicted time. With values_change, this excludes formats whose
  ///   update_values() encodes all values again (plan::reencodes()).
  /// - GPU: cached_x, if a sample of the columns shows that parts of x in shared memory serve many entries
  ///   (docs/guides/choosing.md). Otherwise packed, or csr if packed might take more than 64 GiB.
  ///
  /// Equal inputs give equal choices. On a CPU, the inputs are the matrix, the types of its values and
  /// offsets, the instruction set and these options. On a GPU, the inputs are the sizes of the matrix, a
  /// sample of its columns, whether it is in host or device memory, the type of its values, and these
  /// options. The choice does not depend on threads, cache sizes, free memory, load or files.
  ///
  /// "tuned" chooses the cached result of tune() for this resource and for a matrix of the same structure
  /// (see tune()). In these cases, it chooses as "auto" does for a matrix in host memory:
  /// - There is no such result, or the cached format refuses the matrix.
  /// - memory_limit is set.
  /// - Several vectors are expected: `vectors` is 2 or more on a GPU, 4 or more on a CPU.
  ///
  /// For "tuned", a matrix in device memory is copied to the host.
  std::string format = "auto";
  /// Options of the named format, for example {{"kernel", "balanced"}}. Omitted options have their defaults.
  /// Throws invalid_argument if there are options and the format is "auto" or "tuned".
  option_texts options = {};
  /// Expected number of products. If they are few, "auto" chooses csr, which takes less time to build. Few
  /// means:
  /// - CPU: fewer than 100.
  /// - GPU: fewer than 24, for a matrix in the memory of that GPU. `copy` and `values_change` must be false
  ///   and `operations` must be forward. In all other cases, "auto" on a GPU ignores `calls`.
  ///
  /// Throws invalid_argument if it is negative or NaN.
  double calls = 1000;
  /// True: the program will call update_values(). The plan then owns its values, and keeps the data that an
  /// update needs.
  bool values_change = false;
  /// True: the plan owns all its arrays. False: the plan may refer to the caller's arrays if they are in the
  /// memory of its resource. The caller must then keep these arrays alive and unchanged. To change values,
  /// set values_change and call update_values().
  bool copy = false;
  /// automatic: the format decides what it copies. caller_arrays: the format is csr, and the plan refers to
  /// the caller's columns and values. It allocates only O(rows) bytes.
  /// - "auto" and "tuned" choose csr. Another format throws unsupported.
  /// - inspect() throws invalid_argument with `copy`, with values_change, for other `operations` than
  ///   forward, for a coo_view and for a hybrid plan.
  /// - A GPU plan of a csr_view in host memory ignores this option, since the arrays must be copied to the
  ///   GPU.
  matrix_memory memory = matrix_memory::automatic;
  /// Limit in bytes of the device memory that a GPU plan allocates for A. Device arrays of the caller do not
  /// count.
  ///
  /// If A needs more, some of its arrays are stored in pinned host memory instead. Each product reads them
  /// over the bus (PCIe or NVLink). The bits of results do not depend on the limit.
  /// docs/guides/larger-than-memory.md states which arrays are moved.
  ///
  /// Without a value, the limit is 15/16 of the free device memory, minus the size of one x and one y. If the
  /// program has called set_device_allocation_hook(), the free memory is unknown, and there is no default
  /// limit. A CPU plan with a limit throws invalid_argument.
  std::optional<std::int64_t> memory_limit = {};
  /// The products that the plan computes: forward (A x), transposed (A^T x) or both. Other products throw
  /// unsupported.
  ///
  /// With both, the plan stores A and its transpose. A named format is used for both matrices. "auto" chooses
  /// a format for each. memory_limit holds for both together; the device memory is given to A first.
  operation_set operations = operation_set::forward;
  /// Whether one stored matrix may serve both products:
  /// - unknown: the plan stores A and its transpose.
  /// - check: inspect() compares A with its transpose. If both are equal, the plan stores A only and uses it
  ///   for both products.
  ///
  /// They are equal if each row has the same columns and its values have the same bits. A matrix with columns
  /// that are not in ascending order counts as unequal. With check, `operations` must be both and
  /// values_change must be false. Otherwise, inspect() throws invalid_argument.
  symmetry symmetric = symmetry::unknown;
  /// How the plan orders the rows and columns of its matrix:
  /// - none: in the caller's order.
  /// - rcm: the plan stores permuted(a, p) with p = reverse_cuthill_mckee(a), for a square matrix. This pays
  ///   for meshes in bad order (docs/guides/reordering.md).
  ///
  /// All functions of a reordered plan take and return vectors and values in the caller's order. Each product
  /// copies x into the new order, and y back. To save these copies, keep vectors in the new order, and
  /// inspect permuted(a, p) without `reorder`.
  ///
  /// Results are bitwise identical to those of a plan of permuted(a, p) with permuted vectors. "auto" and
  /// "tuned" choose a format for the reordered matrix. A matrix in device memory is copied to the host.
  /// memory_limit includes 8 bytes a row for the permutation and its inverse.
  ///
  /// inspect() throws unsupported if this build of Gossamer has no Boost. It throws invalid_argument:
  /// - if the matrix is not square,
  /// - with memory = caller_arrays,
  /// - for a hybrid plan,
  /// - if memory_limit is less than the bytes of the permutation.
  reordering reorder = reordering::none;
  /// Expected number of columns of X in products with row-major X and Y. Products with any other number work,
  /// too.
  ///
  /// On a CPU, for 4 or more columns, "auto" and "tuned" consider only formats with a kernel for several
  /// columns. Hybrid plans multiply column by column and ignore this option. Throws invalid_argument if it is
  /// less than 1.
  std::int64_t vectors = 1;
  /// Called at the start of each stage. If the callback returns false, inspect() throws cancelled. These are
  /// the stages; those without work are absent:
  /// - "sort": a coo_view is sorted by row.
  /// - "validate", "statistics": the matrix is checked and its rows are measured.
  /// - "reorder": a permutation is computed, and the matrix is permuted.
  /// - "transpose": the matrix is transposed.
  /// - "choose": a format is chosen, for "auto" on a CPU or for "tuned".
  /// - "build": the storage of the format is built.
  /// - "map": the data that update_values() needs is built.
  /// - "upload": arrays are copied to the GPU. If the GPU builds the storage, "upload" precedes "build".
  ///
  /// With two stored matrices, some stages occur twice. With reorder, "validate" occurs before and after.
  progress_callback progress = {};
};

/// A description of a plan. inspect() rebuilds the same plan from a description and the matrix.
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
  option_texts options;             ///< its options; see plan::options()
  std::int64_t bytes = 0;           ///< memory of this stored matrix; see plan::bytes()
  std::int64_t slots = 0;           ///< values that a product reads; see plan::slots()
  std::int64_t streamed_bytes = 0;  ///< bytes that a product reads; see plan::streamed_bytes()
  std::int64_t bus_bytes = 0;       ///< the streamed bytes in host memory; see plan::bus_bytes()
  std::vector<plan_part> parts;     ///< parts of a hybrid plan; otherwise empty
};

/// Scratch memory of products. plan::make_workspace() allocates a workspace for one plan. Threads that use a
/// plan at the same time need one workspace each.
///
/// At any time, a workspace serves at most one product with A and one with the transpose. If
/// plan::symmetric() is true, it serves one product only. A workspace must be destroyed before the CUDA
/// context of the plan's device.
class GOSSAMER_API workspace {
 public:
  /// Moves the memory. The other workspace may then only be assigned to or destroyed.
  workspace(workspace&&) noexcept;
  /// Moves the memory. The other workspace may then only be assigned to or destroyed.
  workspace& operator=(workspace&&) noexcept;
  ~workspace();
  /// Memory of the workspace now, in bytes. Waits while another thread's call puts a product into a stream.
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  template <value Matrix, value Vector>
  friend class plan;
  workspace() noexcept;
  std::unique_ptr<plans::workspace_base> forward_;
  std::unique_ptr<plans::workspace_base> transposed_;
};

/// A matrix prepared for products y = alpha op(A) x + beta y. op(A) is A or its transpose.
///
/// inspect() makes a plan from a matrix, once for many products. A plan runs on one resource: a CPU or a GPU.
/// A hybrid plan runs on several resources (gossamer/hybrid.hpp).
///
/// @code
/// #include <gossamer/gossamer.hpp>
/// #include <vector>
///
/// int main() {
///   const std::vector<std::int32_t> row_ptr{0, 2, 3}, col{0, 2, 1};  // (4 0 1; 0 3 0)
///   const std::vector<double> val{4, 1, 3}, x{1, 2, 3};
///   std::vector<double> y(2);
///   const gossamer::csr_view<double, std::int32_t> a{
///       .rows = 2, .cols = 3, .row_ptr = row_ptr, .col = col, .val = val};
///   const auto plan = gossamer::inspect(a);  // for a GPU: inspect(a, gossamer::cuda{})
///   plan.multiply(1.0, x, 0.0, y);           // y = A x = (7, 6)
/// }
/// @endcode
///
/// There are two types, plan<float> and plan<double>. The values of A, x, y, alpha and beta have the same
/// type. The template has two parameters so that mixed types can be added later. Today both must be equal.
///
/// @par Arithmetic
/// If beta is 0, y is not read, so old NaNs in y have no effect. If alpha is 0, A and x are not read.
/// Duplicate entries add up. A stored zero is multiplied like any value. A row without entries gives beta y.
/// Padding never changes a result: an Inf or NaN in element j of x only affects rows with an entry in column
/// j.
///
/// @par Reproducibility
/// Products with equal arguments have equal bits in every run. The bits of y depend on:
/// - the matrix, alpha, x, beta and y,
/// - the format and its options,
/// - the instruction set of a CPU plan, or the compute capability of the GPU,
/// - on a CPU, the rounding mode and denormal flushing.
///
/// describe() contains the format, the options, and the instruction set or compute capability. The bits do
/// not depend on the number of threads, the alignment of vectors, the stream or the workspace. There is one
/// exception: some formats have the option "accumulate". With the value "atomic", bits vary from run to run,
/// and describe() has "deterministic": false.
///
/// @par Vectors
/// x has cols() and y has rows() elements. Otherwise, multiply() throws size_mismatch. If x and y share
/// memory, it throws overlap. Their addresses must be multiples of sizeof(Vector), as in any C++ array;
/// multiply() does not check this.
///
/// @par Host and device vectors
/// - A CPU plan multiplies host vectors. For device vectors, it throws unsupported.
/// - A GPU plan multiplies vectors in the memory of its device. The product is asynchronous in the stream. It
///   allocates no memory, does not synchronize, and can be captured in a CUDA graph. (For several vectors,
///   see multiply() of dense_view.)
/// - A GPU plan also multiplies host vectors. It copies x to the device and y back. This product is
///   synchronous and slower. CUDA graphs cannot capture it.
/// - For hybrid plans, see gossamer/hybrid.hpp.
///
/// @par Threads
/// multiply() is const. Several threads and streams may multiply with one plan at the same time if each has
/// its own workspace. A call without a workspace argument uses the workspace that belongs to the plan.
///
/// Two products with the same workspace must not run at the same time, except one with A and one with the
/// transpose (see workspace). If they do:
/// - Host vectors: the second product throws busy.
/// - Device vectors: nothing is checked, and results are wrong. Products with dot products
///   (gossamer/epilogue.hpp) may also never end, since each waits for partial sums that the other has taken.
///   Put such products into one stream, or order their streams by events.
///
/// @par Exceptions
/// All functions throw exceptions of class error; errc lists the codes. A plan stays usable after an
/// exception. If multiply() throws after its arguments were checked, y is unspecified.
///
/// @par Transpose
/// For products by the transpose, a plan stores the transpose as a second matrix. One exception: if
/// symmetric() is true, one matrix serves both products. A product by the transpose has the speed and the
/// bits of a product of inspect(transpose(a)). All paragraphs here hold for it, with rows and columns
/// exchanged.
///
/// @par Order in a stream
/// On GPUs of compute capability 9.0 and newer, a product may start before the previous kernel in its stream
/// has finished (CUDA's programmatic dependent launch). The product waits for that kernel before it accesses
/// x or y. Programs with ordinary kernel launches, copies and graphs need no change.
///
/// A kernel of the caller that uses the same CUDA feature and follows a product must call
/// cudaGridDependencySynchronize() before it accesses x or y.
///
/// @par Floating-point environment
/// On a CPU, the worker threads of multiply() use the calling thread's rounding mode, denormal flushing and
/// trap mask. The same holds for inspect() and update_values() if they round values. Floating-point exception
/// flags that worker threads raise are discarded. GPUs round to nearest and keep denormals.
///
/// @par fork()
/// A child process may use and destroy the CPU plans of its parent. GPU plans throw unsupported in the child,
/// which may only destroy them. If the parent had several threads, docs/guides/processes.md has two more
/// rules for the child.
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
  /// For the library's own use: a plan of A, of its transpose, or of both. A matrix that is not stored is
  /// null. With `symmetric`, `forward` computes both products and `transposed` is null.
  plan(std::unique_ptr<plans::plan_base<scalars<Matrix, Vector, Vector>>> forward,
       std::unique_ptr<plans::transposed_plan<scalars<Matrix, Vector, Vector>>> transposed,
       bool symmetric) noexcept;
  /// Moves the plan. The other plan may then only be assigned to or destroyed.
  plan(plan&&) noexcept;
  /// Destroys this plan and moves the other one.
  plan& operator=(plan&&) noexcept;
  /// Waits for products in flight.
  ~plan();

  /// y = alpha A x + beta y for host vectors: x has cols() and y has rows() elements. Synchronous.
  ///
  /// Throws size_mismatch, overlap, busy, out_of_memory, device_error. Throws unsupported if operations() is
  /// transposed.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  /// The same with a workspace of this plan. Throws invalid_argument for the workspace of another plan.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                workspace& scratch) const;

  /// y = alpha A x + beta y for vectors in device memory. Asynchronous in `stream`.
  ///
  /// Throws size_mismatch, overlap, device_error. Throws unsupported if the plan is on a CPU or operations()
  /// is transposed.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                cuda_stream stream, workspace& scratch) const;

  /// y = alpha A^T x + beta y for host vectors: x has rows() and y has cols() elements. Synchronous.
  ///
  /// Throws unsupported if operations() is forward. Throws the other errors of multiply().
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                           workspace& scratch) const;
  /// y = alpha A^T x + beta y for vectors in device memory. Asynchronous in `stream`.
  ///
  /// Throws unsupported if operations() is forward. Throws the other errors of multiply().
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           cuda_stream stream, workspace& scratch) const;

  /// y = alpha A x + beta y and what the epilogue adds to it (gossamer/epilogue.hpp), for host vectors.
  /// Synchronous.
  ///
  /// The first product with an epilogue may allocate further memory in the workspace. Throws the errors of
  /// multiply(), size_mismatch and overlap also for the vectors of the epilogue. Throws invalid_argument if a
  /// dot product has no result.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                const epilogue<Vector>& e) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                const epilogue<Vector>& e, workspace& scratch) const;
  /// The same for vectors in device memory. Asynchronous in `stream`. CUDA graphs can capture this product,
  /// including the first one.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                const epilogue<Vector, device_space>& e, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                const epilogue<Vector, device_space>& e, cuda_stream stream, workspace& scratch) const;
  /// The same with A^T, for host vectors. The vectors of the epilogue have cols() elements. Synchronous.
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                           const epilogue<Vector>& e) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, std::span<const Vector> x, Vector beta, std::span<Vector> y,
                           const epilogue<Vector>& e, workspace& scratch) const;
  /// The same with A^T, for vectors in device memory. Asynchronous in `stream`.
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           const epilogue<Vector, device_space>& e, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, device_span<const Vector> x, Vector beta, device_span<Vector> y,
                           const epilogue<Vector, device_space>& e, cuda_stream stream,
                           workspace& scratch) const;

  /// Y = alpha A X + beta Y for several vectors, the columns of X and Y. X has cols() rows and Y has rows()
  /// rows. Both have the same number of columns, 0 or more. Synchronous.
  ///
  /// The rules of a single product hold for each column. Column j of Y has the bits of a single product;
  /// docs/guides/several-vectors.md lists the exceptions. Many formats read the matrix once for several
  /// columns.
  ///
  /// The first such product may allocate further memory in the workspace. A later product with more columns
  /// may allocate again.
  ///
  /// Throws the errors of a single product. Throws invalid_argument if a leading dimension is too small.
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                const dense_view<Vector>& y) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, const dense_view<const Vector>& x, Vector beta, const dense_view<Vector>& y,
                workspace& scratch) const;
  /// Y = alpha A X + beta Y in device memory. Asynchronous in `stream`. A hybrid plan throws unsupported for
  /// row-major matrices.
  ///
  /// CUDA graphs can capture this product, including the first one. Memory that it allocates during the
  /// capture belongs to the workspace, not to the graph. The plan and the workspace must outlive the graph.
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                const dense_view<Vector, device_space>& y, cuda_stream stream, workspace& scratch) const;

  /// Y = alpha A^T X + beta Y in host memory: X has rows() rows and Y has cols() rows. All else is as for
  /// multiply() of host matrices.
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, const dense_view<const Vector>& x, Vector beta,
                           const dense_view<Vector>& y, workspace& scratch) const;
  /// Y = alpha A^T X + beta Y in device memory: X has rows() rows and Y has cols() rows. Asynchronous in
  /// `stream`. All else is as for multiply() of device matrices.
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream) const;
  /// The same with a workspace of this plan.
  void multiply_transposed(Vector alpha, const dense_view<const Vector, device_space>& x, Vector beta,
                           const dense_view<Vector, device_space>& y, cuda_stream stream,
                           workspace& scratch) const;

  /// Replaces all values. `values` has nnz() elements, in the order of the inspected matrix. The structure
  /// stays. The plan then equals a new one with the same options, bit for bit.
  ///
  /// Synchronous. No product may be in flight. Throws size_mismatch. Throws unsupported without
  /// inspect_options::values_change.
  ///
  /// If reencodes() is false, earlier captured CUDA graphs use the new values. If reencodes() is true, all
  /// values are encoded again, and graphs must be captured again. Encoding takes as long as inspect() of a
  /// matrix in host memory, and needs memory for a second plan. If the call fails, the plan keeps its old
  /// values.
  void update_values(std::span<const Matrix> values);
  /// Replaces all values by values in device memory, for a GPU plan. Asynchronous in `stream`. CUDA graphs
  /// can capture this call.
  ///
  /// Products in `stream` are ordered with the update. Products in other streams must have finished before.
  /// Products with host vectors use another stream, so synchronize `stream` before them. Throws
  /// unsupported on a CPU, and if reencodes() is true.
  void update_values(device_span<const Matrix> values, cuda_stream stream);

  /// Whether update_values() encodes all values again, on the host:
  /// - bccoo: always.
  /// - packed: on a CPU always; on a GPU with values = encoded, or with a precision that rounds.
  /// - cached_x: on a CPU always, where the storage is built again; on a GPU with values = encoded.
  /// - Other formats: never.
  ///
  /// Without inspect_options::values_change, the result has no meaning.
  [[nodiscard]] bool reencodes() const noexcept;
  /// The rounding error of the stored values. Absent if the plan has no option that rounds values.
  [[nodiscard]] std::optional<rounding_error> rounding() const;
  /// The values of `a` as this plan stores them: a reference product in a test needs the same ones. If
  /// rounding() is present, the result has rounded copies. Otherwise, the result borrows a.val and must not
  /// outlive this array.
  ///
  /// `a` must have the structure of the inspected matrix. Throws size_mismatch, out_of_memory.
  template <offset O>
  [[nodiscard]] host_buffer<Matrix> stored_values(const csr_view<Matrix, O>& a) const;

  /// Converts the stored matrix back to CSR in host memory. If rounding() is present, the result has the
  /// rounded values. format_info::keeps states whether the order of entries and stored zeros are preserved.
  /// A plan that stores only the transpose returns A, too, and so does a reordered plan. The columns of each
  /// row then ascend. Throws out_of_memory.
  [[nodiscard]] csr_matrix<Matrix, std::int64_t> to_csr() const;

  /// Allocates scratch memory for products with this plan. Throws out_of_memory.
  [[nodiscard]] workspace make_workspace() const;

  [[nodiscard]] std::int64_t rows() const noexcept;         ///< number of rows of A
  [[nodiscard]] std::int64_t cols() const noexcept;         ///< number of columns of A
  [[nodiscard]] std::int64_t nnz() const noexcept;          ///< number of entries of A
  [[nodiscard]] operation_set operations() const noexcept;  ///< the products that the plan computes
  /// Whether one stored matrix serves both products (inspect_options::symmetric).
  [[nodiscard]] bool symmetric() const noexcept;
  /// The order in which the plan stores its matrix: stored row i is row permutation()[i] of A, and columns
  /// likewise. Empty without inspect_options::reorder. Valid as long as the plan.
  [[nodiscard]] std::span<const std::int32_t> permutation() const noexcept;
  /// What the plan stores for one product. No product may be in flight. Throws unsupported if the plan does
  /// not compute this product.
  [[nodiscard]] storage_info storage(operation product) const;
  /// Memory of all stored arrays, in bytes. With two stored matrices, it is the sum of both; storage() has
  /// the bytes of each. Arrays of the caller that the plan uses are included, and so are the data that
  /// update_values() needs. Vectors and workspaces are not included.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Number of values that one product reads, including padding. Without padding, it equals nnz().
  ///
  /// slots(), streamed_bytes(), bus_bytes(), parts(), format(), options() and rounding() describe the matrix
  /// stored for A x. In a plan of the transpose only, they describe the transpose. storage() has these
  /// numbers for each of the two matrices.
  [[nodiscard]] std::int64_t slots() const noexcept;
  /// Bytes of the stored matrix that one product reads: storage_info::bytes without the data for
  /// update_values(). If a format stores entries in two orders, only the order that the product uses counts.
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept;
  /// The part of streamed_bytes() that a GPU plan stores in host memory (inspect_options::memory_limit). It
  /// is 0 on a CPU.
  [[nodiscard]] std::int64_t bus_bytes() const noexcept;
  /// The parts of a hybrid plan, including parts without rows; empty for other plans. Times are those of the
  /// last product without a workspace argument. No product may be in flight.
  [[nodiscard]] std::vector<plan_part> parts() const;
  /// Wall-clock time of inspect() in seconds, including uploads.
  [[nodiscard]] double inspect_seconds() const noexcept;
  /// Name of the format.
  [[nodiscard]] std::string_view format() const noexcept;
  /// The plan's resource.
  [[nodiscard]] const resource& where() const noexcept;
  /// The format's options. Where an option was "auto", this is the value that the format chose. It is still
  /// "auto" if the format decides for each group of rows, as packed does for short_rows.
  [[nodiscard]] const option_texts& options() const noexcept;
  /// A description of the plan as one JSON object (docs/guides/json.md). inspect() rebuilds the plan from it.
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

/// Validates a matrix in host memory and builds a plan on a CPU or a GPU. Synchronous. The plan may refer to
/// the caller's arrays (see inspect_options::copy).
///
/// Throws invalid_matrix, size_mismatch, invalid_argument, unsupported, out_of_memory, no_device,
/// device_error, cancelled. If a format refuses the matrix, the message is "unsupported: FORMAT: reason".
///
/// inspect() allocates the memory for products by one vector. Further memory is allocated by the first
/// product of these kinds:
/// - host vectors and a GPU plan,
/// - several vectors,
/// - products of a hybrid plan.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// Validates a matrix in device memory and builds a GPU plan. It synchronizes the whole device, before it
/// reads the arrays. Throws the errors of inspect() for host memory.
///
/// packed is built on the GPU, without a copy of the matrix on the host. Two exceptions: memory_limit is
/// set, or the GPU has too little free memory. csr needs only the row offsets on the host, if the plan may
/// refer to the caller's arrays (options.copy is false). In all other cases, the whole matrix is copied to
/// the host once.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where,
                             const inspect_options& options = {});

/// Sorts a COO matrix by row and builds a plan. The plan never refers to the caller's arrays. Throws the
/// errors of the first inspect().
///
/// update_values() of this plan takes the values sorted by row. Entries of one row stay in the order of `a`.
template <value V>
GOSSAMER_API plan<V> inspect(const coo_view<V>& a, const resource& where = cpu{},
                             const inspect_options& options = {});

/// Rebuilds a described plan for this matrix. Format, options, resource and the bits of products are the
/// same.
///
/// Throws the errors of the first inspect(). Throws parse_error if the text is not JSON. Throws
/// invalid_argument if the JSON is not a description, or describes a plan of the other value type.
template <value V, offset O>
GOSSAMER_API plan<V> inspect(const csr_view<V, O>& a, const description& like);

}  // namespace gossamer::inline v0
