// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block of sorted coordinates on one core (included by sorted_entries.inl, for each instruction
// set): where they end, and their sums, as many rows at a time as there are lanes.
#include "formats/common/product_sums.inl"
#include "formats/common/row_writer.inl"

namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA {

using product_sums::GOSSAMER_ISA::lanes_of_row;
using product_sums::GOSSAMER_ISA::sums_of_rows;
using simd::GOSSAMER_ISA::changes;
using simd::GOSSAMER_ISA::positions;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Many enough that products have left the store buffer when they are read, and few enough that memory is not
/// idle for long while rows are added: with 1024 like(cant) took 1.2 times as long, with 256 copter2 1.15
/// times.
constexpr std::int64_t entries_of_block = 512;
/// Entries whose rows are compared at once.
constexpr std::int64_t word = 64;

template <class V>
struct block_of_rows {
  static constexpr int before = 16;
  /// Number -1 is what earlier blocks have of the block's first row. Two vectors behind the last may be read.
  V product[before + entries_of_block + 32];
  /// One past the last entry of each row that ends here, and room for what positions() writes too much.
  /// Number -1 is -1.
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

/// Sums and writes the rows that end among the n entries from `row` on, whose ends and products the block
/// has.
template <class S>
inline void sum_rows(const std::int32_t* row, std::int64_t n, block_of_rows<sum_t<S>>& block,
                     row_writer<S>& rows) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  sum_t<S>* const product = block.products();
  std::int32_t* const end = block.ends();
  product[-1] = rows.open;
  end[-1] = -1;
  const std::int32_t last_end = end[block.count - 1];
  rows.open = lanes_of_row<0>(product + last_end, n - last_end).sum();
  for (int i = 0; i < width; ++i)
    end[block.count + i] = last_end;  // rows without entries fill the last lanes
  for (int r = 0; r < block.count; r += width) {
    const few sums = sums_of_rows<false>(product + end[r - 1], end + r - 1);
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
