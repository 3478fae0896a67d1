// SPDX-License-Identifier: BSD-3-Clause
// Chunks on diagonals (diagonals.hpp) on one core: a lane a row, so that x is loaded and nothing is summed
// across lanes.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

using bccoo_uniform::diagonal_layout;
using bccoo_uniform::diagonal_totals;
using bccoo_uniform::tile_rows;
using bccoo_uniform::tile_size;

/// By how many entries values are prefetched.
constexpr std::int64_t tile_prefetch_distance = 1024;

/// Vectors of the eight sums of a tile.
template <class V>
inline constexpr int tile_parts = tile_rows / short_vec<V>::lanes;

/// Where the next tile's diagonals are. Columns count from x.
template <class S, class Values, class Column>
struct diagonal_reader {
  using lanes = short_vec<sum_t<S>>;
  static constexpr int parts = tile_parts<sum_t<S>>;
  Values values;
  const Column* column;
  const std::uint8_t* mask;
  const vector_t<S>* x;
  std::int64_t value = 0;

  /// A diagonal that all rows have.
  [[gnu::always_inline]] void add_whole(lanes (&sum)[parts]) {
    const vector_t<S>* const from = x + *column++;
    for (int r = 0; r < parts; ++r) {
      const int row = r * lanes::lanes;
      sum[r] = lanes::multiply_add(values.template load<lanes>(value + row), lanes::load(from + row), sum[r]);
    }
    value += tile_rows;
  }
  /// Another: what its values are multiplied by where a row has no entry is a zero.
  [[gnu::always_inline]] void add_masked(lanes (&sum)[parts]) {
    const vector_t<S>* const from = x + *column++;
    const unsigned all = *mask++;
    for (int r = 0; r < parts; ++r) {
      const unsigned bits = all >> r * lanes::lanes & ((1u << lanes::lanes) - 1u);
      sum[r] = lanes::multiply_add(values.template load_expanded<lanes>(value, bits),
                                   lanes::load_where(from + r * lanes::lanes, bits), sum[r]);
      value += __builtin_popcount(bits);
    }
  }
  [[gnu::always_inline]] void add_tile(tile_size size, lanes (&sum)[parts]) {
    lanes odd[parts];
    for (int r = 0; r < parts; ++r) sum[r] = odd[r] = lanes::zero();
    int d = size.whole;
    for (; d >= 2; d -= 2) {
      add_whole(sum);
      add_whole(odd);
    }
    if (d > 0) add_whole(sum);
    for (d = size.masked; d >= 2; d -= 2) {
      add_masked(odd);
      add_masked(sum);
    }
    if (d > 0) add_masked(odd);
    for (int r = 0; r < parts; ++r) sum[r] = lanes::add(sum[r], odd[r]);
  }
};

/// A chunk that has entries in `rows` rows or fewer, from first_row on; goes_on: the last of them does. Asks:
/// for values that are read later.
template <class S, class Reader>
void sum_diagonals(Reader reader, const tile_size* size, std::int64_t tiles, std::int64_t first_row,
                   std::int64_t rows, bool goes_on, bool prefetches, chunk_sums<S>& sums) {
  using lanes = short_vec<sum_t<S>>;
  for (std::int64_t t = 0; t < tiles; ++t) {
    lanes sum[tile_parts<sum_t<S>>];
    const std::int64_t before = reader.value;
    reader.add_tile(size[t], sum);
    if (prefetches)
      reader.values.template prefetch_entries<2>(before + tile_prefetch_distance,
                                                 static_cast<int>(reader.value - before));
    const std::int64_t row = first_row + t * tile_rows;
    const std::int64_t left = rows - t * tile_rows;
    const bool shared = left <= tile_rows && goes_on;
    if (left >= tile_rows && !shared && !sums.began_before) {
      for (int r = 0; r < tile_parts<sum_t<S>>; ++r) sums.finish_rows(row + r * lanes::lanes, sum[r]);
      continue;
    }
    sum_t<S> each[tile_rows];
    for (int r = 0; r < tile_parts<sum_t<S>>; ++r) sum[r].store(each + r * lanes::lanes);
    const std::int64_t here = std::min<std::int64_t>(left, tile_rows) - (shared ? 1 : 0);
    for (std::int64_t r = 0; r < here; ++r) sums.finish(row + r, each[r]);
    if (shared) sums.open = each[here];
  }
}

/// Chunk h, of `size` entries; goes_on: its last row does.
template <class S, bool Gathers>
void chunk_on_diagonals(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t h,
                        std::int64_t size, std::int64_t next_row, bool goes_on, bool prefetches,
                        chunk_sums<S>& sums) {
  const std::uint8_t* const data = a.data + a.offset[h];
  const unsigned format = a.format[h];
  diagonal_totals n;
  std::memcpy(&n, data, sizeof(n));
  const diagonal_layout at = bccoo_uniform::layout_of(format, size, sizeof(matrix_t<S>), n);
  const auto* const sizes = reinterpret_cast<const tile_size*>(data + sizeof(n));
  const std::int64_t rows = next_row - a.row[h] + (goes_on ? 1 : 0);
  with_values<Gathers>(a, format, data + at.values, [&]<class Values>(const Values& values) {
    with_columns(format, data + at.columns, [&]<class Column>(const Column* column) {
      sum_diagonals(diagonal_reader<S, Values, Column>{values, column, data + at.masks, p.x + a.column[h]},
                    sizes, n.tiles, a.row[h], rows, goes_on, prefetches, sums);
    });
  });
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
