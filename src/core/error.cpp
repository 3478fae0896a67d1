// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/error.hpp"

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

error::error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
error::~error() = default;

}  // namespace gossamer::inline v0
