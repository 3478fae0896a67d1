// SPDX-License-Identifier: BSD-3-Clause
// The papers' tables brought together: one entry a matrix, with every figure and where it is printed.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/catalog/tables.hpp"
#include "bench_support/generate/like/structures.hpp"
#include "core/common_length.hpp"
#include "core/fail.hpp"
#include "core/fork.hpp"
#include "core/out_of_memory.hpp"

namespace gossamer::bench_support {
namespace generation {
namespace {

constexpr std::string_view index_source = "SuiteSparse index";

known_matrix& entry(std::vector<known_matrix>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const known_matrix& m) { return m.name == name; });
  if (found != all.end()) return *found;
  all.push_back({.name = name});
  return all.back();
}

/// The first table to print a size is the one that counts: papers come before the index.
void add_size(known_matrix& m, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
              std::string_view source) {
  if (m.rows != 0) return;
  m.rows = rows;
  m.cols = cols;
  m.nnz = nnz;
  m.figures.push_back({.figure = "rows", .printed = std::to_string(rows), .source = source});
  m.figures.push_back({.figure = "cols", .printed = std::to_string(cols), .source = source});
  m.figures.push_back({.figure = "nnz", .printed = std::to_string(nnz), .source = source});
}

void add_000(std::vector<known_matrix>& all) {
  constexpr std::string_view table_1 = "paper 000, Table 1";
  for (const row_of_000& r : table_000) {
    known_matrix& m = entry(all, r.name);
    m.tables.emplace_back("000");
    m.aliases.push_back(r.abbreviation);
    if (r.title != r.abbreviation) m.aliases.push_back(r.title);
    add_size(m, r.rows, r.cols, r.nnz, table_1);
    for (const auto& [figure, printed] :
         {std::pair{"mean", r.mean}, std::pair{"sd", r.sd}, std::pair{"min", r.min}, std::pair{"max", r.max},
          std::pair{"hyb_k", r.hyb_k}})
      m.figures.push_back({.figure = figure, .printed = std::string(printed), .source = table_1});
    m.figures.push_back(
        {.figure = "coo_percent", .printed = std::string(r.coo_percent), .source = "paper 000, Table 4"});
  }
  for (published_figure& f : entry(all, "mc2depi").figures) {
    if (f.figure == "sd")
      f.exception = "3,075 entries short of 4 a row, in rows of 2 to 4, leave none below 0.0762";
  }
  entry(all, "conf5_4-8x8-05").aliases.emplace_back("qcd5_4");
}

void add_squares(std::vector<known_matrix>& all, std::span<const square_row> table, std::string_view paper,
                 std::string_view source) {
  for (const square_row& r : table) {
    known_matrix& m = entry(all, r.name);
    m.tables.push_back(paper);
    add_size(m, r.rows, r.rows, r.nnz, source);
    m.figures.push_back({.figure = "mean", .printed = std::string(r.mean), .source = source});
  }
}

std::vector<known_matrix> collect() {
  std::vector<known_matrix> all;
  add_000(all);
  add_squares(all, table_001, "001", "paper 001, Table I");
  add_squares(all, table_002, "002", "paper 002, Table VIII");
  for (const row_of_004& r : table_004) {
    known_matrix& m = entry(all, r.name);
    m.tables.emplace_back("004");
    add_size(m, r.rows, r.cols, r.nnz, index_source);
  }
  for (const row_of_004& r : text_004) add_size(entry(all, r.name), r.rows, r.cols, r.nnz, index_source);
  for (known_matrix& m : all) m.kind = structure_of(m.name).kind;
  return all;
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// How many letters to insert, drop or change; case does not count.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

/// Names that somebody may have meant, the nearest first.
std::string near_names(std::string_view name) {
  constexpr std::size_t most = 5;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  const auto consider = [&](std::string_view known) {
    const bool begins = name.size() >= 3 && same(known.substr(0, name.size()), name);
    const std::size_t away = begins ? 1 : distance(name, known);
    if (away <= std::max<std::size_t>(name.size() / 3, name.size() < 4 ? 1 : 2))
      near.emplace_back(away, known);
  };
  for (const known_matrix& m : known_matrices()) {
    consider(m.name);
    for (const std::string_view alias : m.aliases) consider(alias);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > most) near.resize(most);
  std::string text;
  for (const auto& [away, known] : near) text.append(text.empty() ? "" : ", ").append(known);
  return text;
}

}  // namespace

const structure& structure_of(std::string_view name) {
  return *std::find_if(std::begin(structures), std::end(structures),
                       [&](const structure& s) { return s.name == name; });
}

}  // namespace generation

std::string_view name(matrix_class kind) noexcept {
  constexpr std::string_view names[] = {"fem", "stencil", "circuit", "graph", "lp", "dense"};
  return names[static_cast<std::size_t>(kind)];
}

sector_bounds sectors_per_entry(matrix_class kind) noexcept {
  switch (kind) {
    case matrix_class::fem:
      return {.least = 0.025, .most = 0.25};
    case matrix_class::stencil:
      return {.least = 0.05, .most = 0.21};
    case matrix_class::circuit:
      return {.least = 0.10, .most = 0.20};
    case matrix_class::graph:
      return {.least = 0.09, .most = 0.69};
    case matrix_class::lp:
      return {.least = 0.08, .most = 0.22};
    case matrix_class::dense:
      break;
  }
  return {.least = 1.0 / 128, .most = 0.008};  // the last rows may be fewer than 32
}

std::span<const known_matrix> known_matrices() {
  return naming_out_of_memory("known_matrices", [&]() -> std::span<const known_matrix> {
    static constinit core::found_once<std::vector<known_matrix>> once;
    return once.get(generation::collect);
  });
}

const known_matrix& find_known_matrix(std::string_view name) {
  return naming_out_of_memory("find_known_matrix", [&]() -> const known_matrix& {
    const auto find = [](std::string_view wanted) -> const known_matrix* {
      for (const known_matrix& m : known_matrices()) {
        if (generation::same(m.name, wanted)) return &m;
        for (const std::string_view alias : m.aliases) {
          if (generation::same(alias, wanted)) return &m;
        }
      }
      return nullptr;
    };
    const known_matrix* found = find(name);
    // The collection's full names are GROUP/NAME.
    const std::size_t slash = name.rfind('/');
    if (found == nullptr && slash != std::string_view::npos) found = find(name.substr(slash + 1));
    if (found != nullptr) return *found;
    const std::string near = generation::near_names(name);
    if (near.empty())
      fail(errc::invalid_argument,
           "like: no paper's table names a matrix \"{}\" (gossamer generate --list-matrices shows all)",
           name);
    fail(errc::invalid_argument, "like: no paper's table names a matrix \"{}\" (near: {})", name, near);
  });
}

hyb_division divide_as_cusp(const row_length_distribution& lengths) {
  hyb_division result{.k = common_length(lengths)};
  std::int64_t nnz = 0;
  std::int64_t beyond = 0;
  for (const auto& [length, count] : lengths) {
    nnz += length * count;
    beyond += std::max<std::int64_t>(length - result.k, 0) * count;
  }
  if (nnz > 0) result.coo_percent = 100.0 * static_cast<double>(beyond) / static_cast<double>(nnz);
  return result;
}

}  // namespace gossamer::bench_support
