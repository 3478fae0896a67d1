// SPDX-License-Identifier: BSD-3-Clause
// The pass of a product with cached_x on a CPU. Threads take units of 32 chunks, or of 4096 empty rows. Sums
// of rows of several pieces are added after the pass.
#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/cached_x/format.hpp"
#include "formats/common/equal_cuts.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Chunks of a work unit: 8192 entries take some microseconds.
constexpr std::int64_t cached_x_unit_chunks = 32;
constexpr std::int64_t cached_x_unit_rows = 4096;

constexpr std::int64_t cached_x_chunk_units(const cached_x_meta& m) {
  return (m.chunks + cached_x_unit_chunks - 1) / cached_x_unit_chunks;
}

}  // namespace
}  // namespace gossamer::inline v0::formats

#define GOSSAMER_KERNELS "formats/cached_x/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<cached_x_pointers<matrix_t<S>>, S> cached_x::passes(const cached_x_pointers<matrix_t<S>>& a,
                                                               isa level) {
  const std::int64_t units =
      cached_x_chunk_units(a.meta) + (a.meta.empty_rows + cached_x_unit_rows - 1) / cached_x_unit_rows;
  return {{.run = GOSSAMER_SELECT_ISA(level, cached_x_kernels, (multiply_units<S>)),
           .units = units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.nnz + a.meta.empty_rows, units)}};
}

GOSSAMER_INSTANTIATE_PASSES(cached_x, std::int64_t)

}  // namespace gossamer::inline v0::formats
