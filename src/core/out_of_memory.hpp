// SPDX-License-Identifier: BSD-3-Clause
// For the edge of a public function: whatever ran out of memory inside, the caller sees errc::out_of_memory
// and where.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/fail.hpp"

namespace gossamer::inline v0 {

/// body(), with `place` (a function, a file) in front of the message where memory runs out. A container that
/// would be larger than the address space (std::length_error) counts as that.
template <class Body>
decltype(auto) naming_out_of_memory(std::string_view place, Body&& body) {
  constexpr std::string_view host = "out of host memory";
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: {}", place, host);
  } catch (const std::length_error&) {
    fail(errc::out_of_memory, "{}: {}", place, host);
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory) throw;
    fail(errc::out_of_memory, "{}: {}", place, problem.what());
  }
}

}  // namespace gossamer::inline v0
