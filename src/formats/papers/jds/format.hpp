// SPDX-License-Identifier: BSD-3-Clause
// Jagged diagonals: rows sorted by length, and the j-th entries of all rows that have one stored side by
// side, without padding.
#pragma once

#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/common/row_order.hpp"

namespace gossamer::inline v0::formats {

struct jds_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t width = 0;  ///< the longest row, which is the number of jagged diagonals
  std::int64_t units = 0;  ///< cpu
};

template <class V>
struct jds_pointers {
  jds_meta meta;
  const std::int64_t* jd_ptr;
  const std::int32_t* row_perm;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* unit_block;
};

template <class T, template <class> class Buffer>
struct jds_storage {
  jds_meta meta;
  Buffer<std::int64_t> jd_ptr;    ///< width + 1: the j-th entry of position p is number jd_ptr[j] + p
  Buffer<std::int32_t> row_perm;  ///< rows: the row at each position, the longest first
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> unit_block;  ///< cpu: units + 1, in blocks of jds_block_rows positions

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("jd_ptr", self.jd_ptr);
    f("row_perm", self.row_perm);
    f("col", self.col);
    f("val", self.val);
    f("unit_block", self.unit_block);
  }

  [[nodiscard]] jds_pointers<T> view() const {
    return {.meta = meta,
            .jd_ptr = jd_ptr.data(),
            .row_perm = row_perm.data(),
            .col = col.data(),
            .val = val.data(),
            .unit_block = unit_block.data()};
  }
};

struct jds : stored_as<jds_storage, jds_pointers> {
  static constexpr std::string_view name = "jds";
  static constexpr std::string_view source = "paper 000, section 2.5";
  static constexpr std::string_view help =
      "rows sorted by length, stored by jagged diagonals, without padding";

