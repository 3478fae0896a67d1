// SPDX-License-Identifier: BSD-3-Clause
// COO slices times many columns on a CUDA device: 8, 16 or 32 packs, a *wide* product. The kernel, whose
// blocks multiply a slice each (wide_coo_slice.cuh), and its launch.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "exec/cuda/device_attributes.cuh"
#include "formats/packed/cuda/kernel.cuh"
#include "formats/packed/cuda/wide_coo.hpp"
#include "formats/packed/cuda/wide_coo_slice.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Threads that a multiprocessor must be able to hold, if each loads the elements of X of `at_once` entries
/// together: of a chunk or of half of one. They limit the registers of a thread to 96 or 72.
constexpr int wide_threads_of_multiprocessor(int at_once) {
  return at_once == packed_entries_of_chunk ? 640 : 896;
}

/// A block multiplies a slice. follows: see packed_multiply_wide_coo_slices().
template <class Teams, int AtOnce, class S, int Width>
__global__ void __launch_bounds__(Teams::threads_of_block,
                                  wide_threads_of_multiprocessor(AtOnce) / Teams::threads_of_block)
    packed_multiply_wide_coo(packed_pointers<matrix_t<S>> a, exec::vector_pack<S, Width> all,
                             exec::l2_share share, bool follows) {
  using kinds = packed_kinds<false, true, false, true, true>;
  __shared__ matrix_t<S> table[packed_most_in_table];
  __shared__ wide_slice<S, Teams::packs * Width> slice;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(a.table_size); i += blockDim.x)
    table[i] = a.table[i];
  const packed_slice s = packed_load_header(a.slice + (a.meta.slices - a.meta.coo_slices + blockIdx.x));
  if (a.table_size > 0) __syncthreads();
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const packed_coo_entries<S> of{.starts = data,
                                 .columns = data + s.columns_at,
                                 .values = data + s.values_at,
                                 .x = nullptr,
                                 .table = table,
                                 .rows = s.rows(),
                                 .count = s.steps,
                                 .lane = static_cast<int>(threadIdx.x) % exec::warp_size,
                                 .policy = exec::l2_policy(share),
                                 .half = a.half,
                                 .dependent = {.triggers_late = false}};
  constexpr int warps = Teams::threads_of_block / exec::warp_size;
  constexpr int load_groups = packed_coo_lanes<matrix_t<S>>::groups;
  constexpr int groups_of_warp = std::max(1, load_groups / warps);
  if (warp == warps - 1) mark_rows(of, slice);
  // Places after the last entry get a valid column, so that loads of X need no predicate. Their products are
  // added to no row.
  const auto padding_column = static_cast<std::int32_t>(s.bases);
  const int first_group = warp * groups_of_warp;
  if (first_group < load_groups)
    decode_coo_slice<kinds, groups_of_warp>(s, of, first_group, padding_column, slice.entries);
  // The kernel of the lane slices lets this one begin only after its own wait. So the results of earlier
  // kernels, X and Y among them, are complete. This kernel waits for that one before it ends. So a kernel
  // that waits for this one waits for both.
  if (follows)
    exec::trigger_dependents(true);
  else
    exec::wait_and_trigger();
  __syncthreads();
  const int team = static_cast<int>(threadIdx.x) / Teams::packs;
  const int thread = static_cast<int>(threadIdx.x) % Teams::packs;
  exec::vector_pack<S, Width> pack = all.pack(thread);
  pack.count = Width;  // known to the compiler
  write_empty_rows<Teams>(slice, s.row, team, pack);
  wide_thread<Teams, AtOnce, S, Width>(slice, pack, s.row, of.count, team, thread).multiply();
  if (follows) exec::wait_for_previous();
}

/// The kernel, with the elements of X of a whole chunk or of half of one loaded together.
template <class Teams, class S>
struct wide_kernels {
  static constexpr int width = 16 / sizeof(vector_t<S>);
  static constexpr auto by_chunks = packed_multiply_wide_coo<Teams, packed_entries_of_chunk, S, width>;
  static constexpr auto by_half_chunks =
      packed_multiply_wide_coo<Teams, packed_entries_of_chunk / 2, S, width>;

  /// Whether the device can hold the blocks of all slices at once.
  static bool are_resident_by_chunks(std::int64_t slices) {
    return slices <= exec::resident_blocks<by_chunks, Teams::threads_of_block>();
  }
  static bool are_resident_by_half_chunks(std::int64_t slices) {
    return slices <= exec::resident_blocks<by_half_chunks, Teams::threads_of_block>();
  }
};

// With these sizes of blocks, a team has 4 or 8 chunks. With fewer chunks, more rows would span teams.
using teams_of_8 = wide_teams<8, 64>;
using teams_of_16 = wide_teams<16, 64>;
using teams_of_32 = wide_teams<32, 128>;

}  // namespace

template <scalar_types S>
std::int64_t packed_wide_columns(const packed_meta& meta, const columns_product<S>& p) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  constexpr std::int64_t most = std::min<std::int64_t>(32, packed::columns_at_once / width);
  const auto packs = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(p.columns) / width));
  const std::int64_t columns = std::min(most, packs) * width;
  if (meta.coo_slices == 0 || packs < 8 || !exec::is_adjacent(p.from(0, columns), width)) return 0;
  // For 16 columns (eight packs in f64), the kernel in vectors.cu reads the matrix once too. The wide kernel
  // is faster only if all of its blocks are resident at once.
  const bool other_kernel_reads_once = columns == 16;
  if (other_kernel_reads_once && !wide_kernels<teams_of_8, S>::are_resident_by_half_chunks(meta.coo_slices))
    return 0;
  return columns;
}

template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool follows, cuda_stream stream) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  const auto launch = [&]<auto Kernel, class Teams>() {
    exec::launch_dependent<Kernel>("packed", static_cast<unsigned>(a.meta.coo_slices),
                                   Teams::threads_of_block, 0, stream, a, exec::packs_of<width>(p),
                                   exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes), follows);
  };
  const auto start = [&]<class Teams>() {
    using kernels = wide_kernels<Teams, S>;
    // Half chunks slow a block down. They are used only if all blocks are resident with them, but not with
    // whole chunks.
    if (!kernels::are_resident_by_chunks(a.meta.coo_slices) &&
        kernels::are_resident_by_half_chunks(a.meta.coo_slices))
      launch.template operator()<kernels::by_half_chunks, Teams>();
    else
      launch.template operator()<kernels::by_chunks, Teams>();
  };
  switch (p.columns / width) {
    case 8:
      return start.template operator()<teams_of_8>();
    case 16:
      return start.template operator()<teams_of_16>();
    case 32:
      if constexpr (32 * width <= packed::columns_at_once) start.template operator()<teams_of_32>();
  }
}

#define GOSSAMER_INSTANCE(S)                                                                \
  template std::int64_t packed_wide_columns(const packed_meta&, const columns_product<S>&); \
  template void packed_multiply_wide_coo_slices(const packed_pointers<S::matrix>&,          \
                                                const columns_product<S>&, bool, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
