// SPDX-License-Identifier: BSD-3-Clause
// How the formats stand against the best peer, over all matrices of a record.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gossamer::cli {

/// A case is lost when the whole interval of best peer's time / ours lies below this.
inline constexpr double lost_below = 0.97;
/// A case is won when the whole interval lies above this.
inline constexpr double won_above = 1.03;

/// Lines of text, for each format with its default options, value type and cache state: the geometric mean of
/// the classes' geometric means (the headline), the geometric mean of all, worst, best, lost cases by name,
/// and each class. Empty where no row was compared with a peer. Lines may be long: they are for --verbose.
std::string summary(const nlohmann::ordered_json& rows);

/// The same as one table for each value type and situation, in 100 columns. Tables of one or two formats also
/// name the cases. Empty where fewer than two matrices were compared with a peer.
std::string short_summary(const nlohmann::ordered_json& rows);

}  // namespace gossamer::cli
