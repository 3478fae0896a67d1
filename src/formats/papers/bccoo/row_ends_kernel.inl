// SPDX-License-Identifier: BSD-3-Clause
// Chunks in which the ends of rows stand, on one core: row by row as csr does, as many rows at a time as
// there are lanes.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

/// A chunk of `size` entries, in which `ends` rows end.
template <class S, class Entries, class End>
void sum_ended(const Entries& all, const End* end, std::int64_t ends, std::int64_t size,
               std::int64_t first_row, chunk_sums<S>& sums) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  std::int64_t r = 0;
  std::int64_t begin = 0;
  if (sums.began_before && ends > 0) {
    begin = end[0];
    sums.finish(first_row, all.row_lanes_noinline(0, begin).sum());
    r = 1;
  }
  product_buffer<sum_t<S>> products;
  const bool are_short = ends * mean_of_short_rows > size;
  for (; ends - r >= width; r += width) {
    few lanes[width];
    if (are_short && products.hold(all, begin, end[r + width - 1])) {
#pragma GCC unroll 8
      for (int i = 0; i < width; ++i) {
        const std::int64_t next = end[r + i];
        lanes[i] = products.row_lanes(begin, next - begin);
        begin = next;
      }
      sums.finish_rows(first_row + r, few::sums(lanes));
      continue;
    }
    const auto add_row = [&](int i) __attribute__((always_inline)) {
      const std::int64_t next = end[r + i];
      lanes[i] = all.row_lanes(begin, next - begin);
      begin = next;
    };
    if constexpr (std::is_same_v<End, std::uint16_t>) {
      // Unrolling gives each row its own branches, which are predicted better.
#pragma GCC unroll 8
      for (int i = 0; i < width; ++i) add_row(i);
    } else {  // 32-bit row ends: rare, not unrolled, to shorten compilation
      for (int i = 0; i < width; ++i) add_row(i);
    }
    sums.finish_rows(first_row + r, few::sums(lanes));
  }
  if (r < ends) {
    few lanes[width];
    for (int i = 0; i < width; ++i) {
      const std::int64_t next = r + i < ends ? std::int64_t{end[r + i]} : begin;
      lanes[i] = next > begin ? all.row_lanes_noinline(begin, next - begin) : few::zero();
      begin = next;
    }
    sum_t<S> sum[width];
    few::sums(lanes).store(sum);
    for (int i = 0; r + i < ends; ++i) sums.finish(first_row + r + i, sum[i]);
  }
  if (begin < size) sums.open = all.row_lanes_noinline(begin, size - begin).sum();
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
