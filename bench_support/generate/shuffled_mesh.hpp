// SPDX-License-Identifier: BSD-3-Clause
// Meshes of triangles or tetrahedra whose nodes are numbered at random.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/mesh_sizes.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// One layer of nodes: squares cut into two triangles along a random diagonal. More layers: cubes cut into
/// six tetrahedra along the diagonal from the lowest corner to the highest (Kuhn's subdivision), so an inner
/// node has 14 neighbours.
class shuffled_mesh final : public pattern {
 public:
  static constexpr std::string_view name = "shuffled_mesh";
  static constexpr std::string_view help =
      "a mesh of triangles (nz = 1) or tetrahedra in random node order, coupled by dense dof x dof blocks";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"nx", "", "nodes along x"},
      {"ny", "nx", "nodes along y"},
      {"nz", "1", "nodes along z"},
      {"dof", "1", "unknowns per node"},
      {"patch", "all",
       "only nodes of the same patch of so many are permuted, x fastest; all: the whole mesh"},
  }};

  explicit shuffled_mesh(const arguments& given) : shuffled_mesh(mesh_of(given)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    std::int64_t nodes = 0;
    for_neighbours(place_of(row / mesh_.dof), [&](std::int64_t) { ++nodes; });
    return nodes * mesh_.dof;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::array<std::int64_t, 15> nodes{};
    std::size_t count = 0;
    for_neighbours(place_of(row / mesh_.dof), [&](std::int64_t place) { nodes[count++] = number_of(place); });
    std::sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
    std::int32_t* out = columns.data();
    for (std::size_t k = 0; k < count; ++k) {
      for (std::int64_t j = 0; j < mesh_.dof; ++j)
        *out++ = static_cast<std::int32_t>(nodes[k] * mesh_.dof + j);
    }
  }

 private:
  struct mesh : mesh_sizes {
    std::int64_t nodes = 0;
    std::int64_t patch = 0;
    std::uint64_t key = 0;
    std::uint64_t order_key = 0;
  };

  explicit shuffled_mesh(const mesh& m) : pattern{m.unknowns, m.unknowns}, mesh_(m) {}

  /// The order of the patch that begins at a node.
  [[nodiscard]] permutation order_of_patch(std::int64_t first) const {
    return {std::min(mesh_.patch, mesh_.nodes - first), draw(mesh_.order_key, first)};
  }
  /// The number of the node at a place of the mesh, and the place of a number.
  [[nodiscard]] std::int64_t number_of(std::int64_t place) const {
    const std::int64_t first = place / mesh_.patch * mesh_.patch;
    return first + order_of_patch(first)(place - first);
  }
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const {
    const std::int64_t first = number / mesh_.patch * mesh_.patch;
    return first + order_of_patch(first).inverse(number - first);
  }

  template <class Use>
  void for_neighbours(std::int64_t place, Use&& use) const {
    const std::int64_t x = place % mesh_.nx;
    const std::int64_t y = place / mesh_.nx % mesh_.ny;
    const std::int64_t z = place / mesh_.nx / mesh_.ny;
    for (std::int64_t dz = z > 0 ? -1 : 0; dz <= (z + 1 < mesh_.nz ? 1 : 0); ++dz) {
      for (std::int64_t dy = y > 0 ? -1 : 0; dy <= (y + 1 < mesh_.ny ? 1 : 0); ++dy) {
        for (std::int64_t dx = x > 0 ? -1 : 0; dx <= (x + 1 < mesh_.nx ? 1 : 0); ++dx) {
          if (linked(x, y, dx, dy, dz)) use(place + dx + mesh_.nx * (dy + mesh_.ny * dz));
        }
      }
    }
  }

  /// Whether the node at (x, y) has an edge to the one dx, dy and dz away.
  [[nodiscard]] bool linked(std::int64_t x, std::int64_t y, std::int64_t dx, std::int64_t dy,
                            std::int64_t dz) const {
    const bool rising = dx >= 0 && dy >= 0 && dz >= 0;
    const bool same_sign = rising || (dx <= 0 && dy <= 0 && dz <= 0);
    if (mesh_.nz > 1 || dx * dy == 0) return same_sign;
    // The square's number is that of its lowest corner.
    const std::int64_t square =
        x + std::min<std::int64_t>(dx, 0) + mesh_.nx * (y + std::min<std::int64_t>(dy, 0));
    return same_sign == ((draw(mesh_.key, square) & 1) == 0);
  }

  static mesh mesh_of(const arguments& given) {
    mesh m{mesh_sizes(given)};
    m.nodes = m.unknowns / m.dof;
    m.patch = given.text("patch") == "all" ? m.nodes : given.dimension("patch", 1);
    m.key = key_of(given.seed(), purpose::columns);
    m.order_key = key_of(given.seed(), purpose::row_order);
    return m;
  }

  mesh mesh_;
};

}  // namespace gossamer::bench_support::generation
