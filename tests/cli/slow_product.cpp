// SPDX-License-Identifier: BSD-3-Clause
// Host products that take a told time by their process's steady clock, however busy the machine is (see
// LD_PRELOAD in ld.so(8)): 100 microseconds. GOSSAMER_TEST_SLOWED makes f64 plans take three times that: all
// of them if it is 1, or those of the format that it names. Vector kernels of f64 take 20 milliseconds alone
// and no time around a product.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"

namespace {

constexpr std::int64_t second = 1'000'000'000;
std::atomic<std::int64_t> put_back{0};  // nanoseconds by which the steady clock is behind
std::atomic<std::int64_t> products{0};

std::int64_t told_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

template <class V>
void multiply_in(std::int64_t told, const gossamer::plan<V>& plan, V alpha, std::span<const V> x, V beta,
                 std::span<V> y) {
  const std::int64_t begin = told_now();
  // The other overload is the library's own.
  gossamer::workspace scratch = plan.make_workspace();
  plan.multiply(alpha, x, beta, y, scratch);
  put_back += told_now() - (begin + told);
  ++products;
}

constexpr std::int64_t usual = 100'000;
constexpr std::int64_t of_kernels = 20'000'000;

}  // namespace

extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept {
  const auto failed = static_cast<int>(syscall(SYS_clock_gettime, which, now));
  if (failed != 0 || which != CLOCK_MONOTONIC) return failed;
  const std::int64_t told = now->tv_sec * second + now->tv_nsec - put_back;
  now->tv_sec = told / second;
  now->tv_nsec = told % second;
  return 0;
}

template <>
void gossamer::plan<double>::multiply(double alpha, std::span<const double> x, double beta,
                                      std::span<double> y) const {
  static const char* const which = std::getenv("GOSSAMER_TEST_SLOWED");
  const bool slowed = which != nullptr && (which == std::string_view("1") || which == format());
  multiply_in(slowed ? 3 * usual : usual, *this, alpha, x, beta, y);
}

template <>
void gossamer::plan<float>::multiply(float alpha, std::span<const float> x, float beta,
                                     std::span<float> y) const {
  multiply_in(usual, *this, alpha, x, beta, y);
}

template <>
gossamer::vector_kernels gossamer::product_vectors<double>::solver_kernels() {
  return {.before = [](cuda_stream) {},
          .after =
              [known = std::int64_t{0}](cuda_stream) mutable {
                if (products == known) put_back -= of_kernels;
                known = products;
              }};
}
