// SPDX-License-Identifier: BSD-3-Clause
// Coded slices on a CUDA device: a lane is a lane of a warp, and one or more warps take the steps of a slice in turns.
#include "exec/l2_share.cuh"
#include "exec/overlap.cuh"
#include "formats/packed/format.hpp"
#include "formats/packed/steps.cuh"

namespace gossamer::inline v0::formats {
namespace {

constexpr int most_in_table = 256;
constexpr int most_threads = 256;

template <class V>
__global__ void __launch_bounds__(most_threads)
    packed_warps_per_slice(packed_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  exec::let_next_begin(exec::combines_apart(a.carries));
  __shared__ V table[most_in_table];
  __shared__ V sums[most_threads];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int warps = a.meta.warps_per_slice;
  const int part = warp % warps;
  const std::int64_t index =
      static_cast<std::int64_t>(blockIdx.x) * (static_cast<int>(blockDim.x) / exec::warp_size / warps) +
      warp / warps;
  const bool is_there = index < a.meta.slices;
  packed_slice s;
  if (is_there) {
    const uint4 header = __ldg(reinterpret_cast<const uint4*>(a.slice + index));
    s.at = header.x;
    s.row = static_cast<std::int32_t>(header.y);
    s.steps = static_cast<std::uint16_t>(header.z & 0xffffu);
    s.shortest = static_cast<std::uint16_t>(header.z >> 16);
    s.bits = header.w;
  }
  if (a.table_size > 0) {
    for (int i = static_cast<int>(threadIdx.x); i < a.table_size; i += static_cast<int>(blockDim.x))
      table[i] = exec::load_if(true, a.table + i, V{0});
    __syncthreads();
  }
  const packed_sections at = packed_sections_of(s, sizeof(V));
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const int sharing = s.sharing();
  const int which = lane >> sharing;
  std::int32_t row = which;  // counted from the header's
  if (s.lists_rows())
    row = static_cast<std::int32_t>(exec::load_number_if<1>(which < s.rows(), data + at.rows + which * 2));
  int count = s.steps;
  if (!s.is_full())
    count -= static_cast<int>(s.misses_many() ? exec::load_number_if<1>(true, data + at.missing + lane * 2)
                                              : exec::load_number_if<0>(true, data + at.missing + lane));
  std::int32_t start = 0;
  if (s.starts() == packed_starts::row) start = row;
  if (s.starts() == packed_starts::given)
    start = exec::load_if(true, reinterpret_cast<const std::int32_t*>(data + at.starts) + lane, 0);
  const packed_lane<V> mine{.data = data,
                            .at = at,
                            .steps = s.steps,
                            .lane = lane,
                            .count = count,
                            .from = p.x + start,
                            .table = table,
                            .policy = exec::l2_policy(share)};
  V sum = sum_groups(s.columns(), s.values(), mine, part, warps);
  if (warps > 1) {
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (part != 0) return;
    for (int w = 1; w < warps; ++w) sum += sums[threadIdx.x + w * exec::warp_size];
  }
  for (int width = 1 << sharing >> 1; width > 0; width /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, width);
  if (!is_there || (lane & ((1 << sharing) - 1)) != 0 || which >= s.rows()) return;
  if (s.is_part())
    slots[s.row] = sum;
  else
    p.finish_row(s.row + row, sum);
}

}  // namespace

template <value V>
void packed::launch(const packed_pointers<V>& a, const product<V>& p, V* scratch, cuda_stream stream) {
  constexpr int usual_threads = 128;
  const int warps = a.meta.warps_per_slice;
  const int threads = std::max(usual_threads, warps * exec::warp_size);
  packed_warps_per_slice<<<exec::blocks_for(a.meta.slices * warps * exec::warp_size, threads),
                           static_cast<unsigned>(threads), 0, stream.handle()>>>(
      a, p, scratch, exec::l2_share_for<V>(a.meta, a.data_bytes));
  exec::check_launch("packed");
  exec::combine_on_device(a.carries, scratch, p, stream);
}

template void packed::launch(const packed_pointers<float>&, const product<float>&, float*, cuda_stream);
template void packed::launch(const packed_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
