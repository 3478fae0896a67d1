// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/formula.hpp"

namespace gossamer::experiments {

std::string_view number_of(bandwidth_formula formula) noexcept {
  switch (formula) {
    case bandwidth_formula::csr:
      return "(2)";
    case bandwidth_formula::ellpack:
      return "(4)";
    case bandwidth_formula::ellpack_r:
      return "(5)";
    default:
      return "";
  }
}

double gflops(std::int64_t nnz, double seconds) {
  return 2.0 * static_cast<double>(nnz) / seconds * 1e-9;
}

std::int64_t counted_bytes(bandwidth_formula formula, const product_size& size) {
  constexpr std::int64_t index = 4;
  const std::int64_t value = size.value_bytes;
  const std::int64_t y = 2 * value * size.rows;
  const std::int64_t row_ptr = index * (size.rows + 1);
  switch (formula) {
    case bandwidth_formula::csr:
      return size.nnz * (value + index + value) + row_ptr + y;
    case bandwidth_formula::ellpack:
      return size.nnz * (value + index) + y;
    case bandwidth_formula::ellpack_r:
      return size.nnz * (value + index) + y + index * size.rows;
    default:
      return 0;
  }
}

double paper_bandwidth(bandwidth_formula formula, const product_size& size, double seconds) {
  return static_cast<double>(counted_bytes(formula, size)) / seconds * 1e-9;
}

}  // namespace gossamer::experiments
