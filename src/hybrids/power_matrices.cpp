// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/power_matrices.hpp"

#include <algorithm>

namespace gossamer::inline v0::hybrids {
namespace {

using columns = std::vector<std::int32_t>;

/// The neighbours of a node of an n x n x n grid (or n x n, flat) within one step; with `corners`, diagonal
/// ones too. Each node has `Unknowns` rows.
template <std::int64_t N, bool Flat, bool Corners, std::int64_t Unknowns = 1>
void append_grid_row(std::int64_t row, columns& to) {
  const std::int64_t node = row / Unknowns;
  const std::int64_t x = node % N;
  const std::int64_t y = node / N % N;
  const std::int64_t z = node / (N * N);
  for (std::int64_t dz = Flat ? 0 : -1; dz <= (Flat ? 0 : 1); ++dz) {
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const bool inside =
            x + dx >= 0 && x + dx < N && y + dy >= 0 && y + dy < N && z + dz >= 0 && z + dz < N;
        const std::int64_t steps = (dx != 0) + (dy != 0) + (dz != 0);
        if (!inside || (!Corners && steps > 1)) continue;
        const std::int64_t neighbour = ((z + dz) * N + y + dy) * N + x + dx;
        for (std::int64_t k = 0; k < Unknowns; ++k)
          to.push_back(static_cast<std::int32_t>(neighbour * Unknowns + k));
      }
    }
  }
}

template <std::int64_t N, std::int64_t HalfWidth>
void append_band_row(std::int64_t row, columns& to) {
  for (std::int64_t j = std::max<std::int64_t>(0, row - HalfWidth); j <= std::min(N - 1, row + HalfWidth);
       ++j)
    to.push_back(static_cast<std::int32_t>(j));
}

/// SplitMix64's finalizer: scatters consecutive numbers.
std::uint64_t scattered(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void append_scattered(std::int64_t row, std::int64_t count, std::int64_t size, columns& to) {
  const auto begin = static_cast<std::ptrdiff_t>(to.size());
  for (std::int64_t k = 0; k < count; ++k)
    to.push_back(static_cast<std::int32_t>(
        scattered(static_cast<std::uint64_t>(row) << 20 | static_cast<std::uint64_t>(k + 1)) %
        static_cast<std::uint64_t>(size)));
  std::sort(to.begin() + begin, to.end());
}

template <std::int64_t N, std::int64_t Count>
void append_uniform_row(std::int64_t row, columns& to) {
  append_scattered(row, Count, N, to);
}

/// Row number r, in scattered order, has about 20000 / (r + 1) columns and at least 6: some rows are very
/// long.
template <std::int64_t N>
void append_skewed_row(std::int64_t row, columns& to) {
  constexpr std::int64_t longest = 20000;
  constexpr std::int64_t odd_step = 77773;  // coprime to N
  append_scattered(row, std::max<std::int64_t>(6, longest / (row * odd_step % N + 1)), N, to);
}

template <std::int64_t N>
void append_dense_row(std::int64_t, columns& to) {
  for (std::int64_t j = 0; j < N; ++j) to.push_back(static_cast<std::int32_t>(j));
}

constexpr power_matrix all[] = {
    {"grid 700^2, 5 points", 700 * 700, append_grid_row<700, true, false>},
    {"grid 80^3, 7 points", 80 * 80 * 80, append_grid_row<80, false, false>},
    {"grid 48^3, 27 points", 48 * 48 * 48, append_grid_row<48, false, true>},
    {"grid 24^3, 27 points, 3 unknowns", 3 * 24 * 24 * 24, append_grid_row<24, false, true, 3>},
    {"band of 41 in 60000", 60000, append_band_row<60000, 20>},
    {"16 a row, uniform in 100000", 100000, append_uniform_row<100000, 16>},
    {"4 a row, uniform in 500000", 500000, append_uniform_row<500000, 4>},
    {"skewed rows in 200000", 200000, append_skewed_row<200000>},
    {"dense 1200", 1200, append_dense_row<1200>},
};

}  // namespace

std::span<const power_matrix> power_matrices() noexcept {
  return all;
}

template <value V>
csr_matrix<V, std::int64_t> build(const power_matrix& pattern) {
  csr_matrix<V, std::int64_t> a{
      .rows = pattern.rows, .cols = pattern.rows, .row_ptr = {}, .col = {}, .val = {}};
  a.row_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(pattern.rows + 1));
  columns found;
  a.row_ptr.data()[0] = 0;
  for (std::int64_t i = 0; i < pattern.rows; ++i) {
    pattern.append_columns(i, found);
    a.row_ptr.data()[i + 1] = static_cast<std::int64_t>(found.size());
  }
  a.col = host_buffer<std::int32_t>(found.size());
  std::copy(found.begin(), found.end(), a.col.data());
  a.val = host_buffer<V>(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::uint64_t bits = scattered(k + 1);
    const double magnitude = 0.5 + 0.5 * static_cast<double>(bits >> 11) * 0x1p-53;
    a.val.data()[k] = static_cast<V>((bits & 1) != 0 ? magnitude : -magnitude);
  }
  return a;
}

template csr_matrix<float, std::int64_t> build(const power_matrix&);
template csr_matrix<double, std::int64_t> build(const power_matrix&);

}  // namespace gossamer::inline v0::hybrids
