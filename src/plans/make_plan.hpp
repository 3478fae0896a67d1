// SPDX-License-Identifier: BSD-3-Clause
// From a validated matrix to a plan of one format.
#pragma once

#include <numeric>

#include "plans/cpu_plan.hpp"
#include "plans/format_entry.hpp"
#include "plans/gpu_plan.hpp"

namespace gossamer::inline v0::plans {

/// For each array of values: which entry each of its slots has.
template <class F, value V, offset O>
std::vector<value_map<host_buffer>> maps_of_entry_numbers(const csr_view<V, O>& a,
                                                          const typename F::options& o,
                                                          const exec::target& target,
                                                          std::span<const std::int64_t> permutation) {
  host_buffer<entry_number<V>> numbers(static_cast<std::size_t>(a.nnz()));
  core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      numbers.data()[k].index = permutation.empty() ? k : permutation[static_cast<std::size_t>(k)];
  });
  const csr_view<entry_number<V>, O> numbered{.rows = a.rows,
                                              .cols = a.cols,
                                              .row_ptr = a.row_ptr,
                                              .col = a.col,
                                              .val = std::as_const(numbers).span()};
  return maps_of(F::build(numbered, o, target), a.nnz());
}

/// The arrays that update_values() needs: a map for each array of values. For a format that replaces values
/// by a kernel, row_ptr and the permutation. None if it encodes values again.
template <class F, value V, offset O>
std::vector<value_map<host_buffer>> make_maps(const csr_view<V, O>& a, const typename F::options& o,
                                              const exec::target& target,
                                              std::span<const std::int64_t> permutation) {
  if constexpr (formats::replaces_values_on_gpu<F>) {
    if (target.kind != device_set::cuda || !F::replaces_values(o)) return {};
    const auto copy_of = [](const auto& array) {
      host_buffer<std::int64_t> copy(array.size());
      core::parallel_for(static_cast<std::int64_t>(array.size()), core::default_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           std::copy(array.data() + begin, array.data() + end, copy.data() + begin);
                         });
      return copy;
    };
    std::vector<value_map<host_buffer>> maps;
    maps.push_back({copy_of(a.row_ptr)});
    maps.push_back({copy_of(permutation)});
    return maps;
  } else if constexpr (formats::encodes_values<F>) {
    return {};
  } else {
    return maps_of_entry_numbers<F>(a, o, target, permutation);
  }
}

#if defined(GOSSAMER_HAVE_CUDA)
/// make_maps() for a matrix in device memory and a format that encodes values. `permutation` is on the host.
template <class F, value V, offset O>
std::vector<value_map<exec::device_buffer>> make_maps_on_device(const csr_view<V, O, device_space>& a,
                                                                const typename F::options& o,
                                                                const exec::target& target,
                                                                std::span<const std::int64_t> permutation) {
  static_assert(formats::encodes_values<F>, "other formats need the entry of each slot");
  std::vector<value_map<exec::device_buffer>> maps;
  if constexpr (formats::replaces_values_on_gpu<F>) {
    if (!F::replaces_values(o)) return maps;
    maps.push_back({{a.row_ptr.size(), target.device}});
    exec::widen_on_device(maps[0].entry.data(), a.row_ptr.data(), static_cast<std::int64_t>(a.row_ptr.size()),
                          {});
    maps.push_back({{permutation.size(), target.device}});
    if (!permutation.empty())
      exec::copy_async(maps[1].entry.data(), permutation.data(), permutation.size_bytes(),
                       exec::copy_kind::host_to_device, {});
    exec::synchronize({});
  }
  return maps;
}
#endif

/// What describe() says of a plan with these options.
template <formats::format F>
plan_facts facts_of(const typename F::options& options, const plan_request& request, std::int64_t rows,
                    std::int64_t cols, std::int64_t nnz) {
  const exec::target& target = request.target;
  const inspect_options& asked = request.options;
  return {.format = F::name,
          .options = formats::texts_of(options, target.kind),
          .where = request.where,
          .level = target.level,
          .device_capability = target.compute_capability,
          .offset_type = request.offset_type,
          .values_change = asked.values_change,
          .copy = asked.copy,
          .memory_limit = asked.memory_limit,
          .deterministic = formats::deterministic<F>(options),
          .rows = rows,
          .cols = cols,
          .nnz = nnz};
}

