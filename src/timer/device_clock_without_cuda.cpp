// SPDX-License-Identifier: BSD-3-Clause
// Never reached: without CUDA no stream can be made.
#include "core/fail.hpp"
#include "timer/device_clock.hpp"

namespace gossamer::inline v0::timer {

void wait_on_device(double, cuda_stream) {
  fail(errc::no_device, "this build of gossamer has no CUDA");
}
void flush_on_device(float*, std::int64_t, cuda_stream) {
  fail(errc::no_device, "this build of gossamer has no CUDA");
}

}  // namespace gossamer::inline v0::timer
