// SPDX-License-Identifier: BSD-3-Clause
// The C interface: sparse matrices times vectors, on CPUs and CUDA GPUs. It is C99. The Fortran module is
// gossamer.f90. docs/guides/c.md has examples.
//
// Errors. Functions that can fail return a status: 0, or an error code. Outputs are then null or unchanged,
// and gossamer_last_error() returns one line that names the argument and its value. No function prints, ends
// the program or throws.
//
// Ownership. Handles belong to the caller, who destroys each once; destroying a null pointer does nothing. A
// matrix and its plans may be destroyed in any order. The caller's arrays must exist, unchanged, as long as
// the matrix that was made of them and its plans. A plan that was made with copy=1 does not need them.
//
// Asynchronous calls return when the work is enqueued. x, y and values must stay valid until the stream has
// reached the end of it. A CUDA error of enqueued work is reported by a later call as DEVICE_ERROR.
// gossamer_plan_destroy() and gossamer_workspace_destroy() wait for products in flight.
//
// Threads. Different handles may be used concurrently, and so may one plan in products that have different
// workspaces (gossamer_workspace_create()). All other calls with one handle must be made by one thread at a
// time.
//
// ABI. Values of enumerators never change. Structures begin with their size in the caller's header, and grow
// only at the end, so a program works with a newer library of the same GOSSAMER_ABI_VERSION.
#ifndef GOSSAMER_GOSSAMER_H
#define GOSSAMER_GOSSAMER_H

#include <stddef.h>  // NOLINT(modernize-deprecated-headers)
#include <stdint.h>  // NOLINT(modernize-deprecated-headers)

#if defined(__GNUC__)
#define GOSSAMER_C_API __attribute__((visibility("default")))
#else
#define GOSSAMER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GOSSAMER_ABI_VERSION 0

typedef struct gossamer_matrix gossamer_matrix;        ///< a sparse matrix
typedef struct gossamer_plan gossamer_plan;            ///< a matrix prepared for products
typedef struct gossamer_workspace gossamer_workspace;  ///< scratch memory of products

typedef int32_t gossamer_status;
enum {
  GOSSAMER_SUCCESS = 0,
  GOSSAMER_INVALID_ARGUMENT = 1,  ///< an argument has a value that is never allowed
  GOSSAMER_SIZE_MISMATCH = 2,     ///< a vector or array has the wrong length
  GOSSAMER_INVALID_MATRIX = 3,    ///< the arrays do not describe a matrix
  GOSSAMER_UNSUPPORTED = 4,       ///< this format, device or version does not do it
  GOSSAMER_PARSE_ERROR = 5,       ///< a file's text is wrong
  GOSSAMER_IO_ERROR = 6,          ///< the operating system refused a file
  GOSSAMER_OUT_OF_MEMORY = 7,     ///< of the host or the device
  GOSSAMER_NO_DEVICE = 8,         ///< no such GPU, no driver, or a build without CUDA
  GOSSAMER_DEVICE_ERROR = 9,      ///< the CUDA runtime reported an error
  GOSSAMER_OVERLAP = 10,          ///< x and y share memory
  GOSSAMER_CANCELLED = 11,        ///< the progress callback asked to stop
  GOSSAMER_BUSY = 12,             ///< two products used one workspace at once
  GOSSAMER_INTERNAL_ERROR = 13    ///< any other exception of the library
};

typedef int32_t gossamer_type;
enum {
  GOSSAMER_F32 = 1,  ///< float
  GOSSAMER_F64 = 2,  ///< double
  GOSSAMER_I32 = 3,  ///< int32_t
  GOSSAMER_I64 = 4   ///< int64_t
};

typedef int32_t gossamer_layout;
enum { GOSSAMER_CSR = 1, GOSSAMER_CSC = 2, GOSSAMER_COO = 3 };

typedef int32_t gossamer_memory;
enum {
  GOSSAMER_HOST = 0,
  GOSSAMER_DEVICE = 1  ///< of the CUDA device of the plan
};

typedef int32_t gossamer_operation;
enum {
  GOSSAMER_FORWARD = 0,    ///< A
  GOSSAMER_TRANSPOSED = 1  ///< its transpose
};

typedef int32_t gossamer_order;
enum { GOSSAMER_COLUMN_MAJOR = 0, GOSSAMER_ROW_MAJOR = 1 };

/// The version of the library: 10000 major + 100 minor + patch.
GOSSAMER_C_API int32_t gossamer_version(void);
/// GOSSAMER_ABI_VERSION of the library.
GOSSAMER_C_API int32_t gossamer_abi_version(void);

