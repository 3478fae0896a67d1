// SPDX-License-Identifier: BSD-3-Clause
// The sums of rows whose products lie one after another in a buffer, as many rows at a time as there are
// lanes (included by kernels on one core, for each instruction set). Two vectors behind the last product may
// be read.
namespace gossamer::inline v0::formats::product_sums::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Lanes whose sum is that of n numbers. Whole vectors are loaded while at least `Rest` numbers are left for
/// the last load, 0 or 1; the order of additions depends on that and on n alone.
template <int Rest, class V>
[[gnu::always_inline]] inline short_vec<V> lanes_of_row(const V* at, std::int64_t n) {
  using lanes = vec<V>;
  constexpr std::int64_t width = lanes::lanes;
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  for (; n >= 2 * width + Rest; n -= 2 * width, at += 2 * width) {
    even = lanes::add(even, lanes::load(at));
    odd = lanes::add(odd, lanes::load(at + width));
  }
  if (n >= width + Rest) {
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

/// The sums of as many rows as there are lanes: row r has begin[r + 1] - begin[r] products, the first row's
/// begin at `first`. One branch for all of them tells how long they are. Unless rows MayBeEmpty, those that
/// are empty count as long.
template <bool MayBeEmpty, class V, class Number>
[[gnu::always_inline]] inline short_vec<V> sums_of_rows(const V* first, const Number* begin) {
  using few = short_vec<V>;
  constexpr std::int64_t width = few::lanes;
  constexpr int rest = MayBeEmpty ? 1 : 0;
  // Of the lengths, less one where none should be 0: not their maximum, but below a power of two where they
  // are.
  std::uint64_t most = 0;
  for (int r = 0; r < width; ++r)
    most |= static_cast<std::uint64_t>(begin[r + 1] - begin[r] - (MayBeEmpty ? 0 : 1));
  few lanes[width];
  const V* const base = first - begin[0];
  // On a Zen 5 short rows of csr took 1.04 times as long with one loop for the three and a function for what
  // differs, and 1.06 times as long where the caller gave the place of number 0, not of the first row.
  if (most < width) {
#pragma GCC unroll 8
    for (int r = 0; r < width; ++r)
      lanes[r] = few::load_first_of_more(base + begin[r], static_cast<int>(begin[r + 1] - begin[r]));
  } else if (most < 2 * width) {
#pragma GCC unroll 8
    for (int r = 0; r < width; ++r)
      lanes[r] = lanes_of_short_row(base + begin[r], static_cast<int>(begin[r + 1] - begin[r]));
  } else {
#pragma GCC unroll 8
    for (int r = 0; r < width; ++r) lanes[r] = lanes_of_row<rest>(base + begin[r], begin[r + 1] - begin[r]);
  }
  return few::sums(lanes);
}

}  // namespace gossamer::inline v0::formats::product_sums::GOSSAMER_ISA
