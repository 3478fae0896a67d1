// SPDX-License-Identifier: BSD-3-Clause
// The C interface of Gossamer, in C99.

/// @file
/// Sparse matrix-vector products on CPUs and CUDA GPUs, for C99 and for languages that call C. The Fortran
/// module is gossamer.f90. docs/guides/c.md has examples.
///
/// @par Errors
/// A function that can fail returns a status: 0, or an error code. After an error, each output is null or
/// unchanged. gossamer_last_error() then returns one line that names the argument and its value. No function
/// prints, throws, or ends the program.
///
/// In these comments, INVALID_ARGUMENT stands for GOSSAMER_INVALID_ARGUMENT, and so on. An argument that must
/// not be null causes INVALID_ARGUMENT if it is null.
///
/// @par Ownership
/// The caller owns handles and destroys each one once. Destroying a null pointer does nothing. A matrix and
/// its plans may be destroyed in any order. The caller keeps its arrays alive and unchanged until the matrix
/// and its plans are destroyed. A plan made with copy=1 does not use the caller's arrays.
///
/// @par Asynchronous calls
/// Calls are synchronous unless their comment says "asynchronous". An asynchronous call returns when its work
/// is in the stream. Keep x, y and values alive until the stream has finished this work. If the work fails, a
/// later call returns DEVICE_ERROR. gossamer_plan_destroy() and gossamer_workspace_destroy() wait for
/// products in flight.
///
/// @par Threads
/// Several threads may use different handles at the same time. Several threads may multiply with one plan if
/// each passes its own workspace (gossamer_workspace_create()). Otherwise, only one thread at a time may use
/// a handle.
///
/// @par ABI
/// Values of enumerators never change. The first member of a structure is its size, which the caller sets to
/// sizeof. Later versions add members only at the end. So a program works with newer libraries of the same
/// GOSSAMER_ABI_VERSION.
#ifndef GOSSAMER_GOSSAMER_H
#define GOSSAMER_GOSSAMER_H

#include <stddef.h>  // NOLINT(modernize-deprecated-headers)
#include <stdint.h>  // NOLINT(modernize-deprecated-headers)

/// Makes a function visible in the shared library.
#if defined(__GNUC__)
#define GOSSAMER_C_API __attribute__((visibility("default")))
#else
#define GOSSAMER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the binary interface.
#define GOSSAMER_ABI_VERSION 0

typedef struct gossamer_matrix gossamer_matrix;        ///< handle of a sparse matrix
typedef struct gossamer_plan gossamer_plan;            ///< handle of a matrix prepared for products
typedef struct gossamer_workspace gossamer_workspace;  ///< handle of scratch memory of products

/// Result of a call: GOSSAMER_SUCCESS or an error code.
typedef int32_t gossamer_status;
/// Values of gossamer_status.
enum {
  GOSSAMER_SUCCESS = 0,           ///< the call succeeded
  GOSSAMER_INVALID_ARGUMENT = 1,  ///< an argument has a value that is never allowed
  GOSSAMER_SIZE_MISMATCH = 2,     ///< a vector or array has the wrong length
  GOSSAMER_INVALID_MATRIX = 3,    ///< the arrays do not describe a matrix
  GOSSAMER_UNSUPPORTED = 4,       ///< this format, device or version cannot do it
  GOSSAMER_PARSE_ERROR = 5,       ///< a text has a syntax error
  GOSSAMER_IO_ERROR = 6,          ///< the operating system failed to open, read or write a file
  GOSSAMER_OUT_OF_MEMORY = 7,     ///< host or device memory is exhausted
  GOSSAMER_NO_DEVICE = 8,         ///< the GPU or its driver is missing, or the library was built without CUDA
  GOSSAMER_DEVICE_ERROR = 9,      ///< the CUDA runtime reported an error
  GOSSAMER_OVERLAP = 10,          ///< x and y share memory
  GOSSAMER_CANCELLED = 11,        ///< the progress callback stopped the call
  GOSSAMER_BUSY = 12,             ///< two products used one workspace at the same time
  GOSSAMER_INTERNAL_ERROR = 13    ///< any other exception of the library
};

