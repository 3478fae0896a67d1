// SPDX-License-Identifier: BSD-3-Clause
// The same functions in a build without CUDA. No solver gets this far there.
#include "solve/solver_stream.hpp"

namespace gossamer::inline v0::solve {

solver_stream::solver_stream(cuda_stream caller) : caller_(caller) {
  exec::require_device(0);
}
void solver_stream::wait_for_caller() const {
  exec::require_device(0);
}
recorded_work::recorded_work(cuda_stream, function_ref<void()>) {
  exec::require_device(0);
}
recorded_work::~recorded_work() = default;
void recorded_work::launch(cuda_stream) const {
  exec::require_device(0);
}

}  // namespace gossamer::inline v0::solve
