// SPDX-License-Identifier: BSD-3-Clause
// Finite-difference grids: each node is coupled with its neighbours, each unknown of a node with all of
// theirs.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class stencil final : public pattern {
 public:
  static constexpr std::string_view name = "stencil";
  static constexpr std::string_view help =
      "a grid of nx x ny x nz nodes, x fastest; nodes at the boundary have fewer neighbours";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"nx", "", "nodes along x"},
      {"ny", "1", "nodes along y"},
      {"nz", "1", "nodes along z"},
      {"points", "auto",
       "3 (along x), 5 (x and y), 7 (x, y and z), 9 (square) or 27 (cube); auto: 3, 5 or 7 by "
       "the grid's dimensions"},
      {"dof", "1", "unknowns per node; nodes are coupled by dense dof x dof blocks"},
  }};

  explicit stencil(const arguments& given) : stencil(grid_of(given)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    const place p = place_of(row);
    return (grid_.box ? p.x.size() * p.y.size() * p.z.size() : p.x.size() + p.y.size() + p.z.size() - 2) *
           grid_.dof;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    const place p = place_of(row);
    const std::int64_t node = row / grid_.dof;
    std::int32_t* out = columns.data();
    // By rising z, then y, then x, so that nodes ascend.
    for (std::int64_t dz = p.z.first; dz <= p.z.last; ++dz) {
      for (std::int64_t dy = p.y.first; dy <= p.y.last; ++dy) {
        if (!grid_.box && dz != 0 && dy != 0) continue;
        const bool whole_line = grid_.box || (dz == 0 && dy == 0);
        const std::int64_t line = node + (dz * grid_.ny + dy) * grid_.nx;
        const std::int64_t first = line + (whole_line ? p.x.first : 0);
        const std::int64_t last = line + (whole_line ? p.x.last : 0);
        for (std::int64_t j = first * grid_.dof; j < (last + 1) * grid_.dof; ++j)
          *out++ = static_cast<std::int32_t>(j);
      }
    }
  }

 private:
  struct grid {
    std::int64_t nx, ny, nz, dof, unknowns;
    bool box, along_y, along_z;
  };
  /// Steps to the neighbours in one direction: first = -1 or 0, last = 0 or 1.
  struct steps {
    std::int64_t first = 0;
    std::int64_t last = 0;
    [[nodiscard]] std::int64_t size() const { return last - first + 1; }
  };
  struct place {
    steps x, y, z;
  };

  explicit stencil(const grid& g) : pattern(g.unknowns, g.unknowns), grid_(g) {}

  static steps steps_in(std::int64_t at, std::int64_t size, bool coupled) {
    return {.first = coupled && at > 0 ? -1 : 0, .last = coupled && at + 1 < size ? 1 : 0};
  }

  [[nodiscard]] place place_of(std::int64_t row) const {
    const std::int64_t node = row / grid_.dof;
    const std::int64_t line = node / grid_.nx;
    return {.x = steps_in(node % grid_.nx, grid_.nx, true),
            .y = steps_in(line % grid_.ny, grid_.ny, grid_.along_y),
            .z = steps_in(line / grid_.ny, grid_.nz, grid_.along_z)};
  }

  static grid grid_of(const arguments& given) {
    grid g{};
    g.nx = given.dimension("nx", 1);
    g.ny = given.dimension("ny", 1);
    g.nz = given.dimension("nz", 1);
    g.dof = given.dimension("dof", 1);
    g.unknowns = 1;
    for (const std::int64_t factor : {g.nx, g.ny, g.nz, g.dof}) {
      g.unknowns *= factor;  // both are below 2^31
      given.check_dimension("nx * ny * nz * dof", g.unknowns);
    }
    const std::string_view points = given.text("points");
    const bool choose = points == "auto";
    g.box = points == "9" || points == "27";
    g.along_z = points == "7" || points == "27" || (choose && g.nz > 1);
    g.along_y = g.along_z || points == "5" || points == "9" || (choose && g.ny > 1);
    if (!choose && !g.along_y && points != "3") given.reject("points", "is not 3, 5, 7, 9, 27 or auto");
    return g;
  }

  grid grid_;
};

}  // namespace gossamer::bench_support::generation
