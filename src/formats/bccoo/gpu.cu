// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way (uniform.hpp) on a CUDA device, a thread block each. How a chunk is coded is the same for its whole
// block, so that no threads diverge, the paper's reason for this layout.
#include "exec/chunk_rows.cuh"
#include "exec/chunk_steps.cuh"
#include "exec/chunk_variant.cuh"
#include "exec/chunk_warps.cuh"
#include "exec/overlap.cuh"
#include "exec/packed_loads.cuh"
#include "exec/warp_exchange.cuh"
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

/// The entries of a chunk as exec::sum_chunk_by_warps() asks for them.
template <int Count, bool Late, class V>
struct bccoo_tiles {
  using exchange = exec::warp_exchange<Count, V>;

  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* table;
  const V* x;
  std::int32_t smallest;  ///< column, from which the others are counted
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  /// The products of a tile whose entries are coded so; All: no lane is behind the last entry.
  template <int ColumnWidth, bool InTable, bool All>
  __device__ __forceinline__ void multiply(int k, int lane, V* room, V (&product)[Count]) const {
    using exec::no_numbers;
    using exec::packed;
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int bytes = 0;
    const int first = k + exchange::first(0, lane);
    const int here = All ? exchange::tile : entries - first;  // of entry 0 of group 0 on
    const std::uint8_t* const column_at = columns + (first << ColumnWidth);
    const std::uint8_t* const value_at = values + (InTable ? first : first * static_cast<int>(sizeof(V)));
    packed<together> c[groups];
    packed<together> codes[groups];
    V v[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      constexpr int stride = exec::warp_size * together;
      const bool some = All || here > g * stride;
      if constexpr (Late)
        c[g] = exec::load_packed_if<ColumnWidth, together>(some, column_at + (g * stride << ColumnWidth), policy);
      else
      c[g] = exec::load_packed(packed<together>{}, some ? ColumnWidth : no_numbers,
                               column_at + (g * stride << ColumnWidth), policy);
      if constexpr (InTable && Late)
        codes[g] = exec::load_packed_if<bytes, together>(some && reads_codes, value_at + g * stride, policy);
      else if constexpr (InTable)
        codes[g] = exec::load_packed(packed<together>{}, some && reads_codes ? bytes : no_numbers,
                                     value_at + g * stride, policy);
      else
        exec::load_values(All ? together : here - g * stride,
                          reinterpret_cast<const V*>(value_at) + g * stride, v[g], policy);
    }
    const V* const from = first_of_x();
    V xs[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      std::uint32_t column[together];
      exec::unpack(c[g], ColumnWidth, column);
#pragma unroll
      for (int i = 0; i < together; ++i)
        xs[g][i] = exec::load_if(All || here > g * exec::warp_size * together + i, from + column[i], V{0});
    }
    if constexpr (InTable) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        std::uint32_t code[together];
        exec::unpack(codes[g], bytes, code);
#pragma unroll
        for (int i = 0; i < together; ++i) v[g][i] = exec::load_if(true, table + code[i], V{0});
      }
    }
    V of_group[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < together; ++i)
        of_group[g][i] = All || here > g * exec::warp_size * together + i ? v[g][i] * xs[g][i] : V{0};
    if constexpr (exchange::is_needed) {
#pragma unroll
      for (int g = 0; g < groups; ++g) exchange::put(room, g, lane, of_group[g]);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) product[i] = of_group[0][i];
    }
  }

  template <bool All>
  __device__ __forceinline__ void multiply(int k, int lane, V* room, V (&product)[Count]) const {
    if (in_table) {
      if (column_width == 0) return multiply<0, true, All>(k, lane, room, product);
      if (column_width == 1) return multiply<1, true, All>(k, lane, room, product);
      return multiply<2, true, All>(k, lane, room, product);
    }
    if (column_width == 0) return multiply<0, false, All>(k, lane, room, product);
    if (column_width == 1) return multiply<1, false, All>(k, lane, room, product);
    multiply<2, false, All>(k, lane, room, product);
  }

  template <int RowWidth>
  [[nodiscard]] __device__ __forceinline__ exec::packed<Count> ask_for_rows(int k, bool some,
                                                                            std::uint32_t& before) const {
    using exec::no_numbers;
    const std::uint8_t* const at = rows + (k << RowWidth);
    if constexpr (Late) {
      before = exec::load_number_if<RowWidth>(k > 0 && some, at - (1 << RowWidth));
      return exec::load_packed_if<RowWidth, Count>(some, at, policy);
    } else {
      before = exec::load_number(0, k > 0 && some ? RowWidth : no_numbers, at - (1 << RowWidth));
      return exec::load_packed(exec::packed<Count>{}, some ? RowWidth : no_numbers, at, policy);
    }
  }

  __device__ __forceinline__ std::int32_t load(int k, int lane, V* room, std::int32_t (&row)[Count],
                                               V (&product)[Count]) const {
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    // Rows of 4 bytes, which are rare, are asked for when the products are there: they would take the registers that those need.
    constexpr int words = Count / 2;
    std::uint32_t raw[words] = {};
    std::uint32_t before = 0;
    const auto ask = [&]<int RowWidth>(std::integral_constant<int, RowWidth>) {
      const exec::packed<Count> r = ask_for_rows<RowWidth>(mine, some, before);
#pragma unroll
      for (int i = 0; i < words; ++i) raw[i] = r.word[i];
    };
    if (row_width == 0) ask(std::integral_constant<int, 0>());
    if (row_width == 1) ask(std::integral_constant<int, 1>());
    const bool all = k + exchange::tile <= entries;
    if (all)
      multiply<true>(k, lane, room, product);
    else
      multiply<false>(k, lane, room, product);
    if constexpr (exchange::is_needed) {
      __syncwarp();
      exchange::take(room, lane, product);
    }
    exec::packed<Count> r;
    if (row_width == 2) {
      r = ask_for_rows<2>(mine, some, before);
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) r.word[i] = raw[i];
    }
    std::uint32_t number[Count];
    exec::unpack(r, row_width, number);
