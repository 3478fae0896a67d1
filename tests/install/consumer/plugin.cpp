// SPDX-License-Identifier: BSD-3-Clause
// A plug-in that uses Gossamer with threads, and keeps a plan until it is unloaded.
#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/gossamer.hpp"

namespace {
std::unique_ptr<gossamer::plan<double>> kept;
}

extern "C" double gossamer_plugin_work() {
  constexpr std::int32_t n = 20000;  // enough that it pays to have two threads
  constexpr std::int32_t each = 8;
  std::vector<std::int32_t> row_ptr(n + 1);
  std::vector<std::int32_t> col(each * n);
  const std::vector<double> val(col.size(), 1);
  const std::vector<double> x(n, 1);
  std::vector<double> y(n);
  for (std::int32_t i = 0; i <= n; ++i) row_ptr[i] = each * i;
  for (std::int32_t k = 0; k < each * n; ++k) col[k] = k * 7 % n;
  const gossamer::csr_view<double, std::int32_t> a{
      .rows = n, .cols = n, .row_ptr = row_ptr, .col = col, .val = val};
  kept = std::make_unique<gossamer::plan<double>>(
      gossamer::inspect(a, gossamer::cpu{.threads = 2}, {.copy = true}));
  kept->multiply(1.0, x, 0.0, y);
  return y[0];
}
