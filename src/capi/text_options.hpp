// SPDX-License-Identifier: BSD-3-Clause
// Options as text, "key=value, key=value", for gossamer_inspect() and gossamer_tune().
#pragma once

#include <string>

#include "gossamer/plan.hpp"
#include "gossamer/tune.hpp"

namespace gossamer::inline v0::capi {

/// Where and how to make a plan.
struct inspect_request {
  resource where;
  inspect_options options;
};
/// Throws invalid_argument for text that is not of this form, and for keys and values that are unknown.
/// `options` may be null.
inspect_request parse_inspect_request(const char* where, const char* options);

struct tune_request {
  resource where;
  tune_options options;
};
/// The same for gossamer_tune().
tune_request parse_tune_request(const char* where, const char* options);

/// "key=value, key=value"
std::string text_of(const option_texts& options);

}  // namespace gossamer::inline v0::capi
