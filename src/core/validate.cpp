// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <string_view>

#include "core/entry_number.hpp"
#include "core/fail.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

void check_dimension(std::string_view what, std::string_view which, std::int64_t n) {
  if (n < 0) fail(errc::invalid_matrix, "{}: {} = {} is negative", what, which, n);
  if (n > max_dimension)
    fail(errc::unsupported, "{}: {} = {} is over {}, the largest int32 index", what, which, n, max_dimension);
}

/// The smallest i in [0, size) with bad(i), whatever the number of threads; `none` where there is none.
template <class Bad>
std::int64_t first_bad(std::int64_t size, Bad&& bad) {
  std::atomic<std::int64_t> first = none;
  const auto scan = [&](core::range r) {
    // A flag over a block keeps the loop free of exits, so that it vectorises.
    constexpr std::int64_t block = 4096;
    for (std::int64_t begin = r.begin; begin < r.end; begin += block) {
      const std::int64_t end = std::min(begin + block, r.end);
      bool any = false;
      for (std::int64_t i = begin; i < end; ++i) any |= bad(i);
      if (!any) continue;
      for (std::int64_t i = begin; i < end; ++i) {
        if (!bad(i)) continue;
        std::int64_t seen = first;
        while (i < seen && !first.compare_exchange_weak(seen, i)) {
        }
        return;
      }
    }
  };
  if (size <= core::default_grain) {
    scan({0, size});
  } else {
    core::parallel(0, [&](int thread, int team) { scan(core::share(size, thread, team)); });
  }
  return first;
}

template <class V>
void check_indices(std::string_view what, std::string_view array, std::span<const V> index,
                   std::int64_t bound) {
  const auto limit = static_cast<std::uint32_t>(bound);
  const std::int64_t at = first_bad(static_cast<std::int64_t>(index.size()), [&](std::int64_t k) {
    return static_cast<std::uint32_t>(index[static_cast<std::size_t>(k)]) >= limit;
  });
  if (at != none)
    fail(errc::invalid_matrix, "{}: {}[{}] = {} is outside [0, {})", what, array, at,
         index[static_cast<std::size_t>(at)], bound);
}

}  // namespace

template <class V, offset O>
void validate(const csr_view<V, O>& a) {
  check_dimension("csr", "rows", a.rows);
  check_dimension("csr", "cols", a.cols);
  const auto rows = static_cast<std::size_t>(a.rows);
  if (a.row_ptr.size() != rows + 1)
    fail(errc::size_mismatch, "csr: row_ptr has {} elements, rows + 1 = {}", a.row_ptr.size(), rows + 1);
  if (a.col.size() != a.val.size())
    fail(errc::size_mismatch, "csr: col has {} elements and val has {}", a.col.size(), a.val.size());
  if (a.row_ptr[0] != 0) fail(errc::invalid_matrix, "csr: row_ptr[0] = {} is not 0", a.row_ptr[0]);
  const std::int64_t at = first_bad(a.rows, [&](std::int64_t i) {
    return a.row_ptr[static_cast<std::size_t>(i) + 1] < a.row_ptr[static_cast<std::size_t>(i)];
  });
  if (at != none) {
    const auto i = static_cast<std::size_t>(at);
    fail(errc::invalid_matrix, "csr: row_ptr[{}] = {} is below row_ptr[{}] = {}", i + 1, a.row_ptr[i + 1], i,
         a.row_ptr[i]);
  }
  if (static_cast<std::int64_t>(a.row_ptr[rows]) != a.nnz())
    fail(errc::size_mismatch, "csr: row_ptr[{}] = {} but col has {} elements", rows, a.row_ptr[rows],
         a.col.size());
  check_indices("csr", "col", a.col, a.cols);
}

template <class V>
void validate(const coo_view<V>& a) {
  check_dimension("coo", "rows", a.rows);
  check_dimension("coo", "cols", a.cols);
  if (a.row.size() != a.col.size())
    fail(errc::size_mismatch, "coo: row has {} elements and col has {}", a.row.size(), a.col.size());
  if (a.col.size() != a.val.size())
    fail(errc::size_mismatch, "coo: col has {} elements and val has {}", a.col.size(), a.val.size());
  check_indices("coo", "row", a.row, a.rows);
  check_indices("coo", "col", a.col, a.cols);
}

template GOSSAMER_API void validate(const csr_view<float, std::int32_t>&);
template GOSSAMER_API void validate(const csr_view<float, std::int64_t>&);
template GOSSAMER_API void validate(const csr_view<double, std::int32_t>&);
template GOSSAMER_API void validate(const csr_view<double, std::int64_t>&);
template GOSSAMER_API void validate(const coo_view<float>&);
template GOSSAMER_API void validate(const coo_view<double>&);

}  // namespace gossamer::inline v0
