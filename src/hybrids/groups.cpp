// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/groups.hpp"

#include <algorithm>

#include "core/fail.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/staged_copies.hpp"

namespace gossamer::inline v0::hybrids {

void give_threads(std::vector<hybrid_part>& parts) {
  int left = core::default_threads();
  int groups = 0;
  for (const hybrid_part& each : parts) {
    if (each.power == 0) continue;
    const auto* host = std::get_if<cpu>(&each.where);
    if (host != nullptr && host->threads == 0)
      ++groups;
    else
      left -= host != nullptr ? host->threads : 1;
  }
  for (hybrid_part& each : parts) {
    auto* host = std::get_if<cpu>(&each.where);
    if (host == nullptr || host->threads != 0) continue;
    if (each.power == 0) {
      host->threads = 1;
      continue;
    }
    host->threads = std::max(1, left / groups);
    left -= host->threads;
    --groups;
  }
}

int copying_threads(const std::vector<resource>& places) {
  int left = core::default_threads();
  int gpus = 0;
  for (const resource& where : places) {
    if (const auto* host = std::get_if<cpu>(&where))
      left -= thread_count(*host);
    else
      ++gpus;
  }
  return std::clamp(left / std::max(1, gpus), 1, exec::most_copying_threads);
}

std::string part_name(const resource& where) {
  const auto* host = std::get_if<cpu>(&where);
  return host != nullptr ? message("cpu:{}", {host->threads}) : name(where);
}

void fail_of_part(const error& problem, std::size_t number, const resource& where, std::int64_t first_row,
                  bool adjacent) {
  std::string where_it_begins;
  if (problem.code() == errc::unsupported && (first_row > 0 || !adjacent))
    where_it_begins =
        message(adjacent ? " (in the part, which begins at row {} of the matrix)"
                         : " (in the part, whose rows are scattered, the first of them row {} of the matrix)",
                {first_row});
  fail(problem.code(), "hybrid: part {} ({}): {}{}", number + 1, part_name(where), problem.what(),
       where_it_begins);
}

}  // namespace gossamer::inline v0::hybrids
