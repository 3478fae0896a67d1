// SPDX-License-Identifier: BSD-3-Clause
// Parts of the ranking: the settings of a format other than its defaults, the best setting of all formats,
// and whether a setting would be refused.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/tune.hpp"

namespace gossamer::inline v0::tuning {

/// Those of its candidates that are not `by_default`, ranked as rank_formats ranks; O(nonzeros) for each.
template <value V, offset O>
std::vector<candidate> other_settings(const csr_view<V, O>& a, const row_statistics& statistics,
                                      const machine_description& machine, const rank_options& options,
                                      const candidate& by_default);

/// The first of rank_formats() of default options, as far as samples tell; nothing where all are refused.
/// Asks only the formats whose least time, as far as a sample tells, is not above the best that was found:
/// those that read all columns or values to measure are asked last, and by a sample where they can
/// (plans::sizing::estimated). With several vectors, only formats that multiply so many columns at once.
/// `among`: the formats that are asked, by name; empty: all.
template <value V, offset O>
std::optional<candidate> first_of_ranking(const csr_view<V, O>& a, const row_statistics& statistics,
                                          const machine_description& machine, const rank_options& options,
                                          std::int64_t vectors = 1,
                                          std::span<const std::string_view> among = {});

/// Whether the ranking would accept the setting, as far as a sample tells. A setting that was read from a
/// file may name anything: a format or an option that does not exist is not accepted.
template <value V, offset O>
bool accepts(const csr_view<V, O>& a, const row_statistics& statistics, const machine_description& machine,
             const format_setting& setting, const rank_options& options);

}  // namespace gossamer::inline v0::tuning