/// What the last failed call of this thread reported; "" if there was none. Valid until this thread's next
/// failed call.
GOSSAMER_C_API const char* gossamer_last_error(void);
/// "success", "invalid_argument" and so on; "unknown" for other numbers. Never null.
GOSSAMER_C_API const char* gossamer_status_name(gossamer_status status);

/// The number of usable CUDA devices; 0 in a build without CUDA.
GOSSAMER_C_API int32_t gossamer_cuda_device_count(void);
/// The name of format `index`, counted from 0; null if there is none, or no memory. The names are those of
/// `gossamer formats`.
GOSSAMER_C_API const char* gossamer_format_name(int32_t index);

/// The arrays of a rows x cols matrix. Entries may be in any order within a row (CSC: column); entries in the
/// same place add up. Initialize the whole structure, by designated initializers or memset(): members that a
/// later version adds are then zero.
typedef struct gossamer_arrays {
  size_t struct_size;         ///< sizeof(gossamer_arrays)
  gossamer_layout layout;     ///< GOSSAMER_CSR, GOSSAMER_CSC or GOSSAMER_COO
  gossamer_memory memory;     ///< where all three arrays are
  gossamer_type value_type;   ///< GOSSAMER_F32 or GOSSAMER_F64
  gossamer_type offset_type;  ///< of `offsets`: GOSSAMER_I32 or GOSSAMER_I64
  gossamer_type index_type;   ///< of `indices`: GOSSAMER_I32 or GOSSAMER_I64
  int32_t base;               ///< the first row, column and offset: 0 (C) or 1 (Fortran, Julia)
  int32_t device;             ///< the CUDA device of the arrays, if they are in device memory
  int64_t rows;
  int64_t cols;
  int64_t nnz;          ///< the number of entries
  const void* offsets;  ///< CSR: rows + 1 offsets; CSC: cols + 1; COO: nnz row indices
  const void* indices;  ///< nnz column indices (CSC: row indices)
  const void* values;   ///< nnz values
} gossamer_arrays;

/// A matrix of the caller's arrays. Arrays are used in place, except these, which are copied in the same
/// memory: offsets with base 1, indices with base 1 or of int64, and all COO arrays, which are sorted by row.
/// The caller keeps arrays that are used in place alive and unchanged. The first and the last offset are
/// checked, and indices that are copied; gossamer_inspect() checks everything else. Arrays in device memory
/// must be ready: the call does not wait for the streams that write them.
///
/// CSC arrays are used as the CSR arrays of the transpose, so formats are chosen for the transpose. Errors:
/// INVALID_ARGUMENT, INVALID_MATRIX, UNSUPPORTED for dimensions over 2^31 - 1, OUT_OF_MEMORY, NO_DEVICE,
/// DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_matrix_create(gossamer_matrix** matrix,
                                                      const gossamer_arrays* arrays);
/// Reads a Matrix Market file (.mtx, also compressed by gzip) as GOSSAMER_F32 or GOSSAMER_F64. Errors:
/// INVALID_ARGUMENT, IO_ERROR, PARSE_ERROR with file, line and column, UNSUPPORTED, OUT_OF_MEMORY.
GOSSAMER_C_API gossamer_status gossamer_matrix_read(gossamer_matrix** matrix, const char* file,
                                                    gossamer_type value_type);
/// Writes a Matrix Market file, compressed if its name ends in .gz. It appears whole or not at all. Errors:
/// IO_ERROR, INVALID_MATRIX, OUT_OF_MEMORY; UNSUPPORTED for arrays in device memory.
GOSSAMER_C_API gossamer_status gossamer_matrix_write(const gossamer_matrix* matrix, const char* file);
/// The arrays that the matrix has, with base 0 and int32 indices, in CSR or CSC layout. They are the matrix's
/// own arrays, or the caller's where those are used in place. Set arrays->struct_size before the call.
GOSSAMER_C_API gossamer_status gossamer_matrix_arrays(const gossamer_matrix* matrix, gossamer_arrays* arrays);
GOSSAMER_C_API void gossamer_matrix_destroy(gossamer_matrix* matrix);

/// Reports where a long call is. Called in the calling thread; a return value other than 0 ends the call with
/// CANCELLED.
typedef struct gossamer_progress {
  size_t struct_size;  ///< sizeof(gossamer_progress)
  int32_t (*report)(const char* stage, double fraction, void* user);
  void* user;
} gossamer_progress;