/// Type of array elements.
typedef int32_t gossamer_type;
/// Values of gossamer_type.
enum {
  GOSSAMER_F32 = 1,  ///< float
  GOSSAMER_F64 = 2,  ///< double
  GOSSAMER_I32 = 3,  ///< int32_t
  GOSSAMER_I64 = 4   ///< int64_t
};

/// Layout of the arrays of a sparse matrix.
typedef int32_t gossamer_layout;
/// Values of gossamer_layout.
enum {
  GOSSAMER_CSR = 1,  ///< compressed sparse rows
  GOSSAMER_CSC = 2,  ///< compressed sparse columns
  GOSSAMER_COO = 3   ///< coordinates
};

/// Memory of arrays.
typedef int32_t gossamer_memory;
/// Values of gossamer_memory.
enum {
  GOSSAMER_HOST = 0,   ///< host memory
  GOSSAMER_DEVICE = 1  ///< memory of the plan's CUDA device
};

/// A product: with A or with its transpose.
typedef int32_t gossamer_operation;
/// Values of gossamer_operation.
enum {
  GOSSAMER_FORWARD = 0,    ///< op(A) = A
  GOSSAMER_TRANSPOSED = 1  ///< op(A) = A^T, without conjugation
};

/// Order of a dense matrix in memory.
typedef int32_t gossamer_order;
/// Values of gossamer_order.
enum {
  GOSSAMER_COLUMN_MAJOR = 0,  ///< the elements of a column are contiguous
  GOSSAMER_ROW_MAJOR = 1      ///< the elements of a row are contiguous
};

/// The version of the library: 10000 * major + 100 * minor + patch.
GOSSAMER_C_API int32_t gossamer_version(void);
/// The GOSSAMER_ABI_VERSION that the library was built with.
GOSSAMER_C_API int32_t gossamer_abi_version(void);

/// The message of this thread's last failed call; "" if there was none. It is valid until this thread's next
/// failed call.
GOSSAMER_C_API const char* gossamer_last_error(void);
/// The name of a status, for example "invalid_argument"; "unknown" for other numbers. Never null. It is
/// always valid.
GOSSAMER_C_API const char* gossamer_status_name(gossamer_status status);

/// The number of usable CUDA devices. It is 0 without a driver, and in a build without CUDA.
GOSSAMER_C_API int32_t gossamer_cuda_device_count(void);
/// The name of format number `index`, from 0; null if there is no such format. The order is that of `gossamer
/// formats`.
GOSSAMER_C_API const char* gossamer_format_name(int32_t index);

/// The arrays of a sparse matrix. The entries of a row (CSC: of a column) may be in any order. Duplicate
/// entries add up.
///
/// Initialize the whole structure, by designated initializers or memset(). Members that a later version adds
/// are then zero.
typedef struct gossamer_arrays {
  size_t struct_size;         ///< sizeof(gossamer_arrays)
  gossamer_layout layout;     ///< GOSSAMER_CSR, GOSSAMER_CSC or GOSSAMER_COO
  gossamer_memory memory;     ///< where all three arrays are
  gossamer_type value_type;   ///< GOSSAMER_F32 or GOSSAMER_F64
  gossamer_type offset_type;  ///< of `offsets`: GOSSAMER_I32 or GOSSAMER_I64
  gossamer_type index_type;   ///< of `indices`: GOSSAMER_I32 or GOSSAMER_I64
  int32_t base;               ///< the first row, column and offset: 0 (C) or 1 (Fortran, Julia)
  int32_t device;             ///< the CUDA device of the arrays, if they are in device memory
  int64_t rows;               ///< number of rows
  int64_t cols;               ///< number of columns
  int64_t nnz;                ///< number of entries
  const void* offsets;        ///< CSR: rows + 1 offsets; CSC: cols + 1 offsets; COO: nnz row indices
  const void* indices;        ///< nnz column indices (CSC: row indices)
  const void* values;         ///< nnz values
} gossamer_arrays;

