// SPDX-License-Identifier: BSD-3-Clause
#include "support/battery.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "bench_support/generate/generate.hpp"
#include "support/csr_products.hpp"

namespace gossamer::testing_support {
namespace {

using matrix = csr_matrix<double, std::int64_t>;
using triplets = std::vector<std::tuple<int, int, double>>;

matrix from_triplets(std::int64_t rows, std::int64_t cols, const triplets& entries) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  std::vector<double> val;
  for (const auto& [i, j, v] : entries) {
    row.push_back(i);
    col.push_back(j);
    val.push_back(v);
  }
  return csr_from_coo<double, std::int64_t>({.rows = rows, .cols = cols, .row = row, .col = col, .val = val});
}

/// Random entries with rows of the given lengths; columns unsorted and possibly repeated.
matrix with_lengths(const std::vector<int>& lengths, std::int64_t cols, unsigned seed) {
  std::mt19937 random(seed);
  triplets entries;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (int k = 0; k < lengths[i]; ++k) {
      const auto j = static_cast<int>(random() % static_cast<unsigned>(cols));
      entries.emplace_back(static_cast<int>(i), j, (static_cast<double>(random() % 2001) - 1000.0) / 512.0);
    }
  }
  return from_triplets(static_cast<std::int64_t>(lengths.size()), cols, entries);
}

/// Values over the whole range of f32 (so that converting to it keeps them finite), and explicit zeros of
/// both signs.
matrix extreme_values() {
  matrix a = with_lengths(std::vector<int>(130, 9), 97, 5);
  const double values[] = {1e-38, 1e-45, 1e18, -1e18, 3e-20, -0.0, 0.0, 1.0, -7e-39};
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = values[k % 9];
  return a;
}

std::vector<int> repeated(const std::vector<int>& pattern, std::size_t rows) {
  std::vector<int> lengths;
  for (std::size_t i = 0; i < rows; ++i) lengths.push_back(pattern[i % pattern.size()]);
  return lengths;
}

/// Chunks of 512 to 4096 entries with rows and columns from each other as far as one, two and four bytes
/// count: three parts of 4096 entries and a rest of 300. The first half of each has three values, the second
/// many.
matrix numbers_of_every_width() {
  constexpr std::size_t part = 4096;
  std::vector<int> lengths = repeated({20}, 204);  // 1 byte
  lengths.push_back(16);
  const auto then = [&](const std::vector<int>& pattern, std::size_t rows) {
    const std::vector<int> more = repeated(pattern, rows);
    lengths.insert(lengths.end(), more.begin(), more.end());
  };
  then({1, 1, 1, 0}, part / 3 * 4 + 1);
  then({20}, 130);
  then({0}, 66000);  // after entry 2600 of its part, in the middle of a chunk
  then({20}, 74);
  then({16}, 1);
  then({1, 2}, 200);
  then({0}, 5);
  matrix a = with_lengths(lengths, 70001, 8);
  for (std::size_t k = 0; k < a.col.size(); ++k) {
    if (k / part == 0 || k / part == 3)
      a.col[k] = 1000 + a.col[k] % 200;
    else if (k / part == 1)
      a.col[k] %= 60000;
    else if (k % 100 < 2)
      a.col[k] = k % 2 == 0 ? 0 : 70000;
    if (k % part < part / 2) a.val[k] = static_cast<double>(k % 3) - 1.5;
  }
  return a;
}

/// Five points on a grid of 24 by 20, where both ends of each line refer to a number of the line's own behind
/// all points too.
matrix stencil_with_coupled_ends() {
  constexpr int nx = 24;
  constexpr int ny = 20;
  triplets entries;
  for (int i = 0; i < nx * ny; ++i) {
    const int at = i % nx;
    const int line = i / nx;
    const auto add = [&](bool there, int j) {
      if (there) entries.emplace_back(i, j, static_cast<double>((7 * i + 3 * j) % 31 - 15) / 8.0);
    };
    add(line > 0, i - nx);
    add(at > 0, i - 1);
    add(true, i);
    add(at < nx - 1, i + 1);
    add(line < ny - 1, i + nx);
    add(at == 0 || at == nx - 1, nx * ny + line);
  }
  return from_triplets(nx * ny, nx * ny + ny, entries);
}