#pragma unroll
    for (int i = 0; i < Count; ++i) row[i] = static_cast<std::int32_t>(number[i]);
    if (all) return static_cast<std::int32_t>(before);
    const std::int32_t last = last_row();
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (mine + i >= entries) row[i] = last;
    return some ? static_cast<std::int32_t>(before) : last;
  }

  /// Of the smallest column. Where it is needed, and not before: all that is asked for is, until then.
  [[nodiscard]] __device__ __forceinline__ const V* first_of_x() const {
    std::int32_t column = smallest;
    asm volatile("" : "+r"(column));
    const V* from = x + column;
    asm volatile("" : "+l"(from));  // else the column is added to each entry's
    return from;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    const std::uint8_t* const at = rows + ((entries - 1) << row_width);
    if constexpr (!Late) return static_cast<std::int32_t>(exec::load_number(0, row_width, at));
    if (row_width == 0) return static_cast<std::int32_t>(exec::load_number_if<0>(true, at));
    if (row_width == 1) return static_cast<std::int32_t>(exec::load_number_if<1>(true, at));
    return static_cast<std::int32_t>(exec::load_number_if<2>(true, at));
  }
};

/// The entries of a chunk as exec::sum_chunk_in_steps() asks for them.
template <int Count, int Steps, bool Values, class V>
struct bccoo_steps {
  using exchange = exec::warp_exchange<Count, V>;
  using room_type = exec::step_room<Count, Steps, Values, V>;
  using of_tile = typename room_type::of_tile;
  static constexpr int row_words = Count / 2;
  static constexpr int code_words = Count / 4;

  struct asked {
    std::uint32_t rows[Steps][row_words];  ///< unless they have 4 bytes
    std::uint32_t before[Steps];           ///< the row of the entry before the lane's
    std::uint32_t codes[Steps][code_words];
  };

  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* table;
  const V* x;
  std::int32_t smallest;  ///< column, from which the others are counted
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  template <int ColumnWidth, bool InTable, bool All>
  __device__ __forceinline__ void ask_for_products(int k, int lane, of_tile (&room)[Steps], asked& a) const {
    using exec::packed;
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int stride = exec::warp_size * together;
    constexpr int bytes = 0;
    const int first = k + exchange::first(0, lane);
    const std::uint8_t* const column_at = columns + (first << ColumnWidth);
    packed<together> c[Steps][groups];
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        const int at = s * exchange::tile + g * stride;
        c[s][g] = exec::load_packed_if<ColumnWidth, together>(All || first + at < entries,
                                                              column_at + (at << ColumnWidth), policy);
      }
      if constexpr (InTable) {
        const int mine = k + s * exchange::tile + lane * Count;
        const packed<Count> codes =
            exec::load_packed_if<bytes, Count>(reads_codes && (All || mine < entries), values + mine, policy);
#pragma unroll
        for (int i = 0; i < code_words; ++i) a.codes[s][i] = codes.word[i];
      }
    }
    // ptxas would ask for the columns of the second step when those of the first are there.
    if constexpr (Steps == 2) __syncwarp();
    if constexpr (!InTable && Values) {
      const V* const value_at = reinterpret_cast<const V*>(values) + first;
#pragma unroll
      for (int s = 0; s < Steps; ++s)
#pragma unroll
        for (int g = 0; g < groups; ++g) {
          const int at = s * exchange::tile + g * stride;
          V* const to = room[s].values + exchange::place(g, lane) * together;
          if constexpr (All)
            exec::copy_piece_async(value_at + at, to, policy);
          else
            exec::copy_piece_async(first + at < entries, value_at + at, to, policy);
        }
    }
    const V* const from = first_of_x();
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        std::uint32_t column[together];
        exec::unpack(c[s][g], ColumnWidth, column);
