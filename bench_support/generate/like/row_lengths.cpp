// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/like/row_lengths.hpp"

#include <algorithm>
#include <limits>

#include "bench_support/generate/zipf.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support::generation {
namespace {

/// The rows on one side of the pivot.
struct side {
  std::int64_t total;  ///< sum of the distances
  std::int64_t cap;    ///< the largest distance, which occurs
  std::int64_t most;   ///< rows
  tail shape;
};

constexpr std::int64_t steepnesses = 1 << 20;

/// Distances first ... first + count - 1 share one height.
struct step {
  std::int64_t first;
  std::int64_t count;
  double height;
};

/// Level: a high number is a slow fall, so few rows lie far out.
std::vector<step> curve(const side& s, std::int64_t level) {
  std::vector<step> steps;
  if (s.shape == tail::power) {
    const double exponent = 8 * static_cast<double>(steepnesses - level + 1) / steepnesses;
    const zipf_steps zipf(s.cap, exponent);
    for (const zipf_steps::step& z : zipf.all())
      steps.push_back({.first = z.first + 1, .count = z.count, .height = z.height});
    return steps;
  }
  // At least 1/16, so that heights of some 250 steps are no zeros; exact, as gap has 25 bits.
  const double gap = static_cast<double>(31 * (steepnesses - level)) / (32 * steepnesses);
  const double factor = 1 - gap * gap;
  double height = 1;
  for (std::int64_t v = 1; v <= s.cap; ++v) {
    steps.push_back({.first = v, .count = 1, .height = height});
    height *= factor;
  }
  return steps;
}

std::int64_t rows_at(const side& s, const step& at, double scale) {
  const double rows = scale * at.height;
  if (!(rows < static_cast<double>(s.most))) return s.most;
  return std::max<std::int64_t>(static_cast<std::int64_t>(rows), 1);
}

/// The largest scale whose distances add up to no more than asked.
double fit_scale(const side& s, const std::vector<step>& steps) {
  const auto fits = [&](double scale) {
    std::int64_t rest = s.total;
    for (const step& at : steps) {
      const std::int64_t rows = rows_at(s, at, scale);
      if (rows > rest / at.count) return false;
      rest -= rows * at.count;
    }
    return true;
  };
  // Positive doubles are ordered as their bits are.
  std::uint64_t low = 0;
  std::uint64_t high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (fits(std::bit_cast<double>(middle)))
      low = middle;
    else
      high = middle - 1;
  }
  return std::bit_cast<double>(low);
}

/// N(1), N(2), ..., N(cap), and a 0.
std::vector<std::int64_t> tail_counts(const side& s, std::int64_t level) {
  std::vector<std::int64_t> counts;
  if (s.total == 0) return {0};
  const std::vector<step> steps = curve(s, level);
  const double scale = fit_scale(s, steps);
  std::int64_t rest = s.total;
  for (const step& at : steps) {
    counts.insert(counts.end(), static_cast<std::size_t>(at.count), rows_at(s, at, scale));
    rest -= rows_at(s, at, scale) * at.count;
  }
  // What rounding down left over: one more row wherever the curve still falls.
  while (rest > 0) {
    std::int64_t above = s.most;
    for (std::int64_t& rows : counts) {
      if (rest > 0 && rows < above) {
        ++rows;
        --rest;
      }
      above = rows;
    }
  }
  counts.push_back(0);
  return counts;
}

/// The sum of the distances' squares.
double squares(const std::vector<std::int64_t>& counts) {
  double sum = 0;
  double odd = 1;  // 2v - 1
  for (const std::int64_t rows : counts) {
    sum += odd * static_cast<double>(rows);
    odd += 2;
  }
  return sum;
}

