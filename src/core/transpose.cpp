// SPDX-License-Identifier: BSD-3-Clause
// A stable counting sort by column. Each piece of the entries counts its columns. The counts of all pieces
// before it then say where the first entry of a piece in each column goes. So the result does not depend on
// the number of pieces.
#include "core/transpose.hpp"

#include <algorithm>
#include <cstring>

#include "core/csr_of_size.hpp"
#include "core/instantiate.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0 {
namespace core {
namespace {

/// How many pieces: one for each thread, but at most nnz / cols, so that the counters have at most nnz
/// elements (or one piece, of cols).
std::int64_t count_pieces(std::int64_t nnz, std::int64_t cols) {
  if (nnz <= default_grain) return 1;
  return std::clamp<std::int64_t>(nnz / std::max<std::int64_t>(cols, 1), 1, team_size(0));
}

/// body(piece) for each piece.
template <class Body>
void for_each_piece(std::int64_t pieces, Body&& body) {
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) body(piece);
  });
}

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

template <value V, offset O>
csr_matrix<V, O> transpose(const csr_view<V, O>& a, std::int64_t* permutation) {
  auto to = csr_of_size<V, O>(a.cols, a.rows, a.nnz());
  const auto cols = static_cast<std::size_t>(a.cols);
  const std::int64_t pieces = count_pieces(a.nnz(), a.cols);
  const auto entries_of = [&](std::int64_t piece) {
    return share(a.nnz(), static_cast<int>(piece), static_cast<int>(pieces));
  };

  host_buffer<O> counts(cols * static_cast<std::size_t>(pieces));
  for_each_piece(pieces, [&](std::int64_t piece) {
    O* const own = counts.data() + static_cast<std::size_t>(piece) * cols;
    std::fill_n(own, cols, O{0});
    const range part = entries_of(piece);
    for (std::int64_t k = part.begin; k < part.end; ++k) ++own[a.col.data()[k]];
  });

  O* const row_ptr = to.row_ptr.data();
  row_ptr[0] = 0;
  parallel_for(a.cols, default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      O in_column = 0;
      for (std::int64_t piece = 0; piece < pieces; ++piece) in_column += counts.data()[piece * a.cols + j];
      row_ptr[j + 1] = in_column;
    }
  });
  for (std::size_t j = 0; j < cols; ++j) row_ptr[j + 1] += row_ptr[j];
  parallel_for(a.cols, default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      O next = row_ptr[j];
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        O& count = counts.data()[piece * a.cols + j];
        const O first = next;
        next += count;
        count = first;
      }
    }
  });

  for_each_piece(pieces, [&](std::int64_t piece) {
    O* const next = counts.data() + static_cast<std::size_t>(piece) * cols;
    const range part = entries_of(piece);
    const O* const ptr = a.row_ptr.data();
    std::int64_t row = std::upper_bound(ptr, ptr + a.rows + 1, static_cast<O>(part.begin)) - ptr - 1;
    for (std::int64_t k = part.begin; k < part.end; ++k) {
      while (static_cast<std::int64_t>(ptr[row + 1]) <= k) ++row;
      const auto at = static_cast<std::size_t>(next[a.col.data()[k]]++);
      to.col[at] = static_cast<std::int32_t>(row);
      to.val[at] = a.val.data()[k];
      if (permutation != nullptr) permutation[at] = k;
    }
  });
  return to;
}

template <value V, offset O>
bool same_arrays(const csr_view<V, O>& a, const csr_view<V, O>& b) {
  return a.rows == b.rows && a.cols == b.cols && same(a.row_ptr, b.row_ptr) && same(a.col, b.col) &&
         same(a.val, b.val);
}

#define GOSSAMER_INSTANCE(V, O)                                              \
  template csr_matrix<V, O> transpose(const csr_view<V, O>&, std::int64_t*); \
  template bool same_arrays(const csr_view<V, O>&, const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace core

template <value V, offset O>
csr_matrix<V, O> transpose(const csr_view<V, O>& a) {
  return core::transpose(a, nullptr);
}

#define GOSSAMER_INSTANCE(V, O) template GOSSAMER_API csr_matrix<V, O> transpose(const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