  using options = no_options;

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics&, const exec::target&) { return {options{}}; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>&, const row_statistics& s, const options&,
                           const exec::target& target) {
    footprint f{.bytes = (s.max + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
                         s.rows * static_cast<std::int64_t>(sizeof(std::int32_t)) +
                         s.nnz * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t))};
    if (target.kind == device_set::cpu)
      f.bytes += (cpu_units(s.rows + s.nnz).units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t));
    return f;
  }
  /// y is gone through once for each diagonal.
  static constexpr core_work work(const options&) { return zen4::jds; }
  static device_work gpu_work(const row_statistics& s, const options&) {
    // Sorted by length rows lose the neighbours that they share x with, the more the more their lengths vary:
    // like(rajat31) takes 2.6 times packed's time.
    const double moved = s.mean > 0 ? std::min(1.0, 2 * s.standard_deviation / s.mean) : 0;
    const double scattered = s.spread > 0 ? 1 + moved * (1 / s.spread - 1) : 1;
    device_kernel kernel = hopper::jds;
    kernel.gather_ps *= scattered;
    return {.kernel = kernel,
            .usual_steps = usual_length(s),
            .longest_steps = static_cast<double>(s.max),
            .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + sizeof(std::int32_t)) +
                          static_cast<double>(s.rows) * sizeof(std::int32_t) +
                          static_cast<double>(s.max + 1) * sizeof(std::int64_t);
    return roofline(matrix + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
  }

  template <class T, offset O>
  static jds_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                           const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const jds_storage<V, host_buffer>& stored);

  template <scalar_types S>
  static cpu_passes<jds_pointers<matrix_t<S>>, S> passes(const jds_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const jds_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

/// Positions that a CPU core works on together.
inline constexpr std::int64_t jds_block_rows = 32;
inline constexpr std::int64_t jds_blocks_together = 16;  ///< cpu

template <class T, offset O>
jds_storage<T, host_buffer> jds::build(const csr_view<T, O>& a, const options&, const exec::target& target) {
  jds_storage<T, host_buffer> s;
  s.row_perm = order_rows(a, std::max<std::int64_t>(a.rows, 1));
  const std::int32_t* const row_of = std::as_const(s.row_perm).data();
  const std::int64_t width = a.rows > 0 ? row_length(a, row_of[0]) : 0;
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .width = width};
  s.jd_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(width) + 1);
  std::int64_t* const jd_ptr = s.jd_ptr.data();
  // Diagonal j is as long as there are rows of more than j entries; these stand first.
  jd_ptr[0] = 0;
  std::int64_t j = width;
  for (std::int64_t position = 0; position < a.rows; ++position) {
    for (const std::int64_t length = row_length(a, row_of[position]); j > length; --j) jd_ptr[j] = position;
  }
  for (; j > 0; --j) jd_ptr[j] = a.rows;
  for (std::int64_t d = 0; d < width; ++d) jd_ptr[d + 1] += jd_ptr[d];

  make_slots(s, a.nnz());
  // Blocks of positions, so that a thread writes whole lines of each diagonal.
  const std::int64_t blocks = (a.rows + jds_block_rows - 1) / jds_block_rows;
  const auto fill = [&](std::int64_t first_block, std::int64_t last_block) {
    for (std::int64_t p = first_block * jds_block_rows; p < std::min(a.rows, last_block * jds_block_rows);
         ++p) {
      const auto first = static_cast<std::int64_t>(a.row_ptr.data()[row_of[p]]);
      const std::int64_t length = row_length(a, row_of[p]);
      for (std::int64_t d = 0; d < length; ++d) {
        s.col.data()[jd_ptr[d] + p] = a.col.data()[first + d];
        s.val.data()[jd_ptr[d] + p] = a.val.data()[first + d];
      }
    }
  };
  if (target.kind != device_set::cpu) {
    core::parallel_for(blocks, 64, fill);
    return s;
  }
  const unit_size cuts = cpu_units(a.rows + a.nnz());
  s.meta.units = cuts.units;
  s.unit_block = host_buffer<std::int32_t>(static_cast<std::size_t>(cuts.units) + 1);
  std::int32_t* const unit_block = s.unit_block.data();
  std::int64_t block = 0;
  std::int64_t weight = 0;  // of the blocks before that one
  for (std::int64_t u = 0; u < cuts.units; ++u) {
    for (; block < blocks && weight < u * cuts.weight; ++block) {
      for (std::int64_t p = block * jds_block_rows; p < std::min(a.rows, (block + 1) * jds_block_rows); ++p)
        weight += 1 + row_length(a, row_of[p]);
    }
    unit_block[u] = static_cast<std::int32_t>(block);
  }
  unit_block[cuts.units] = static_cast<std::int32_t>(blocks);
  core::parallel_for(cuts.units, 1,
                     [&](std::int64_t begin, std::int64_t end) { fill(unit_block[begin], unit_block[end]); });
  return s;
}

template <value V>
csr_matrix<V, std::int64_t> jds::to_csr(const jds_storage<V, host_buffer>& stored) {
  const jds_meta& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  const std::int64_t* const jd_ptr = stored.jd_ptr.data();
  std::int64_t* const row_ptr = a.row_ptr.data();
  row_ptr[0] = 0;
  std::int64_t length = m.width;
  for (std::int64_t p = 0; p < m.rows; ++p) {
    while (length > 0 && jd_ptr[length] - jd_ptr[length - 1] <= p) --length;
    row_ptr[stored.row_perm.data()[p] + std::int64_t{1}] = length;
  }
  for (std::int64_t i = 0; i < m.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  for (std::int64_t p = 0; p < m.rows; ++p) {
    const std::int64_t row = stored.row_perm.data()[p];
    for (std::int64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      a.col.data()[k] = stored.col.data()[jd_ptr[k - row_ptr[row]] + p];
      a.val.data()[k] = stored.val.data()[jd_ptr[k - row_ptr[row]] + p];
    }
  }
  return a;
}

}  // namespace gossamer::inline v0::formats
