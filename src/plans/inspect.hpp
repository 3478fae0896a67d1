// SPDX-License-Identifier: BSD-3-Clause
// What inspect() does, below the place where "auto" and "tuned" have a meaning: the caller says who chooses.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "gossamer/plan.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::plans {

/// Whether a format is to be chosen.
constexpr bool is_choice(std::string_view format) noexcept {
  return format == "auto" || format == "tuned";
}

/// Functions that choose the format of one matrix, A or its transpose. Each may be null.
template <value V, offset O>
struct chooser {
  /// Names a format for a matrix that was checked and measured, within inspect's own time. Asked if
  /// is_choice(options.format). If it is null, "auto" and "tuned" are no formats. `options` are those for
  /// this matrix: with the memory limit that another one leaves.
  std::function<format_setting(const csr_view<V, O>& a, const row_statistics& statistics,
                               const inspect_options& options)>
      measured = {};
  /// Replaces the format of the options before the matrix is checked, for the host's arrays or for arrays
  /// that may be in memory of the current device. Nothing: the format of the options.
  std::function<std::optional<format_setting>(const csr_view<V, O>& a)> sampled = {};
  std::function<std::optional<format_setting>(const csr_view<V, O, device_space>& a)> sampled_on_device = {};
};

/// As inspect() in gossamer/plan.hpp. Throws what it throws, and what `choose` does.
template <value V, offset O>
plan<V> inspect_with(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                     const chooser<V, O>& choose);
template <value V, offset O>
plan<V> inspect_with(const csr_view<V, O, device_space>& a, const cuda& where, const inspect_options& options,
                     const chooser<V, O>& choose);
template <value V>
plan<V> inspect_with(const coo_view<V>& a, const resource& where, const inspect_options& options,
                     const chooser<V, std::int64_t>& choose);
template <value V, offset O>
plan<V> inspect_like(const csr_view<V, O>& a, const description& like);

}  // namespace gossamer::inline v0::plans
