// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/like/mesh_lines.hpp"

#include <algorithm>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {
namespace {

constexpr std::int64_t nodes_a_block = 96;

/// Columns of a run, whole nodes up to 12 where nodes are blocks: (32 + run) / (128 run) sectors an entry,
/// between those of bcsstk16 and tri_nsjac. Where each node has one unknown, 2: numberings of tetrahedral
/// meshes leave few neighbours side by side (wave, copter2).
constexpr std::int64_t run_of(std::int64_t dof) noexcept {
  return dof == 1 ? 2 : std::max<std::int64_t>(12 / dof, 1) * dof;
}

/// The bandwidth of a mesh in space grows as the 2/3rd power of its nodes: the least w with w^3 >= cols^2.
std::int64_t two_thirds_power(std::int64_t cols) noexcept {
  const uint128 square = uint128{static_cast<std::uint64_t>(cols)} * static_cast<std::uint64_t>(cols);
  std::int64_t low = 0;
  std::int64_t high = std::int64_t{1} << 21;
  while (low < high) {
    const std::int64_t w = (low + high) / 2;
    if (uint128{static_cast<std::uint64_t>(w)} * static_cast<std::uint64_t>(w) *
            static_cast<std::uint64_t>(w) >=
        square)
      high = w;
    else
      low = w + 1;
  }
  return low;
}

}  // namespace

mesh_lines::mesh_lines(std::int64_t rows, std::int64_t cols, std::int64_t mean, std::int64_t longest,
                       std::int64_t dof, std::uint64_t key)
    : rows_(rows),
      cols_(cols),
      dof_(dof),
      lines_(std::max<std::int64_t>((mean + run_of(dof) / 2) / run_of(dof), 1)),
      block_(nodes_a_block * dof),
      window_(std::min(cols, std::max(2 * two_thirds_power(cols), lines_ * (block_ + longest / lines_ + 1)))),
      key_(key) {}

void mesh_lines::fill(std::int64_t row, std::span<std::int32_t> columns) const {
  const auto length = static_cast<std::int64_t>(columns.size());
  if (window_ / lines_ < (length + lines_ - 1) / lines_) {  // a row too long for its strata
    choose_uniform(columns, cols_, draw(key_, row));
    return;
  }
  const std::int64_t block = row / block_;
  const std::int64_t diagonal = row * cols_ / rows_;
  const std::int64_t node = diagonal - row % dof_;
  const std::int64_t middle = (block * block_ + block_ / 2) * cols_ / rows_;
  const std::int64_t start = std::clamp<std::int64_t>(middle - window_ / 2, 0, cols_ - window_);
  const auto stratum_of = [&](std::int64_t line) { return start + window_ * line / lines_; };

  std::int64_t home = 0;  // the diagonal's stratum
  while (home + 1 < lines_ && stratum_of(home + 1) <= diagonal) ++home;
  std::int32_t* out = columns.data();
  for (std::int64_t line = 0; line < lines_; ++line) {
    // Columns that are left over go to the diagonal's stratum first.
    const std::int64_t turn = line >= home ? line - home : line - home + lines_;
    const std::int64_t run = length / lines_ + (turn < length % lines_ ? 1 : 0);
    if (run == 0) continue;
    const std::int64_t low = stratum_of(line);
    const std::int64_t last = stratum_of(line + 1) - run;
    std::int64_t first = 0;
    if (line == home && diagonal < stratum_of(line + 1)) {
      first = std::clamp(node - run / 2, low, last);
      if (first > diagonal || first + run <= diagonal) first = std::clamp(diagonal - run / 2, low, last);
    } else {
      const std::int64_t places = std::max<std::int64_t>(last - low - block_, 0) + 1;
      const std::int64_t place = below(draw(key_, block * lines_ + line), places);
      first = low + place + row % block_ - row % dof_;
      first = std::min(first - std::min(first % dof_, first - low), last);
    }
    for (std::int64_t j = first; j < first + run; ++j) *out++ = static_cast<std::int32_t>(j);
  }
}

}  // namespace gossamer::bench_support::generation