/// Raises the squares' sum by up to `gap` and keeps the distances' sum: a row goes one step in, another one
/// step out. Far out a step of a long tail is a matter of single rows, and the curve alone comes only so
/// near.
void raise_squares(std::vector<std::int64_t>& counts, double gap) {
  for (int moves = 0; moves < 10'000 && gap > 2; ++moves) {
    std::size_t in = 0;
    while (in + 2 < counts.size() && counts[in] == counts[in + 1]) ++in;
    if (in + 2 >= counts.size()) return;
    const double reach = std::min(gap / 2, static_cast<double>(counts.size() - 2 - in));
    std::size_t out = in + static_cast<std::size_t>(reach);
    while (out > in + 1 && counts[out] == counts[out - 1]) --out;
    if (out <= in + 1) return;
    --counts[in];
    ++counts[out];
    gap -= 2 * static_cast<double>(out - in);
  }
}

void check(const side& s, const char* which) {
  if (s.total == 0 && s.cap == 0) return;
  const bool too_little = s.total < s.cap;
  if (!too_little && s.cap > 0 && s.most > 0 && (s.total + s.cap - 1) / s.cap <= s.most) return;
  fail(errc::unsupported,
       "row lengths: {} rows can be {} the pivot by {} at most, which does not give a sum of {}", s.most,
       which, s.cap, s.total);
}

}  // namespace

row_length_distribution fit_row_lengths(const length_wishes& w) {
  const std::int64_t under_total = w.rows * w.pivot + w.over - w.entries;
  const side over{.total = w.over, .cap = w.max - w.pivot, .most = w.most_over, .shape = w.over_tail};
  const side under{
      .total = under_total, .cap = w.pivot - w.min, .most = w.most_under, .shape = tail::geometric};
  check(over, "over");
  check(under, "under");

  // The mean of (length - pivot)^2 is the variance and the square of the mean's own distance.
  const double rows = static_cast<double>(w.rows);
  const double shift = static_cast<double>(w.entries - w.rows * w.pivot);
  const double wanted = w.sd * w.sd * rows + shift * shift / rows;
  std::int64_t low = 0;
  std::int64_t high = steepnesses;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (squares(tail_counts(over, middle)) + squares(tail_counts(under, middle)) <= wanted)
      low = middle;
    else
      high = middle - 1;
  }

  std::vector<std::int64_t> longer = tail_counts(over, low);
  const std::vector<std::int64_t> shorter = tail_counts(under, low);
  raise_squares(longer, wanted - squares(longer) - squares(shorter));
  row_length_distribution lengths;
  const auto add = [&](std::int64_t length, std::int64_t count) {
    if (count > 0) lengths.emplace_back(length, count);
  };
  for (auto v = static_cast<std::int64_t>(shorter.size()) - 1; v > 0; --v)
    add(w.pivot - v, shorter[static_cast<std::size_t>(v) - 1] - shorter[static_cast<std::size_t>(v)]);
  add(w.pivot, w.rows - shorter.front() - longer.front());
  for (std::size_t v = 1; v < longer.size(); ++v)
    add(w.pivot + static_cast<std::int64_t>(v), longer[v - 1] - longer[v]);
  return lengths;
}

ranked_rows::ranked_rows(const row_length_distribution& lengths, std::int64_t group, std::uint64_t key)
    : group_(group),
      rest_([&] {
        std::int64_t rows = 0;
        for (const auto& [length, count] : lengths) rows += count;
        return rows % group;
      }()),
      grouped_([&] {
        std::int64_t rows = 0;
        for (const auto& [length, count] : lengths) rows += count;
        return rows - rows % group;
      }()),
      order_(grouped_ / group, key) {
  std::int64_t end = 0;
  for (const auto& [length, count] : lengths) runs_.push_back({.end = end += count, .length = length});
}

std::int64_t ranked_rows::length_of(std::int64_t row) const noexcept {
  const std::int64_t rank =
      row < grouped_ ? rest_ + order_(row / group_) * group_ + row % group_ : row - grouped_;
  const auto found = std::upper_bound(runs_.begin(), runs_.end(), rank,
                                      [](std::int64_t r, const run& each) { return r < each.end; });
  return found->length;
}

}  // namespace gossamer::bench_support::generation
