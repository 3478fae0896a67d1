// SPDX-License-Identifier: BSD-3-Clause
// Turns exceptions into status codes, and keeps their messages for gossamer_last_error().
#pragma once

#include <algorithm>
#include <cstring>

#include "core/fail.hpp"
#include "gossamer/gossamer.h"

namespace gossamer::inline v0::capi {

/// The status for the exception that is being handled. Its message becomes that of gossamer_last_error().
gossamer_status status_of_exception() noexcept;

/// Runs `call`. Returns success, or the status of what it throws.
template <class Call>
gossamer_status guarded(Call&& call) noexcept {
  try {
    call();
    return GOSSAMER_SUCCESS;
  } catch (...) {
    return status_of_exception();
  }
}

/// Throws invalid_argument if `pointer` is null. `name` is the parameter's.
template <class T>
void require(const T* pointer, std::string_view name) {
  if (pointer == nullptr) fail(errc::invalid_argument, "{} is a null pointer", name);
}

/// The size that a structure of the caller states. Throws invalid_argument if it cannot be one of such a
/// structure. `size`: in this version. `least`: in the first version.
std::size_t size_of_structure(const void* from, std::size_t size, std::size_t least, std::string_view name);

/// Copies a structure of the caller, whose version may be older or newer. Members that an older version lacks
/// are zero. Throws invalid_argument if a newer version has members that are set but unknown here.
void copy_structure(const void* from, void* to, std::size_t size, std::size_t least, std::string_view name);

/// The caller's structure, with zeros for members that it lacks.
template <class T>
T structure(const T* from, std::size_t least, std::string_view name) {
  require(from, name);
  T to{};
  copy_structure(from, &to, sizeof(T), least, name);
  return to;
}

/// Copies `from` to the caller's structure `to`, whose size is set and stays.
template <class T>
void return_structure(T from, T* to, std::size_t least, std::string_view name) {
  require(to, name);
  from.struct_size = size_of_structure(to, sizeof(T), least, name);
  std::memcpy(to, &from, std::min(from.struct_size, sizeof(T)));
}

}  // namespace gossamer::inline v0::capi
