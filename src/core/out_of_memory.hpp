// SPDX-License-Identifier: BSD-3-Clause
// For the edge of a public function: whatever ran out of memory inside, the caller sees errc::out_of_memory and where.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "core/fail.hpp"

namespace gossamer::inline v0 {

/// body(), with `place` (a function, a file) in front of the message where memory runs out.
template <class Body>
decltype(auto) naming_out_of_memory(std::string_view place, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: out of host memory", place);
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory) throw;
    fail(errc::out_of_memory, "{}: {}", place, problem.what());
  }
}

}  // namespace gossamer::inline v0