#pragma unroll
        for (int i = 0; i < together; ++i) {
          V* const to = room[s].x + exchange::place(g, lane) * together + i;
          if constexpr (All)
            exec::copy_async(from + column[i], to);
          else
            exec::copy_async(first + s * exchange::tile + g * stride + i < entries, from + column[i], to);
        }
      }
      exec::end_of_copies();
    }
  }

  template <bool All>
  __device__ __forceinline__ void ask_for_products(int k, int lane, of_tile (&room)[Steps], asked& a) const {
    if (in_table) {
      if (column_width == 0) return ask_for_products<0, true, All>(k, lane, room, a);
      if (column_width == 1) return ask_for_products<1, true, All>(k, lane, room, a);
      return ask_for_products<2, true, All>(k, lane, room, a);
    }
    if (column_width == 0) return ask_for_products<0, false, All>(k, lane, room, a);
    if (column_width == 1) return ask_for_products<1, false, All>(k, lane, room, a);
    ask_for_products<2, false, All>(k, lane, room, a);
  }

  template <int RowWidth>
  [[nodiscard]] __device__ __forceinline__ exec::packed<Count> ask_for_rows(int k, bool some,
                                                                            std::uint32_t& before) const {
    const std::uint8_t* const at = rows + (k << RowWidth);
    before = exec::load_number_if<RowWidth>(k > 0 && some, at - (1 << RowWidth));
    return exec::load_packed_if<RowWidth, Count>(some, at, policy);
  }

  __device__ __forceinline__ asked ask(int k, int lane, of_tile (&room)[Steps]) const {
    asked a{};
    const auto ask = [&]<int RowWidth>(std::integral_constant<int, RowWidth>) {
#pragma unroll
      for (int s = 0; s < Steps; ++s) {
        const int mine = k + s * exchange::tile + lane * Count;
        const exec::packed<Count> r = ask_for_rows<RowWidth>(mine, mine < entries, a.before[s]);
#pragma unroll
        for (int i = 0; i < row_words; ++i) a.rows[s][i] = r.word[i];
      }
    };
    if (row_width == 0) ask(std::integral_constant<int, 0>());
    if (row_width == 1) ask(std::integral_constant<int, 1>());
    if (k + Steps * exchange::tile <= entries)
      ask_for_products<true>(k, lane, room, a);
    else
      ask_for_products<false>(k, lane, room, a);
    return a;
  }

  /// Of the tile whose first entry is k.
  __device__ __forceinline__ std::int32_t take(const asked& a, int step, int k, int lane,
                                               of_tile (&room)[Steps], std::int32_t (&row)[Count],
                                               V (&product)[Count]) const {
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    V v[Count] = {};
    if (in_table) {
      exec::packed<Count> codes;
#pragma unroll
      for (int i = 0; i < code_words; ++i) codes.word[i] = a.codes[step][i];
      std::uint32_t code[Count];
      exec::unpack(codes, 0, code);
#pragma unroll
      for (int i = 0; i < Count; ++i) v[i] = exec::load_if(true, table + code[i], V{0});
    } else if constexpr (!Values) {
      exec::load_values(entries - mine, reinterpret_cast<const V*>(values) + mine, v, policy);
    }
    if (step == Steps - 1) exec::wait_for_copies<0>();
    if (step == Steps - 2) exec::wait_for_copies<1>();
    if (step == Steps - 3) exec::wait_for_copies<2>();
    if (step == Steps - 4) exec::wait_for_copies<3>();
    __syncwarp();
    if constexpr (Values)
      if (!in_table) exchange::take(room[step].values, lane, v);
    exchange::take(room[step].x, lane, product);
#pragma unroll
    for (int i = 0; i < Count; ++i) product[i] *= v[i];
    std::uint32_t before = a.before[step];
    exec::packed<Count> r;
    if (row_width == 2) {
      r = ask_for_rows<2>(mine, some, before);
    } else {
#pragma unroll
      for (int i = 0; i < row_words; ++i) r.word[i] = a.rows[step][i];
    }
    std::uint32_t number[Count];
    exec::unpack(r, row_width, number);
#pragma unroll
    for (int i = 0; i < Count; ++i) row[i] = static_cast<std::int32_t>(number[i]);
    if (k + exchange::tile <= entries) return static_cast<std::int32_t>(before);
    const std::int32_t last = last_row();
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (mine + i >= entries) {
        row[i] = last;
        product[i] = V{0};
      }
    return some ? static_cast<std::int32_t>(before) : last;
  }

  /// Of the smallest column. Where it is needed, and not before: all that is asked for is, until then.
  [[nodiscard]] __device__ __forceinline__ const V* first_of_x() const {
    std::int32_t column = smallest;
    asm volatile("" : "+r"(column));
    const V* from = x + column;
    asm volatile("" : "+l"(from));  // else the column is added to each entry's
    return from;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    const std::uint8_t* const at = rows + ((entries - 1) << row_width);
    if (row_width == 0) return static_cast<std::int32_t>(exec::load_number_if<0>(true, at));
    if (row_width == 1) return static_cast<std::int32_t>(exec::load_number_if<1>(true, at));
    return static_cast<std::int32_t>(exec::load_number_if<2>(true, at));
  }
};

