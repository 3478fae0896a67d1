// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a sparse matrix: a gossamer_matrix, and the Python objects whose memory it uses.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>

#include "gossamer/gossamer.h"

namespace gossamer::python {

class arrays {
 public:
  /// Refers to the caller's arrays where the C interface can; `owner` keeps them alive.
  arrays(const gossamer_arrays& given, nanobind::object owner);
  /// Takes over a matrix that has its own arrays.
  explicit arrays(gossamer_matrix* owned) noexcept : handle_(owned), owner_(nanobind::none()) {}
  static arrays read(const std::string& file, gossamer_type type);

  arrays(arrays&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), owner_(std::move(other.owner_)) {}
  arrays& operator=(arrays&&) = delete;
  ~arrays() { gossamer_matrix_destroy(handle_); }

  [[nodiscard]] const gossamer_matrix* handle() const noexcept { return handle_; }
  [[nodiscard]] const nanobind::object& owner() const noexcept { return owner_; }
  [[nodiscard]] gossamer_arrays view() const;
  void write(const std::string& file) const;

 private:
  gossamer_matrix* handle_ = nullptr;
  nanobind::object owner_;
};

void bind_arrays(nanobind::module_& module);

}  // namespace gossamer::python
