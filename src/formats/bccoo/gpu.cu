// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way (uniform.hpp) on a CUDA device, a thread block each. How a chunk is coded is the same for its whole
// block, so that no threads diverge, the paper's reason for this layout.
#include "exec/chunk_rows.cuh"
#include "exec/overlap.cuh"
#include "exec/packed_loads.cuh"
#include "formats/bccoo/format.hpp"
#include "formats/launch_chunks.cuh"

namespace gossamer::inline v0::formats {
namespace {

/// Blocks that one multiprocessor must have room for, so 40 registers a thread in place of 64: the loads of a block wait for each other (how the
/// chunk is coded, its bytes, x), and other blocks have to fill the time.
constexpr int least_blocks(int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  constexpr int threads = 1024;  // there is no room for more
#else
  constexpr int threads = 1536;
#endif
  return threads * count / exec::chunk_tile;
}

/// The entries of a chunk as exec::sum_chunk() asks for them.
template <int Count, class V>
struct bccoo_entries {
  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* table;
  const V* x;  ///< from the chunk's smallest column on
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  __device__ __forceinline__ std::int32_t load(int k, int lane, std::int32_t (&row)[Count],
                                               V (&products)[Count]) const {
    using exec::no_numbers;
    using exec::packed;
    constexpr int bytes = 0;
    const int here = entries - k;
    const bool some = here > 0;
    const auto r =
        exec::load_packed(packed<Count>{}, some ? row_width : no_numbers, rows + (k << row_width), policy);
    const auto c = exec::load_packed(packed<Count>{}, some ? column_width : no_numbers,
                                     columns + (k << column_width), policy);
    const auto codes =
        exec::load_packed(packed<Count>{}, some && reads_codes ? bytes : no_numbers, values + k, policy);
    V v[Count];
    exec::load_values(in_table ? 0 : here, reinterpret_cast<const V*>(values) + k, v, policy);
    const std::uint32_t previous = exec::load_number(0, lane == 0 && k > 0 && some ? row_width : no_numbers,
                                                     rows + ((k - 1) << row_width));
    std::uint32_t column[Count];
    exec::unpack(c, column_width, column);
    V xs[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) xs[i] = exec::load_if(i < here, x + column[i], V{0});
    std::uint32_t code[Count];
    exec::unpack(codes, bytes, code);
#pragma unroll
    for (int i = 0; i < Count; ++i) v[i] = exec::load_if(in_table && i < here, table + code[i], v[i]);
    std::uint32_t number[Count];
    exec::unpack(r, row_width, number);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      row[i] = static_cast<std::int32_t>(number[i]);
      products[i] = i < here ? v[i] * xs[i] : V{0};
    }
    return static_cast<std::int32_t>(previous);
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return static_cast<std::int32_t>(exec::load_number(0, row_width, rows + ((entries - 1) << row_width)));
  }
};

template <int Count, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count, least_blocks(Count))
    bccoo_chunk_per_block(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  exec::let_next_begin(exec::combines_apart(a.carries));
  const std::int64_t h = blockIdx.x;
  const bool is_last = h + 1 == a.meta.chunks;
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned format = a.format[h];
  const std::uint8_t* const data = a.data + a.offset[h];
  const exec::chunk_place place{
      .first_row = a.row[h],
      .next_row = is_last ? static_cast<std::int32_t>(a.meta.rows) : a.row[h + 1],
      .entries = static_cast<int>(is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk),
      .is_first = h == 0,
      .began_before = !ordered || a.carries.run_at_cut[h] >= 0,
      .goes_on = !ordered || a.carries.run_at_cut[h + 1] >= 0};
  const bccoo_uniform::layout at = bccoo_uniform::layout_of(format, place.entries, sizeof(V));
  const bool in_table = (format & bccoo_uniform::in_table) != 0;
  const bccoo_entries<Count, V> entries{
      .rows = data,
      .columns = data + at.columns,
      .values = data + at.values,
      .table = a.lut,
      .x = p.x + a.column[h],
      .entries = place.entries,
      .row_width = static_cast<int>(format >> bccoo_uniform::row_shift & bccoo_uniform::column_width),
      .column_width = static_cast<int>(format & bccoo_uniform::column_width),
      .in_table = in_table,
      .reads_codes = in_table && a.lut_size > 1,
      .policy = exec::l2_policy(share)};
  exec::sum_chunk<Count>(place, entries, p, ordered ? slots + exec::slots_per_unit * h : nullptr);
}

}  // namespace

template <value V>
void bccoo::launch(const bccoo_pointers<V>& a, const product<V>& given, V* scratch, cuda_stream stream) {
  launch_chunks(a, given, scratch, stream, "bccoo", [&](auto count, const product<V>& p) {
    bccoo_chunk_per_block<count()>
        <<<static_cast<unsigned>(a.meta.chunks),
           exec::chunk_threads(count(), std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
            a, p, scratch, exec::l2_share_for<V>(a.meta, a.data_bytes));
  });
}

template void bccoo::launch(const bccoo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void bccoo::launch(const bccoo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
