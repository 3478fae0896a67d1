// SPDX-License-Identifier: BSD-3-Clause
#include "plans/columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::plans {
namespace {

/// Elements from the first to the last, both included; 0 where there are none. At most the largest number.
template <class T, class Space>
std::int64_t extent(const dense_view<T, Space>& m) {
  if (m.rows == 0 || m.cols == 0) return 0;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto [width, lines] =
      m.order == layout::column_major ? std::pair(m.rows, m.cols) : std::pair(m.cols, m.rows);
  return lines - 1 > (most - width) / m.leading ? most : (lines - 1) * m.leading + width;
}

template <class T, class Space>
void check_view(const call_names& names, const char* matrix, const dense_view<T, Space>& m) {
  if (m.rows < 0 || m.cols < 0)
    fail(errc::invalid_argument, "{}: {} has {} rows and {} columns", names.call, matrix, m.rows, m.cols);
  const bool by_columns = m.order == layout::column_major;
  const std::int64_t least = by_columns ? m.rows : m.cols;
  if (m.leading < least && m.rows > 0 && m.cols > 0)
    fail(errc::invalid_argument, "{}: {} has leading dimension {}, less than its {} {}", names.call, matrix,
         m.leading, least, by_columns ? "rows" : "columns");
  if (static_cast<std::int64_t>(m.data.size()) < extent(m))
    fail(errc::size_mismatch, "{}: {} of {} rows and {} columns needs {} elements, there are {}", names.call,
         matrix, m.rows, m.cols, extent(m), m.data.size());
}

/// Whether an element of one is an element of the other. Two matrices may be parts of one, next to each other
/// in its rows or columns. With different leading dimensions, the memory from the first to the last element
/// counts.
template <class V, class Space>
bool overlap(const dense_view<const V, Space>& x, const dense_view<V, Space>& y) {
  const std::int64_t x_extent = extent(x);
  const std::int64_t y_extent = extent(y);
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data.data());
  const auto y_begin = reinterpret_cast<std::uintptr_t>(y.data.data());
  const auto bytes = [](std::int64_t elements) { return static_cast<std::uintptr_t>(elements) * sizeof(V); };
  if (x_extent == 0 || y_extent == 0 || x_begin >= y_begin + bytes(y_extent) ||
      y_begin >= x_begin + bytes(x_extent))
    return false;
  if (x.order != y.order || x.leading != y.leading || (x_begin - y_begin) % sizeof(V) != 0) return true;
  const auto width = [](const auto& m) { return m.order == layout::column_major ? m.rows : m.cols; };
  const std::int64_t elements =
      static_cast<std::int64_t>(y_begin - x_begin) / static_cast<std::int64_t>(sizeof(V));
  const std::int64_t behind = ((elements % x.leading) + x.leading) % x.leading;
  return behind < width(x) || behind + width(y) > x.leading;
}

int threads_of(const plan_facts& facts) {
  const auto* const host = std::get_if<cpu>(&facts.where);
  return host != nullptr ? host->threads : 0;
}

/// Element i of column j: to[i * to_step + j * to_next].
template <class V>
struct strided_columns {
  V* data;
  std::int64_t step;
  std::int64_t next;
};

template <class V>
void copy_columns(const strided_columns<V>& to, const strided_columns<const V>& from, std::int64_t rows,
                  std::int64_t columns, int threads) {
  core::parallel_for(
      rows, std::max<std::int64_t>(1, core::default_grain / columns),
      [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t j = 0; j < columns; ++j)
            to.data[i * to.step + j * to.next] = from.data[i * from.step + j * from.next];
      },
      threads);
}

/// Multiplies columns that are not contiguous. Copies of them in `room` are.
template <class S>
void multiply_copied_columns(const plan_base<S>& base, const columns_product<S>& p, vector_t<S>* room,
                             workspace_base& scratch) {
  const plan_facts& facts = base.facts();
  const int threads = threads_of(facts);
  columns_product<S> contiguous = p;
  if (p.x_step != 1) {
    contiguous.x_step = 1;
    contiguous.x_next = facts.cols;
    if (p.alpha != sum_t<S>{0})
      copy_columns<vector_t<S>>({room, 1, facts.cols}, {p.x, p.x_step, p.x_next}, facts.cols, p.columns,
                                threads);
    contiguous.x = room;
  }
  const strided_columns<vector_t<S>> own_y{room + facts.cols * p.columns, 1, facts.rows};
  if (p.y_step != 1) {
    contiguous.y = own_y.data;
    contiguous.y_step = own_y.step;
    contiguous.y_next = own_y.next;
    if (p.beta != sum_t<S>{0})
      copy_columns<vector_t<S>>(own_y, {p.y, p.y_step, p.y_next}, facts.rows, p.columns, threads);
  }
  base.multiply_columns_host(contiguous, scratch);
  if (p.y_step != 1)
    copy_columns<vector_t<S>>({p.y, p.y_step, p.y_next}, {own_y.data, own_y.step, own_y.next}, facts.rows,
                              p.columns, threads);
}

/// Multiplies column j. Vectors that are not contiguous are copied to `room` first. copy(to, to_step, from,
/// from_step, size) copies a column, multiply(product) multiplies; `room` is for a column of X and one of Y.
template <class S, class Copy, class Multiply>
void multiply_column(const columns_product<S>& p, std::int64_t j, const plan_facts& facts, vector_t<S>* room,
                     Copy&& copy, Multiply&& multiply) {
  const vector_t<S>* const x = p.x + j * p.x_next;
  vector_t<S>* const y = p.y + j * p.y_next;
  product<S> single{.alpha = p.alpha, .x = x, .beta = p.beta, .y = y};
  if (p.x_step != 1) {
    if (p.alpha != sum_t<S>{0}) copy(room, 1, x, p.x_step, facts.cols);
    single.x = room;
  }
  if (p.y_step != 1) {
    single.y = room + facts.cols;
    if (p.beta != sum_t<S>{0}) copy(single.y, 1, y, p.y_step, facts.rows);
  }
  multiply(single);
  if (p.y_step != 1) copy(y, p.y_step, single.y, 1, facts.rows);
}

