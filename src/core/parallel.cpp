// SPDX-License-Identifier: BSD-3-Clause
#include "core/parallel.hpp"

#include <omp.h>

#include <exception>
#include <mutex>

namespace gossamer::inline v0::exec {

namespace {

thread_local int limit = 0;

}  // namespace

int default_threads() noexcept {
  return std::clamp(limit > 0 ? limit : omp_get_max_threads(), 1, most_threads());
}

thread_limit::thread_limit(int threads) noexcept : before_(limit) {
  if (threads > 0) limit = threads;
}

thread_limit::~thread_limit() {
  limit = before_;
}

int most_threads() noexcept {
  // OpenMP ends the process where it cannot start as many threads as it is told to. Asked for once: GNU's asks the kernel each time, which
  // takes as long as a tenth of a small product.
  constexpr int always = 64;
  static const int most = std::max(always, 4 * omp_get_num_procs());
  return most;
}

namespace {

/// body(thread, team) on each thread, which gets a copy of it.
template <class Body>
void run_team(int threads, const Body& by_all) {
  const int asked = std::min(threads > 0 ? threads : default_threads(), most_threads());
  if (asked == 1) {
    by_all(0, 1);
    return;
  }
  // The failure of the lowest thread, so that which one is thrown does not depend on timing. Nothing is allocated here.
  std::mutex mutex;
  std::exception_ptr failure;
  int failed = asked;
  Body body = by_all;
#pragma omp parallel num_threads(asked) firstprivate(body)
  {
    const int thread = omp_get_thread_num();
    try {
      body(thread, omp_get_num_threads());
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (thread < failed) {
        failed = thread;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void parallel(int threads, function_ref<void(int, int)> body) {
  run_team(threads, body);
}

void parallel(int threads, const copied_body& body) {
  struct by_copy {
    copied_body body;
    void operator()(int thread, int team) const { body.call(body.bytes.data(), thread, team); }
  };
  run_team(threads, by_copy{body});
}

}  // namespace gossamer::inline v0::exec
