// SPDX-License-Identifier: BSD-3-Clause
// Resources: CPUs and their instruction sets, CUDA devices and their streams, and the number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "gossamer/export.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace gossamer::inline v0 {

/// Converts from cudaStream_t; default-made it is the legacy default stream. Owns nothing.
class cuda_stream {
 public:
  constexpr cuda_stream() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr cuda_stream(CUstream_st* handle) noexcept : handle_(handle) {}
  [[nodiscard]] constexpr CUstream_st* handle() const noexcept { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

/// During its lifetime, library calls from the thread that created it use at most `threads` CPU threads. A
/// nonzero cpu::threads or read_options::threads overrides it for that call. 0 leaves the current limit. If
/// limits are nested, the innermost applies. Other threads are unaffected. Results do not depend on the
/// limit.
class GOSSAMER_API thread_limit {
 public:
  explicit thread_limit(int threads) noexcept;
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  ~thread_limit();

 private:
  int before_;
};

/// Instruction sets that the CPU kernels are compiled for. baseline is what the compiler targets by default.
enum class isa : std::int32_t { automatic, baseline, avx2, avx512 };

/// The cores of this machine.
struct cpu {
  /// Maximum number of threads of every operation on this resource. 0: the current thread_limit
  /// (gossamer/resource.hpp), else OpenMP's maximum. Results are bitwise independent of it.
  int threads = 0;
  isa level = isa::automatic;  ///< automatic: GOSSAMER_ISA where it is set, else the best that this CPU has
};

/// One CUDA device, by its number.
struct cuda {
  int device = 0;
};

using resource = std::variant<cpu, cuda>;

/// The number of threads that a plan on these cores may use: where.threads, else the number that OpenMP would
/// use. OMP_NUM_THREADS and the affinity mask therefore apply. The library's limit is 4 a processor (at least
/// 64). It is 1 in a child process, on the thread that called fork() in a process of several threads; see
/// plan.
GOSSAMER_API int thread_count(const cpu& where) noexcept;

/// "cpu", "cuda:0" (or "cuda", which means the same). Throws invalid_argument for anything else.
GOSSAMER_API resource parse_resource(std::string_view text);

/// "cpu" or "cuda:N": what parse_resource reads.
GOSSAMER_API std::string name(const resource& where);

/// "auto", "baseline", "avx2" or "avx512".
GOSSAMER_API std::string_view name(isa level) noexcept;

/// Throws invalid_argument that lists the four names.
GOSSAMER_API isa parse_isa(std::string_view text);

/// Whether this CPU and operating system run the level.
GOSSAMER_API bool runs_here(isa level) noexcept;

/// The level that `automatic` stands for. Throws invalid_argument or unsupported for a bad GOSSAMER_ISA.
GOSSAMER_API isa automatic_isa();

/// "cpu" model name as the system reports it, for benchmark records.
GOSSAMER_API std::string cpu_model();

/// Usable CUDA devices: 0 without a driver, without a device, in a build without CUDA, or in a process that
/// was forked after CUDA was in use.
GOSSAMER_API int cuda_device_count() noexcept;

/// Whether the library was built with CUDA at all.
GOSSAMER_API bool built_with_cuda() noexcept;

struct cuda_device_properties {
  std::string name;
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  int driver_cuda = 0;   ///< the newest CUDA that the driver runs: 13000 is 13.0
  int runtime_cuda = 0;  ///< that the library was built with
};

/// Throws no_device that says how many there are.
GOSSAMER_API cuda_device_properties cuda_properties(int device);

/// Which kinds of resource something exists on; values combine with |.
enum class device_set : unsigned { none = 0, cpu = 1, cuda = 2, both = 3 };

constexpr bool contains(device_set all, device_set one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

}  // namespace gossamer::inline v0
