// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/part.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "core/instantiate.hpp"
#include "core/parallel.hpp"
#include "plans/inspect.hpp"
#include "tuning/choose.hpp"

namespace gossamer::inline v0::hybrids {
bool are_adjacent(std::span<const std::int32_t> rows) {
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[k] != rows[k - 1] + 1) return false;
  }
  return true;
}

namespace {

template <value V, offset O>
plan<V> inspect_part(const csr_view<V, O>& a, const resource& where, const inspect_options& options) {
  return plans::inspect_with<V, O>(
      a, where, options,
      {.measured = [&](const csr_view<V, O>& set, const row_statistics& statistics,
                       const inspect_options& own) { return tuning::choose(set, statistics, where, own); }});
}

/// The columns [first, last) that entries stand in; none: [0, 0).
struct column_range {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

column_range columns_of(std::span<const std::int32_t> col) {
  if (col.empty()) return {};
  std::atomic<std::int32_t> first{col.front()};
  std::atomic<std::int32_t> last{col.front()};
  const auto take = [](std::atomic<std::int32_t>& kept, std::int32_t found, auto is_beyond) {
    std::int32_t before = kept.load();
    while (is_beyond(found, before) && !kept.compare_exchange_weak(before, found)) {
    }
  };
  core::parallel_for(static_cast<std::int64_t>(col.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       const auto [least, most] = std::minmax_element(col.data() + begin, col.data() + end);
                       take(first, *least, std::less<>());
                       take(last, *most, std::greater<>());
                     });
  return {first, last + 1};
}

/// The columns of a set on a GPU are counted from its first one, so that a product copies no more of x there.
/// `set` is then a view of `own`.
template <class View>
std::int64_t count_from_first_column(View& set, host_buffer<std::int32_t>& own, const resource& where) {
  if (std::holds_alternative<cpu>(where)) return 0;
  const column_range range = columns_of(set.col);
  set.cols = range.last - range.first;
  if (range.first == 0) return 0;
  host_buffer<std::int32_t> counted(set.col.size());
  core::parallel_for(static_cast<std::int64_t>(set.col.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
                         counted.data()[k] = set.col[k] - range.first;
                     });
  own = std::move(counted);
  set.col = std::as_const(own).span();
  return range.first;
}

/// Adjacent rows have their columns and values in one piece: only the offsets are others.
template <value V, offset O>
part<scalars<V>> adjacent_part(const csr_view<V, O>& a, std::int64_t first_row, std::int64_t rows,
                               const resource& where, const inspect_options& options) {
  const auto at = static_cast<std::size_t>(first_row);
  const O first = a.row_ptr[at];
  auto offsets = std::make_shared<host_buffer<O>>(static_cast<std::size_t>(rows) + 1);
  for (std::size_t k = 0; k < offsets->size(); ++k) offsets->data()[k] = a.row_ptr[at + k] - first;
  const auto begin = static_cast<std::size_t>(first);
  const auto size = static_cast<std::size_t>((*offsets)[offsets->size() - 1]);
  csr_view<V, O> set{.rows = rows,
                     .cols = a.cols,
                     .row_ptr = std::as_const(*offsets).span(),
                     .col = a.col.subspan(begin, size),
                     .val = a.val.subspan(begin, size)};
  host_buffer<std::int32_t> counted;
  const std::int64_t first_col = count_from_first_column(set, counted, where);
  plan<V> product = inspect_part(set, where, options);
  return {.keeps_alive = std::move(offsets),
          .product = std::move(product),
          .first_row = first_row,
          .first_col = first_col,
          .first_entry = static_cast<std::int64_t>(first)};
}

template <value V, offset O>
part<scalars<V>> gathered_part(const csr_view<V, O>& a, std::span<const std::int32_t> rows,
                               const resource& where, inspect_options options) {
  csr_matrix<V, O> set{.rows = static_cast<std::int64_t>(rows.size()),
                       .cols = a.cols,
                       .row_ptr = host_buffer<O>(rows.size() + 1)};
  host_buffer<std::int32_t> kept(rows.size());
  std::copy(rows.begin(), rows.end(), kept.data());
  set.row_ptr[0] = 0;
  const auto row_begin = [&](std::size_t k) { return a.row_ptr[static_cast<std::size_t>(rows[k])]; };
  for (std::size_t k = 0; k < rows.size(); ++k)
    set.row_ptr[k + 1] =
        static_cast<O>(set.row_ptr[k] + (a.row_ptr[static_cast<std::size_t>(rows[k]) + 1] - row_begin(k)));
  const auto size = static_cast<std::size_t>(set.row_ptr[rows.size()]);
  set.col = host_buffer<std::int32_t>(size);
  set.val = host_buffer<V>(size);
  host_buffer<std::int64_t> entries(options.values_change ? size : 0);
  core::parallel_for(set.rows, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const auto from = static_cast<std::int64_t>(row_begin(k));
      const auto to = static_cast<std::int64_t>(set.row_ptr[k]);
      const auto length = static_cast<std::int64_t>(set.row_ptr[k + 1]) - to;
      std::copy_n(a.col.data() + from, length, set.col.data() + to);
      std::copy_n(a.val.data() + from, length, set.val.data() + to);
      if (options.values_change) {
        for (std::int64_t e = 0; e < length; ++e) entries.data()[to + e] = from + e;
      }
    }
  });
  options.copy = true;  // the set does not outlive this function
  csr_view<V, O> view = std::as_const(set).view();
  host_buffer<std::int32_t> counted;
  const std::int64_t first_col = count_from_first_column(view, counted, where);
  return {.product = inspect_part(view, where, options),
          .first_col = first_col,
          .rows = std::move(kept),
          .entries = std::move(entries)};
}

}  // namespace

inspect_options options_of(const hybrid_part& part, const inspect_options& options) {
  inspect_options own = options;
  own.operations = operation_set::forward;
  own.symmetric = symmetry::unknown;
  own.vectors = 1;  // columns come one after another
  if (!part.format.empty()) {
    own.format = part.format;
    own.options = part.options;
  }
  if (std::holds_alternative<cpu>(part.where)) own.memory_limit.reset();
  return own;
}

template <value V, offset O>
part<scalars<V>> make_part(const csr_view<V, O>& a, std::span<const std::int32_t> rows, const resource& where,
                           const inspect_options& options) {
  if (are_adjacent(rows))
    return adjacent_part(a, rows.front(), static_cast<std::int64_t>(rows.size()), where, options);
  return gathered_part(a, rows, where, options);
}

#define GOSSAMER_INSTANCE(V, O)                                                                              \
  template part<scalars<V>> make_part(const csr_view<V, O>&, std::span<const std::int32_t>, const resource&, \
                                      const inspect_options&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::hybrids