/// Makes a matrix of the caller's arrays.
///
/// The matrix refers to the caller's arrays, which the caller keeps alive and unchanged. Some arrays are
/// copied instead, within host memory or within the device's memory:
/// - offsets and indices with base 1,
/// - int64 indices,
/// - all COO arrays, which are sorted by row.
///
/// The call checks the first and the last offset, and the indices that it copies. gossamer_inspect() checks
/// everything else. Arrays in device memory must be complete: the call does not wait for streams that write
/// them.
///
/// All formats store rows. So a plan of the forward product converts CSC arrays. A plan of the transposed
/// product alone may use them in place.
///
/// Errors: INVALID_ARGUMENT, INVALID_MATRIX, UNSUPPORTED for dimensions above 2^31 - 1, OUT_OF_MEMORY,
/// NO_DEVICE, DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_matrix_create(gossamer_matrix** matrix,
                                                      const gossamer_arrays* arrays);
/// Reads a matrix from a Matrix Market file, plain or compressed by gzip. Its values become GOSSAMER_F32 or
/// GOSSAMER_F64. The matrix owns its arrays. Errors: INVALID_ARGUMENT, IO_ERROR, PARSE_ERROR with file, line
/// and column, UNSUPPORTED, OUT_OF_MEMORY.
GOSSAMER_C_API gossamer_status gossamer_matrix_read(gossamer_matrix** matrix, const char* file,
                                                    gossamer_type value_type);
/// Writes a matrix to a Matrix Market file. A name that ends in .gz is compressed. The file appears whole or
/// not at all. Errors: IO_ERROR, INVALID_MATRIX, OUT_OF_MEMORY, and UNSUPPORTED for arrays in device memory.
GOSSAMER_C_API gossamer_status gossamer_matrix_write(const gossamer_matrix* matrix, const char* file);
/// Returns the matrix's arrays, in CSR or CSC layout with base 0 and int32 indices. Some are the caller's
/// arrays (see gossamer_matrix_create()). The others are valid as long as the matrix. Set arrays->struct_size
/// before the call. Errors: INVALID_ARGUMENT.
GOSSAMER_C_API gossamer_status gossamer_matrix_arrays(const gossamer_matrix* matrix, gossamer_arrays* arrays);
/// Destroys a matrix. Its plans stay valid.
GOSSAMER_C_API void gossamer_matrix_destroy(gossamer_matrix* matrix);

/// A callback that receives the progress of a long call, in the calling thread.
typedef struct gossamer_progress {
  size_t struct_size;  ///< sizeof(gossamer_progress)
  /// Receives the name of the current stage, its completed fraction from 0 to 1, and `user`. `stage` is valid
  /// during the call. A return value other than 0 ends the long call with CANCELLED.
  int32_t (*report)(const char* stage, double fraction, void* user);
  void* user;  ///< passed to `report`
} gossamer_progress;

/// Validates the matrix, chooses a format, and makes a plan. For a matrix in device memory, the plan must be
/// on the same device, and the call synchronizes this device.
///
/// @param plan receives the plan
/// @param matrix the matrix
/// @param where "cpu", or a CUDA device such as "cuda:1". "cuda" is "cuda:0", not the current device.
/// @param options null, or text of the form "key=value, key=value"
/// @param progress a callback, or null
/// @return Errors: INVALID_ARGUMENT, SIZE_MISMATCH, INVALID_MATRIX, UNSUPPORTED if the format refuses the
///   matrix, OUT_OF_MEMORY, NO_DEVICE, DEVICE_ERROR, CANCELLED.
///
/// The keys of `options`, with their default values:
///
///     format=auto         a name from gossamer_format_name(), "auto", or "tuned". "tuned" is the cached
///                         result of gossamer_tune(), or "auto" if there is none.
///     calls=1000          expected number of products
///     operations=forward  products that the plan computes: "forward", "transposed" or "both"
///     vectors=1           expected number of columns in products with dense matrices
///     values_change=0     1: gossamer_update_values() will be called
///     copy=0              1: the plan does not refer to the caller's arrays
///     memory=auto         "caller_arrays": the plan is csr and uses the caller's columns and values in
///                         place. Ignored for a matrix in host memory and a GPU plan.
///     memory_limit=none   bytes of device memory for the matrix; the rest stays in host memory
///     symmetric=unknown   "check": store one matrix for both products if the matrix is symmetric. It
///                         needs operations=both and values_change=0.
///     reorder=none        "rcm": reorder the rows and columns of a square matrix inside the plan, by reverse
///                         Cuthill-McKee. Vectors and values stay in the caller's order.
///     threads=0           CPU threads of the plan; 0: all
///     isa=auto            instruction set on a CPU: "baseline", "avx2" or "avx512"
///
/// Any other key is an option of the named format, for example "format=packed, longest_walk=32".
GOSSAMER_C_API gossamer_status gossamer_inspect(gossamer_plan** plan, const gossamer_matrix* matrix,
                                                const char* where, const char* options,
                                                const gossamer_progress* progress);
