// SPDX-License-Identifier: BSD-3-Clause
// Calls of the C++ interface without the GIL, whose exceptions become Python's.
#pragma once

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "errors.hpp"
#include "gil.hpp"
#include "gossamer/error.hpp"

namespace gossamer::python {

/// Calls `call()` without the GIL. Python exceptions of functions that it calls pass through.
template <class Call>
void without_gil(Call&& call) {
  std::optional<std::pair<gossamer_status, std::string>> failure;
  {
    const gil_released released;
    try {
      call();
    } catch (const error& problem) {
      failure.emplace(static_cast<gossamer_status>(problem.code()), problem.what());
    } catch (const std::bad_alloc&) {
      failure.emplace(GOSSAMER_OUT_OF_MEMORY, "out of host memory");
    }
  }
  if (failure) fail(failure->first, failure->second);
}

}  // namespace gossamer::python
