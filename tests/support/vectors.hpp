// SPDX-License-Identifier: BSD-3-Clause
// Vectors for tests: every element different, seeded, and comparable bit by bit.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace gossamer::testing_support {

template <class V>
std::vector<V> random_vector(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<V> x(static_cast<std::size_t>(size));
  for (V& v : x) v = static_cast<V>((static_cast<double>(random() % 200001) - 100000.0) / 65536.0);
  return x;
}

/// Small whole numbers, for sums that are exact in any order.
template <class V>
std::vector<V> integer_vector(std::int64_t size) {
  std::vector<V> x(static_cast<std::size_t>(size));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(static_cast<int>(j % 7) - 3);
  return x;
}

template <class V>
std::vector<V> poisoned(std::int64_t size) {
  return std::vector<V>(static_cast<std::size_t>(size), std::numeric_limits<V>::quiet_NaN());
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

}  // namespace gossamer::testing_support
