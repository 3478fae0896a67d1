// SPDX-License-Identifier: BSD-3-Clause
// Where the entries of a matrix are, as a picture.
#pragma once

#include <string>
#include <string_view>

#include "gossamer/matrix.hpp"

namespace gossamer::cli {

/// A self-contained SVG: at most 200 x 200 cells, the darker the more entries stand in one.
template <value V, offset O>
std::string spy_picture(const csr_view<V, O>& a, std::string_view name);

}  // namespace gossamer::cli