/// What stands beside a chunk and is needed to read its entries.
struct bccoo_beside {
  unsigned format;
  std::int32_t column;
  std::int64_t offset;
};

/// The rest: loaded where it does not keep the entries waiting.
template <class V>
struct bccoo_ask_for_rest {
  const bccoo_pointers<V>& a;
  unsigned h;
  bool ordered;

  __device__ __forceinline__ void operator()(bool wanted, bool is_first_warp, exec::chunk_rest& rest) const {
    const bool all = wanted && is_first_warp;
    const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
    if (wanted) rest.next_row = static_cast<std::int32_t>(a.meta.rows);
    rest.first_row = exec::load_if(wanted, a.row + h, rest.first_row);
    rest.run_before = exec::load_if(wanted && ordered, a.carries.run_at_cut + h, rest.run_before);
    rest.run_behind = exec::load_if(all && ordered, a.carries.run_at_cut + h + 1, rest.run_behind);
    rest.next_row = exec::load_if(all && !is_last, a.row + h + 1, rest.next_row);
  }
};

template <class Tiles, class V>
__device__ __forceinline__ Tiles bccoo_tiles_of(const bccoo_pointers<V>& a, unsigned h,
                                                const bccoo_beside& beside, const product<V>& p,
                                                exec::l2_policy policy) {
  const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
  const auto entries = static_cast<int>(is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk);
  const auto row_width =
      static_cast<int>(beside.format >> bccoo_uniform::row_shift & bccoo_uniform::column_width);
  const auto column_width = static_cast<int>(beside.format & bccoo_uniform::column_width);
  const bool in_table = (beside.format & bccoo_uniform::in_table) != 0;
  // A chunk has less than 2^31 bytes.
  const int columns = ((entries << row_width) + 15) & ~15;
  const int values = columns + (((entries << column_width) + 15) & ~15);
  const std::uint8_t* const data = a.data + beside.offset;
  return {.rows = data,
          .columns = data + columns,
          .values = data + values,
          .table = a.lut,
          .x = p.x,
          .smallest = beside.column,
          .entries = entries,
          .row_width = row_width,
          .column_width = column_width,
          .in_table = in_table,
          .reads_codes = in_table && a.lut_size > 1,
          .policy = policy};
}

template <class V>
__device__ __forceinline__ bccoo_beside bccoo_beside_of(const bccoo_pointers<V>& a, unsigned h) {
  bccoo_beside beside{};
  beside.format = exec::load_number_if<0>(true, a.format + h);
  beside.offset = exec::load_if(true, a.offset + h, std::int64_t{0});
  beside.column = exec::load_if(true, a.column + h, std::int32_t{0});
  return beside;
}

