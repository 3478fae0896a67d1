// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/error.hpp"

#include <new>

#include "core/without_memory.hpp"

namespace gossamer::inline v0 {

std::string_view name(errc code) noexcept {
  switch (code) {
    case errc::invalid_argument:
      return "invalid_argument";
    case errc::size_mismatch:
      return "size_mismatch";
    case errc::invalid_matrix:
      return "invalid_matrix";
    case errc::unsupported:
      return "unsupported";
    case errc::parse_error:
      return "parse_error";
    case errc::io_error:
      return "io_error";
    case errc::out_of_memory:
      return "out_of_memory";
    case errc::no_device:
      return "no_device";
    case errc::device_error:
      return "device_error";
    case errc::overlap:
      return "overlap";
    case errc::cancelled:
      return "cancelled";
    case errc::busy:
      return "busy";
  }
  return "unknown";
}

namespace {

/// Made before memory runs out: copying it takes none.
const error without_memory(errc::out_of_memory, "out of host memory");

}  // namespace

error::error(errc code, const std::string& message) try : std
  ::runtime_error(message), code_(code) {}
catch (const std::bad_alloc&) {
  fail_without_memory();
}
error::~error() = default;

void fail_without_memory() {
  throw error(without_memory);
}

}  // namespace gossamer::inline v0
