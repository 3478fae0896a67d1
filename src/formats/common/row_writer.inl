// SPDX-License-Identifier: BSD-3-Clause
// Writes, for a unit of sorted coordinates, the rows that end in it and those without entries before them
// (included by sorted_rows.inl, for each instruction set).
namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA {

template <class S>
struct row_writer {
  product<S> p;       ///< a copy, which what is written to y cannot change
  std::int64_t next;  ///< the first row not yet written
  bool began_before;  ///< the row at hand has entries in an earlier unit
  sum_t<S> head{0};   ///< the sum of such a row
  sum_t<S> open{0};   ///< of the row at hand, in earlier blocks

  /// With beta = 1 rows without entries are as they should be.
  void finish_empty(std::int64_t before) {
    if (p.beta == sum_t<S>{1}) return;
    for (; next < before; ++next) p.finish_row(next, sum_t<S>{0});
  }
  void finish(std::int64_t row, sum_t<S> sum) {
    finish_empty(row);
    next = row + 1;
    if (began_before)
      head = sum;
    else
      p.finish_row(row, sum);
    began_before = false;
  }
  /// As many consecutive rows as there are lanes.
  template <class Lanes>
  [[gnu::always_inline]] void finish_rows(std::int64_t row, Lanes sums) {
    finish_empty(row);
    next = row + Lanes::lanes;
    Lanes result = Lanes::multiply(Lanes::all(p.alpha), sums);
    if (p.beta != sum_t<S>{0})
      result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
    result.store(p.y + row);
  }
  /// The rows row[end[i] - 1], i < count, with others between them or not.
  template <class Lanes>
  void finish_apart(const std::int32_t* row, const std::int32_t* end, int count, Lanes sums) {
    sum_t<S> sum[Lanes::lanes];
    sums.store(sum);
    if (began_before || p.beta != sum_t<S>{0}) {
      for (int i = 0; i < count; ++i) finish(row[end[i] - 1], sum[i]);
      return;
    }
    // How many rows are empty is guessed wrong: once for all of these, which are then written over.
    const std::int64_t last = row[end[count - 1] - 1];
    finish_empty(last);
    next = last + 1;
    for (int i = 0; i < count; ++i) p.finish_row(row[end[i] - 1], sum[i]);
  }
};

}  // namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA
