// SPDX-License-Identifier: BSD-3-Clause
// All threads of a product round, flush denormals and trap as the calling one, and then as they did before.
#include "core/float_environment.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "core/parallel.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "support/child.hpp"
#include "support/vectors.hpp"

namespace gossamer {
namespace {

using core::float_environment;
using core::float_environment_scope;
using testing_support::same_bits;
using testing_support::status_of_child;

struct float_mode {
  std::string name;
  float_environment environment;
  double scale;  ///< of values that it rounds to others than the default
};

/// The calling thread's environment while set() has changed it.
template <class Set>
float_environment environment_after(Set&& set) {
  const float_environment_scope back(float_environment::of_this_thread());
  std::fenv_t all{};
  std::fegetenv(&all);
  set();
  const float_environment made = float_environment::of_this_thread();
  std::fesetenv(&all);
  return made;
}

template <class V>
std::vector<float_mode> float_modes() {
  std::vector<float_mode> all;
  for (const auto& [name, rounding] :
       {std::pair{"upward", FE_UPWARD}, {"downward", FE_DOWNWARD}, {"towards zero", FE_TOWARDZERO}})
    all.push_back({name, environment_after([r = rounding] { std::fesetround(r); }), 1});
  constexpr double denormal = std::numeric_limits<V>::min() / 8;
#if defined(__SSE__)
  constexpr unsigned flush_and_take_as_zero = 0x8040;
  all.push_back({"flushing denormals",
                 environment_after([] { _mm_setcsr(_mm_getcsr() | flush_and_take_as_zero); }), denormal});
#elif defined(__aarch64__)
  constexpr std::uint64_t flush = std::uint64_t{1} << 24;
  all.push_back({"flushing denormals", {float_environment::of_this_thread().bits | flush}, denormal});
#endif
  return all;
}

/// Long enough for several threads, with sums of many roundings.
template <class V>
csr_matrix<V, std::int64_t> rough_matrix(double scale) {
  auto a = bench_support::generate<V>("power_law(rows=6k,mean=9,max=200)");
  for (std::size_t k = 0; k < a.val.size(); ++k)
    a.val.data()[k] = static_cast<V>(scale * (1 + static_cast<double>(k % 1013) / 3));
  return a;
}

template <class V>
std::vector<V> times_thirds(const plan<V>& p) {
  std::vector<V> x(static_cast<std::size_t>(p.cols()));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = V{1} + static_cast<V>(j % 101) / 3;
  std::vector<V> y(static_cast<std::size_t>(p.rows()), V{0});
  p.multiply(V{1}, x, V{0}, y);
  return y;
}

std::vector<isa> levels_here() {
  std::vector<isa> all;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512})
    if (runs_here(level)) all.push_back(level);
  return all;
}

/// So that threads are there that began with the default.
void begin_threads(int threads) {
  for (int k = 1; k <= threads; ++k) core::parallel(k, [](int, int) {});
}

template <class V>
void expect_the_same_bits_by_any_number_of_threads() {
  begin_threads(7);
  for (const float_mode& mode : float_modes<V>()) {
    const auto a = rough_matrix<V>(mode.scale);
    int tested = 0;
    for (const format_info& format : list_formats()) {
      if (!contains(format.devices, device_set::cpu)) continue;
      const inspect_options options{.format = std::string(format.name)};
      for (const isa level : levels_here()) {
        SCOPED_TRACE(mode.name + " " + options.format + " " + std::string(name(level)));
        try {
          const std::vector<V> by_default =
              times_thirds(inspect(a.view(), cpu{.threads = 1, .level = level}, options));
          const float_environment_scope scope(mode.environment);
          const std::vector<V> alone =
              times_thirds(inspect(a.view(), cpu{.threads = 1, .level = level}, options));
          EXPECT_FALSE(same_bits(alone, by_default));
          for (const int threads : {2, 4, 7})
            EXPECT_TRUE(same_bits(
                times_thirds(inspect(a.view(), cpu{.threads = threads, .level = level}, options)), alone))
                << threads;
          ++tested;
        } catch (const error& refused) {
          EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
        }
      }
    }
    EXPECT_GE(tested, 10);
  }
}

TEST(float_environment, of_the_caller_gives_the_bits_of_any_number_of_threads_f64) {
  expect_the_same_bits_by_any_number_of_threads<double>();
}
TEST(float_environment, of_the_caller_gives_the_bits_of_any_number_of_threads_f32) {
  expect_the_same_bits_by_any_number_of_threads<float>();
}