/// Rebuilds a plan from the text of gossamer_describe(), for this matrix in host memory. Format, options,
/// resource and the bits of products are the same.
///
/// Errors: those of gossamer_inspect(). PARSE_ERROR or INVALID_ARGUMENT if the text is not a description, or
/// is one for another type of matrix. UNSUPPORTED for a matrix in device memory.
GOSSAMER_C_API gossamer_status gossamer_inspect_like(gossamer_plan** plan, const gossamer_matrix* matrix,
                                                     const char* description);
/// Destroys a plan. It waits for products in flight.
GOSSAMER_C_API void gossamer_plan_destroy(gossamer_plan* plan);

/// Measures formats, chooses the fastest one, and caches the result (docs/guides/choosing.md).
///
/// @param setting receives text for gossamer_inspect(), for example "format=packed, longest_walk=32". It is
///   valid until this thread's next call of this function.
/// @param matrix the matrix, in host memory
/// @param where the resource, as in gossamer_inspect()
/// @param options null, or text with keys from the list below
/// @param progress a callback, or null
/// @return Errors: those of gossamer_inspect(), and UNSUPPORTED for a matrix in device memory.
///
/// The keys of `options`, with their default values:
///
///     calls=1000          expected number of products
///     budget=2            time limit of the search in seconds
///     operations=forward  product to tune for: "forward" or "transposed"
///     values_change=0     1: gossamer_update_values() will be called
///     threads=0           CPU threads of the plan; 0: all
///     isa=auto            instruction set on a CPU: "baseline", "avx2" or "avx512"
///     cache=1             0: do not use the cache
GOSSAMER_C_API gossamer_status gossamer_tune(const char** setting, const gossamer_matrix* matrix,
                                             const char* where, const char* options,
                                             const gossamer_progress* progress);

/// y = alpha op(A) x + beta y for vectors in host memory. Synchronous. A GPU plan copies the vectors.
///
/// x and y have the matrix's value type. For GOSSAMER_FORWARD, x has `cols` and y has `rows` elements. For
/// GOSSAMER_TRANSPOSED, x has `rows` and y has `cols` elements. If beta is 0, y is not read. If alpha is 0, A
/// and x are not read. A plan of GOSSAMER_F32 rounds alpha and beta to float. Errors: INVALID_ARGUMENT,
/// UNSUPPORTED if the plan does not compute the product, OVERLAP, BUSY, OUT_OF_MEMORY, DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_multiply(const gossamer_plan* plan, gossamer_operation op,
                                                 double alpha, const void* x, double beta, void* y);
/// y = alpha op(A) x + beta y for vectors in the memory of the plan's device. Asynchronous in `stream`, a
/// cudaStream_t; null is the default stream. A CUDA graph can capture it. `workspace` is null for the plan's
/// own workspace. Errors: those of gossamer_multiply() except BUSY, and UNSUPPORTED for a CPU plan.
GOSSAMER_C_API gossamer_status gossamer_multiply_device(const gossamer_plan* plan, gossamer_operation op,
                                                        double alpha, const void* x, double beta, void* y,
                                                        void* stream, gossamer_workspace* workspace);

