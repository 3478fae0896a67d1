// SPDX-License-Identifier: BSD-3-Clause
// A plan built by the device that will multiply: of a matrix that is there, or that is copied there first, since to copy it and to code it there
// takes less time than to code it here. Only formats that can (build_on_device), and only where memory is plenty; null where the host has to.
#pragma once

#include <limits>
#include <optional>

#include "exec/device_rows.hpp"
#include "formats/all_formats.hpp"
#include "plan/make_plan.hpp"
#include "plan/matrix_on_device.hpp"

namespace gossamer::inline v0::detail {

/// Whether what validate() asks of the view itself is so; it says why not.
template <value V, offset O, class Space>
bool sizes_agree(const csr_view<V, O, Space>& a) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return a.rows >= 0 && a.cols >= 0 && a.rows <= most && a.cols <= most &&
         static_cast<std::int64_t>(a.row_ptr.size()) == a.rows + 1 && a.col.size() == a.val.size();
}

template <value V, offset O, class Space>
std::int64_t bytes_of_csr(const csr_view<V, O, Space>& a) {
  return a.nnz() * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) +
         static_cast<std::int64_t>(a.row_ptr.size() * sizeof(O));
}

/// What A may take of the device's memory in a plan that is built there: absent where it may not be, since less than `times` the bytes of its CSR is free beside
/// vectors, or the caller says how much it may take.
template <value V, offset O, class Space>
std::optional<std::int64_t> limit_there(const csr_view<V, O, Space>& a, const cuda& where,
                                        const inspect_options& asked, std::int64_t times) {
  if (asked.memory_limit || a.rows == 0 || a.nnz() == 0 || !sizes_agree(a)) return {};
  const std::int64_t free = exec::free_device_bytes(where.device);
  const std::int64_t vectors = (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(V));
  if (free != unknown_memory && times * bytes_of_csr(a) + 2 * vectors > free) return {};
  return automatic_limit(free, vectors);
}

/// As make_plan(), of a valid matrix.
template <formats::format F, value V, offset O>
std::unique_ptr<plan_base<V>> make_plan_there(const csr_view<V, O, device_space>& a,
                                              const row_statistics& statistics, const cuda& where,
                                              const inspect_options& asked, std::int64_t limit) {
  if constexpr (formats::builds_on_device<F, V, O>) {
    const exec::target target = exec::target_of(where);
    const auto options =
        F::resolve(formats::parse_options<F>(asked.options, target.kind), statistics, target);
    report(asked.progress, "build", 0);
    auto stored = F::build_on_device(a, statistics, options, target);
    if (stored)
      return std::make_unique<gpu_plan<F, V, O>>(
          facts_of<F, V, O>(options, where, target, asked, a.rows, a.cols, a.nnz()), target,
          std::move(*stored), limit);
  }
  return nullptr;
}

/// The format of that name, if it can. `statistics` are those of a valid matrix, or absent: then it is looked at there, and where it is not valid
/// the host will say so.
template <value V, offset O>
std::unique_ptr<plan_base<V>> make_plan_there(const csr_view<V, O, device_space>& a,
                                              std::optional<row_statistics> statistics, const cuda& where,
                                              const inspect_options& asked, std::int64_t limit) {
  std::unique_ptr<plan_base<V>> made;
#if defined(GOSSAMER_HAVE_CUDA)
  if (!statistics) {
    report(asked.progress, "validate", 0);
    statistics = exec::measure_rows_on_device(a, where.device);
    report(asked.progress, "statistics", 0);
  }
  if (!statistics) return nullptr;
  formats::all_formats::for_each([&]<class F>() {
    if (F::name == asked.format) made = make_plan_there<F>(a, *statistics, where, asked, limit);
  });
#endif
  return made;
}

/// Whether the format of that name can build on a device.
template <value V, offset O>
bool some_format_builds_there(std::string_view name) {
  bool can = false;
  formats::all_formats::for_each([&]<class F>() {
    if (F::name == name) can = formats::builds_on_device<F, V, O>;
  });
  return can;
}

/// Memory that is not there after all is no error: the host needs less. Behind a hook of the caller's it is one, since then it is the caller who says so.
template <class Make>
auto unless_out_of_memory(const cuda& where, Make&& make) -> decltype(make()) {
  try {
    return make();
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory || exec::free_device_bytes(where.device) == unknown_memory)
      throw;
    return nullptr;
  }
}

/// Of a matrix in the device's memory.
template <value V, offset O>
std::unique_ptr<plan_base<V>> try_there(const csr_view<V, O, device_space>& a, const cuda& where,
                                        const inspect_options& asked) {
  constexpr std::int64_t beside_it =
      2;  // what is stored is hardly ever larger than the CSR, nor is what building takes
  if (!some_format_builds_there<V, O>(asked.format)) return nullptr;
  const auto limit = limit_there(a, where, asked, beside_it);
  if (!limit) return nullptr;
  return unless_out_of_memory(where, [&] { return make_plan_there(a, {}, where, asked, *limit); });
}

/// Of a matrix in host memory.
template <value V, offset O>
std::unique_ptr<plan_base<V>> try_there(const csr_view<V, O>& a, std::optional<row_statistics> statistics,
                                        const resource& where, const inspect_options& asked) {
  constexpr std::int64_t with_it = 3;
  const auto* const device = std::get_if<cuda>(&where);
  if (device == nullptr || !some_format_builds_there<V, O>(asked.format)) return nullptr;
  exec::require_device(device->device);
  const exec::device_guard guard(device->device);
  const auto limit = limit_there(a, *device, asked, with_it);
  if (!limit) return nullptr;
  return unless_out_of_memory(*device, [&] {
    const matrix_on_device<V, O> there(a, device->device);
    return make_plan_there(there.view(), statistics, *device, asked, *limit);
  });
}

}  // namespace gossamer::inline v0::detail
