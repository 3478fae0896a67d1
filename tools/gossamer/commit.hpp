// SPDX-License-Identifier: BSD-3-Clause
// Which source this program was configured from.
#pragma once

namespace gossamer::cli {

/// The short hash of the commit, or "unknown" outside a git checkout.
const char* commit() noexcept;

}  // namespace gossamer::cli
