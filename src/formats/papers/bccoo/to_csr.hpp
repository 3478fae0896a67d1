// SPDX-License-Identifier: BSD-3-Clause
// The matrix back from its chunks, bit for bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/csr_of_size.hpp"
#include "formats/papers/bccoo/chunks.hpp"
#include "formats/papers/bccoo/diagonals.hpp"
#include "formats/papers/bccoo/storage.hpp"
#include "formats/papers/bccoo/tuples.hpp"
#include "formats/papers/bccoo/uniform.hpp"

namespace gossamer::inline v0::formats {

/// Rows in their order, each row's entries in the order in which they were given. On all threads.
template <value V>
csr_matrix<V, std::int64_t> bccoo_matrix(const bccoo_storage<V, host_buffer>& stored) {
  const bccoo_meta& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  a.row_ptr[0] = 0;
  const auto put = [&](std::int64_t k, std::int32_t col, V val) {
    a.col.data()[k] = col;
    a.val.data()[k] = val;
  };
  bccoo_code::for_each_chunk(m.chunks, [&](std::int64_t h) {
    const std::uint8_t* const data = stored.data.data() + stored.offset.data()[h];
    const std::int64_t first = h * m.chunk;
    if (m.codes == bccoo_codes::tuples) {
      std::int64_t k = first;
      std::int64_t row = stored.row.data()[h];
      bccoo_code::read_chunk(
          data, stored.data.data() + stored.offset.data()[h + 1], stored.lut.data(),
          [&](std::int32_t col, V val) { put(k++, col, val); }, [&] { a.row_ptr.data()[++row] = k; });
      return;
    }
    // The ends of rows from the chunk's first one on, as far as the next chunk's first.
    const std::int64_t entries = std::min(m.nnz - first, m.chunk);
    std::int64_t row = h == 0 ? 0 : stored.row.data()[h];
    const auto end_rows = [&](std::int64_t before, std::int64_t k) {
      while (row < before) a.row_ptr.data()[++row] = k;
    };
    const bccoo_uniform::chunk c = bccoo_code::chunk_at(stored, h);
    const auto entry = [&](std::int64_t k, std::int64_t of_entry, std::int32_t col, V val) {
      end_rows(of_entry, first + k);
      put(first + k, col, val);
    };
    if ((c.format & bccoo_uniform::on_diagonals) != 0)
      bccoo_uniform::read_diagonals(c, entries, data, stored.lut.data(), entry);
    else
      bccoo_uniform::read_chunk(c, entries, data, stored.lut.data(), entry);
    end_rows(h + 1 < m.chunks ? stored.row.data()[h + 1] : m.rows, first + entries);
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
