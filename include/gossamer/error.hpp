// SPDX-License-Identifier: BSD-3-Clause
// The exception class of the library, with error codes that never change.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Error codes. The numbers are part of the ABI: they never change and are never reused.
enum class errc : int {
  invalid_argument = 1,  ///< an argument has a value that is never allowed
  size_mismatch = 2,     ///< a vector or array has the wrong length
  invalid_matrix = 3,    ///< the arrays do not describe a matrix
  unsupported = 4,       ///< the request is valid, but this format, device or version cannot do it
  parse_error = 5,       ///< a text has a syntax error; for a file, the message has file, line and column
  io_error = 6,          ///< the operating system failed to open, read or write a file
  out_of_memory = 7,     ///< host or device memory is exhausted
  no_device = 8,         ///< the GPU or its driver is missing, or the library was built without CUDA
  device_error = 9,      ///< the CUDA runtime reported an error
  overlap = 10,          ///< x and y share memory
  cancelled = 11,        ///< the caller's progress callback stopped the call
  busy = 12,             ///< two products used one workspace at the same time
};

/// The name of a code, for example "invalid_matrix". Names never change.
GOSSAMER_API std::string_view name(errc code) noexcept;

/// The exception of all library functions. In these headers, "throws invalid_argument" means: throws an error
/// whose code() is errc::invalid_argument.
///
/// what() is one line that names the argument and its value. If there is no memory for the message, what() is
/// "out of host memory". Exceptions of the caller's callbacks pass through unchanged.
class GOSSAMER_API error : public std::runtime_error {
 public:
  /// An error with this code and message.
  error(errc code, const std::string& message);
  ~error() override;

  /// The kind of error.
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace gossamer::inline v0
