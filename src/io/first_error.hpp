// SPDX-License-Identifier: BSD-3-Clause
// The slow second look at a body in which the parallel readers saw something wrong, or could not tell.
#pragma once

#include <string_view>

#include "io/header.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {

/// Reads the whole text again, line by line, and throws the first error in file order; so that the message
/// depends neither on chunks nor on threads. Returns where there is none. Also the only place that checks
/// that no entry of a symmetric or skew-symmetric matrix is given in both triangles.
template <class V>
void throw_first_error(text_source& source, const parsed_header& header, std::string_view name);

}  // namespace gossamer::inline v0::io
