// SPDX-License-Identifier: BSD-3-Clause
// From a specification's text to the pattern it means, without building the matrix.
#pragma once

#include <memory>
#include <string_view>

#include "generate/pattern.hpp"
#include "gossamer/export.hpp"

namespace gossamer::inline v0::generation {

/// Throws as generate does.
std::unique_ptr<const pattern> make_pattern(std::string_view specification);

}  // namespace gossamer::inline v0::generation
