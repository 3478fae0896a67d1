// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/matrix.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0 {
namespace {

template <offset O>
void check_fits(std::int64_t nnz) {
  if (nnz > static_cast<std::int64_t>(std::numeric_limits<O>::max()))
    fail(errc::unsupported, "csr: {} nonzeros do not fit in {} offsets", nnz, offset_name<O>());
}

template <class T>
host_buffer<T> duplicate(std::span<const T> from) {
  host_buffer<T> to(from.size());
  core::parallel_for(static_cast<std::int64_t>(from.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::copy(from.data() + begin, from.data() + end, to.data() + begin);
                     });
  return to;
}

template <offset To, offset From>
host_buffer<To> convert_offsets(std::span<const From> from) {
  host_buffer<To> to(from.size());
  core::parallel_for(static_cast<std::int64_t>(from.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i)
                         to.data()[i] = static_cast<To>(from.data()[i]);
                     });
  return to;
}

}  // namespace

template <value V, offset O>
csr_matrix<V, O> csr_from_coo(const coo_view<V>& coo) {
  check_fits<O>(coo.nnz());  // first: it is one comparison, the other reads every index
  validate(coo);
  const auto rows = static_cast<std::size_t>(coo.rows);
  const std::size_t nnz = coo.col.size();
  auto a = csr_of_size<V, O>(coo.rows, coo.cols, coo.nnz());
  // A stable counting sort by row; each thread moves the entries of its own rows, cut to equal entries, so
  // the order within a row is the order of the file. Reading row[] once a thread costs less than it seems: it
  // streams.
  O* ptr = a.row_ptr.data();
  std::fill(ptr, ptr + rows + 1, O{0});
  for (std::size_t k = 0; k < nnz; ++k) ++ptr[static_cast<std::size_t>(coo.row[k]) + 1];
  for (std::size_t i = 0; i < rows; ++i) ptr[i + 1] = static_cast<O>(ptr[i + 1] + ptr[i]);
  const bool sorted = std::is_sorted(coo.row.begin(), coo.row.end());
  if (sorted) {
    core::parallel_for(static_cast<std::int64_t>(nnz), core::default_grain,
                       [&](std::int64_t begin, std::int64_t end) {
                         std::copy(coo.col.data() + begin, coo.col.data() + end, a.col.data() + begin);
                         std::copy(coo.val.data() + begin, coo.val.data() + end, a.val.data() + begin);
                       });
    return a;
  }
  host_buffer<O> next(rows);
  std::copy(ptr, ptr + rows, next.data());
  const int threads = nnz <= static_cast<std::size_t>(core::default_grain) ? 1 : core::default_threads();
  core::parallel(threads, [&](int thread, int team) {
    const core::range part = core::share(static_cast<std::int64_t>(nnz), thread, team);
    const auto row_at = [&](std::int64_t entry) {
      return static_cast<std::int32_t>(std::upper_bound(ptr, ptr + rows + 1, static_cast<O>(entry)) - ptr -
                                       1);
    };
    const std::int32_t first = thread == 0 ? 0 : row_at(part.begin);
    const std::int32_t last = thread + 1 == team ? static_cast<std::int32_t>(coo.rows) : row_at(part.end);
    for (std::size_t k = 0; k < nnz; ++k) {
      const std::int32_t i = coo.row[k];
      if (i < first || i >= last) continue;
      const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
      a.col[slot] = coo.col[k];
      a.val[slot] = coo.val[k];
    }
  });
  return a;
}

template <value V, offset To, offset From>
csr_matrix<V, To> copy(const csr_view<V, From>& a) {
  check_fits<To>(a.nnz());
  return {.rows = a.rows,
          .cols = a.cols,
          .row_ptr = convert_offsets<To>(a.row_ptr),
          .col = duplicate(a.col),
          .val = duplicate(a.val)};
}

template <value V>
any_csr<V> narrow_offsets(csr_matrix<V, std::int64_t>&& a) {
  if (a.nnz() > std::numeric_limits<std::int32_t>::max()) return std::move(a);
  csr_matrix<V, std::int32_t> narrow{.rows = a.rows,
                                     .cols = a.cols,
                                     .row_ptr = convert_offsets<std::int32_t>(a.view().row_ptr),
                                     .col = std::move(a.col),
                                     .val = std::move(a.val)};
  a.row_ptr = {};
  return narrow;
}

#define GOSSAMER_INSTANCE(V, O)                                                  \
  template GOSSAMER_API csr_matrix<V, O> csr_from_coo(const coo_view<V>&);       \
  template GOSSAMER_API csr_matrix<V, O> copy(const csr_view<V, std::int32_t>&); \
  template GOSSAMER_API csr_matrix<V, O> copy(const csr_view<V, std::int64_t>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template GOSSAMER_API any_csr<float> narrow_offsets(csr_matrix<float, std::int64_t>&&);
template GOSSAMER_API any_csr<double> narrow_offsets(csr_matrix<double, std::int64_t>&&);

}  // namespace gossamer::inline v0
