// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core: tiles of eight rows whose values are stored again diagonal by diagonal.
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// The sums of a tile on diagonals, of which the first `whole` are in all of its rows, in one pass: making a
/// mask takes as long as using it. Moves val behind the tile. Packed: places without an entry have no value.
/// Masked: x is not read there.
template <bool Packed, bool Masked, class S>
[[gnu::always_inline]] inline void sums_on_diagonals(
    const matrix_t<S>*& val, const std::int32_t* col, std::int64_t whole, const std::uint8_t* mask,
    std::int64_t masked, const vector_t<S>* x,
    short_vec<sum_t<S>> (&sums)[diagonal_rows / short_vec<sum_t<S>>::lanes]) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  constexpr int parts = diagonal_rows / width;
  lanes odd[parts];
  for (int r = 0; r < parts; ++r) sums[r] = odd[r] = lanes::zero();
  const auto add_whole = [&](std::int64_t k, lanes(&to)[parts]) __attribute__((always_inline)) {
    for (int r = 0; r < parts; ++r)
      to[r] = lanes::multiply_add(lanes::load(val + k * diagonal_rows + r * width),
                                  lanes::load(x + col[k] + r * width), to[r]);
  };
  std::int64_t k = 0;
  for (; whole - k >= 2; k += 2) {
    add_whole(k, sums);
    add_whole(k + 1, odd);
  }
  if (k < whole) add_whole(k++, sums);
  const matrix_t<S>* packed = val + whole * diagonal_rows;
  const auto add_masked = [&](std::int64_t d, lanes(&to)[parts]) __attribute__((always_inline)) {
    const unsigned bits = Packed || Masked ? mask[d - whole] : 0;
    for (int r = 0; r < parts; ++r) {
      const unsigned here = bits >> r * width;
      const vector_t<S>* const from = x + col[d] + r * width;
      const lanes values =
          Packed ? lanes::load_expanded(packed, here) : lanes::load(val + d * diagonal_rows + r * width);
      to[r] = lanes::multiply_add(values, Masked ? lanes::load_where(from, here) : lanes::load(from), to[r]);
      if (Packed) packed += __builtin_popcount(here & ((1u << width) - 1u));
    }
  };
  const std::int64_t all = whole + masked;
  for (; all - k >= 2; k += 2) {
    add_masked(k, odd);
    add_masked(k + 1, sums);
  }
  if (k < all) add_masked(k, odd);
  for (int r = 0; r < parts; ++r) sums[r] = lanes::add(sums[r], odd[r]);
  val = Packed ? packed : val + all * diagonal_rows;
}

/// A tile whose masks cannot be left out: what comes behind its values. Seldom called, and not inlined, so
/// that the others' sums stay in registers.
template <bool Packed, class S>
[[gnu::noinline]] const matrix_t<S>* multiply_masked_tile(const matrix_t<S>* val, const std::int32_t* col,
                                                          std::int64_t whole, const std::uint8_t* mask,
                                                          std::int64_t masked, const product<S>& p,
                                                          std::int64_t row) {
  using lanes = short_vec<sum_t<S>>;
  lanes sums[diagonal_rows / lanes::lanes];
  sums_on_diagonals<Packed, true, S>(val, col, whole, mask, masked, p.x, sums);
  for (int r = 0; r < diagonal_rows / lanes::lanes; ++r) finish_rows(p, row + r * lanes::lanes, sums[r]);
  return val;
}

/// The rows of a run on diagonals, whose values are at val: what comes behind them. Masks take time, and are
/// left out where that is allowed: where a row has no entry it adds 0 times what x has there, which is 0
/// unless x is infinite or NaN; then a sum is NaN, and the tile is multiplied once more. Asking for values
/// ahead took longer, in whichever cache they were.
template <bool Packed, class S, class O>
inline const matrix_t<S>* rows_on_diagonals(const pattern_csr_pointers<matrix_t<S>, O>& a,
                                            const product<S>& p, const pattern_run& run,
                                            const matrix_t<S>* val) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int parts = diagonal_rows / lanes::lanes;
  const diagonal_tile* tile = a.diagonal_tiles + run.first_tile;
  for (std::int64_t i = run.first; i < run.last; i += diagonal_rows, ++tile) {
    const std::int32_t* const col = a.diagonal + tile->first;
    const std::uint8_t* const mask = a.diagonal_mask + tile->mask;
    const std::int64_t all = tile[1].first - tile[0].first;
    const std::int64_t masked = tile[1].mask - tile[0].mask;
    if (masked > 0 && (col[all - masked] < 0 || std::int64_t{col[all - 1]} + diagonal_rows > a.meta.cols)) {
      val = multiply_masked_tile<Packed>(val, col, all - masked, mask, masked, p, i);
      continue;
    }
    const matrix_t<S>* behind = val;
    lanes sums[parts];
    sums_on_diagonals<Packed, false, S>(behind, col, all - masked, mask, masked, p.x, sums);
    bool finite = true;
    for (int r = 0; r < parts; ++r) finite = finite && sums[r].all_finite();
    if (finite)
      for (int r = 0; r < parts; ++r) finish_rows(p, i + r * lanes::lanes, sums[r]);
    else
      multiply_masked_tile<Packed>(val, col, all - masked, mask, masked, p, i);
    val = behind;
  }
  return val;
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