TEST(float_environment, of_the_caller_holds_for_the_parts_of_a_hybrid_plan) {
  for (const float_mode& mode : float_modes<double>()) {
    SCOPED_TRACE(mode.name);
    const auto a = rough_matrix<double>(mode.scale);
    const plan<double> together = inspect(a.view(), parse_hybrid("cpu:2,cpu:2"), {.format = "csr"});
    const plan<double> alone = inspect(a.view(), parse_hybrid("cpu:1,cpu:1"), {.format = "csr"});
    const std::vector<double> by_default = times_thirds(together);
    {
      const float_environment_scope scope(mode.environment);
      const std::vector<double> y = times_thirds(together);
      EXPECT_TRUE(same_bits(y, times_thirds(alone)));
      // Of each part: the last row is the second one's.
      constexpr std::ptrdiff_t some = 1000;
      EXPECT_FALSE(std::equal(y.begin(), y.begin() + some, by_default.begin()));
      EXPECT_FALSE(std::equal(y.end() - some, y.end(), by_default.end() - some));
    }
    EXPECT_TRUE(same_bits(times_thirds(together), by_default));
  }
}

/// What the threads of a region have, by thread.
std::vector<std::uint64_t> environments_of(int threads) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(threads));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t)
    all[static_cast<std::size_t>(t)] = float_environment::of_this_thread().bits;
  return all;
}

TEST(float_environment, is_restored_after_a_region) {
  constexpr int threads = 4;
  begin_threads(threads);
  const std::vector<std::uint64_t> before = environments_of(threads);
  const auto a = rough_matrix<double>(1);
  const plan<double> made = inspect(a.view(), cpu{.threads = threads});
  const std::vector<double> by_default = times_thirds(made);
  for (const float_mode& mode : float_modes<double>()) {
    SCOPED_TRACE(mode.name);
    {
      const float_environment_scope scope(mode.environment);
      core::parallel(threads,
                     [&](int, int) { EXPECT_EQ(float_environment::of_this_thread(), mode.environment); });
      const auto by_copy = [](int, int) { std::feraiseexcept(FE_OVERFLOW | FE_INVALID); };
      core::parallel_by_copy(threads, by_copy);
      EXPECT_THROW(core::parallel(threads, [](int, int) { throw std::runtime_error("in a region"); }),
                   std::runtime_error);
      EXPECT_EQ(float_environment::of_this_thread(), mode.environment);
    }
    EXPECT_EQ(environments_of(threads), before);
    EXPECT_TRUE(same_bits(times_thirds(made), by_default));
  }
}

/// A thread that computes in its own mode keeps it, whatever the caller's is.
TEST(float_environment, of_a_thread_that_has_a_mode_of_its_own) {
  constexpr int threads = 2;
  begin_threads(threads);
#pragma omp parallel num_threads(threads)
  std::fesetround(FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  const std::vector<std::uint64_t> before = environments_of(threads);
  const auto a = rough_matrix<double>(1);
  EXPECT_TRUE(same_bits(times_thirds(inspect(a.view(), cpu{.threads = threads}, {.format = "csr"})),
                        times_thirds(inspect(a.view(), cpu{.threads = 1}, {.format = "csr"}))));
  EXPECT_EQ(environments_of(threads), before);
#pragma omp parallel num_threads(threads)
  std::fesetround(FE_TONEAREST);
}

#if defined(__GLIBC__) && defined(__SSE__)

constexpr int watched_exceptions = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;

template <class V>
bool products_spring_no_trap() {
  begin_threads(4);
  const auto a = rough_matrix<V>(1);
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(watched_exceptions);
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    for (const isa level : levels_here()) {
      try {
        static_cast<void>(times_thirds(
            inspect(a.view(), cpu{.threads = 4, .level = level}, {.format = std::string(format.name)})));
      } catch (const error& refused) {
        if (refused.code() != errc::unsupported) return false;
      }
    }
  }
  return true;
}

/// Programs run with these to find out where they go wrong.
TEST(float_environment, finite_products_raise_no_traps) {
  EXPECT_EQ(status_of_child([] {
              // A child has whole teams on a new thread.
              bool right = false;
              std::thread([&] {
                right = products_spring_no_trap<double>() && products_spring_no_trap<float>();
              }).join();
              return right;
            }),
            0);
}

/// Flags that were up before the trap was set do not spring it.
TEST(float_environment, flags_set_before_the_trap_do_not_trap) {
  EXPECT_EQ(status_of_child([] {
              bool right = false;
              std::thread([&] {
                core::parallel(2, [](int, int) { std::feraiseexcept(watched_exceptions); });
                std::feclearexcept(FE_ALL_EXCEPT);
                feenableexcept(watched_exceptions);
                core::parallel(2, [](int, int) {
                  volatile long double half = 0.5L;
                  half = half * half;
                });
                right = true;
              }).join();
              return right;
            }),
            0);
}

TEST(float_environment, trap_on_a_worker_thread_raises_sigfpe) {
  EXPECT_EQ(status_of_child([] {
              std::signal(SIGFPE, SIG_DFL);  // sanitizers have their own
              std::thread([] {
                begin_threads(2);
                feenableexcept(FE_DIVBYZERO);
                core::parallel(2, [](int thread, int) {
                  volatile double zero = 0;
                  if (thread == 1) zero = 1 / zero;
                });
              }).join();
              return true;
            }),
            128 + SIGFPE);
}

#endif

}  // namespace
}  // namespace gossamer
