// SPDX-License-Identifier: BSD-3-Clause
// How long inspect() takes.
#pragma once

#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::bench_support {

/// Times inspect() of a matrix in host memory, `times` times after once that is not counted: the first one of
/// a kind in a process loads code. Throws what inspect() throws, and invalid_argument where times < 1.
template <value V, offset O>
timing time_inspections(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                        int times);
/// The same of a copy of it in the memory of a CUDA device, made beforehand: what conversion takes where the
/// matrix is there already. Throws no_device and out_of_memory too.
template <value V, offset O>
timing time_device_inspections(const csr_view<V, O>& a, const cuda& where, const inspect_options& options,
                               int times);

}  // namespace gossamer::bench_support
