// SPDX-License-Identifier: BSD-3-Clause
// Reading measured rows: by matrix, by series, and one number of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"

namespace gossamer::experiments {

enum class quantity { gflops, paper_bandwidth, seconds, slots_per_nonzero };

/// "GFLOP/s", "GB/s by the paper's formulas", "seconds", "slots / nonzero".
std::string_view title(quantity what) noexcept;

/// As a row shows its matrix: a stand-in is marked with a star, and other values than the file's are named.
std::string title_of(const json& row);

/// Titles, each once, in the order of the rows.
std::vector<std::string> matrices_of(const rows& all);

/// Title of the matrix that a paper's table calls so: its file, or where that is not here the stand-in
/// without other arguments. Empty where there is neither.
std::string title_named(const rows& all, std::string_view published);

/// Null where there is none.
const json* find_row(const rows& all, std::string_view matrix_title, std::string_view series);

/// The matrix's name in the papers' tables: without like(...), and without what else a specification says of
/// it.
std::string published_name(const json& row);

/// What the row's options say, for example "78" of block_width; empty where the row is null or has no such
/// option.
std::string option_of(const json* row, std::string_view option);

/// A member of the row; nothing where the row is null, has none, or it is no number.
std::optional<double> member(const json* row, const char* name);

/// Standard deviation of the row lengths over their mean; 0 where there is no entry.
double variation_of(const json& row);

/// Nothing where the row is null, was not measured, or has no such number.
std::optional<double> number(const json* row, quantity what);

/// The row's speed_up.ratio; the same.
std::optional<double> speed_up(const json* row);

}  // namespace gossamer::experiments
