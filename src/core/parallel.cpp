// SPDX-License-Identifier: BSD-3-Clause
#include "core/parallel.hpp"

#include <omp.h>

#include <exception>
#include <vector>

namespace gossamer::inline v0::exec {

int default_threads() noexcept {
  return std::max(1, omp_get_max_threads());
}

void parallel(int threads, function_ref<void(int, int)> body) {
  const int asked = threads > 0 ? threads : default_threads();
  if (asked == 1) {
    body(0, 1);
    return;
  }
  // One slot a thread, so that which exception wins does not depend on timing.
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(asked));
#pragma omp parallel num_threads(asked)
  {
    const int thread = omp_get_thread_num();
    try {
      body(thread, omp_get_num_threads());
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace gossamer::inline v0::exec
