// SPDX-License-Identifier: BSD-3-Clause
// Kernels of reference solvers that cuBLAS lacks: updates of scalars in device memory, and clamping.
#pragma once

#include <cstdint>

#include "bench_support/loops/scalar_updates.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::bench_support::loops {

/// Update::apply(*s) by one thread.
template <class Update, class Scalars>
void update_on_device(Scalars* s, cuda_stream stream);

/// x = min(max(x, lower), upper), element by element.
template <class V>
void clamp_on_device(V* x, const V* lower, const V* upper, std::int64_t size, cuda_stream stream);

}  // namespace gossamer::bench_support::loops
