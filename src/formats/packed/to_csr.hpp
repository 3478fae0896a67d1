// SPDX-License-Identifier: BSD-3-Clause
// The matrix back from its slices, bit for bit.
#pragma once

#include <algorithm>

#include "core/csr_of_size.hpp"
#include "core/parallel.hpp"
#include "formats/packed/slice_arrays.hpp"
#include "formats/packed/storage.hpp"

namespace gossamer::inline v0::formats {

/// Rows in their order, each row's entries in the order in which they were given; values as they are stored.
/// On all threads.
template <value V>
csr_matrix<V, std::int64_t> packed_matrix(const packed_storage<V, host_buffer>& stored) {
  const packed_meta& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  std::int64_t* const row_ptr = a.row_ptr.data();
  std::fill_n(row_ptr, m.rows + 1, std::int64_t{0});
  // f(row, where among the row's entries, step, lane or row of the slice, reader) for each entry of some
  // slices.
  const auto for_each_entry = [&](std::int64_t first_slice, std::int64_t last_slice, auto&& f) {
    for (std::int64_t i = first_slice; i < last_slice; ++i) {
      const packed_slice& s = stored.slice.data()[i];
      const packed_reader<V> from(s, stored.data.data() + std::int64_t{s.at} * packed_piece,
                                  stored.table.data(), m);
      if (s.on_diagonals()) {
        for (int r = 0; r < s.rows(); ++r) {
          std::int64_t k = 0;
          for (std::uint32_t j = 0; j < s.steps; ++j)
            if (from.has(j, r)) f(from.row(r), k++, j, r, from);
        }
        continue;
      }
      if (s.of_entries()) {
        for (int r = 0; r < s.rows(); ++r)
          for (std::uint32_t k = from.start(r); k < from.start(r + 1); ++k)
            f(from.row(r), std::int64_t{k} - from.start(r), k, 0, from);
        continue;
      }
      std::int64_t before = 0;
      std::int32_t row_of_part = 0;
      if (s.is_part()) {
        const std::int64_t* const firsts = stored.carries.first.data();
        const std::int64_t run =
            std::upper_bound(firsts, firsts + stored.carries.first.size(), std::int64_t{s.row}) - firsts - 1;
        row_of_part = stored.carries.row.data()[run];
        before = (s.row - firsts[run]) * m.longest_part;
      }
      for (int lane = 0; lane < s.rows() << s.sharing(); ++lane) {
        const int which = lane >> s.sharing();
        const std::int32_t row = s.is_part() ? row_of_part : from.row(which);
        const std::int64_t first = before + (lane & ((1 << s.sharing()) - 1));
        const auto count = static_cast<std::uint32_t>(from.count(lane));
        for (std::uint32_t j = 0; j < count; ++j)
          f(row, first + (std::int64_t{j} << s.sharing()), j, lane, from);
      }
    }
  };
  for_each_entry(0, m.slices,
                 [&](std::int32_t row, std::int64_t, std::uint32_t, int, const packed_reader<V>&) {
                   ++row_ptr[row + 1];
                 });
  for (std::int64_t i = 0; i < m.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  core::parallel_for(m.slices, 64, [&](std::int64_t begin, std::int64_t end) {
    for_each_entry(
        begin, end,
        [&](std::int32_t row, std::int64_t at, std::uint32_t step, int which, const packed_reader<V>& from) {
          const std::int64_t k = row_ptr[row] + at;
          a.col.data()[k] = from.column(step, which);
          a.val.data()[k] = from.value_of(step, which);
        });
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
