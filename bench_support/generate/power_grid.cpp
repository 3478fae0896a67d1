// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/power_grid.hpp"

#include <algorithm>

namespace gossamer::bench_support::generation {
namespace {

/// The least whole number whose square is at least x.
std::int64_t edge_of_square(std::int64_t x) {
  std::int64_t edge = 0;
  for (std::int64_t bit = std::int64_t{1} << 16; bit != 0; bit >>= 1) {
    if ((edge + bit) * (edge + bit) < x) edge += bit;
  }
  return edge + 1;
}

std::int64_t unknowns_of(const arguments& given) {
  const std::int64_t unknowns = given.dimension("buses", 1) * given.whole("block", 1, 100);
  given.check_dimension("buses * block", unknowns);
  return unknowns;
}

bool happens(std::uint64_t bits, std::uint64_t chance) {
  return bits >> 11 < chance;
}

}  // namespace

power_grid::power_grid(const arguments& given)
    : pattern{unknowns_of(given), unknowns_of(given)},
      buses_(given.dimension("buses", 1)),
      block_(given.whole("block", 1, 100)),
      edge_(std::min(given.whole("region", 8, max_dimension), edge_of_square(buses_))),
      region_buses_(edge_ * edge_),
      regions_along_x_(edge_of_square((buses_ + region_buses_ - 1) / region_buses_)),
      second_line_(static_cast<std::uint64_t>((given.real("degree", 2, 4) - 2) * 0x1p52)),
      hub_(static_cast<std::uint64_t>(given.real("hubs", 0, 1.0 / 256) * 0x1p61)),
      key_(key_of(given.seed(), purpose::columns)),
      hub_key_(key_of(given.seed(), purpose::row_choice)),
      order_key_(key_of(given.seed(), purpose::row_order)),
      region_order_(buses_ / region_buses_, order_key_) {}

power_grid::place power_grid::place_of(std::int64_t index) const {
  const std::int64_t region = index / region_buses_;
  const std::int64_t at = index % region_buses_;
  return {.x = region % regions_along_x_ * edge_ + at % edge_,
          .y = region / regions_along_x_ * edge_ + at / edge_};
}

std::int64_t power_grid::index_of(const place& p) const {
  const std::int64_t region = p.y / edge_ * regions_along_x_ + p.x / edge_;
  return region * region_buses_ + p.y % edge_ * edge_ + p.x % edge_;
}

bool power_grid::exists(const place& p) const {
  return p.x < regions_along_x_ * edge_ && index_of(p) < buses_;
}

permutation power_grid::order_of_group(std::int64_t region, std::int64_t first) const {
  const std::int64_t begin = region * region_buses_ + first;
  return {std::min({group, region_buses_ - first, buses_ - begin}), draw(order_key_, begin)};
}

std::int64_t power_grid::number_of(std::int64_t index) const {
  const std::int64_t region = index / region_buses_;
  const std::int64_t at = index % region_buses_;
  const std::int64_t first = at / group * group;
  // The last region, if not full, remains the last.
  const bool full = region < buses_ / region_buses_;
  return (full ? region_order_(region) : region) * region_buses_ + first +
         order_of_group(region, first)(at - first);
}

std::int64_t power_grid::index_of_number(std::int64_t number) const {
  const std::int64_t position = number / region_buses_;
  const std::int64_t at = number % region_buses_;
  const std::int64_t first = at / group * group;
  const std::int64_t region = position < buses_ / region_buses_ ? region_order_.inverse(position) : position;
  return region * region_buses_ + first + order_of_group(region, first).inverse(at - first);
}

power_grid::hub power_grid::hub_of_cell(const place& p) const {
  const place corner{.x = p.x / cell * cell, .y = p.y / cell * cell};
  const std::uint64_t key = draw(draw(hub_key_, corner.y), corner.x);
  if (!happens(draw(key, 0), hub_)) return {};
  // The window lies in the cell, and not at its western or northern border.
  const hub h{.at = {.x = corner.x + 1 + below(draw(key, 1), cell - window),
                     .y = corner.y + 1 + below(draw(key, 2), cell - window)},
              .links = 9 + below(draw(key, 3), 8),
              .key = draw(key, 4)};
  return exists({.x = h.at.x + window - 1, .y = h.at.y + window - 1}) ? h : hub{};
}

power_grid::upward power_grid::upward_of(const place& p) const {
  upward result;
  const std::uint64_t bits = draw(draw(key_, p.y), p.x);
  std::array<place, 3> candidates;
  std::size_t count = 0;
  const hub h = hub_of_cell(p);
  const std::int64_t dx = p.x - h.at.x;
  const std::int64_t dy = p.y - h.at.y;
  if (h.links > 0 && dx >= 0 && dy >= 0 && dx < window && dy < window && dx + dy > 0) {
    // The first of the window's other buses, in random order, are the hub's.
    const permutation order(window * window - 1, h.key);
    if (order(dy * window + dx - 1) < h.links) candidates[count++] = h.at;
  }
  const auto add = [&](bool on_map, const place& other) {
    if (on_map && (count == 0 || candidates[0] != other)) candidates[count++] = other;
  };
  const bool north_first = (bits & 1) != 0;
  if (north_first) add(p.y > 0, {.x = p.x, .y = p.y - 1});
  add(p.x > 0, {.x = p.x - 1, .y = p.y});
  if (!north_first) add(p.y > 0, {.x = p.x, .y = p.y - 1});
  result.count = std::min<std::size_t>(count, happens(bits, second_line_) ? 2 : 1);
  std::copy_n(candidates.begin(), result.count, result.to.begin());
  return result;
}

template <class Use>
void power_grid::for_neighbours(std::int64_t bus, Use&& use) const {
  const place p = place_of(index_of_number(bus));
  use(bus);
  const upward own = upward_of(p);
  for (std::size_t k = 0; k < own.count; ++k) use(number_of(index_of(own.to[k])));
  const auto look_at = [&](const place& other) {
    if (exists(other) && upward_of(other).has(p)) use(number_of(index_of(other)));
  };
  const bool is_hub = [&] {
    const hub h = hub_of_cell(p);
    return h.links > 0 && h.at == p;
  }();
  const std::int64_t reach = is_hub ? window : 2;
  for (std::int64_t dy = 0; dy < reach; ++dy) {
    for (std::int64_t dx = 0; dx < reach; ++dx) {
      if (dx + dy > 0 && (is_hub || dx + dy < 2)) look_at({.x = p.x + dx, .y = p.y + dy});
    }
  }
}

std::int64_t power_grid::row_length(std::int64_t row) const {
  std::int64_t buses = 0;
  for_neighbours(row / block_, [&](std::int64_t) { ++buses; });
  return buses * block_;
}

void power_grid::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  std::array<std::int64_t, max_neighbours> buses{};
  std::size_t count = 0;
  for_neighbours(row / block_, [&](std::int64_t bus) { buses[count++] = bus; });
  std::sort(buses.begin(), buses.begin() + static_cast<std::ptrdiff_t>(count));
  std::int32_t* out = columns.data();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::int64_t j = 0; j < block_; ++j) *out++ = static_cast<std::int32_t>(buses[k] * block_ + j);
  }
}

}  // namespace gossamer::bench_support::generation
