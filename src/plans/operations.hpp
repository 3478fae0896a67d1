// SPDX-License-Identifier: BSD-3-Clause
// From the products that are asked for to the plans of A and of its transpose.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/fail.hpp"
#include "core/transpose.hpp"
#include "plans/device_alias.hpp"
#include "plans/plan_base.hpp"
#include "plans/transposed_plan.hpp"

namespace gossamer::inline v0::plans {

/// What the maker of one matrix's plan is told, apart from the matrix and the options.
template <value V, offset O>
struct matrix_source {
  std::span<const device_alias> aliases = {};
  /// The owner of the matrix's arrays, where the plan may take them over; else null.
  csr_matrix<V, O>* reusable = nullptr;
  /// For new values: the number that each entry has in the caller's matrix. Empty: its own.
  std::span<const std::int64_t> entry_numbers = {};
  /// The plan of the other orientation, whose memory counts against the limit too; else null.
  const plan_base<scalars<V>>* other = nullptr;
};

/// The limit that is left for a plan on a device where another one has its share.
template <class S>
std::optional<std::int64_t> remaining_limit(std::optional<std::int64_t> limit, const plan_base<S>* other,
                                            int device) {
  if (limit && other != nullptr) limit = std::max<std::int64_t>(0, *limit - other->device_bytes(device));
  return limit;
}

/// Throws invalid_argument where options.symmetric does not go with the rest.
inline void check_symmetric(const inspect_options& options) {
  if (options.symmetric == symmetry::unknown) return;
  if (options.operations != operation_set::both)
    fail(errc::invalid_argument, "inspect: symmetric = check with operations = {}: it needs both",
         name(options.operations));
  if (options.values_change)
    fail(errc::invalid_argument,
         "inspect: symmetric = check with values_change: new values may not be symmetric");
}

/// The options for the transpose. `setting`: its format, where it differs from A's.
inline inspect_options options_of_transpose(const inspect_options& options,
                                            const std::optional<format_setting>& setting) {
  inspect_options own = options;
  own.copy = true;  // its arrays are temporary
  if (setting) {
    own.format = setting->format;
    own.options = setting->options;
  }
  return own;
}

/// Runs make(), which builds the plan of the transpose; a refusal says of what.
template <class Make>
auto naming_transpose(Make&& make) {
  try {
    return make();
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported) throw;
    fail(errc::unsupported, "{} (in the transpose)", problem.what());
  }
}

/// The plan of the transpose, where `entries` says which entry of A each of its entries is.
template <class S>
std::unique_ptr<transposed_plan<S>> with_entries(std::unique_ptr<plan_base<S>> base,
                                                 host_buffer<std::int64_t>&& entries,
                                                 const plan_base<S>* forward,
                                                 std::span<const matrix_t<S>> values) {
  const bool by_map = base->follows_entry_numbers();
  const bool both_may_refuse = forward != nullptr && forward->facts().values_change &&
                               forward->may_refuse_values() && base->may_refuse_values();
  auto made = std::make_unique<transposed_plan<S>>(std::move(base),
                                                   by_map ? host_buffer<std::int64_t>() : std::move(entries));
  if (both_may_refuse) made->keep_values(values);
  return made;
}

/// The plan for options.operations, once the transpose is there. make_forward() builds the plan of A,
/// make_transpose(options, forward) that of the transpose; `forward` is null where only that is asked for.
/// `values` are those of A, if both may refuse new ones. Time counts from `begin`.
template <value V, class Forward, class Transpose>
plan<V> plan_of_orientations(const inspect_options& options, const std::optional<format_setting>& setting,
                             bool symmetric, std::chrono::steady_clock::time_point begin,
                             host_buffer<std::int64_t>& entries, std::span<const V> values,
                             Forward&& make_forward, Transpose&& make_transpose) {
  std::unique_ptr<plan_base<scalars<V>>> forward;
  if (options.operations == operation_set::both) {
    forward = make_forward();
    forward->finish(begin);
    if (symmetric) return plan<V>(std::move(forward), nullptr, true);
    begin = std::chrono::steady_clock::now();
  }
  auto base =
      naming_transpose([&] { return make_transpose(options_of_transpose(options, setting), forward.get()); });
  base->finish(begin);
  auto transposed = with_entries(std::move(base), std::move(entries), forward.get(), values);
  return plan<V>(std::move(forward), std::move(transposed), false);
}

/// The plan of `a` in host memory for options.operations. make(matrix, options, source) builds the plan of one
/// matrix, which it validates. Time counts from `begin`.
template <value V, offset O, class Make>
plan<V> plan_of_operations(const csr_view<V, O>& a, const inspect_options& options,
                           const std::optional<format_setting>& transposed_setting,
                           const matrix_source<V, O>& source, std::chrono::steady_clock::time_point begin,
                           Make&& make) {
  check_symmetric(options);
  if (options.operations == operation_set::forward) {
    auto forward = make(a, options, source);
    forward->finish(begin);
    return plan<V>(std::move(forward));
  }
  report(options.progress, "validate", 0);
  validate(a);
  report(options.progress, "transpose", 0);
  host_buffer<std::int64_t> entries(options.values_change ? a.val.size() : 0);
  csr_matrix<V, O> at = core::transpose(a, entries.empty() ? nullptr : entries.data());
  const bool symmetric = options.symmetric == symmetry::check && core::same_arrays(a, at.view());
  return plan_of_orientations<V>(
      options, transposed_setting, symmetric, begin, entries, a.val, [&] { return make(a, options, source); },
      [&](const inspect_options& own, const plan_base<scalars<V>>* forward) {
        return make(at.view(), own,
                    matrix_source<V, O>{
                        .reusable = &at, .entry_numbers = std::as_const(entries).span(), .other = forward});
      });
}

}  // namespace gossamer::inline v0::plans
