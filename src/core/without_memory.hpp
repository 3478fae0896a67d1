// SPDX-License-Identifier: BSD-3-Clause
// The error for when there is no memory even for a message.
#pragma once

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Throws out_of_memory with the text "out of host memory". Takes no memory of operator new.
[[noreturn]] GOSSAMER_API void fail_without_memory();

}  // namespace gossamer::inline v0
