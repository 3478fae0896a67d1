// SPDX-License-Identifier: BSD-3-Clause
// Builds the plan of A, of its transpose, or of both.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/fail.hpp"
#include "core/parallel.hpp"
#include "core/transpose.hpp"
#include "plans/device_alias.hpp"
#include "plans/plan_base.hpp"
#include "plans/transposed_plan.hpp"

namespace gossamer::inline v0::plans {

/// Optional inputs for building the plan of one matrix.
template <value V, offset O>
struct build_context {
  std::span<const device_alias> aliases = {};
  /// The owner of the matrix's arrays, where the plan may take them over; else null.
  csr_matrix<V, O>* reusable = nullptr;
  /// For new values: permutation[k] is the index in the caller's matrix of entry k. Empty: k.
  std::span<const std::int64_t> permutation = {};
  /// The owner of `permutation`, for the plan of a reordered matrix, which may take it over; else null.
  host_buffer<std::int64_t>* reusable_permutation = nullptr;
  /// The values in the caller's order, if `permutation` is not empty.
  std::span<const V> caller_values = {};
  /// A plan that shares the memory limit; else null.
  const plan_base<scalars<V>>* other = nullptr;
};

/// The limit that is left for a plan on a device where another one has its share.
template <class S>
std::optional<std::int64_t> remaining_limit(std::optional<std::int64_t> limit, const plan_base<S>* other,
                                            int device) {
  if (limit && other != nullptr) limit = std::max<std::int64_t>(0, *limit - other->device_bytes(device));
  return limit;
}

/// Throws invalid_argument where the options that say which products there will be are wrong or do not go
/// together.
inline void check_products(const inspect_options& options) {
  static_cast<void>(name(options.operations));  // throws for a value that is none
  if (options.vectors < 1)
    fail(errc::invalid_argument, "inspect: vectors = {} is less than 1", options.vectors);
  if (!(options.calls >= 0))
    fail(errc::invalid_argument, "inspect: calls = {} is not 0 or more", options.calls);
  if (options.symmetric == symmetry::unknown) return;
  if (options.operations != operation_set::both)
    fail(errc::invalid_argument, "inspect: symmetric = check with operations = {}: it needs both",
         name(options.operations));
  if (options.values_change)
    fail(errc::invalid_argument,
         "inspect: symmetric = check with values_change: new values may not be symmetric");
}

/// Throws invalid_argument if the plan has to refer to the caller's arrays, which `needed` does not allow.
inline void check_no_caller_arrays(const inspect_options& options, std::string_view needed) {
  if (options.memory == matrix_memory::caller_arrays)
    fail(errc::invalid_argument,
         "inspect: memory = caller_arrays with {}: the plan would need arrays of its own", needed);
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

/// Runs make(), which builds the plan of the transpose. Adds "(in the transpose)" to the message of a
/// refusal.
template <class Make>
auto adding_transpose_to_message(Make&& make) {
  try {
    return make();
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported) throw;
    fail(errc::unsupported, "{} (in the transpose)", problem.what());
  }
}

/// `base`: of the transpose. values_of_a(): the values of A, which are kept
/// if both plans encode values again.
template <class S, class Values>
std::unique_ptr<transposed_plan<S>> make_transposed_plan(std::unique_ptr<plan_base<S>> base,
                                                         host_buffer<std::int64_t>&& permutation,
                                                         const plan_base<S>* forward, Values&& values_of_a) {
  const bool by_map = base->takes_values_in_caller_order();
  const bool both_may_refuse = forward != nullptr && forward->facts().values_change &&
                               forward->may_refuse_values() && base->may_refuse_values();
  auto made = std::make_unique<transposed_plan<S>>(
      std::move(base), by_map ? host_buffer<std::int64_t>() : std::move(permutation));
  if (both_may_refuse) made->keep_values(values_of_a());
  return made;
}

/// Builds the plan of the transpose, and before it that of A where both are asked for. make_forward() builds
/// the plan of A. make_transpose(options, forward) builds that of the transpose; `forward` may be null.
/// `symmetric`: A is its transpose. values_of_a(): the values of A. Time counts from `begin`.
template <value V, class Values, class Forward, class Transpose>
plan<V> build_with_transpose(const inspect_options& options, const std::optional<format_setting>& setting,
                             bool symmetric, std::chrono::steady_clock::time_point begin,
                             host_buffer<std::int64_t>& permutation, Values&& values_of_a,
                             Forward&& make_forward, Transpose&& make_transpose) {
  std::unique_ptr<plan_base<scalars<V>>> forward;
  if (options.operations == operation_set::both) {
    forward = make_forward();
    forward->finish(begin);
    if (symmetric) return plan<V>(std::move(forward), nullptr, true);
    begin = std::chrono::steady_clock::now();
  }
  auto base = adding_transpose_to_message(
      [&] { return make_transpose(options_of_transpose(options, setting), forward.get()); });
  base->finish(begin);
  auto transposed = make_transposed_plan(std::move(base), std::move(permutation), forward.get(), values_of_a);
  return plan<V>(std::move(forward), std::move(transposed), false);
}

/// Builds the plan of `a`, which is in host memory, for options.operations. make(matrix, options, context)
/// validates one matrix and builds its plan. Time counts from `begin`.
template <value V, offset O, class Make>
plan<V> build_plan(const csr_view<V, O>& a, const inspect_options& options,
                   const std::optional<format_setting>& transposed_setting,
                   const build_context<V, O>& context, std::chrono::steady_clock::time_point begin,
                   Make&& make) {
  check_products(options);
  if (options.operations == operation_set::forward) {
    auto forward = make(a, options, context);
    forward->finish(begin);
    return plan<V>(std::move(forward));
  }
  report(options.progress, "validate", 0);
  validate(a);
  report(options.progress, "transpose", 0);
  host_buffer<std::int64_t> permutation(options.values_change ? a.val.size() : 0);
  csr_matrix<V, O> at = core::transpose(a, permutation.empty() ? nullptr : permutation.data());
  if (!context.permutation.empty())
    core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k)
        permutation.data()[k] = context.permutation.data()[permutation.data()[k]];
    });
  const bool symmetric = options.symmetric == symmetry::check && core::same_arrays(a, at.view());
  return build_with_transpose<V>(
      options, transposed_setting, symmetric, begin, permutation,
      [&] { return context.permutation.empty() ? a.val : context.caller_values; },
      [&] { return make(a, options, context); },
      [&](const inspect_options& own, const plan_base<scalars<V>>* forward) {
        return make(at.view(), own,
                    build_context<V, O>{
                        .reusable = &at, .permutation = std::as_const(permutation).span(), .other = forward});
      });
}

}  // namespace gossamer::inline v0::plans
