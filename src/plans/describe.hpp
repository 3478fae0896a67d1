// SPDX-License-Identifier: BSD-3-Clause
// A plan as JSON, and back to what inspect needs to make it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Which operations a plan has.
struct described_operations {
  operation_set operations = operation_set::forward;
  bool symmetric = false;
  /// Of the transpose, where both are stored; else null.
  const plan_facts* transposed = nullptr;
};

/// `facts`: of A, or of the transpose where only that is stored. Rows and columns are always those of A.
std::string describe(const plan_facts& facts, std::string_view value_type, std::int64_t bytes,
                     double inspect_seconds, const std::optional<rounding_error>& rounding,
                     const described_operations& products);

struct described {
  resource where;
  inspect_options options;
  std::optional<format_setting> transposed;  ///< of the transpose, where both are stored
};

/// Throws parse_error where the text is not JSON, invalid_argument where a member is missing, wrong, or of
/// another value type.
described parse_description(const std::string& text, std::string_view value_type);

}  // namespace gossamer::inline v0::plans
