// SPDX-License-Identifier: BSD-3-Clause
// Matrices made from a line of text: the same bits on every machine and for every number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/csr_matrix.hpp"
#include "gossamer/export.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::inline v0 {

struct generator_parameter {
  std::string_view name;
  std::string_view default_text;  ///< empty: it must be given
  std::string_view help;
};

struct generator_info {
  std::string_view name;
  std::string_view help;
  std::span<const generator_parameter> parameters;
};

/// Every generator, for help texts and for tests that go through all of them.
GOSSAMER_API std::span<const generator_info> generators();

/// Whether the text has the form NAME(...) of a generator's specification (so a file name is not one).
GOSSAMER_API bool is_specification(std::string_view text) noexcept;

/// Makes the matrix of a specification: NAME(key=value, ...), for example "stencil(nx=100,ny=100,points=5)".
/// Columns ascend within a row and do not repeat. Values are all distinct unless values=... asks otherwise.
/// Throws invalid_argument that names the generator, the parameter and its value; out_of_memory; cancelled.
template <value V>
GOSSAMER_API csr_matrix<V, std::int64_t> generate(std::string_view specification,
                                                  const progress_callback& progress = {});

}  // namespace gossamer::inline v0
