// SPDX-License-Identifier: BSD-3-Clause
// Never reached: without CUDA there are no vectors on a device.
#include "core/fail.hpp"
#include "timer/vector_update.hpp"

namespace gossamer::inline v0::timer {

template <class V>
void update_on_device(V*, V, V, const V*, std::int64_t, cuda_stream) {
  fail(errc::no_device, "this build of gossamer has no CUDA");
}

template void update_on_device(float*, float, float, const float*, std::int64_t, cuda_stream);
template void update_on_device(double*, double, double, const double*, std::int64_t, cuda_stream);

}  // namespace gossamer::inline v0::timer
