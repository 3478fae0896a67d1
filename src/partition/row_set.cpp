// SPDX-License-Identifier: BSD-3-Clause
// Figures of sets of rows, and the time model of paper 004, section 5.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fail.hpp"
#include "gossamer/partition.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// A set's rows * width may pass int64, though its rows and its entries do not.
long double slots_of(const row_set& set) noexcept {
  return static_cast<long double>(set.rows) * static_cast<long double>(set.width);
}

std::int64_t at_most_int64(long double number) noexcept {
  return number >= static_cast<long double>(most) ? most : static_cast<std::int64_t>(number);
}

double quotient(long double entries, long double slots) noexcept {
  return slots > 0 ? static_cast<double>(entries / slots) : 1.0;
}

}  // namespace

std::int64_t row_set::slots() const noexcept {
  return at_most_int64(slots_of(*this));
}

double row_set::density() const noexcept {
  return quotient(static_cast<long double>(nnz), slots_of(*this));
}

double mean_density(std::span<const row_set> sets) noexcept {
  long double entries = 0;
  long double slots = 0;
  for (const row_set& set : sets) {
    entries += static_cast<long double>(set.nnz);
    slots += slots_of(set);
  }
  return quotient(entries, slots);
}

std::int64_t padded_slots(std::span<const row_set> sets) noexcept {
  long double padded = 0;
  for (const row_set& set : sets) padded += slots_of(set) - static_cast<long double>(set.nnz);
  return at_most_int64(padded);
}

double ell_bytes(const row_set& set, std::int64_t value_bytes, std::int64_t index_bytes) noexcept {
  return static_cast<double>(slots_of(set) * static_cast<long double>(value_bytes + index_bytes) +
                             static_cast<long double>(set.rows) * static_cast<long double>(index_bytes));
}

double transfer_seconds(std::span<const row_set> sets, std::int64_t value_bytes, double bytes_per_second,
                        std::int64_t index_bytes) {
  if (!(bytes_per_second > 0))
    fail(errc::invalid_argument, "transfer_seconds: bytes_per_second = {} is not positive", bytes_per_second);
  double bytes = 0;
  for (const row_set& set : sets) bytes += ell_bytes(set, value_bytes, index_bytes);
  return bytes / bytes_per_second;
}

double least_block_density(double utilisation, int threads) {
  constexpr int warp = 32;
  constexpr int most_threads = 1024;
  constexpr double least = 2.0 / warp;  // towards 1 / 32 the last row may be of any length
  if (!(utilisation >= least && utilisation <= 1))
    fail(errc::invalid_argument, "least_block_density: utilisation = {} is not from 1/16 to 1", utilisation);
  if (threads < warp || threads > most_threads || threads % warp != 0)
    fail(errc::invalid_argument, "least_block_density: threads = {} is not a multiple of 32 from 32 to 1024",
         threads);
  // 31 rows of a warp have one entry more than the longest row of the warp before. The last row is as long as
  // the warp's utilisation, (31 (W + 1) + W') / (32 W'), allows: Equation (14), 27.8 = 32 * 0.9 - 1.
  double entries = 0;
  double longest = 0;
  for (int w = 0; w < threads / warp; ++w) {
    const double others = (warp - 1) * (longest + 1);
    longest = std::max(1.0, std::floor(others / (warp * utilisation - 1)));
    entries += others + longest;
  }
  return entries / (threads * longest);
}

}  // namespace gossamer::inline v0
