// SPDX-License-Identifier: BSD-3-Clause
// Which source this program was built from.
#pragma once

namespace gossamer::cli {

/// The short hash of the commit, with "-dirty" behind it where a file that git tracks was modified; or
/// "unknown" outside a git checkout.
const char* commit() noexcept;

}  // namespace gossamer::cli
