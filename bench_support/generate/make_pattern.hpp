// SPDX-License-Identifier: BSD-3-Clause
// From a specification's text to the pattern it means, without building the matrix.
#pragma once

#include <memory>
#include <string_view>

#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// Throws as generate does.
std::unique_ptr<const pattern> make_pattern(std::string_view specification);

}  // namespace gossamer::bench_support::generation
