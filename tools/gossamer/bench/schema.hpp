// SPDX-License-Identifier: BSD-3-Clause
// The version of the documents that bench and experiment write.
#pragma once

namespace gossamer::cli {

/// Written as "schema". In schema 1, csr on a CPU is the format that is called pattern_csr now.
inline constexpr int record_schema = 2;

}  // namespace gossamer::cli
