// SPDX-License-Identifier: BSD-3-Clause
// Chunks with a row number for each entry on one core. A block of entries at a time: first where its rows
// end, by comparing each row number with the next, many at once; then row by row as csr does, where columns
// and values are widened as they are read.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

/// Entries of a block.
constexpr std::int64_t block = 1024;
/// Entries whose rows are compared at once.
constexpr std::int64_t word = 64;

/// The rows that end in a block.
struct block_rows {
  std::int32_t end[block + word];  ///< one past the last entry of each, in the block
  std::int32_t number[block];      ///< which they are, from the chunk's first; where they are not consecutive
  int count = 0;
  bool consecutive = false;
  std::int32_t first = 0;

  [[nodiscard]] std::int64_t row(int r) const { return consecutive ? first + r : number[r]; }
};

/// Finds the rows that end among the n entries whose rows are given. The numbers do not tell whether one ends
/// with a chunk's last entry: where the entries are its last, `ends_last` says so.
template <class Row>
inline void find_rows(const Row* rows, std::int64_t n, bool is_last, bool ends_last, block_rows& found) {
  found.count = 0;
  for (std::int64_t k = 0; k < n; k += word) {
    const std::int64_t here = std::min(word, n - k);
    std::uint64_t bits = 0;
    if (here == word)
      bits = changes(rows + k);
    else
      for (std::int64_t i = 0; i < here; ++i) bits |= std::uint64_t{rows[k + i] != rows[k + i + 1]} << i;
    if (is_last && k + here == n) {
      const std::uint64_t bit = std::uint64_t{1} << (here - 1);
      bits = ends_last ? bits | bit : bits & ~bit;
    }
    found.count += positions(bits, static_cast<std::int32_t>(k) + 1, found.end + found.count);
  }
  if (found.count == 0) return;
  found.first = static_cast<std::int32_t>(rows[found.end[0] - 1]);
  const auto last = static_cast<std::int32_t>(rows[found.end[found.count - 1] - 1]);
  found.consecutive = last - found.first == found.count - 1;
  if (found.consecutive) return;
  for (int r = 0; r < found.count; ++r) found.number[r] = static_cast<std::int32_t>(rows[found.end[r] - 1]);
}

/// Adds up a block of n entries, the first of which is number `begin` of the chunk.
template <class S, class Entries>
void sum_block(const Entries& all, std::int64_t begin, std::int64_t n, std::int64_t first_row,
               const block_rows& rows, chunk_sums<S>& sums) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  const int count = rows.count;
  const auto sum_of = [&](std::int64_t from, std::int64_t to) {
    return all.row_lanes_noinline(begin + from, to - from).sum();
  };
  if (count == 0) {
    sums.open += sum_of(0, n);
    return;
  }
  sums.finish(first_row + rows.row(0), sums.open + sum_of(0, rows.end[0]));
  int r = 1;
  for (; count - r >= width; r += width) {
    const std::int32_t* const end = rows.end + r;
    few lanes[width];
    for (int i = 0; i < width; ++i) lanes[i] = all.row_lanes(begin + end[i - 1], end[i] - end[i - 1]);
    const few together = few::sums(lanes);
    const std::int64_t row = rows.row(r);
    if (rows.row(r + width - 1) - row == width - 1) {
      sums.finish_rows(first_row + row, together);
    } else {
      sum_t<S> sum[width];
      together.store(sum);
      for (int i = 0; i < width; ++i) sums.finish(first_row + rows.row(r + i), sum[i]);
    }
  }
  for (; r < count; ++r) sums.finish(first_row + rows.row(r), sum_of(rows.end[r - 1], rows.end[r]));
  const std::int64_t rest = n - rows.end[count - 1];
  sums.open = rest > 0 ? sum_of(rows.end[count - 1], n) : sum_t<S>{0};
}

/// A chunk of `size` entries; goes_on: its last row does.
template <class S, class Entries>
void sum_numbered(const Entries& all, unsigned format, const std::uint8_t* rows, std::int64_t size,
                  std::int64_t first_row, bool goes_on, chunk_sums<S>& sums) {
  block_rows found;
  for (std::int64_t begin = 0; begin < size; begin += block) {
    const std::int64_t n = std::min(block, size - begin);
    const bool ends_chunk = begin + n == size;
    switch (format >> bccoo_uniform::row_shift & bccoo_uniform::column_width) {
      case 0:
        find_rows(rows + begin, n, ends_chunk, !goes_on, found);
        break;
      case 1:
        find_rows(reinterpret_cast<const std::uint16_t*>(rows) + begin, n, ends_chunk, !goes_on, found);
        break;
      default:
        find_rows(reinterpret_cast<const std::uint32_t*>(rows) + begin, n, ends_chunk, !goes_on, found);
    }
    sum_block(all, begin, n, first_row, found, sums);
  }
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
