// SPDX-License-Identifier: BSD-3-Clause
// entry_of<F>(): everything that generic code needs of one format. Included by one source file per format,
// which the build generates from format_unit.cpp.in, so that formats compile side by side.
#pragma once

#include "formats/contract/rounding.hpp"
#include "plans/format_entry.hpp"
#include "plans/make_plan.hpp"

namespace gossamer::inline v0::plans {

template <class F, class S, offset O>
std::unique_ptr<plan_base<S>> make_entry(const csr_view<matrix_t<S>, O>& a, const row_statistics& statistics,
                                         const plan_request& request, std::span<const device_alias> aliases,
                                         csr_matrix<matrix_t<S>, O>* reusable) {
  if constexpr (std::is_same_v<formats::build_offset<F, O>, O>) {
    return make_plan<F, S>(a, statistics, request, aliases, reusable);
  } else {
    host_buffer<std::int64_t> offsets;
    return make_plan<F, S, std::int64_t>(with_int64_offsets(a, offsets), statistics, request, aliases,
                                         nullptr);
  }
}

template <class F, value V, offset O>
bool can_make_on_device_entry(const option_texts& options) {
  if constexpr (formats::builds_on_device<F, V, O>)
    return F::template can_build_on_device<V>(formats::parse_options<F>(options, device_set::cuda));
  else
    return false;
}

template <class F, class S, offset O>
std::unique_ptr<plan_base<S>> make_on_device_entry(
    [[maybe_unused]] const csr_view<matrix_t<S>, O, device_space>& a,
    [[maybe_unused]] const row_statistics& statistics, [[maybe_unused]] const cuda& where,
    [[maybe_unused]] const inspect_options& asked, [[maybe_unused]] std::span<const std::int64_t> permutation,
    [[maybe_unused]] std::int64_t limit) {
#if defined(GOSSAMER_HAVE_CUDA)
  if constexpr (formats::builds_on_device<F, matrix_t<S>, O>) {
    const resource device(where);
    const exec::target target = exec::target_of(where);
    const auto options = formats::resolve_options<F, matrix_t<S>>(
        formats::parse_options<F>(asked.options, target.kind), statistics, target);
    report(asked.progress, "build", 0);
    auto stored = F::build_on_device(a, statistics, options, target);
    if (!stored) return nullptr;
    std::vector<value_map<exec::device_buffer>> maps;
    if (asked.values_change) {
      report(asked.progress, "map", 0);
      maps = make_maps_on_device<F>(a, options, target, permutation);
    }
    return std::make_unique<gpu_plan<F, S, formats::build_offset<F, O>>>(
        facts_of<F>(options, {device, target, asked, offset_name<O>()}, a.rows, a.cols, a.nnz()), target,
        std::move(*stored), std::move(maps), limit);
  }
#endif
  return nullptr;
}

template <class F, value V, offset O>
format_forecast forecast_entry(const csr_view<V, O>& a, const row_statistics& statistics,
                               const option_texts& options, const exec::target& target,
                               const formats::machine& machine, sizing size) {
  if (!contains(F::devices, target.kind)) {
    const resource where = target.kind == device_set::cpu ? resource(cpu{}) : resource(cuda{target.device});
    return {.options = {}, .refusal = "it does not run on " + name(where)};
  }
  const auto resolved =
      formats::resolve_options<F, V>(formats::parse_options<F>(options, target.kind), statistics, target);
  const std::string too_large = formats::rounding_of<F>(a, resolved).refusal;
  if (!too_large.empty()) return {.options = formats::texts_of(resolved, target.kind), .refusal = too_large};
  const auto stored = size == sizing::measured
                          ? F::measure(a, statistics, resolved, target)
                          : formats::estimated_footprint<F, V, O>(a, statistics, resolved, target);
  return {.options = formats::texts_of(resolved, target.kind),
          .bytes = stored.bytes,
          .exact = stored.exact,
          .refusal = stored.refusal,
          .seconds = machine.bandwidth_gbs > 0
                         ? formats::predict_seconds<F, V, O>(statistics, resolved, target, machine, stored)
                         : 0.0};
}

template <class F, value V, offset O>
least_time least_seconds_entry(const csr_view<V, O>& a, const row_statistics& statistics,
                               const exec::target& target, const formats::machine& machine) {
  const auto options = formats::resolve_options<F, V>({}, statistics, target);
  const auto least = formats::least_footprint<F, V, O>(a, statistics, options, target);
  return {.seconds = formats::predict_seconds<F, V, O>(statistics, options, target, machine, least),
          .reads_all = formats::bounds_footprint<F, V, O>};
}

template <class F, class S, offset O>
constexpr format_functions<S, O> functions_of{
    .make = make_entry<F, S, O>,
    .can_make_on_device = can_make_on_device_entry<F, matrix_t<S>, O>,
    .make_on_device = make_on_device_entry<F, S, O>,
    .forecast = forecast_entry<F, matrix_t<S>, O>,
    .least_seconds = least_seconds_entry<F, matrix_t<S>, O>};

template <class F>
format_info describe_entry() {
  return {.name = F::name,
          .source = F::source,
          .help = F::help,
          .devices = F::devices,
          .keeps = F::keeps,
          .reencodes = formats::reencodes_values<F>(),
          .options = formats::describe_options<typename F::options>()};
}

template <class F>
void check_options_entry(const option_texts& options, const exec::target& target) {
  static_cast<void>(F::resolve(formats::parse_options<F>(options, target.kind), row_statistics{}, target));
}

template <class F>
std::int64_t least_columns_entry(device_set kind) {
  constexpr std::int64_t smallest_pack = 4;
  if (kind == device_set::cpu) return formats::multiplies_packs_on_cpu<F> ? smallest_pack : 0;
  return formats::multiplies_columns_on_gpu<F> && !formats::multiplies_packs_on_gpu<F> ? 2 : 0;
}

template <class F>
std::vector<option_texts> candidates_entry(const row_statistics& statistics, const exec::target& target,
                                           bool values_change) {
  std::vector<option_texts> all;
  if (!contains(F::devices, target.kind)) return all;
  for (auto options : F::candidates(statistics, target)) {
    if (values_change) options = formats::options_for_new_values<F>(options, target.kind);
    all.push_back(formats::texts_of(F::resolve(options, statistics, target), target.kind));
  }
  return all;
}

template <class F>
option_texts options_for_new_values_entry(const option_texts& options, device_set kind) {
  return formats::texts_of(formats::options_for_new_values<F>(formats::parse_options<F>(options, kind), kind),
                           kind);
}

#define GOSSAMER_INSTANCE(S, O) functions_of<F, S, O>,
template <class F>
const format_entry& entry_of() noexcept {
  static constexpr format_entry entry{
      .describe = describe_entry<F>,
      .check_options = check_options_entry<F>,
      .least_columns = least_columns_entry<F>,
      .candidates = candidates_entry<F>,
      .options_for_new_values = options_for_new_values_entry<F>,
      .builds_from_row_ptr = formats::builds_from_row_ptr<F>(),
      .all = {GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE, std::int32_t)
                  GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE, std::int64_t)}};
  return entry;
}
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::plans
