// SPDX-License-Identifier: BSD-3-Clause
#include "core/parallel.hpp"

#include <omp.h>

#include <exception>
#include <limits>
#include <mutex>

#include "core/float_environment.hpp"
#include "core/fork.hpp"

namespace gossamer::inline v0 {
namespace {

thread_local int thread_bound = 0;

}  // namespace

thread_limit::thread_limit(int threads) noexcept : before_(thread_bound) {
  if (threads > 0) thread_bound = threads;
}

thread_limit::~thread_limit() {
  thread_bound = before_;
}

}  // namespace gossamer::inline v0

namespace gossamer::inline v0::core {

int default_threads() noexcept {
  if (lost_team()) return 1;
  return std::clamp(thread_bound > 0 ? thread_bound : omp_get_max_threads(), 1, most_threads());
}

int most_threads() noexcept {
  // OpenMP ends the process where it cannot start as many threads as it is told to. Asked for once: GNU's
  // asks the kernel each time, which takes as long as a tenth of a small product.
  constexpr int always = 64;
  static constinit std::atomic<int> most{0};  // not under a guard; see found_once
  int known = most.load(std::memory_order_relaxed);
  if (known == 0) most.store(known = std::max(always, 4 * omp_get_num_procs()), std::memory_order_relaxed);
  return known;
}

int team_size(int threads) noexcept {
  if (lost_team()) return 1;
  return std::min(threads > 0 ? threads : default_threads(), most_threads());
}

namespace {

/// The failure of the lowest thread, so that which one is thrown does not depend on timing. Nothing is
/// allocated here.
struct first_failure {
  std::mutex mutex;
  std::exception_ptr exception;
  int thread = std::numeric_limits<int>::max();

  void note(int failed) {
    const std::lock_guard lock(mutex);
    if (failed < thread) {
      thread = failed;
      exception = std::current_exception();
    }
  }
};

/// What a thread of a region does.
template <class Body>
void run_on_thread(const Body& body, float_environment environment, first_failure& failure) noexcept {
  const float_environment_scope scope(environment);
  const int thread = omp_get_thread_num();
  try {
    body(thread, omp_get_num_threads());
  } catch (...) {
    failure.note(thread);
  }
}

}  // namespace

void parallel(int threads, function_ref<void(int, int)> body) {
  const int asked = team_size(threads);
  if (asked == 1) return body(0, 1);
  first_failure failure;
  const std::uint64_t environment = float_environment::of_this_thread().bits;
#pragma omp parallel num_threads(asked) default(none) shared(failure) firstprivate(body, environment)
  run_on_thread(body, {environment}, failure);
  if (failure.exception) std::rethrow_exception(failure.exception);
}

void parallel(int threads, const copied_body& body) {
  const int asked = team_size(threads);
  if (asked == 1) return body.call(body.words.data(), 0, 1);
  first_failure failure;
  // One by one: GNU's OpenMP hands scalars to the threads as they are, and whatever is larger as an address.
  const auto& w = body.words;
  std::uint64_t a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6];
  auto call = body.call;
  const std::uint64_t environment = float_environment::of_this_thread().bits;
#pragma omp parallel num_threads(asked) default(none) shared(failure) \
    firstprivate(a, b, c, d, e, f, g, call, environment)
  {
    const copied_body own{.words = {a, b, c, d, e, f, g}, .call = call};
    run_on_thread([&](int thread, int team) { own.call(own.words.data(), thread, team); }, {environment},
                  failure);
  }
  if (failure.exception) std::rethrow_exception(failure.exception);
}

}  // namespace gossamer::inline v0::core
