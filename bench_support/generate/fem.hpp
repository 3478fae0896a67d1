// SPDX-License-Identifier: BSD-3-Clause
// Assembled finite elements: dense dof x dof blocks between nodes that share an element.
#pragma once

#include <algorithm>
#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/mesh_sizes.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// hex: nodes of a hexahedral mesh, 27 neighbours inside, x fastest. unstructured: the same nodes numbered at
/// random within patches of 64, and of the links to the 26 others only a share, both ways alike, as
/// tetrahedra have.
class fem final : public pattern {
 public:
  static constexpr std::string_view name = "fem";
  static constexpr std::string_view help =
      "finite elements on nx x ny x nz nodes, coupled by dense dof x dof blocks";
  static constexpr std::array<generator_parameter, 6> parameters{{
      {"nx", "", "nodes along x"},
      {"ny", "nx", "nodes along y"},
      {"nz", "ny", "nodes along z"},
      {"dof", "3", "unknowns per node"},
      {"mesh", "hex",
       "hex (27 neighbours inside, the node itself included) or unstructured (a varying number, and node "
       "numbers shuffled in patches)"},
      {"links", "0.5", "unstructured: the share of the 26 neighbours that a node is coupled with, 0 to 1"},
  }};

  explicit fem(const arguments& given) : fem(mesh_of(given)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    std::int64_t nodes = 0;
    for_neighbours(row / mesh_.dof, [&](std::int64_t) { ++nodes; });
    return nodes * mesh_.dof;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::array<std::int64_t, 27> nodes{};
    std::size_t count = 0;
    for_neighbours(row / mesh_.dof, [&](std::int64_t node) { nodes[count++] = node; });
    if (mesh_.unstructured) std::sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
    std::int32_t* out = columns.data();
    for (std::size_t k = 0; k < count; ++k) {
      for (std::int64_t j = 0; j < mesh_.dof; ++j)
        *out++ = static_cast<std::int32_t>(nodes[k] * mesh_.dof + j);
    }
  }

 private:
  struct mesh : mesh_sizes {
    bool unstructured = false;
    std::uint64_t threshold = 0;  ///< of 53 random bits
    std::uint64_t key = 0;
    std::uint64_t order_key = 0;
  };
  static constexpr std::int64_t patch = 64;

  explicit fem(const mesh& m) : pattern{m.unknowns, m.unknowns}, mesh_(m) {}

  /// A node's number and its place in the mesh; each the other's inverse.
  [[nodiscard]] std::int64_t renumbered(std::int64_t node) const {
    const std::int64_t nodes = rows / mesh_.dof;
    const std::int64_t first = node / patch * patch;
    if (!mesh_.unstructured || first + patch > nodes) return node;
    // Multiply by 37, flip bits, divide by 37 (37 * 45 = 1 modulo 64): doing it again undoes it.
    const auto flip = static_cast<std::int64_t>(draw(mesh_.order_key, node / patch) % patch);
    return first + (((node - first) * 37 % patch) ^ flip) * 45 % patch;
  }

  template <class Use>
  void for_neighbours(std::int64_t number, Use&& use) const {
    const std::int64_t node = renumbered(number);
    const std::int64_t x = node % mesh_.nx;
    const std::int64_t y = node / mesh_.nx % mesh_.ny;
    const std::int64_t z = node / mesh_.nx / mesh_.ny;
    for (std::int64_t c = std::max<std::int64_t>(z - 1, 0); c <= std::min(z + 1, mesh_.nz - 1); ++c) {
      for (std::int64_t b = std::max<std::int64_t>(y - 1, 0); b <= std::min(y + 1, mesh_.ny - 1); ++b) {
        for (std::int64_t a = std::max<std::int64_t>(x - 1, 0); a <= std::min(x + 1, mesh_.nx - 1); ++a) {
          const std::int64_t other = a + mesh_.nx * (b + mesh_.ny * c);
          if (linked(node, other)) use(renumbered(other));
        }
      }
    }
  }

  [[nodiscard]] bool linked(std::int64_t a, std::int64_t b) const {
    if (!mesh_.unstructured || a == b) return true;
    return draw(draw(mesh_.key, std::min(a, b)), std::max(a, b)) >> 11 < mesh_.threshold;
  }

  static mesh mesh_of(const arguments& given) {
    mesh m{mesh_sizes(given)};
    const std::string_view kind = given.text("mesh");
    m.unstructured = kind == "unstructured";
    if (!m.unstructured && kind != "hex") given.reject("mesh", "is not hex or unstructured");
    if (!m.unstructured && given.is_given("links") && given.text("links") != "0.5")
      given.reject("links", "needs mesh=unstructured");
    m.threshold = static_cast<std::uint64_t>(given.real("links", 0, 1) * 0x1p53);
    m.key = key_of(given.seed(), purpose::columns);
    m.order_key = key_of(given.seed(), purpose::row_order);
    return m;
  }

  mesh mesh_;
};

}  // namespace gossamer::bench_support::generation