/// What a product does with each element of y before it writes it. For each i, in this order:
///
///     t     = alpha (op(A) x)_i + beta z_i
///     t     = scale_i t + gamma u_i
///     y_i   = min(max(t, bounds_factor lower_i), bounds_factor upper_i)
///     out_i = out_y_factor y_i + out_add_factor add_i
///     dot_result[k] = sum of y_i dot_with[k]_i
///
/// Parts with a null pointer are left out: z is then y, scale_i is 1, u is 0. If `outside` is not 0, y_i is
/// the part of t outside the bounds, t minus the bounded t. If all members but struct_size are 0, this is
/// gossamer_multiply(). Vectors have the value type of the matrix and as many elements as y. All pointers are
/// to the memory of x and y. gossamer/epilogue.hpp has the rules for shared memory.
typedef struct gossamer_epilogue {
  size_t struct_size;            ///< sizeof(gossamer_epilogue)
  const void* z;                 ///< null: y
  const void* scale;             ///< null: no scaling
  double gamma;                  ///< factor of u
  const void* u;                 ///< null: nothing is added
  const void* lower;             ///< null: no lower bounds
  const void* upper;             ///< null: no upper bounds
  double bounds_factor;          ///< factor of both bounds
  int32_t outside;               ///< not 0: the part outside the bounds
  void* out;                     ///< a second vector that is written; null: none
  double out_y_factor;           ///< factor of y in `out`
  const void* add;               ///< null: nothing is added to `out`
  double out_add_factor;         ///< factor of `add`
  const void* dot_with[2];       ///< may be x or y
  double* dot_result[2];         ///< null: no dot product
  const void* alpha_at;          ///< one number of the value type that replaces alpha; null: it does not
  const void* beta_at;           ///< the same for beta
  const void* gamma_at;          ///< the same for gamma
  const void* bounds_factor_at;  ///< the same for bounds_factor
} gossamer_epilogue;

/// A product with an epilogue. In host memory, it is synchronous and `stream` is ignored. In device memory,
/// it is asynchronous in `stream`, and a CUDA graph can capture it. `workspace` is null for the plan's own
/// workspace, which the first such product may enlarge. Errors: those of gossamer_multiply(), OVERLAP also
/// for vectors of the epilogue, INVALID_ARGUMENT if a dot product has no result.
GOSSAMER_C_API gossamer_status gossamer_multiply_epilogue(const gossamer_plan* plan, gossamer_operation op,
                                                          double alpha, const void* x, double beta, void* y,
                                                          const gossamer_epilogue* epilogue,
                                                          gossamer_memory memory, void* stream,
                                                          gossamer_workspace* workspace);

/// A dense matrix of the caller. Element (i, j) is:
/// - column-major: data[i + j * leading],
/// - row-major: data[i * leading + j].
typedef struct gossamer_dense {
  size_t struct_size;      ///< sizeof(gossamer_dense)
  gossamer_order order;    ///< GOSSAMER_COLUMN_MAJOR or GOSSAMER_ROW_MAJOR
  gossamer_memory memory;  ///< GOSSAMER_HOST or GOSSAMER_DEVICE
  int64_t rows;            ///< number of rows
  int64_t cols;            ///< number of columns
  int64_t leading;         ///< leading dimension: at least rows (column-major) or cols (row-major)
  void* data;              ///< the elements; those of X are only read
} gossamer_dense;

/// Y = alpha op(A) X + beta Y for several vectors, the columns of X and Y. X and Y are in the same memory.
///
/// In host memory, the product is synchronous and `stream` is ignored. In device memory, it is asynchronous
/// in `stream`. The columns of Y have the bits of gossamer_multiply(); docs/guides/several-vectors.md lists
/// the exceptions. `workspace` is null for the plan's own workspace. Errors: those of gossamer_multiply(),
/// SIZE_MISMATCH, and INVALID_ARGUMENT if a leading dimension is too small.
GOSSAMER_C_API gossamer_status gossamer_multiply_dense(const gossamer_plan* plan, gossamer_operation op,
                                                       double alpha, const gossamer_dense* x, double beta,
                                                       const gossamer_dense* y, void* stream,
                                                       gossamer_workspace* workspace);

/// Allocates scratch memory for products with `plan`.
///
/// A plan has one workspace for products without a workspace argument. Products that may run at the
/// same time, in several threads or streams, need one workspace each. With vectors in host memory, a
/// product returns BUSY if its workspace is in use. With vectors in device memory, this is not detected, and
/// results are wrong.
///
/// With vectors in device memory, products by one vector allocate no memory. The first product with host
/// vectors on a GPU enlarges its workspace. Products by several vectors do so when needed, also while a CUDA
/// graph is captured; the allocation is not part of the graph. Errors: OUT_OF_MEMORY, DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_workspace_create(gossamer_workspace** workspace,
                                                         const gossamer_plan* plan);
