// SPDX-License-Identifier: BSD-3-Clause
// Speed and bandwidth as paper 002 counts them (section 6.2, formulas 1 to 5).
#pragma once

#include <cstdint>
#include <string_view>

namespace gossamer::experiments {

/// Which arrays are counted. None counts x by how often it is read from memory; (2) counts it once an entry,
/// the others leave it out or have it in the matrix, so numbers by different formulas are no bandwidths to be
/// compared with each other.
enum class bandwidth_formula {
  none,
  csr,       ///< (2): A, Col_Idx and x an entry each; Row_Ptr, and y read and written
  ellpack,   ///< (4): A and Col_Idx an entry each (not a slot); y read and written
  ellpack_r  ///< (5): the same and RL
};

/// "(2)" to "(5)"; empty for none.
std::string_view number_of(bandwidth_formula formula) noexcept;

struct product_size {
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  std::int64_t value_bytes = 4;  ///< the paper's 4; indices have 4 always
};

/// (1): 2 nnz / (seconds 10^9). The paper says that T is in milliseconds, which its 10^9 does not fit.
double gflops(std::int64_t nnz, double seconds);

/// The bytes that (2) to (5) count; 0 for none.
std::int64_t counted_bytes(bandwidth_formula formula, const product_size& size);

/// GB/s (10^9 bytes) by the formula: its 10^6 with T in milliseconds.
double paper_bandwidth(bandwidth_formula formula, const product_size& size, double seconds);

}  // namespace gossamer::experiments
