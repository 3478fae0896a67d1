// SPDX-License-Identifier: BSD-3-Clause
// The only file that sees the define, so that a new commit recompiles nothing else.
#include "commit.hpp"

namespace gossamer::cli {

const char* commit() noexcept {
  return GOSSAMER_COMMIT;
}

}  // namespace gossamer::cli