/// Destroys a workspace. It waits for products in flight.
GOSSAMER_C_API void gossamer_workspace_destroy(gossamer_workspace* workspace);
/// Returns two numbers, `*captured` and `*id`, that identify a stream. Programs that keep one workspace per
/// stream find the workspace by these numbers.
///
/// The handle of a stream does not identify it: CUDA reuses handles after cudaStreamDestroy(), and
/// cudaStreamPerThread is a different stream in each thread. Both numbers are 0 for the default stream. While
/// `stream` is captured in a CUDA graph, `*captured` is 1 and `*id` identifies the capture. Make a workspace
/// for each stream of each graph, and keep it as long as the graph. The stream's device must be current.
/// Errors: INVALID_ARGUMENT, DEVICE_ERROR, NO_DEVICE in a build without CUDA.
GOSSAMER_C_API gossamer_status gossamer_stream_id(void* stream, int32_t* captured, uint64_t* id);

/// Replaces all values of a plan that was made with values_change=1. `values` has one value for each entry,
/// in the order of the matrix's entries. For a COO matrix, this is the order after a stable sort by row.
///
/// - GOSSAMER_HOST: synchronous. No product may be in flight.
/// - GOSSAMER_DEVICE: asynchronous in `stream`. Products in `stream` are ordered with the update. Products in
///   other streams must have finished before. Products with host vectors use another stream, so
///   synchronize `stream` before them.
///
/// Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_ERROR, and UNSUPPORTED in two cases: without
/// values_change=1, and for device memory if the plan encodes values on the host
/// (gossamer_plan_info::reencodes).
GOSSAMER_C_API gossamer_status gossamer_update_values(gossamer_plan* plan, const void* values,
                                                      gossamer_memory memory, void* stream);

/// Properties of a plan.
typedef struct gossamer_plan_info {
  size_t struct_size;        ///< sizeof(gossamer_plan_info); set it before the call
  int64_t rows;              ///< number of rows of A
  int64_t cols;              ///< number of columns of A
  int64_t nnz;               ///< number of entries of A
  int64_t bytes;             ///< memory of the stored matrix, including the caller's arrays that it uses
  int64_t streamed_bytes;    ///< bytes of the matrix that one product reads
  double inspect_seconds;    ///< time in seconds that it took to make the plan
  gossamer_type value_type;  ///< GOSSAMER_F32 or GOSSAMER_F64
  int32_t device;            ///< number of the CUDA device; -1 for a CPU
  int32_t forward;           ///< 1 if the plan computes products with A, else 0
  int32_t transposed;        ///< 1 if the plan computes products with the transpose, else 0
  int32_t symmetric;         ///< 1 if one stored matrix serves both products, else 0
  int32_t reencodes;         ///< 1 if gossamer_update_values() encodes all values again, on the host, else 0
  const char* format;        ///< name of the format; valid as long as the plan
  const char* options;       ///< its options, as gossamer_inspect() takes them; valid as long as the plan
} gossamer_plan_info;

/// Returns properties of a plan. Set info->struct_size before the call. Errors: INVALID_ARGUMENT.
GOSSAMER_C_API gossamer_status gossamer_plan_get_info(const gossamer_plan* plan, gossamer_plan_info* info);
/// Returns one JSON object that describes the plan, for gossamer_inspect_like(). It is valid as long as the
/// plan. Errors: INVALID_ARGUMENT.
GOSSAMER_C_API gossamer_status gossamer_describe(const gossamer_plan* plan, const char** description);
/// Returns the matrix that the plan stores, with new arrays in host memory. Values are rounded if the format
/// rounds them. The caller destroys the matrix. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_plan_matrix(const gossamer_plan* plan, gossamer_matrix** matrix);
/// Returns the order of a plan that was inspected with reorder=rcm: stored row i is row permutation[i] of A,
/// and columns likewise. The array has as many elements as A has rows, and is valid as long as the plan. Null
/// for other plans. Errors: INVALID_ARGUMENT.
GOSSAMER_C_API gossamer_status gossamer_plan_permutation(const gossamer_plan* plan,
                                                         const int32_t** permutation);

#ifdef __cplusplus
}
#endif

#endif  // GOSSAMER_GOSSAMER_H
