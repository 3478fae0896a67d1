// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core, several columns at once: rows with the same columns. If a pack fits in one
// register, up to three rows are multiplied for each read of X.
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// How many rows are multiplied together. If there are more than one, their sums take at most three quarters
/// of the registers.
template <by_packs S>
inline constexpr int equal_rows_together =
    pack_sum<S>::parts > 1
        ? 1
        : std::clamp((simd::GOSSAMER_ISA::register_bytes == 64 ? 24 : 12) / vec<sum_t<S>>::lanes, 1, 3);

/// The sums of the lanes of some rows.
template <by_packs S, int Rows>
struct lanes_of_rows {
  static constexpr int lanes = vec<sum_t<S>>::lanes;
  pack_sum<S> v[lanes][Rows]{};

  [[gnu::always_inline]] void store(vec<sum_t<S>> (&to)[Rows]) const {
#pragma GCC unroll 16
    for (int l = 0; l < lanes; ++l)
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) to[r].v[l] = v[l][r];
  }
};

/// Keeps x in a register. Otherwise the compiler loads it again for each row.
template <class Register>
[[gnu::always_inline]] inline void keep_in_register([[maybe_unused]] Register& x) {
#if defined(__x86_64__)
  if constexpr (simd::GOSSAMER_ISA::register_bytes == 64)
    asm("" : "+v"(x));
  else
    asm("" : "+x"(x));
#endif
}

/// Adds n entries of each row to its lanes, one to each: those at val, val + length and so on, times the
/// pack at x_of(entry). Full: n is the number of lanes.
template <bool Full, by_packs S, int Rows, class X>
[[gnu::always_inline]] inline void add_entries(const matrix_t<S>* val, std::int64_t length, int n, X&& x_of,
                                               lanes_of_rows<S, Rows>& to) {
#pragma GCC unroll 16
  for (int l = 0; l < vec<sum_t<S>>::lanes; ++l) {
    if (!Full && l >= n) break;
    pack_sum<S> x = pack_sum<S>::load(x_of(l));
    keep_in_register(x.v[0]);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r)
      to.v[l][r] = pack_sum<S>::multiply_add(pack_sum<S>::all(val[r * length + l]), x, to.v[l][r]);
  }
}

/// Computes one of the two sums of each lane. Pieces alternate between them: the last vector of a piece is
/// added to one, its earlier vectors to the other. EndsFirst: the one to which the last vector of the first
/// piece is added. Not inlined, so that the compiler keeps the sums in registers.
template <bool EndsFirst, by_packs S, int Rows>
[[gnu::noinline]] inline void sum_pieces(const matrix_t<S>* val, std::int64_t length,
                                         const column_piece* piece, std::int32_t pieces, x_rows_t<S> x,
                                         vec<sum_t<S>> (&to)[Rows]) {
  constexpr int width = vec<sum_t<S>>::lanes;
  lanes_of_rows<S, Rows> sums;
  const auto add = [&](bool ends, const column_piece& here) __attribute__((always_inline)) {
    const int filled = (here.count - 1) / width * width;
    const std::int64_t col = here.first;
    if (ends) {
      add_entries<false>(
          val + filled, length, here.count - filled, [&](int l) { return x + (col + filled + l); }, sums);
    } else {
      for (int at = 0; at < filled; at += width)
        add_entries<true>(
            val + at, length, width, [&](int l) { return x + (col + at + l); }, sums);
    }
    val += here.count;
  };
  for (; pieces >= 2; pieces -= 2, piece += 2) {
    add(EndsFirst, piece[0]);
    add(!EndsFirst, piece[1]);
  }
  if (pieces == 1) add(EndsFirst, piece[0]);
  sums.store(to);
}

/// The only sum of each lane where the columns do not come in pieces.
template <by_packs S, int Rows>
[[gnu::noinline]] inline void sum_columns(const matrix_t<S>* val, std::int64_t length,
                                          const std::int32_t* col, x_rows_t<S> x, vec<sum_t<S>> (&to)[Rows]) {
  constexpr int width = vec<sum_t<S>>::lanes;
  lanes_of_rows<S, Rows> sums;
  std::int64_t k = 0;
  for (; length - k > width; k += width)
    add_entries<true>(
        val + k, length, width, [&](int l) { return x + col[k + l]; }, sums);
  add_entries<false>(
      val + k, length, static_cast<int>(length - k), [&](int l) { return x + col[k + l]; }, sums);
  sums.store(to);
}

/// The rows from `row` on, Rows of them. Empty lanes of partial vectors are skipped, which can change only
/// the sign of a zero sum. Rows with a zero sum are computed again with these lanes.
template <int Rows, by_packs S, class O>
inline void rows_of_same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                                 std::int64_t row, const std::int32_t* col, const column_piece* piece,
                                 std::int32_t pieces) {
  using lanes = vec<sum_t<S>>;
  const std::int64_t begin = a.row_ptr[row];
  const std::int64_t length = a.row_ptr[row + 1] - begin;
  const matrix_t<S>* const val = a.val + begin;
  lanes even[Rows];
  if (pieces > 0) {
    lanes odd[Rows];
    sum_pieces<true, S, Rows>(val, length, piece, pieces, p.x, even);
    sum_pieces<false, S, Rows>(val, length, piece, pieces, p.x, odd);
    for (int r = 0; r < Rows; ++r) even[r] = lanes::add(even[r], odd[r]);
  } else {
    sum_columns<S, Rows>(val, length, col, p.x, even);
  }
  for (int r = 0; r < Rows; ++r) {
    sum_t<S> sum;
    even[r].one_of_four_sums().store(&sum);
    if (has_zero(sum)) sum = row_of_same_columns(a, p, row + r, col, piece, pieces);
    p.finish_row(row + r, sum);
  }
}

template <bool Gathers, by_packs S, class O>
inline void same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                         const pattern_run& run, const column_piece* piece, const std::int32_t* /*col*/,
                         bool ahead) {
  constexpr int together = equal_rows_together<S>;
  const std::int32_t* const col = a.col + a.row_ptr[run.first];
  const std::int64_t length = a.row_ptr[run.first + 1] - a.row_ptr[run.first];
  // Prefetching long rows would overflow the first-level cache.
  const bool prefetches =
      ahead && length * static_cast<std::int64_t>(sizeof(matrix_t<S>)) <= row_prefetch_bytes;
  // Inlined, since the compiler may remove a call that has no effect it knows of.
  const auto prefetch_rows = [&](std::int64_t first, int rows) __attribute__((always_inline)) {
    if (prefetches) prefetch<3>(a.val + a.row_ptr[first], rows * length, row_prefetch_bytes);
  };
  std::int64_t i = run.first;
  if constexpr (together > 1) {
    if (!ahead || exec::has_fast_gathers())  // see one_at_a_time() in same_columns.inl
      for (; run.last - i >= together; i += together) {
        prefetch_rows(i, together);
        rows_of_same_columns<together>(a, p, i, col, piece, run.parts);
      }
  }
  for (; i < run.last; ++i) {
    prefetch_rows(i, 1);
    p.finish_row(i, row_of_same_columns(a, p, i, col, piece, run.parts));
  }
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
