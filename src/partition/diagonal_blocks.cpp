// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/diagonal_block.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0 {
namespace {

/// body(row) on several threads.
template <class Body>
void for_each_row(std::int64_t rows, Body&& body) {
  core::parallel_for(rows, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

/// The entries of a that are in the blocks, or those that are not.
template <value V, offset O>
csr_matrix<V, O> part_of(const csr_view<V, O>& a, std::int64_t block, bool inside) {
  const auto chosen = [&](std::int64_t i, O k) {
    return diagonal_block(i, block).has_column(a.col.data()[k]) == inside;
  };
  csr_matrix<V, O> part{
      .rows = a.rows, .cols = a.cols, .row_ptr = host_buffer<O>(static_cast<std::size_t>(a.rows) + 1)};
  O* const row_ptr = part.row_ptr.data();
  row_ptr[0] = 0;
  for_each_row(a.rows, [&](std::int64_t i) {
    O count = 0;
    for (O k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k) count += chosen(i, k) ? 1 : 0;
    row_ptr[i + 1] = count;
  });
  for (std::int64_t i = 0; i < a.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  part.col = host_buffer<std::int32_t>(static_cast<std::size_t>(row_ptr[a.rows]));
  part.val = host_buffer<V>(static_cast<std::size_t>(row_ptr[a.rows]));
  for_each_row(a.rows, [&](std::int64_t i) {
    O to = row_ptr[i];
    for (O k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k) {
      if (!chosen(i, k)) continue;
      part.col.data()[to] = a.col.data()[k];
      part.val.data()[to++] = a.val.data()[k];
    }
  });
  return part;
}

/// Of a matrix whose entries are less than `block` columns off the main diagonal. Entries of a row in one
/// column need as many diagonals.
template <value V, offset O>
std::int64_t count_diagonals(const csr_matrix<V, O>& a, std::int64_t block) {
  struct diagonal {
    std::int64_t row = -1;  // the last with an entry on it
    std::int64_t here = 0;  // its entries
    std::int64_t most = 0;
  };
  const std::int64_t reach = std::min(block, std::max(a.rows, a.cols));
  std::vector<diagonal> all(static_cast<std::size_t>(2 * reach + 1));
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (O k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k) {
      diagonal& d = all[static_cast<std::size_t>(a.col.data()[k] - i + reach)];
      d.here = d.row == i ? d.here + 1 : 1;
      d.row = i;
      d.most = std::max(d.most, d.here);
    }
  }
  std::int64_t sum = 0;
  for (const diagonal& d : all) sum += d.most;
  return sum;
}

}  // namespace

template <value V, offset O>
diagonal_blocks<V, O> split_diagonal_blocks(const csr_view<V, O>& a, std::int64_t block) {
  constexpr const char* place = "split_diagonal_blocks";
  if (block < 1 || block > most_block_rows)
    fail(errc::invalid_argument, "{}: block = {} is not from 1 to {}", place, block, most_block_rows);
  return naming_out_of_memory(place, [&] {
    diagonal_blocks<V, O> both{.blocks = part_of(a, block, true), .rest = part_of(a, block, false)};
    both.diagonals = count_diagonals(both.blocks, block);
    return both;
  });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API diagonal_blocks<V, O> split_diagonal_blocks(const csr_view<V, O>&, std::int64_t);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
