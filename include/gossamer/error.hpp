// SPDX-License-Identifier: BSD-3-Clause
// The one exception class of the library, with a stable number for C and PETSc callers.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Kinds of errors. The numbers are part of the ABI: they are never reused and never change.
enum class errc : int {
  invalid_argument = 1,  ///< an argument has a value that is never allowed
  size_mismatch = 2,     ///< a vector or array has the wrong length
  invalid_matrix = 3,    ///< the arrays given do not describe a matrix
  unsupported = 4,       ///< allowed in principle; this format, device or version does not do it
  parse_error = 5,       ///< a file's text is wrong; the message says file, line and column
  io_error = 6,          ///< the operating system refused a file
  out_of_memory = 7,     ///< host or device memory ran out
  no_device = 8,         ///< no such GPU, no driver, or a build without CUDA
  device_error = 9,      ///< the CUDA runtime reported an error
  overlap = 10,          ///< x and y share memory
  cancelled = 11,        ///< the caller's progress callback asked to stop
  busy = 12,             ///< one workspace was used by two products at once
};

/// The stable name of a code, for example "invalid_matrix".
GOSSAMER_API std::string_view name(errc code) noexcept;

/// Thrown by every library function that fails. what() is one line that names the argument and its value. If
/// there is no memory for that text, what() is "out of host memory". Exceptions of user callbacks are passed
/// on unchanged.
class GOSSAMER_API error : public std::runtime_error {
 public:
  error(errc code, const std::string& message);
  ~error() override;

  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace gossamer::inline v0
