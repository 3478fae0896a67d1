// SPDX-License-Identifier: BSD-3-Clause
// Loops of cuSPARSE and cuBLAS, each made in a file of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench_support/loops/cublas_api.hpp"
#include "bench_support/loops/loop_base.hpp"

namespace gossamer::bench_support::loops {

/// Even, so that two vectors may alternate within a graph.
inline constexpr std::int64_t iterations_per_graph = 16;

/// `peers`: cuSPARSE's products to choose from. `captured`: iterations run as a CUDA graph. Only defined in
/// builds with CUDA.
template <value V>
prepared_loop<V> prepare_cublas_cg(const loop_input<V>& in, std::span<const std::string_view> peers,
                                   bool captured);
template <value V>
prepared_loop<V> prepare_cublas_pdhg(const loop_input<V>& in, std::span<const std::string_view> peers,
                                     bool captured);

}  // namespace gossamer::bench_support::loops
