// SPDX-License-Identifier: BSD-3-Clause
// Admittance matrices of power grids: the diagonal and a few lines a bus, numbered region by region.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// A connected, nearly planar graph: only lines of hubs cross others. Buses lie on a map of square regions.
/// Each has one line to its western or northern neighbour, which makes a tree; some have a second one. A hub
/// takes the place of that neighbour for 9 to 16 of the buses south-east of it.
class power_grid final : public pattern {
 public:
  static constexpr std::string_view name = "power_grid";
  static constexpr std::string_view help =
      "the admittance matrix of a power grid: each bus with itself and its neighbours in a connected, nearly "
      "planar network with a few hubs";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"buses", "", "number of buses"},
      {"block", "1", "unknowns per bus, coupled by dense blocks; 2 as in the Jacobian of a power flow"},
      {"degree", "2.8", "mean number of neighbours of a bus, 2 to 4; less at the border of the map"},
      {"hubs", "0.002", "the share of buses with 10 to 20 neighbours, 0 to 1/256"},
      {"region", "32",
       "buses along the edge of a region, at least 8; regions are numbered in random order, buses in groups "
       "of 64 within them"},
  }};

  explicit power_grid(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  struct place {
    std::int64_t x, y;
    bool operator==(const place&) const = default;
  };
  /// The hub of a cell of the map.
  struct hub {
    place at;
    std::int64_t links;  ///< to buses in its window; 0: the cell has no hub
    std::uint64_t key;
  };
  /// Neighbours that come before a bus on the map.
  struct upward {
    std::array<place, 2> to;
    std::size_t count = 0;
    [[nodiscard]] bool has(const place& p) const {
      return (count > 0 && to[0] == p) || (count > 1 && to[1] == p);
    }
  };
  static constexpr std::int64_t cell = 16;   ///< edge of a cell, which has at most one hub
  static constexpr std::int64_t window = 5;  ///< edge of the square that a hub's buses lie in
  static constexpr std::int64_t group = 64;
  static constexpr std::size_t max_neighbours = 32;

  /// On the map, places are counted region by region and row by row.
  [[nodiscard]] place place_of(std::int64_t index) const;
  [[nodiscard]] std::int64_t index_of(const place& p) const;
  [[nodiscard]] bool exists(const place& p) const;
  /// A bus's number in the matrix, from its index on the map, and back.
  [[nodiscard]] std::int64_t number_of(std::int64_t index) const;
  [[nodiscard]] std::int64_t index_of_number(std::int64_t number) const;
  [[nodiscard]] permutation order_of_group(std::int64_t region, std::int64_t first) const;

  [[nodiscard]] hub hub_of_cell(const place& p) const;
  [[nodiscard]] upward upward_of(const place& p) const;
  template <class Use>
  void for_neighbours(std::int64_t bus, Use&& use) const;

  std::int64_t buses_;
  std::int64_t block_;
  std::int64_t edge_;  ///< of a region
  std::int64_t region_buses_;
  std::int64_t regions_along_x_;
  std::uint64_t second_line_;  ///< chance, times 2^53
  std::uint64_t hub_;          ///< chance of a cell, times 2^53
  std::uint64_t key_;
  std::uint64_t hub_key_;
  std::uint64_t order_key_;
  permutation region_order_;
};

}  // namespace gossamer::bench_support::generation
