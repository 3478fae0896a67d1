// SPDX-License-Identifier: BSD-3-Clause
// A plan built by the device that will multiply: of a matrix that is there, or that is copied there first,
// since to copy it and to code it there takes less time than to code it here. Only formats that can
// (build_on_device), and only where memory is plenty; null where the host has to.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "exec/cuda/device_rows.hpp"
#include "plans/format_entry.hpp"
#include "plans/inspect.hpp"
#include "plans/matrix_on_device.hpp"
#include "plans/placement.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

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

/// What A may take of the device's memory in a plan that is built there: absent where it may not be, since
/// less than `times` the bytes of its CSR is free beside vectors, or the caller says how much it may take.
template <value V, offset O, class Space>
std::optional<std::int64_t> device_build_limit(const csr_view<V, O, Space>& a, const cuda& where,
                                               const inspect_options& asked, std::int64_t times) {
  if (asked.memory_limit || a.rows == 0 || a.nnz() == 0 || !sizes_agree(a)) return {};
  const std::int64_t free = exec::free_device_bytes(where.device);
  const std::int64_t vectors = (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(V));
  if (free != unknown_memory && times * bytes_of_csr(a) + 2 * vectors > free) return {};
  return automatic_limit(free, vectors);
}

/// Builds the plan. `statistics` are those of a valid matrix. If absent, the matrix is validated and measured
/// on the device first. `permutation`: as in plan_request. Null where the matrix is not valid (the host then
/// reports why), where the format has to be built on the host, and in a build without CUDA.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> make_plan_on_device(
    [[maybe_unused]] const csr_view<V, O, device_space>& a,
    [[maybe_unused]] std::optional<row_statistics> statistics, [[maybe_unused]] const cuda& where,
    [[maybe_unused]] const inspect_options& asked, [[maybe_unused]] std::span<const std::int64_t> permutation,
    [[maybe_unused]] std::int64_t limit) {
#if defined(GOSSAMER_HAVE_CUDA)
  if (!statistics) {
    report(asked.progress, "validate", 0);
    statistics = exec::measure_rows_on_device(a, where.device);
    report(asked.progress, "statistics", 0);
  }
  if (statistics)
    return find_entry(asked.format)
        .template functions<scalars<V>, O>()
        .make_on_device(a, *statistics, where, asked, permutation, limit);
#endif
  return nullptr;
}

/// Whether the format that is asked for can be built on a device with the options that are given. Throws what
/// parsing them throws.
template <value V, offset O>
bool supports_device_build(const inspect_options& asked) {
  return !is_choice(asked.format) &&
         find_entry(asked.format).template functions<scalars<V>, O>().can_make_on_device(asked.options);
}

/// What a device makes, or null, when nothing of it is under way any more. Memory that is not there after all
/// is no error: the host needs less.
template <class Make>
auto finished(const cuda& where, Make&& make) -> decltype(make()) {
  try {
    auto made = make();
    exec::synchronize_device();
    return made;
  } catch (const error& problem) {
    exec::release_kept(where.device);
    if (problem.code() != errc::out_of_memory) throw;
    return nullptr;
  } catch (...) {
    exec::finish_device(where.device);
    throw;
  }
}

/// Of a matrix in the device's memory. `statistics` as above.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> try_build_on_device(const csr_view<V, O, device_space>& a,
                                                           std::optional<row_statistics> statistics,
                                                           const cuda& where, const inspect_options& asked,
                                                           std::span<const std::int64_t> permutation) {
  constexpr std::int64_t min_free_multiple_resident =
      2;  // what is stored is hardly ever larger than the CSR, nor is what building takes
  if (!supports_device_build<V, O>(asked)) return nullptr;
  const auto limit = device_build_limit(a, where, asked, min_free_multiple_resident);
  const auto is_there = [&](const auto& array) { return exec::is_on_device(array.data(), where.device); };
  if (!limit || !is_there(a.row_ptr) || !is_there(a.col) || !is_there(a.val)) return nullptr;
  return finished(where,
                  [&] { return make_plan_on_device(a, statistics, where, asked, permutation, *limit); });
}

/// Of a matrix in host memory, whose arrays are on the device too where it has aliases: rows, columns,
/// values.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> try_build_on_device(const csr_view<V, O>& a,
                                                           std::optional<row_statistics> statistics,
                                                           const resource& where,
                                                           const inspect_options& asked,
                                                           std::span<const std::int64_t> permutation,
                                                           std::span<const device_alias> aliases) {
  constexpr std::int64_t min_free_multiple_uploaded = 3;
  const auto* const device = std::get_if<cuda>(&where);
  if (device == nullptr || !supports_device_build<V, O>(asked)) return nullptr;
  exec::require_device(device->device);
  const exec::device_guard guard(device->device);
  if (aliases.size() == 3) {
    const csr_view<V, O, device_space> there{
        .rows = a.rows,
        .cols = a.cols,
        .row_ptr = {static_cast<const O*>(aliases[0].device), a.row_ptr.size()},
        .col = {static_cast<const std::int32_t*>(aliases[1].device), a.col.size()},
        .val = {static_cast<const V*>(aliases[2].device), a.val.size()}};
    return try_build_on_device(there, statistics, *device, asked, permutation);
  }
  const auto limit = device_build_limit(a, *device, asked, min_free_multiple_uploaded);
  if (!limit) return nullptr;
  return finished(*device, [&] {
    report(asked.progress, "upload", 0);
    const matrix_on_device<V, O> there(a, device->device);
    return make_plan_on_device(there.view(), statistics, *device, asked, permutation, *limit);
  });
}

}  // namespace gossamer::inline v0::plans
