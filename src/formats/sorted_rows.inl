// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block of sorted coordinates on one core (included by sorted_entries.inl, for each instruction set): where they end, and their
// sums, as many rows at a time as there are lanes.
#include "formats/row_writer.inl"

namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::changes;
using simd::GOSSAMER_ISA::positions;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Many enough that products have left the store buffer when they are read, and few enough that memory is not idle for long while
/// rows are added: with 1024 like(cant) took 1.2 times as long, with 256 copter2 1.15 times.
constexpr std::int64_t entries_of_block = 512;
/// Entries whose rows are compared at once.
constexpr std::int64_t word = 64;

template <class V>
struct block_of_rows {
  static constexpr int before = 16;
  /// Number -1 is what earlier blocks have of the block's first row. Two vectors behind the last may be read.
  V product[before + entries_of_block + 32];
  /// One past the last entry of each row that ends here, and room for what positions() writes too much. Number -1 is -1.
  std::int32_t end[before + entries_of_block + word];
  int count;  ///< of the rows that end here

  V* products() { return product + before; }
  std::int32_t* ends() { return end + before; }
};

/// Finds the rows that end among the n entries from `row` on, of `rest` that the matrix has there.
template <class V>
inline void find_ends(const std::int32_t* row, std::int64_t n, std::int64_t rest, block_of_rows<V>& block) {
  block.count = 0;
  if (n < rest && row[0] == row[n]) return;  // rows ascend
  for (std::int64_t k = 0; k < n; k += word) {
    std::uint64_t bits = 0;
    if (n - k >= word && rest - k > word) {
      bits = changes(reinterpret_cast<const std::uint32_t*>(row + k));
    } else {
      const std::int64_t last = std::min(n, k + word);
      for (std::int64_t i = k; i < last; ++i)
        bits |= std::uint64_t{i + 1 == rest || row[i] != row[i + 1]} << (i - k);
    }
    block.count += positions(bits, static_cast<std::int32_t>(k) + 1, block.ends() + block.count);
  }
}

/// Lanes whose sum is that of n numbers. The order of additions depends on n alone.
template <class V>
[[gnu::always_inline]] inline short_vec<V> lanes_of_row(const V* at, std::int64_t n) {
  using lanes = vec<V>;
  constexpr int width = lanes::lanes;
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  for (; n >= 2 * width; n -= 2 * width, at += 2 * width) {
    even = lanes::add(even, lanes::load(at));
    odd = lanes::add(odd, lanes::load(at + width));
  }
  if (n >= width) {
    even = lanes::add(even, lanes::load(at));
    n -= width;
    at += width;
  }
  odd = lanes::add(odd, lanes::load_first_of_more(at, static_cast<int>(n)));
  return lanes::add(even, odd).folded();
}

/// The same of at most twice as many numbers as there are lanes, without a branch that is guessed wrong.
template <class V>
[[gnu::always_inline]] inline short_vec<V> lanes_of_short_row(const V* at, int n) {
  using few = short_vec<V>;
  constexpr int width = few::lanes;
  return few::add(few::load_first_of_more(at, std::min(n, width)),
                  few::load_first_of_more(at + width, std::max(n - width, 0)));
}

/// The sums of as many rows as there are lanes, whose ends are end[0] and behind it. One branch for all of them tells how long they are.
template <class V>
[[gnu::always_inline]] inline short_vec<V> sums_of_rows(const V* product, const std::int32_t* end) {
  using few = short_vec<V>;
  constexpr int width = few::lanes;
  unsigned most = 0;  // of the lengths less one: not their maximum, but below a power of two where they are
  for (int i = 0; i < width; ++i) most |= static_cast<unsigned>(end[i] - end[i - 1] - 1);
  few lanes[width];
  const auto each_row = [&](auto&& lanes_of) {
#pragma GCC unroll 8
    for (int i = 0; i < width; ++i) lanes[i] = lanes_of(product + end[i - 1], end[i] - end[i - 1]);
  };
  if (most < width)
    each_row([](const V* at, int n) { return few::load_first_of_more(at, n); });
  else if (most < 2 * width)
    each_row([](const V* at, int n) { return lanes_of_short_row(at, n); });
  else
    each_row([](const V* at, int n) { return lanes_of_row(at, n); });
  return few::sums(lanes);
}

/// Sums and writes the rows that end among the n entries from `row` on, whose ends and products the block has.
template <class V>
inline void sum_rows(const std::int32_t* row, std::int64_t n, block_of_rows<V>& block, row_writer<V>& rows) {
  using few = short_vec<V>;
  constexpr int width = few::lanes;
  V* const product = block.products();
  std::int32_t* const end = block.ends();
  product[-1] = rows.open;
  end[-1] = -1;
  const std::int32_t last_end = end[block.count - 1];
  rows.open = lanes_of_row(product + last_end, n - last_end).sum();
  for (int i = 0; i < width; ++i)
    end[block.count + i] = last_end;  // rows without entries fill the last lanes
  for (int r = 0; r < block.count; r += width) {
    const few sums = sums_of_rows(product, end + r);
    const int count = std::min(width, block.count - r);
    const std::int64_t first = row[end[r] - 1];
    const std::int64_t last = row[end[r + count - 1] - 1];
    if (count == width && last - first == width - 1 && !rows.began_before)
      rows.finish_rows(first, sums);
    else
      rows.finish_apart(row, end + r, count, sums);
  }
}

}  // namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA
