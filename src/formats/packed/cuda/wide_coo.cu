// SPDX-License-Identifier: BSD-3-Clause
// COO slices times many columns on a CUDA device: 8, 16 or 32 packs, a *wide* product. The kernel, whose
// blocks multiply a slice each (wide_coo_slice.cuh), and its launch.
#include <cstdint>

#include "exec/cuda/device_attributes.cuh"
#include "formats/packed/cuda/kernel.cuh"
#include "formats/packed/cuda/wide_coo.hpp"
#include "formats/packed/cuda/wide_coo_slice.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Threads that a multiprocessor holds, if each loads the elements of X of `at_once` entries together: a
/// chunk, or half of one, which takes fewer registers.
constexpr int wide_threads_of_multiprocessor(int at_once) {
  return at_once == packed_entries_of_chunk ? 640 : 896;
}

/// A block multiplies a slice. is_second: the previous kernel belongs to the same product, and both overlap.
template <class Teams, int AtOnce, class S, int Width>
__global__ void __launch_bounds__(Teams::threads_of_block,
                                  wide_threads_of_multiprocessor(AtOnce) / Teams::threads_of_block)
    packed_multiply_wide_coo(packed_pointers<matrix_t<S>> a, exec::vector_pack<S, Width> all,
                             exec::l2_share share, bool is_second) {
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
                                 .waits_late = false,
                                 .policy = exec::l2_policy(share),
                                 .half = a.half,
                                 .dependent = {.triggers_late = false}};
  constexpr int warps = Teams::threads_of_block / exec::warp_size;
  constexpr int load_groups = packed_coo_lanes<matrix_t<S>>::groups;
  constexpr int groups_of_warp = std::max(1, load_groups / warps);
  if (warp == warps - 1) mark_rows(of, slice);
  // Places after the last entry get a valid column, so that loads of X need no predicate. Their products are
  // not used, since they follow the end of the last row.
  const auto no_entry = static_cast<std::int32_t>(s.bases);
  const int first_group = warp * groups_of_warp;
  if (first_group < load_groups)
    decode_coo_slice<kinds, groups_of_warp>(s, of, first_group, no_entry, slice.entries);
  // A first kernel's blocks have waited before they let this one begin, so X and Y of earlier work are
  // complete. This one waits for the first at its end, so that what waits for this one waits for both.
  if (is_second)
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
  if (is_second) exec::wait_for_previous();
}

}  // namespace

template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool is_second, cuda_stream stream) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  const auto slices = static_cast<unsigned>(a.meta.coo_slices);
  const auto start_with = [&]<class Teams, int AtOnce>() {
    exec::launch_dependent<packed_multiply_wide_coo<Teams, AtOnce, S, width>>(
        "packed", slices, Teams::threads_of_block, 0, stream, a, exec::packs_of<width>(p),
        exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes), is_second);
  };
  const auto start = [&]<class Teams>() {
    constexpr int whole = packed_entries_of_chunk;
    constexpr int half = packed_entries_of_chunk / 2;
    const auto blocks_at_once = [](int at_once) {
      return static_cast<unsigned>(wide_threads_of_multiprocessor(at_once) / Teams::threads_of_block *
                                   exec::multiprocessors());
    };
    // A block takes longer with half chunks. It is worth it if the device holds all blocks only then.
    if (slices > blocks_at_once(whole) && slices <= blocks_at_once(half))
      start_with.template operator()<Teams, half>();
    else
      start_with.template operator()<Teams, whole>();
  };
  // With these blocks a team has 4 or 8 chunks. With fewer, more rows would span teams.
  switch (p.columns / width) {
    case 8:
      return start.template operator()<wide_teams<8, 64>>();
    case 16:
      return start.template operator()<wide_teams<16, 64>>();
    case 32:
      if constexpr (32 * width <= packed::columns_at_once) start.template operator()<wide_teams<32, 128>>();
  }
}

#define GOSSAMER_INSTANCE(S)                                                       \
  template void packed_multiply_wide_coo_slices(const packed_pointers<S::matrix>&, \
                                                const columns_product<S>&, bool, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
