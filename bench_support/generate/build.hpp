// SPDX-License-Identifier: BSD-3-Clause
// Makes the matrix of a pattern and a source of values.
#pragma once

#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/values.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::bench_support::generation {

/// Throws out_of_memory before it writes anything, and cancelled.
template <value V>
csr_matrix<V, std::int64_t> build(const pattern& where, const value_source& values,
                                  const progress_callback& report);

}  // namespace gossamer::bench_support::generation
