// SPDX-License-Identifier: BSD-3-Clause
// --powers and --algorithm: how a matrix's rows are shared out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gossamer/partition.hpp"

namespace gossamer::cli {

/// "75,75,1": positive finite numbers, 0 too where that is allowed. Throws usage_error that names the
/// command.
std::vector<double> parse_powers(std::string_view command, const std::string& text, bool may_be_zero = false);

/// Of "rows", "nnz" or "nonzeros", and "pmf".
partition_algorithm algorithm_of(std::string_view word);

}  // namespace gossamer::cli
