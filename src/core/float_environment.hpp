// SPDX-License-Identifier: BSD-3-Clause
// How a thread rounds, flushes denormals and traps exceptions, and how other threads come to do the same.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace gossamer::inline v0::core {

/// The control bits of the floating-point unit, without the exception flags. On processors other than x86-64
/// and AArch64, only the rounding direction.
struct float_environment {
  std::uint64_t bits;

  static float_environment of_this_thread() noexcept {
#if defined(__SSE__)
    std::uint16_t x87 = 0;  // for long double
    asm volatile("fnstcw %0" : "=m"(x87));
    return {(_mm_getcsr() & ~sse_flags) | std::uint64_t{x87} << 32};
#elif defined(__aarch64__)
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return {control};
#else
    return {static_cast<std::uint64_t>(std::fegetround())};
#endif
  }

  /// Clears the exception flags: if a flag is set while its trap is enabled, the next x87 instruction traps.
  void set_on_this_thread() const noexcept {
#if defined(__SSE__)
    const auto x87 = static_cast<std::uint16_t>(bits >> 32);
    asm volatile("fnclex\n\tfldcw %0" : : "m"(x87));
    _mm_setcsr(static_cast<std::uint32_t>(bits));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(bits));
#else
    std::fesetround(static_cast<int>(bits));
#endif
  }

  friend bool operator==(const float_environment&, const float_environment&) = default;

 private:
  static constexpr std::uint32_t sse_flags = 0x3f;
};

/// Sets this thread's environment during its lifetime. Skips the write if the environment is already set,
/// since writing the control registers is slower than reading them.
class float_environment_scope {
 public:
  explicit float_environment_scope(float_environment wanted) noexcept
      : own_(float_environment::of_this_thread()), differs_(wanted != own_) {
    if (differs_) wanted.set_on_this_thread();
  }
  float_environment_scope(const float_environment_scope&) = delete;
  float_environment_scope& operator=(const float_environment_scope&) = delete;
  ~float_environment_scope() {
    if (differs_) own_.set_on_this_thread();
  }

 private:
  float_environment own_;
  bool differs_;
};

}  // namespace gossamer::inline v0::core