std::vector<battery_entry> make() {
  std::vector<battery_entry> all;
  const auto add = [&](std::string name, matrix a) { all.push_back({std::move(name), std::move(a)}); };
  const auto spec = [&](std::string name, std::string_view text) {
    add(std::move(name), bench_support::generate<double>(text));
  };

  add("no_rows", from_triplets(0, 5, {}));
  add("no_columns", from_triplets(5, 0, {}));
  add("nothing", from_triplets(0, 0, {}));
  add("one_by_one", from_triplets(1, 1, {{0, 0, 2.5}}));
  add("one_by_one_empty", from_triplets(1, 1, {}));
  add("no_nonzeros", from_triplets(337, 41, {}));
  add("one_column", from_triplets(70, 1, {{3, 0, 1.5}, {69, 0, -2.0}}));
  add("one_row", with_lengths({30000}, 40000, 1));
  add("duplicates", from_triplets(3, 4, {{1, 2, 1.0}, {1, 2, 2.5}, {1, 2, -0.5}, {2, 0, 1.0}, {2, 0, 1.0}}));
  add("unsorted", with_lengths(repeated({7, 3, 12}, 500), 611, 2));
  add("only_last_row", from_triplets(1000, 10, {{999, 9, 4.0}}));
  add("only_first_row", from_triplets(1000, 10, {{0, 0, 4.0}}));
  for (const int rows : {31, 32, 33, 255, 256, 257}) {
    add("rows_" + std::to_string(rows),
        with_lengths(repeated({4, 5, 1}, static_cast<std::size_t>(rows)), 300, 3));
  }
  for (const int length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65})
    add("length_" + std::to_string(length), with_lengths(repeated({length}, 67), 200, 4));
  // Rows that end exactly at, one before and one after the ends of units (1792 and 8192 steps).
  add("tile_edges", with_lengths({1791, 1792, 1793, 0, 0, 8191, 8192, 8193, 1, 0, 3583, 2, 1790}, 9000, 6));
  add("huge_rows_in_turn", with_lengths({9000, 0, 1, 9000, 9000, 2, 0, 0, 20000}, 21000, 7));
  add("extreme_values", extreme_values());
  add("numbers_of_every_width", numbers_of_every_width());
  spec("every_third_row_empty", "empty_rows(rows=1000,every=3,per_row=8)");
  spec("mostly_empty", "empty_rows(rows=1000,fraction=0.9,per_row=20)");
  spec("heavy_row", "heavy_row(rows=900,cols=20000,per_row=5,heavy=19000)");
  spec("arrow", "arrow(n=700)");
  spec("dense", "dense(rows=90,cols=110)");
  spec("diagonal", "diagonal(n=1000)");
  spec("stencil_5", "stencil(nx=30,ny=30,points=5)");
  add("stencil_with_coupled_ends", stencil_with_coupled_ends());
  spec("stencil_27", "stencil(nx=9,ny=10,nz=11,points=27)");
  spec("fem_blocks", "stencil(nx=6,ny=6,nz=6,points=27,dof=3)");
  add("stencil_27_rotated",
      rotated(bench_support::generate<double>("stencil(nx=9,ny=10,nz=11,points=27)"), 9));
  add("fem_blocks_rotated",
      rotated(bench_support::generate<double>("stencil(nx=6,ny=6,nz=6,points=27,dof=3)"), 9));
  spec("uniform_wide", "uniform(rows=300,cols=5000,per_row=40)");
  spec("uniform_tall", "uniform(rows=1000,cols=60,per_row=25)");
  spec("power_law", "power_law(rows=1000,mean=12)");
  return all;
}

/// GOSSAMER_TEST_MATRICES=NAME,NAME leaves the others out, for tools under which everything takes hundreds of
/// times as long.
std::vector<battery_entry> chosen(std::vector<battery_entry> all) {
  const char* names = std::getenv("GOSSAMER_TEST_MATRICES");
  if (names == nullptr) return all;
  std::vector<battery_entry> some;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const battery_entry& entry) { return entry.name == name; });
    if (found == all.end()) throw std::invalid_argument("GOSSAMER_TEST_MATRICES: there is no matrix " + name);
    some.push_back(std::move(*found));
  }
  return some;
}

}  // namespace

const std::vector<battery_entry>& battery() {
  static const std::vector<battery_entry> all = chosen(make());
  return all;
}

template <value V, offset O>
csr_matrix<V, O> converted(const csr_matrix<double, std::int64_t>& a, bool integers) {
  csr_matrix<V, O> b{.rows = a.rows,
                     .cols = a.cols,
                     .row_ptr = host_buffer<O>(a.row_ptr.size()),
                     .col = host_buffer<std::int32_t>(a.col.size()),
                     .val = host_buffer<V>(a.val.size())};
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i) b.row_ptr[i] = static_cast<O>(a.row_ptr[i]);
  for (std::size_t k = 0; k < a.col.size(); ++k) {
    b.col[k] = a.col[k];
    b.val[k] = integers ? static_cast<V>(1 + static_cast<int>(k % 5)) * (k % 3 == 0 ? V{-1} : V{1})
                        : static_cast<V>(a.val[k]);
  }
  return b;
}

template csr_matrix<float, std::int32_t> converted(const csr_matrix<double, std::int64_t>&, bool);
template csr_matrix<float, std::int64_t> converted(const csr_matrix<double, std::int64_t>&, bool);
template csr_matrix<double, std::int32_t> converted(const csr_matrix<double, std::int64_t>&, bool);
template csr_matrix<double, std::int64_t> converted(const csr_matrix<double, std::int64_t>&, bool);

}  // namespace gossamer::testing_support
