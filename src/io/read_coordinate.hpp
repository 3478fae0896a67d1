// SPDX-License-Identifier: BSD-3-Clause
// The body of a coordinate file into CSR.
#pragma once

#include <string_view>

#include "gossamer/io.hpp"
#include "io/header.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {

/// The source stands behind the header. Within a row entries stand in the order of their lines, and a
/// mirrored entry stands where its line stands.
template <class V>
csr_matrix<V, std::int64_t> read_coordinate(text_source& source, const parsed_header& header,
                                            std::string_view name, const read_options& options);

}  // namespace gossamer::inline v0::io