/// Late: what is not needed to ask for the entries is asked for together with what is, but not waited for.
template <int Count, bool Late, int Threads, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count, exec::chunk_blocks(Count, Threads))
    bccoo_warp_per_tile(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  __shared__ exec::chunk_room<Count, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned h = blockIdx.x;
  int turn = 0;
  const bccoo_beside beside = bccoo_beside_of(a, h);
  exec::chunk_rest rest{};
  const bool is_first_warp = threadIdx.x < exec::warp_size;
  if constexpr (Late) {
    bccoo_ask_for_rest<V>{a, h, ordered}(true, is_first_warp, rest);
  } else {
    rest.first_row = a.row[h];
    rest.next_row = static_cast<std::int32_t>(a.meta.rows);
    if (ordered) rest.run_before = a.carries.run_at_cut[h];
    if (is_first_warp) {
      if (ordered) rest.run_behind = a.carries.run_at_cut[h + 1];
      if (h + 1 < static_cast<unsigned>(a.meta.chunks)) rest.next_row = a.row[h + 1];
    }
  }
  const auto tiles = bccoo_tiles_of<bccoo_tiles<Count, Late, V>>(a, h, beside, p, exec::l2_policy(share));
  const exec::chunk_place place{.first_row = rest.first_row,
                                .next_row = rest.next_row,
                                .entries = tiles.entries,
                                .is_first = h == 0,
                                .began_before = rest.run_before >= 0,
                                .goes_on = rest.run_behind >= 0};
  exec::sum_chunk_by_warps<Count>(place, tiles, p, ordered ? slots + exec::slots_per_unit * h : nullptr, room,
                                  turn);
}

template <int Count, int Steps, bool Values, bool Long, int Threads, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count / Steps,
                                  Threads / (exec::chunk_tile / Count / Steps))
    bccoo_warp_in_steps(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  __shared__ exec::step_room<Count, Steps, Values, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned h = blockIdx.x;
  const auto tiles = bccoo_tiles_of<bccoo_steps<Count, Steps, Values, V>>(a, h, bccoo_beside_of(a, h), p,
                                                                         exec::l2_policy(share));
  exec::sum_chunk_in_steps<Long, Count>(h == 0, tiles, bccoo_ask_for_rest<V>{a, h, ordered}, p,
                                  ordered ? slots + exec::slots_per_unit * h : nullptr, room);
}

}  // namespace

template <value V>
void bccoo::launch(const bccoo_pointers<V>& a, const product<V>& given, V* scratch, cuda_stream stream) {
  const auto variant = exec::chunk_variant(a.meta.device.entries_per_thread);
  const exec::l2_share share = exec::l2_share_for<V>(a.meta, a.data_bytes);
  launch_chunks(a, given, scratch, stream, "bccoo", [&](auto count, const product<V>& p) {
    constexpr int entries = count();
    const auto chunks = static_cast<unsigned>(a.meta.chunks);
    const unsigned threads = exec::chunk_threads(entries, std::min(a.meta.chunk, a.meta.nnz));
    if (variant == 0) {
      if constexpr (entries <= 4)
        bccoo_chunk_per_block<entries><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
      else
        bccoo_chunk_per_block<4>
            <<<chunks, exec::chunk_threads(4, std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
                a, p, scratch, share);
    } else if (variant == 1) {
      bccoo_warp_per_tile<entries, false, 1024>
          <<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else if (variant == 7) {
      bccoo_warp_per_tile<entries, true, 1024><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else {
      const std::int64_t longest = std::min(a.meta.chunk, a.meta.nnz);
      // Most values are in the table: there is no room for others.
      const bool has_values =
          a.lut_size == 0 || a.data_bytes > a.meta.nnz * static_cast<std::int64_t>(sizeof(V));
      const auto start = [&]<int Steps, int Threads>(std::integral_constant<int, Steps>,
                                                     std::integral_constant<int, Threads>) {
        const unsigned in_steps = exec::step_threads(8, Steps, longest);
        const auto start_kernel = [&](auto* kernel) {
          kernel<<<chunks, in_steps, 0, stream.handle()>>>(a, p, scratch, share);
        };
        const bool is_long = longest > exec::chunk_tile;
        if (has_values && is_long) start_kernel(bccoo_warp_in_steps<8, Steps, true, true, Threads, V>);
        if (has_values && !is_long) start_kernel(bccoo_warp_in_steps<8, Steps, true, false, Threads, V>);
        if (!has_values && is_long) start_kernel(bccoo_warp_in_steps<8, Steps, false, true, Threads, V>);
        if (!has_values && !is_long) start_kernel(bccoo_warp_in_steps<8, Steps, false, false, Threads, V>);
      };
      using std::integral_constant;
      if (variant == 2) start(integral_constant<int, 1>(), integral_constant<int, 1280>());
      if (variant == 3) start(integral_constant<int, 1>(), integral_constant<int, 1536>());
      if (variant == 4) start(integral_constant<int, 2>(), integral_constant<int, 1024>());
      if (variant == 5) start(integral_constant<int, 2>(), integral_constant<int, 1152>());
      if (variant == 6) start(integral_constant<int, 4>(), integral_constant<int, 1024>());
    }
  });
}

template void bccoo::launch(const bccoo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void bccoo::launch(const bccoo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