/// Makes a plan: validates the matrix, chooses a format and stores the matrix in it.
/// where: "cpu", or a CUDA device such as "cuda:1". "cuda" is "cuda:0", whatever device is current.
/// options: null, or text of the form "key=value, key=value". Keys and their default values:
///   format=auto        a name from gossamer_format_name(), "auto", or "tuned": the cached result of
///                      gossamer_tune(), or without one as "auto"
///   calls=1000         expected number of products
///   operations=forward "forward", "transposed" or "both": the products that the plan computes
///   vectors=1          expected number of columns in products with dense matrices
///   values_change=0    1: gossamer_update_values() will be called
///   copy=0             1: the plan does not refer to the caller's arrays
///   memory=auto        "caller_arrays": columns and values of the caller's arrays must be used in place
///   memory_limit=none  bytes of device memory for the matrix; the rest stays in host memory
///   symmetric=unknown  "check": store one matrix for both products if the matrix is symmetric; needs
///                      operations=both and values_change=0
///   threads=0          CPU threads of the plan; 0: all
///   isa=auto           instruction set on a CPU: "baseline", "avx2" or "avx512"
/// Any other key is an option of the format that is named, such as "format=packed, longest_walk=32".
/// progress: may be null. The plan of a matrix in device memory must be on its device; the call then
/// synchronizes the device. Errors: INVALID_ARGUMENT, SIZE_MISMATCH, INVALID_MATRIX, UNSUPPORTED if the
/// format refuses the matrix, OUT_OF_MEMORY, NO_DEVICE, DEVICE_ERROR, CANCELLED.
GOSSAMER_C_API gossamer_status gossamer_inspect(gossamer_plan** plan, const gossamer_matrix* matrix,
                                                const char* where, const char* options,
                                                const gossamer_progress* progress);
/// Makes the plan of a description from gossamer_describe(), for this matrix in host memory. It has the same
/// format, options and resource, and its products have the same bits. Errors: PARSE_ERROR or
/// INVALID_ARGUMENT if the text is no description or not for such a matrix; UNSUPPORTED for a matrix in
/// device memory.
GOSSAMER_C_API gossamer_status gossamer_inspect_like(gossamer_plan** plan, const gossamer_matrix* matrix,
                                                     const char* description);
GOSSAMER_C_API void gossamer_plan_destroy(gossamer_plan* plan);

/// Searches for the fastest format and options by measuring, and caches the result (docs/guides/choosing.md).
/// `setting` receives text for gossamer_inspect(), such as "format=packed, longest_walk=32". It is valid
/// until this thread's next call of this function. Keys of options: calls=1000, budget=2 (seconds of the
/// search), operations (forward or transposed), values_change, threads, isa and cache=1. Errors: those of
/// gossamer_inspect(), and UNSUPPORTED for a matrix in device memory.
GOSSAMER_C_API gossamer_status gossamer_tune(const char** setting, const gossamer_matrix* matrix,
                                             const char* where, const char* options,
                                             const gossamer_progress* progress);

/// y = alpha op(A) x + beta y, on vectors in host memory of the matrix's value type. Forward, x has `cols`
/// and y has `rows` elements; transposed, x has `rows` and y has `cols`. If beta is 0, y is not read. If
/// alpha is 0, A and x are not read. In a plan of GOSSAMER_F32, alpha and beta are rounded to float.
/// Synchronous; a plan on a GPU copies the vectors. Errors: UNSUPPORTED if the plan does not compute the
/// product, OVERLAP, BUSY, and errors of the device.
GOSSAMER_C_API gossamer_status gossamer_multiply(const gossamer_plan* plan, gossamer_operation op,
                                                 double alpha, const void* x, double beta, void* y);
/// The same on vectors in the memory of the plan's device. Asynchronous in `stream`, a cudaStream_t; null is
/// the default stream. It can be captured in a CUDA graph. workspace: null for the plan's own.
GOSSAMER_C_API gossamer_status gossamer_multiply_device(const gossamer_plan* plan, gossamer_operation op,
                                                        double alpha, const void* x, double beta, void* y,
                                                        void* stream, gossamer_workspace* workspace);

/// A dense matrix. Element (i, j) is data[i + j * leading] in column-major and data[i * leading + j] in
/// row-major order.
typedef struct gossamer_dense {
  size_t struct_size;      ///< sizeof(gossamer_dense)
  gossamer_order order;    ///< GOSSAMER_COLUMN_MAJOR or GOSSAMER_ROW_MAJOR
  gossamer_memory memory;  ///< GOSSAMER_HOST or GOSSAMER_DEVICE
  int64_t rows;
  int64_t cols;
  int64_t leading;  ///< at least rows in column-major, cols in row-major order
  void* data;       ///< that of X is only read
} gossamer_dense;

