// SPDX-License-Identifier: BSD-3-Clause
// The body of an array file: the values alone, column by column.
#pragma once

#include <string_view>

#include "gossamer/io.hpp"
#include "io/header.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {

/// The source stands behind the header.
template <class V>
host_buffer<V> read_vector_values(text_source& source, const parsed_header& header, std::string_view name,
                                  const read_options& options);

/// Every entry is stored, zeros too; a skew-symmetric file gives no diagonal.
template <class V>
csr_matrix<V, std::int64_t> read_array(text_source& source, const parsed_header& header,
                                       std::string_view name, const read_options& options);

}  // namespace gossamer::inline v0::io