template <class S>
std::size_t room_bytes(const plan_facts& facts) {
  return static_cast<std::size_t>(facts.rows + facts.cols) * sizeof(vector_t<S>);
}

}  // namespace

template <class S, class Space>
columns_product<S> check_columns(const call_names& names, const plan_facts& facts, vector_t<S> alpha,
                                 const dense_view<const vector_t<S>, Space>& x, vector_t<S> beta,
                                 const dense_view<vector_t<S>, Space>& y) {
  check_view(names, "X", x);
  check_view(names, "Y", y);
  if (x.rows != facts.cols)
    fail(errc::size_mismatch, "{}: X has {} rows, the matrix has {} {}", names.call, x.rows, facts.cols,
         names.x_has);
  if (y.rows != facts.rows)
    fail(errc::size_mismatch, "{}: Y has {} rows, the matrix has {} {}", names.call, y.rows, facts.rows,
         names.y_has);
  if (x.cols != y.cols)
    fail(errc::size_mismatch, "{}: X has {} columns, Y has {}", names.call, x.cols, y.cols);
  if (overlap(x, y)) fail(errc::overlap, "{}: X and Y share memory", names.call);
  const auto step = [](const auto& m) {
    return m.order == layout::column_major || m.rows <= 1 ? 1 : m.leading;
  };
  const auto next = [](const auto& m) { return m.order == layout::column_major ? m.leading : 1; };
  return {.alpha = alpha,
          .x = x.data.data(),
          .beta = beta,
          .y = y.data.data(),
          .columns = x.cols,
          .x_step = step(x),
          .x_next = next(x),
          .y_step = step(y),
          .y_next = next(y)};
}

template <class S>
void multiply_columns_host(const plan_base<S>& base, const columns_product<S>& p, workspace_base& scratch) {
  if (p.x_next == 1 && p.y_next == 1 && p.columns > 1 && p.alpha != factor_t<S>{0} && p.x != nullptr &&
      p.y != nullptr) {
    const std::int64_t done = base.multiply_rows_host(p, scratch);
    if (done > 0) return multiply_columns_host(base, p.from(done, p.columns - done), scratch);
  }
  const std::int64_t at_once = std::min(base.columns_at_once(), p.columns);
  if (!p.has_contiguous_columns()) {
    const std::size_t bytes = room_bytes<S>(base.facts()) * static_cast<std::size_t>(at_once);
    if (scratch.column_room.size() < bytes) scratch.column_room = host_buffer<std::byte>(bytes);
  }
  for (std::int64_t first = 0; first < p.columns; first += at_once) {
    const columns_product<S> some = p.from(first, std::min(at_once, p.columns - first));
    if (some.has_contiguous_columns())
      base.multiply_columns_host(some, scratch);
    else
      multiply_copied_columns(base, some, reinterpret_cast<vector_t<S>*>(scratch.column_room.data()),
                              scratch);
  }
}

template <class S>
void multiply_columns_device(const plan_base<S>& base, const columns_product<S>& p, cuda_stream stream,
                             workspace_base& scratch) {
  const plan_facts& facts = base.facts();
  if (base.multiply_columns_device(p, stream, scratch)) return;
  if (p.has_contiguous_columns()) {
    for (std::int64_t j = 0; j < p.columns; ++j) base.multiply_device(p.column(j), stream, scratch);
    return;
  }
  const auto* const device = std::get_if<cuda>(&facts.where);
  if (device == nullptr)
    fail(errc::unsupported, "multiply: {} takes X and Y in device memory in column-major order only",
         facts.format == "hybrid" ? "a hybrid plan" : "a plan on the cpu");
  const exec::device_guard guard(device->device);
  // Another thread's product in the same stream must not come between the copies of this one.
  const std::lock_guard lock(scratch.calling);
  if (p.columns > 0 && scratch.device_column_room.empty())
    scratch.device_column_room = exec::device_buffer<std::byte>(room_bytes<S>(facts), device->device);
  for (std::int64_t j = 0; j < p.columns; ++j)
    multiply_column(
        p, j, facts, reinterpret_cast<vector_t<S>*>(scratch.device_column_room.data()),
        [&](auto* to, std::int64_t to_step, const auto* from, std::int64_t from_step, std::int64_t size) {
          constexpr std::size_t bytes = sizeof(vector_t<S>);
          exec::copy_strided_async(to, static_cast<std::size_t>(to_step) * bytes, from,
                                   static_cast<std::size_t>(from_step) * bytes, bytes,
                                   static_cast<std::size_t>(size), stream);
        },
        [&](const product<S>& single) { base.multiply_device(single, stream, scratch); });
}

#define GOSSAMER_INSTANCE(S)                                                                                \
  template columns_product<S> check_columns<S>(const call_names&, const plan_facts&, S::vector,             \
                                               const dense_view<const S::vector, host_space>&, S::vector,   \
                                               const dense_view<S::vector, host_space>&);                   \
  template columns_product<S> check_columns<S>(const call_names&, const plan_facts&, S::vector,             \
                                               const dense_view<const S::vector, device_space>&, S::vector, \
                                               const dense_view<S::vector, device_space>&);                 \
  template void multiply_columns_host(const plan_base<S>&, const columns_product<S>&, workspace_base&);     \
  template void multiply_columns_device(const plan_base<S>&, const columns_product<S>&, cuda_stream,        \
                                        workspace_base&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::plans