/// Y = alpha op(A) X + beta Y, for all columns of X and Y together. X and Y are in the same memory. In host
/// memory the product is synchronous and `stream` is ignored; in device memory it is asynchronous. Column j
/// of Y has the bits that gossamer_multiply() gives (exceptions: docs/guides/several-vectors.md). workspace:
/// null for the plan's own. Errors: as above, and SIZE_MISMATCH, INVALID_ARGUMENT for a leading dimension
/// that is too small, OUT_OF_MEMORY.
GOSSAMER_C_API gossamer_status gossamer_multiply_dense(const gossamer_plan* plan, gossamer_operation op,
                                                       double alpha, const gossamer_dense* x, double beta,
                                                       const gossamer_dense* y, void* stream,
                                                       gossamer_workspace* workspace);

/// Scratch memory for products by `plan`. A plan has one workspace, which products use that are given none.
/// Products that may run concurrently, in several threads or streams, need one each. If a product in host
/// memory finds its workspace in use, it returns BUSY; in device memory this is not detected, and results are
/// wrong. Products of several vectors enlarge their workspace when they need it, also while a stream is
/// captured; products of single vectors allocate nothing.
GOSSAMER_C_API gossamer_status gossamer_workspace_create(gossamer_workspace** workspace,
                                                         const gossamer_plan* plan);
GOSSAMER_C_API void gossamer_workspace_destroy(gossamer_workspace* workspace);
/// Identifies a stream, for programs that keep one workspace for each. The pair of *captured and *id is the
/// key. The handle is none: CUDA may use it again after cudaStreamDestroy(), and cudaStreamPerThread is a
/// different stream in each thread. For the default stream, both are 0. While `stream` is captured in a CUDA
/// graph, *captured is 1 and *id identifies the capture. Make a separate workspace for each stream of each
/// graph, and keep it as long as the graph. The current device must be that of the stream. Errors: NO_DEVICE
/// in a build without CUDA, DEVICE_ERROR.
GOSSAMER_C_API gossamer_status gossamer_stream_id(void* stream, int32_t* captured, uint64_t* id);

/// New values for a plan that was made with values_change=1, in the order of the matrix's entries. For COO,
/// sort the values by row with a stable sort. From host memory it is synchronous, and no product may be in
/// flight. From device memory it is asynchronous in `stream`, and ordered with products there; products in
/// other streams must have finished. Products with vectors in host memory run in another stream: synchronize
/// `stream` before them. Errors: UNSUPPORTED without
/// values_change, or from device memory if the format encodes values on the host.
GOSSAMER_C_API gossamer_status gossamer_update_values(gossamer_plan* plan, const void* values,
                                                      gossamer_memory memory, void* stream);

typedef struct gossamer_plan_info {
  size_t struct_size;  ///< sizeof(gossamer_plan_info), set before the call
  int64_t rows;
  int64_t cols;
  int64_t nnz;
  int64_t bytes;           ///< memory of the stored matrix, including arrays of the caller that it uses
  int64_t streamed_bytes;  ///< bytes of the matrix that one product reads
  double inspect_seconds;
  gossamer_type value_type;
  int32_t device;       ///< -1 for a CPU, else the number of the CUDA device
  int32_t forward;      ///< 1 if the plan computes products with A
  int32_t transposed;   ///< 1 if it computes products with the transpose
  int32_t symmetric;    ///< 1 if one stored matrix serves both
  int32_t reencodes;    ///< 1 if gossamer_update_values() encodes all values again, on the host
  const char* format;   ///< the format's name; valid as long as the plan
  const char* options;  ///< its options, as text for gossamer_inspect(); valid as long as the plan
} gossamer_plan_info;

GOSSAMER_C_API gossamer_status gossamer_plan_get_info(const gossamer_plan* plan, gossamer_plan_info* info);
/// One JSON object that describes the plan, for gossamer_inspect_like(). Valid as long as the plan.
GOSSAMER_C_API gossamer_status gossamer_describe(const gossamer_plan* plan, const char** description);
/// The matrix that the plan stores, as new arrays in host memory. Values are rounded if the format rounds
/// them.
GOSSAMER_C_API gossamer_status gossamer_plan_matrix(const gossamer_plan* plan, gossamer_matrix** matrix);

#ifdef __cplusplus
}
#endif

#endif  // GOSSAMER_GOSSAMER_H
