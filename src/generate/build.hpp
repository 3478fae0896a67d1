// SPDX-License-Identifier: BSD-3-Clause
// Makes the matrix of a pattern and a source of values.
#pragma once

#include "generate/pattern.hpp"
#include "generate/values.hpp"
#include "gossamer/csr_matrix.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::inline v0::generation {

/// Throws out_of_memory before it writes anything, and cancelled.
template <value V>
csr_matrix<V, std::int64_t> build(const pattern& where, const value_source& values,
                                  const progress_callback& report);

}  // namespace gossamer::inline v0::generation
