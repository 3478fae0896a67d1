// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core: rows with the same columns, whose x is read once for several.
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// Finishes the N <= 4 rows from `row` on, whose sums are those of the lanes.
template <int N, class S>
[[gnu::always_inline]] inline void finish_few(const product<S>& p, std::int64_t row,
                                              const vec<sum_t<S>> (&lanes)[4]) {
  sum_t<S> sum[4];
  vec<sum_t<S>>::four_sums(lanes, sum);
  if (p.beta == sum_t<S>{0}) {
    for (int r = 0; r < N; ++r) p.y[row + r] = p.alpha * sum[r];
  } else {
    for (int r = 0; r < N; ++r) p.finish_row(row + r, sum[r]);
  }
}

/// What `count` columns of N rows need, whose columns are read once for all of them.
template <int N, class V>
inline void prefetch_node(const V* val, const std::int32_t* col, std::int64_t count) {
  prefetch<3>(val, N * count, row_prefetch_bytes);
  prefetch<3>(col, count,
              row_prefetch_bytes / (N * static_cast<std::int64_t>(sizeof(V) / sizeof(std::int32_t))));
}

/// N rows from `row` on, of one length, with the columns at col. The order of additions in a row does not
/// depend on N.
template <int N, bool Gathers, class S, class O>
inline void rows_of_same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                                 std::int64_t row, const std::int32_t* col, bool ahead) {
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  const std::int64_t begin = a.row_ptr[row];
  const std::int64_t length = a.row_ptr[row + 1] - begin;
  const matrix_t<S>* const val = a.val + begin;
  lanes sum[4];
  // Of another loop the compiler makes other code. NOLINTNEXTLINE(modernize-loop-convert)
  for (int r = 0; r < 4; ++r) sum[r] = lanes::zero();
  std::int64_t k = 0;
  for (; length - k > width; k += width) {
    if (ahead) prefetch_node<N>(val + N * k, col + k, width);
    const lanes gathered = x_reader<Gathers>::template all<lanes>(p.x, col + k);
    for (int r = 0; r < N; ++r)
      sum[r] = lanes::multiply_add(lanes::load(val + r * length + k), gathered, sum[r]);
  }
  const int rest = static_cast<int>(length - k);
  if (ahead) prefetch_node<N>(val + N * k, col + k, rest);
  const lanes gathered = x_reader<Gathers>::template first<lanes>(p.x, col + k, rest);
  for (int r = 0; r < N; ++r)
    sum[r] = lanes::multiply_add(lanes::load_first(val + r * length + k, rest), gathered, sum[r]);
  finish_few<N>(p, row, sum);
}

/// The same, where the columns come in `pieces` pieces: x is loaded, not gathered, and `col` not read.
template <int N, class S, class O>
inline void rows_of_pieces(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                           std::int64_t row, const column_piece* piece, std::int32_t pieces, bool ahead) {
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  const std::int64_t begin = a.row_ptr[row];
  const std::int64_t length = a.row_ptr[row + 1] - begin;
  const matrix_t<S>* val = a.val + begin;
  // Of long rows that would be more than the first-level cache holds.
  if (ahead && length * static_cast<std::int64_t>(sizeof(matrix_t<S>)) <= row_prefetch_bytes)
    prefetch<3>(val, N * length, row_prefetch_bytes);
  // Two sums a row, taken in turn, so that they need not wait for each other.
  lanes even[4];
  lanes odd[4];
  for (int r = 0; r < 4; ++r) even[r] = odd[r] = lanes::zero();
  // Else the compiler makes it a function of its own now and then, and stores and loads the sums with each
  // piece.
  const auto add = [&](column_piece here, lanes(&whole)[4], lanes(&end)[4]) __attribute__((always_inline)) {
    const vector_t<S>* x = p.x + here.first;
    int count = here.count;
    for (; count > width; count -= width, x += width, val += width) {
      const lanes loaded = lanes::load(x);
      for (int r = 0; r < N; ++r)
        whole[r] = lanes::multiply_add(lanes::load(val + r * length), loaded, whole[r]);
    }
    const lanes loaded = lanes::load_first(x, count);
    for (int r = 0; r < N; ++r)
      end[r] = lanes::multiply_add(lanes::load_first(val + r * length, count), loaded, end[r]);
    val += count;
  };
  for (; pieces >= 2; pieces -= 2, piece += 2) {
    add(piece[0], odd, even);
    add(piece[1], even, odd);
  }
  if (pieces == 1) add(piece[0], odd, even);
  for (int r = 0; r < N; ++r) even[r] = lanes::add(even[r], odd[r]);
  finish_few<N>(p, row, even);
}

/// Whether each row of a matrix that lies in memory is multiplied alone. Cores of the makers without fast
/// gathers fetch ahead along one stream at an even pace: a Zen 4 read the values of three rows in turn at 9
/// GB/s, whatever was prefetched, those of one row at 23.
template <bool Gathers>
constexpr bool one_at_a_time(bool ahead) {
  return !Gathers && ahead;
}

/// f(number of rows, first row) for groups of up to four rows of [first, last), or for each row.
template <class F>
inline void by_fours(std::int64_t first, std::int64_t last, bool one_by_one, F&& f) {
  std::int64_t i = first;
  if (one_by_one)
    for (; i < last; ++i) f(std::integral_constant<int, 1>(), i);
  for (; last - i >= 4; i += 4) f(std::integral_constant<int, 4>(), i);
  if (last - i == 3) f(std::integral_constant<int, 3>(), i);
  if (last - i == 2) f(std::integral_constant<int, 2>(), i);
  if (last - i == 1) f(std::integral_constant<int, 1>(), i);
}

/// Rows whose columns are all those of the first: x is read once for several rows. Their columns are at piece
/// or, where the run lists none, at col.
template <bool Gathers, class S, class O>
inline void same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                         const pattern_run& run, const column_piece* piece, const std::int32_t* col,
                         bool ahead) {
  const bool one_by_one = one_at_a_time<Gathers>(ahead);
  if (run.parts > 0)
    by_fours(run.first, run.last, one_by_one,
             [&](auto n, std::int64_t i) { rows_of_pieces<n()>(a, p, i, piece, run.parts, ahead); });
  else
    by_fours(run.first, run.last, one_by_one,
             [&](auto n, std::int64_t i) { rows_of_same_columns<n(), Gathers>(a, p, i, col, ahead); });
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
