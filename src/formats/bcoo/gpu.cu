// SPDX-License-Identifier: BSD-3-Clause
// Chunks of sorted coordinates on a CUDA device, a thread block each.
#include "exec/chunk_rows.cuh"
#include "exec/overlap.cuh"
#include "exec/packed_loads.cuh"
#include "formats/bcoo/format.hpp"
#include "formats/launch_chunks.cuh"

namespace gossamer::inline v0::formats {
namespace {

/// The entries of a chunk as exec::sum_chunk() asks for them. Aligned: each thread's are read together.
template <int Count, class V>
struct bcoo_entries {
  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  const V* x;
  int entries;
  bool aligned;
  std::int32_t first_row;
  exec::l2_policy policy;

  __device__ __forceinline__ std::int32_t load(int k, int lane, std::int32_t (&rows)[Count],
                                               V (&products)[Count]) const {
    constexpr int four_bytes = 2;
    const int here = entries - k;
    const bool together = aligned && here >= Count;
    const int width = together ? four_bytes : exec::no_numbers;
    exec::packed<Count> r = exec::load_packed(exec::packed<Count>{}, width, row + k, policy);
    exec::packed<Count> c = exec::load_packed(exec::packed<Count>{}, width, col + k, policy);
    V v[Count];
    exec::load_values(together ? Count : 0, val + k, v, policy);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const bool apart = !together && i < here;
      r.word[i] = exec::load_if(apart, reinterpret_cast<const std::uint32_t*>(row) + k + i, r.word[i]);
      c.word[i] = exec::load_if(apart, reinterpret_cast<const std::uint32_t*>(col) + k + i, c.word[i]);
      v[i] = exec::load_if(apart, val + k + i, v[i]);
    }
    const std::int32_t previous =
        exec::load_if(lane == 0 && k > 0 && here > 0, row + k - 1, first_row) - first_row;
    V xs[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) xs[i] = exec::load_if(i < here, x + c.word[i], V{0});
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      rows[i] = static_cast<std::int32_t>(r.word[i]) - first_row;
      products[i] = i < here ? v[i] * xs[i] : V{0};
    }
    return previous;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return row[entries - 1] - first_row;
  }
};

template <int Count, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count)
    bcoo_chunk_per_block(bcoo_pointers<V> a, product<V> p, V* slots, bool aligned, exec::l2_share share) {
  exec::let_next_begin(exec::combines_apart(a.carries));
  const std::int64_t h = blockIdx.x;
  const std::int64_t begin = h * a.meta.chunk;
  const bool is_last = h + 1 == a.meta.chunks;
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const std::int64_t next_begin = begin + a.meta.chunk;
  const std::int32_t first_row = a.row[begin];
  const exec::chunk_place place{
      .first_row = first_row,
      .next_row = is_last ? static_cast<std::int32_t>(a.meta.rows) : a.row[next_begin],
      .entries = static_cast<int>((is_last ? a.meta.nnz : next_begin) - begin),
      .is_first = h == 0,
      .began_before = !ordered || a.carries.run_at_cut[h] >= 0,
      .goes_on = !ordered || a.carries.run_at_cut[h + 1] >= 0};
  const bcoo_entries<Count, V> entries{.row = a.row + begin,
                                       .col = a.col + begin,
                                       .val = a.val + begin,
                                       .x = p.x,
                                       .entries = place.entries,
                                       .aligned = aligned,
                                       .first_row = first_row,
                                       .policy = exec::l2_policy(share)};
  exec::sum_chunk<Count>(place, entries, p, ordered ? slots + exec::slots_per_unit * h : nullptr);
}

/// Whether the entries of every chunk begin at multiples of 16 bytes; the caller's own arrays need not.
template <class V>
bool is_aligned(const bcoo_pointers<V>& a) {
  constexpr std::uintptr_t bytes = 16;
  const auto at_multiple = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; };
  return at_multiple(a.row) && at_multiple(a.col) && at_multiple(a.val) && a.meta.chunk % 4 == 0;
}

}  // namespace

template <value V>
void bcoo::launch(const bcoo_pointers<V>& a, const product<V>& given, V* scratch, cuda_stream stream) {
  launch_chunks(a, given, scratch, stream, "bcoo", [&](auto count, const product<V>& p) {
    bcoo_chunk_per_block<count()>
        <<<static_cast<unsigned>(a.meta.chunks),
           exec::chunk_threads(count(), std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
            a, p, scratch, is_aligned(a),
            exec::l2_share_for<V>(a.meta,
                                  a.meta.nnz * (exec::slot_bytes<V> + std::int64_t{sizeof(std::int32_t)})));
  });
}

template void bcoo::launch(const bcoo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void bcoo::launch(const bcoo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
