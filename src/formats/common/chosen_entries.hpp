// SPDX-License-Identifier: BSD-3-Clause
// A part of a CSR matrix: some of its entries, rows and columns numbered as before. What composites build
// their parts from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0::formats {

/// A matrix like csr_matrix; T may be entry_number<V>.
template <class T, offset O, template <class> class Buffer = host_buffer>
struct csr_part {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;

  [[nodiscard]] csr_view<T, O> view() const {
    return {.rows = rows,
            .cols = cols,
            .row_ptr = {row_ptr.data(), row_ptr.size()},
            .col = {col.data(), col.size()},
            .val = {val.data(), val.size()}};
  }
};

/// For a part that is measured and let go: no part of a plan's memory.
template <class T>
using measured_buffer = std::vector<T>;

/// rows + 1 offsets of rows of count(i) entries each. Sums of blocks of rows first, so that all threads can
/// add at once.
template <offset O, class Count>
void write_offsets(std::int64_t rows, Count&& count, O* row_ptr) {
  constexpr std::int64_t block = 1 << 14;
  const std::int64_t blocks = (rows + block - 1) / block;
  std::vector<O> before(static_cast<std::size_t>(blocks) + 1, 0);
  const auto each_block = [&](auto&& body) {
    core::parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) body(b, b * block, std::min(rows, (b + 1) * block));
    });
  };
  each_block([&](std::int64_t b, std::int64_t first, std::int64_t last) {
    O sum = 0;
    for (std::int64_t i = first; i < last; ++i) sum = static_cast<O>(sum + count(i));
    before[static_cast<std::size_t>(b) + 1] = sum;
  });
  for (std::size_t b = 1; b < before.size(); ++b) before[b] = static_cast<O>(before[b] + before[b - 1]);
  row_ptr[0] = 0;
  each_block([&](std::int64_t b, std::int64_t first, std::int64_t last) {
    O sum = before[static_cast<std::size_t>(b)];
    for (std::int64_t i = first; i < last; ++i) {
      sum = static_cast<O>(sum + count(i));
      row_ptr[i + 1] = sum;
    }
  });
}

/// body(first row, past the last row) on several threads, each with about as many entries.
template <class V, offset O, class Body>
void for_rows_by_entries(const csr_view<V, O>& a, Body&& body) {
  if (a.rows + a.nnz() <= core::default_grain) return body(std::int64_t{0}, a.rows);
  core::parallel(0, [&](int thread, int team) {
    const auto boundary = [&](int t) {
      if (t == team) return a.rows;
      const auto entry = static_cast<O>(core::share(a.nnz(), t, team).begin);
      return std::min<std::int64_t>(
          a.rows, std::lower_bound(a.row_ptr.begin(), a.row_ptr.end(), entry) - a.row_ptr.begin());
    };
    // Rows without entries before the first one are the first thread's.
    body(thread == 0 ? 0 : boundary(thread), boundary(thread + 1));
  });
}

/// The same matrix without its values: enough for all that follows from where entries are.
template <class T, offset O>
csr_view<T, O> without_values(const csr_view<T, O>& a) {
  return {.rows = a.rows, .cols = a.cols, .row_ptr = a.row_ptr, .col = a.col, .val = {}};
}

/// The entries k of each row i with chosen(i, k), in their order; count(i) is how many those are. Where a has
/// no values, the part has none.
template <template <class> class Buffer = host_buffer, class T, offset O, class Count, class Chosen>
csr_part<T, O, Buffer> chosen_entries(const csr_view<T, O>& a, Count&& count, Chosen&& chosen) {
  csr_part<T, O, Buffer> part{.rows = a.rows,
                              .cols = a.cols,
                              .row_ptr = Buffer<O>(static_cast<std::size_t>(a.rows) + 1),
                              .col = {},
                              .val = {}};
  write_offsets(a.rows, count, part.row_ptr.data());
  const auto entries = static_cast<std::size_t>(part.row_ptr[static_cast<std::size_t>(a.rows)]);
  part.col = Buffer<std::int32_t>(entries);
  const bool with_values = !a.val.empty();
  if (with_values) part.val = Buffer<T>(entries);
  for_rows_by_entries(a, [&](std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    auto to = static_cast<std::int64_t>(part.row_ptr.data()[first]);
    for (std::int64_t i = first; i < last; ++i) {
      for (auto k = static_cast<std::int64_t>(a.row_ptr.data()[i]); k < a.row_ptr.data()[i + 1]; ++k) {
        if (!chosen(i, k)) continue;
        part.col.data()[to] = a.col.data()[k];
        if (with_values) part.val.data()[to] = a.val.data()[k];
        ++to;
      }
    }
  });
  return part;
}

/// The reverse of cutting each row in two: the entries of `first`, then those of `second`, row by row.
template <value V>
csr_matrix<V, std::int64_t> joined_rows(const csr_matrix<V, std::int64_t>& first,
                                        const csr_matrix<V, std::int64_t>& second) {
  auto a =
      csr_of_size<V>(first.rows, first.cols, static_cast<std::int64_t>(first.col.size() + second.col.size()));
  write_offsets(
      a.rows,
      [&](std::int64_t i) {
        return first.row_ptr.data()[i + 1] - first.row_ptr.data()[i] + second.row_ptr.data()[i + 1] -
               second.row_ptr.data()[i];
      },
      a.row_ptr.data());
  for_rows_by_entries(a.view(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t to = a.row_ptr.data()[i];
      for (const auto* from : {&first, &second}) {
        const std::int64_t k = from->row_ptr.data()[i];
        const std::int64_t length = from->row_ptr.data()[i + 1] - k;
        std::copy_n(from->col.data() + k, length, a.col.data() + to);
        std::copy_n(from->val.data() + k, length, a.val.data() + to);
        to += length;
      }
    }
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
