// SPDX-License-Identifier: BSD-3-Clause
// What of the instruction sets' vectors is known where none of them may be used.
#pragma once

#include <cstddef>

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::simd {

/// register_table<V>::most of an instruction set, of values of so many bytes.
constexpr int values_in_registers(isa level, std::size_t value_bytes) noexcept {
  if (level == isa::avx512) return 16;
  return level == isa::avx2 && value_bytes == 4 ? 8 : 0;
}

}  // namespace gossamer::inline v0::simd
