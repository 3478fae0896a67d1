// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/like/like.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/generate/like/mesh_lines.hpp"
#include "bench_support/generate/like/near_and_far.hpp"
#include "bench_support/generate/like/row_lengths.hpp"
#include "bench_support/generate/like/structures.hpp"
#include "bench_support/generate/like/tiles.hpp"
#include "bench_support/generate/make_pattern.hpp"
#include "bench_support/generate/numbers.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support::generation {
namespace {

/// A printed figure; a decimal fraction comes times 1000.
std::optional<std::int64_t> printed(const known_matrix& m, std::string_view figure, std::int64_t factor = 1) {
  for (const published_figure& f : m.figures) {
    if (f.figure != figure) continue;
    return std::llround(*parse_real(f.printed) * static_cast<double>(factor));
  }
  return std::nullopt;
}

/// As 000 prints them: HYB-k and the share of COO fix how many entries lie over the width k.
length_wishes printed_lengths(const known_matrix& m) {
  const std::int64_t reaching = std::max<std::int64_t>(4096, (m.rows + 2) / 3);  // divide_as_cusp's rule
  return {.rows = m.rows,
          .entries = m.nnz,
          .min = *printed(m, "min"),
          .max = *printed(m, "max"),
          .sd = static_cast<double>(*printed(m, "sd")),
          .pivot = *printed(m, "hyb_k"),
          .over = (*printed(m, "coo_percent", 1000) * m.nnz + 50'000) / 100'000,
          .most_over = reaching - 1,
          .most_under = m.rows - reaching};
}

length_wishes likely_lengths(const known_matrix& m, const structure& s) {
  const chosen_lengths chosen = choose_lengths(m.kind);
  length_wishes w{.rows = m.rows - s.huge_rows, .entries = m.nnz - s.huge_rows * s.huge};
  const double mean = static_cast<double>(w.entries) / static_cast<double>(w.rows);
  w.min = std::max<std::int64_t>(static_cast<std::int64_t>(mean * chosen.min_by_mean), 1);
  w.max = std::min(static_cast<std::int64_t>(mean * chosen.max_by_mean), m.cols);
  w.sd = mean * chosen.sd_by_mean;
  w.pivot = (2 * w.entries + w.rows) / (2 * w.rows);
  // What lies over the mean of a normal distribution: its deviation by the root of 2 pi.
  w.over = static_cast<std::int64_t>(0.4 * w.sd * static_cast<double>(w.rows));
  w.most_over = w.rows / 2;
  w.most_under = w.rows - w.most_over;
  return w;
}

row_length_distribution lengths_of(const known_matrix& m, const structure& s) {
  length_wishes wishes = printed(m, "hyb_k") ? printed_lengths(m) : likely_lengths(m, s);
  wishes.over_tail = m.kind == matrix_class::fem ? tail::geometric : tail::power;
  row_length_distribution lengths = fit_row_lengths(wishes);
  if (s.huge_rows > 0) lengths.emplace_back(s.huge, s.huge_rows);
  return lengths;
}

/// Neighbouring rows of a mesh are about as long; those of a circuit, a graph or a program are not.
std::int64_t rows_alike(const known_matrix& m, const structure& s) {
  return m.kind == matrix_class::fem ? 4 * s.dof : 1;
}

std::unique_ptr<const column_rule> columns_of(const known_matrix& m, const structure& s, std::int64_t longest,
                                              std::uint64_t seed) {
  const std::uint64_t key = key_of(seed, purpose::columns);
  const std::uint64_t order = key_of(seed, purpose::column_order);
  switch (m.kind) {
    case matrix_class::circuit:
      return std::make_unique<near_and_far>(
          m.rows, m.cols,
          near_and_far_shape{.half_window = 16, .far_percent = s.far_percent, .popular_half = 1}, key, order);
    case matrix_class::graph:
      return std::make_unique<near_and_far>(
          m.rows, m.cols,
          near_and_far_shape{.half_window = 8, .far_percent = s.far_percent, .popular_half = 1}, key, order);
    case matrix_class::lp:
      return std::make_unique<tiles>(m.cols, key);
    default:
      return std::make_unique<mesh_lines>(m.rows, m.cols, (m.nnz + m.rows / 2) / m.rows, longest, s.dof, key);
  }
}

class stand_in final : public pattern {
 public:
  stand_in(const known_matrix& m, const structure& s, const row_length_distribution& lengths,
           std::uint64_t seed)
      : pattern{m.rows, m.cols},
        lengths_(lengths, rows_alike(m, s), key_of(seed, purpose::row_order)),
        columns_(columns_of(m, s, lengths.back().first, seed)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override { return lengths_.length_of(row); }
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    columns_->fill(row, columns);
  }

 private:
  ranked_rows lengths_;
  std::unique_ptr<const column_rule> columns_;
};

std::unique_ptr<const pattern> make(const arguments& given) {
  const known_matrix& m = find_known_matrix(given.text("name"));
  const structure& s = structure_of(m.name);
  if (!s.formula.empty()) return make_pattern(s.formula);
  return std::make_unique<stand_in>(m, s, lengths_of(m, s), given.seed());
}

}  // namespace

like::like(const arguments& given) : like(make(given)) {}

}  // namespace gossamer::bench_support::generation