/// Throws unsupported if the format refuses the matrix. Frees the footprint, which may hold much memory, on
/// return.
template <formats::format F, value V, offset O>
auto build_storage(const csr_view<V, O>& a, const row_statistics& statistics,
                   const typename F::options& options, const plan_request& request) {
  const auto size = F::measure(a, statistics, options, request.target);
  if (!size.refusal.empty()) fail(errc::unsupported, "unsupported: {}: {}", F::name, size.refusal);
  report(request.options.progress, "build", 0);
  return formats::build_measured<F>(a, options, request.target, size);
}

/// `reusable`: the owner of a's arrays, where the plan may take them over; else null.
template <formats::format F, scalar_types S, offset O>
std::unique_ptr<plan_base<S>> make_plan(const csr_view<matrix_t<S>, O>& a, const row_statistics& statistics,
                                        const plan_request& request, std::span<const device_alias> aliases,
                                        csr_matrix<matrix_t<S>, O>* reusable) {
  const resource& where = request.where;
  const exec::target& target = request.target;
  const inspect_options& asked = request.options;
  if (!contains(F::devices, target.kind))
    fail(errc::unsupported, "unsupported: {}: it does not run on {}", F::name, name(where));
  const auto options = formats::resolve_options<F, matrix_t<S>>(
      formats::parse_options<F>(asked.options, target.kind), statistics, target);
  const formats::rounding_outcome rounding = formats::rounding_of<F>(a, options);
  if (!rounding.refusal.empty()) fail(errc::unsupported, "unsupported: {}: {}", F::name, rounding.refusal);
  auto stored = build_storage<F>(a, statistics, options, request);
  const bool on_cpu = target.kind == device_set::cpu;
  if (on_cpu) {
    decltype(stored)::arrays(stored, [&]<class T>(const char*, host_buffer<T>& array) {
      if (asked.copy || (asked.values_change && std::is_same_v<T, matrix_t<S>>))
        core::make_owned(array, reusable);
    });
  }
  std::vector<value_map<host_buffer>> maps;
  if (asked.values_change) {
    report(asked.progress, "map", 0);
    maps = make_maps<F>(a, options, target, request.permutation);
  }
  plan_facts facts = facts_of<F>(options, request, a.rows, a.cols, a.nnz());
  // A format may lack the kernels of a kind of device that it does not name; the other kind is turned away
  // above.
  if constexpr (contains(F::devices, device_set::cpu)) {
    if (on_cpu) {
      auto made =
          std::make_unique<cpu_plan<F, S, O>>(std::move(facts), target, std::move(stored), std::move(maps));
      made->note_rounding(rounding.error);
      return made;
    }
  }
#if defined(GOSSAMER_HAVE_CUDA)
  if constexpr (contains(F::devices, device_set::cuda)) {
    report(asked.progress, "upload", 0);
    auto made = std::make_unique<gpu_plan<F, S, O>>(std::move(facts), target, std::move(stored),
                                                    std::move(maps), aliases);
    made->note_rounding(rounding.error);
    return made;
  }
#endif
  static_cast<void>(aliases);
  fail(errc::no_device, "{}: this build of gossamer has no CUDA", name(where));
}

/// Converts the row offsets of `a` to int64 in `offsets`. The returned view refers to `offsets`.
template <value V, offset O>
csr_view<V, std::int64_t> with_int64_offsets(const csr_view<V, O>& a, host_buffer<std::int64_t>& offsets) {
  offsets = host_buffer<std::int64_t>(a.row_ptr.size());
  core::parallel_for(static_cast<std::int64_t>(a.row_ptr.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::copy(a.row_ptr.data() + begin, a.row_ptr.data() + end, offsets.data() + begin);
                     });
  return {
      .rows = a.rows, .cols = a.cols, .row_ptr = std::as_const(offsets).span(), .col = a.col, .val = a.val};
}

}  // namespace gossamer::inline v0::plans
