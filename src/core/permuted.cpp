// SPDX-License-Identifier: BSD-3-Clause
#include "core/permuted.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "gossamer/reorder.hpp"

namespace gossamer::inline v0 {
namespace core {
namespace {

/// Throws for the first element that makes `p` no permutation.
[[noreturn]] void fail_no_permutation(std::span<const std::int32_t> p, std::string_view call) {
  std::vector<bool> is_there(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 0 || static_cast<std::size_t>(p[i]) >= p.size())
      fail(errc::invalid_argument, "{}: p[{}] = {} is not from 0 to {}", call, i, p[i],
           static_cast<std::int64_t>(p.size()) - 1);
    if (is_there[static_cast<std::size_t>(p[i])])
      fail(errc::invalid_argument, "{}: p[{}] = {} occurs twice", call, i, p[i]);
    is_there[static_cast<std::size_t>(p[i])] = true;
  }
  fail(errc::invalid_argument, "{}: p changed during the call", call);
}

/// A column in the new order, and the index of its entry.
struct moved_entry {
  std::int32_t col;
  std::int64_t entry;
  bool operator<(const moved_entry& other) const noexcept {
    return col != other.col ? col < other.col : entry < other.entry;
  }
};

}  // namespace

void check_square(std::int64_t rows, std::int64_t cols, std::string_view call) {
  if (rows != cols)
    fail(errc::invalid_argument, "{}: a matrix of {} rows and {} columns is not square", call, rows, cols);
}

host_buffer<std::int32_t> inverse_permutation(std::span<const std::int32_t> p, std::string_view call) {
  const auto size = static_cast<std::int64_t>(p.size());
  host_buffer<std::int32_t> inverse(p.size());
  std::atomic<bool> is_wrong{false};
  parallel_for(size, default_grain, [&](std::int64_t begin, std::int64_t end) {
    std::fill(inverse.data() + begin, inverse.data() + end, -1);
  });
  // Of equal elements, any may win here: the second loop finds the others.
  parallel_for(size, default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t to = p.data()[i];
      if (to < 0 || to >= size)
        is_wrong.store(true, std::memory_order_relaxed);
      else
        std::atomic_ref<std::int32_t>(inverse.data()[to])
            .store(static_cast<std::int32_t>(i), std::memory_order_relaxed);
    }
  });
  if (!is_wrong) {
    parallel_for(size, default_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        if (inverse.data()[p.data()[i]] != i) is_wrong.store(true, std::memory_order_relaxed);
    });
  }
  if (is_wrong) fail_no_permutation(p, call);
  return inverse;
}

template <value V, offset O>
csr_matrix<V, O> permuted(const csr_view<V, O>& a, std::span<const std::int32_t> p,
                          std::span<const std::int32_t> inverse, std::int64_t* entries) {
  auto to = csr_of_size<V, O>(a.rows, a.cols, a.nnz());
  const O* const from_ptr = a.row_ptr.data();
  O* const ptr = to.row_ptr.data();
  ptr[0] = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t row = p.data()[i];
    ptr[i + 1] = static_cast<O>(ptr[i] + (from_ptr[row + 1] - from_ptr[row]));
  }
  parallel_for(a.rows, default_grain / 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<moved_entry> of_row;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = p.data()[i];
      of_row.clear();
      for (std::int64_t k = from_ptr[row]; k < static_cast<std::int64_t>(from_ptr[row + 1]); ++k)
        of_row.push_back({inverse.data()[a.col.data()[k]], k});
      std::sort(of_row.begin(), of_row.end());
      auto at = static_cast<std::int64_t>(ptr[i]);
      for (const moved_entry& each : of_row) {
        to.col.data()[at] = each.col;
        to.val.data()[at] = a.val.data()[each.entry];
        if (entries != nullptr) entries[at] = each.entry;
        ++at;
      }
    }
  });
  return to;
}

#define GOSSAMER_INSTANCE(V, O)                                                            \
  template csr_matrix<V, O> permuted(const csr_view<V, O>&, std::span<const std::int32_t>, \
                                     std::span<const std::int32_t>, std::int64_t*);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace core

template <value V, offset O>
csr_matrix<V, O> permuted(const csr_view<V, O>& a, std::span<const std::int32_t> p) {
  return naming_out_of_memory("permuted", [&] {
    core::check_square(a.rows, a.cols, "permuted");
    if (static_cast<std::int64_t>(p.size()) != a.rows)
      fail(errc::invalid_argument, "permuted: p has {} elements, the matrix has {} rows", p.size(), a.rows);
    const host_buffer<std::int32_t> inverse = core::inverse_permutation(p, "permuted");
    return core::permuted(a, p, inverse.span(), nullptr);
  });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API csr_matrix<V, O> permuted(const csr_view<V, O>&, std::span<const std::int32_t>);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
