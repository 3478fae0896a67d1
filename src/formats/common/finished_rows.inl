// SPDX-License-Identifier: BSD-3-Clause
// Writes rows whose sums are the lanes of a vector (included by kernels on one core, for each instruction
// set).
namespace gossamer::inline v0::formats::finished_rows::GOSSAMER_ISA {

/// As product::finish_row, of as many rows as there are lanes, from `row` on; but -0.0 is written as 0.0, and
/// what is multiplied is added without being rounded.
template <class Lanes, class S>
inline void finish_rows(const product<S>& p, std::int64_t row, Lanes sums) {
  Lanes result = Lanes::multiply_add(Lanes::all(p.alpha), sums, Lanes::zero());
  if (p.beta != factor_t<S>{0})
    result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
  result.store(p.y + row);
}

}  // namespace gossamer::inline v0::formats::finished_rows::GOSSAMER_ISA
