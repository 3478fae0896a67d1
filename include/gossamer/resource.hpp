// SPDX-License-Identifier: BSD-3-Clause
// Resources: CPUs with their instruction sets and threads, and CUDA devices with their streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "gossamer/export.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace gossamer::inline v0 {

/// A CUDA stream. It converts from cudaStream_t. The caller owns the stream.
class cuda_stream {
 public:
  /// CUDA's legacy default stream.
  constexpr cuda_stream() noexcept = default;
  /// The stream of this handle, a cudaStream_t.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr cuda_stream(CUstream_st* handle) noexcept : handle_(handle) {}
  /// The handle, a cudaStream_t.
  [[nodiscard]] constexpr CUstream_st* handle() const noexcept { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

/// Limits the CPU threads of library calls, as long as the object exists. The limit applies to calls from the
/// thread that created the object. If limits are nested, the innermost applies. A call with a nonzero
/// cpu::threads or read_options::threads ignores the limit. Results do not depend on it.
class GOSSAMER_API thread_limit {
 public:
  /// Calls use at most `threads` threads. 0 keeps the current limit.
  explicit thread_limit(int threads) noexcept;
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  /// Restores the previous limit.
  ~thread_limit();

 private:
  int before_;
};

/// Instruction sets of the CPU kernels.
enum class isa : std::int32_t {
  automatic,  ///< the environment variable GOSSAMER_ISA if it is set, else the best that this CPU supports
  baseline,   ///< the compiler's default target
  avx2,       ///< AVX2 and FMA
  avx512      ///< AVX-512 F, VL, BW and DQ
};

/// Resource: the cores of this machine.
struct cpu {
  /// Maximum number of threads of every operation on this resource. 0: the current thread_limit; without one,
  /// OpenMP's maximum. The bits of results do not depend on the number of threads.
  int threads = 0;
  isa level = isa::automatic;  ///< instruction set of the kernels
};

/// Resource: one CUDA device.
struct cuda {
  int device = 0;  ///< CUDA device number
};

/// Where a plan runs.
using resource = std::variant<cpu, cuda>;

/// The number of threads that a plan on these cores may use. It is where.threads if that is nonzero, else the
/// current thread_limit or OpenMP's maximum. OpenMP's maximum follows OMP_NUM_THREADS and the affinity mask.
///
/// The library never uses more than 4 threads per processor, or 64 if that is more. After fork() of a process
/// with several threads, the result is 1 in the child's first thread (see plan).
GOSSAMER_API int thread_count(const cpu& where) noexcept;

/// Parses "cpu", "cuda:N" or "cuda", which means "cuda:0". Throws invalid_argument for another text.
GOSSAMER_API resource parse_resource(std::string_view text);

/// The name of a resource for parse_resource(): "cpu" or "cuda:N".
GOSSAMER_API std::string name(const resource& where);

/// The name of an instruction set: "auto", "baseline", "avx2" or "avx512".
GOSSAMER_API std::string_view name(isa level) noexcept;

/// Parses the name of an instruction set. Throws invalid_argument for another text; the message lists the
/// names.
GOSSAMER_API isa parse_isa(std::string_view text);

/// Whether this CPU and operating system support the instruction set.
GOSSAMER_API bool runs_here(isa level) noexcept;

/// The instruction set that isa::automatic selects. Throws invalid_argument if the environment variable
/// GOSSAMER_ISA is not the name of an instruction set. Throws unsupported if this CPU does not support the
/// named one.
GOSSAMER_API isa automatic_isa();

/// The CPU's model name as the system reports it.
GOSSAMER_API std::string cpu_model();

/// The number of usable CUDA devices. It is 0 without a driver or a device, and in a build without CUDA. It
/// is also 0 in a child process whose parent had used CUDA before fork().
GOSSAMER_API int cuda_device_count() noexcept;

/// Whether the library was built with CUDA.
GOSSAMER_API bool built_with_cuda() noexcept;

/// Properties of a CUDA device.
struct cuda_device_properties {
  std::string name;               ///< name of the GPU, as CUDA reports it
  int compute_capability = 0;     ///< 90 for compute capability 9.0
  int multiprocessors = 0;        ///< number of streaming multiprocessors
  std::int64_t memory_bytes = 0;  ///< size of the device memory
  std::int64_t l2_bytes = 0;      ///< size of the L2 cache
  int driver_cuda = 0;            ///< newest CUDA version that the driver supports: 13000 for 13.0
  int runtime_cuda = 0;           ///< CUDA version that the library was built with
};

/// The properties of a device. Throws no_device if it is missing; the message has the number of devices.
GOSSAMER_API cuda_device_properties cuda_properties(int device);

/// A set of resource kinds, for example those that a format supports. The values are bit flags.
enum class device_set : unsigned {
  none = 0,  ///< no resource
  cpu = 1,   ///< CPUs
  cuda = 2,  ///< CUDA devices
  both = 3   ///< CPUs and CUDA devices
};

/// Whether `all` and `one` have a kind in common.
constexpr bool contains(device_set all, device_set one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

}  // namespace gossamer::inline v0
