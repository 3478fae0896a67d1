// SPDX-License-Identifier: BSD-3-Clause
// A plan as JSON, and back to what inspect needs to make it again.
#pragma once

#include <string>
#include <string_view>

#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

std::string describe(const plan_facts& facts, std::string_view value_type, std::int64_t bytes,
                     double inspect_seconds, const std::optional<rounding_error>& rounding);

struct described {
  resource where;
  inspect_options options;
};

/// Throws parse_error where the text is not JSON, invalid_argument where a member is missing, wrong, or of
/// another value type.
described parse_description(const std::string& text, std::string_view value_type);

}  // namespace gossamer::inline v0::plans
