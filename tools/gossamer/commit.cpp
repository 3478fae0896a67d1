// SPDX-License-Identifier: BSD-3-Clause
// The only file that includes what commit.cmake wrote, so that a new commit recompiles nothing else.
#include "commit.hpp"

namespace gossamer::cli {
namespace {

#include "commit_of_source.hpp"

}  // namespace

const char* commit() noexcept {
  return commit_of_source;
}

}  // namespace gossamer::cli
