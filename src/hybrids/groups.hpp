// SPDX-License-Identifier: BSD-3-Clause
// Groups of cores among the parts: how many threads each has, and what a part is called.
#pragma once

#include <string>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/hybrid.hpp"

namespace gossamer::inline v0::hybrids {

/// Groups of cores without a number of threads share those that numbered groups and the leaders of devices
/// leave. Parts without power take none.
void give_threads(std::vector<hybrid_part>& parts);

/// Threads that copy the vectors of each part on a GPU: an equal share of those that the groups of cores
/// leave, at least its leader, at most exec::most_copying_threads.
/// `places`: where the parts are that have rows, each cpu with its number of threads.
int copying_threads(const std::vector<resource>& places);

/// "cpu:8" or "cuda:0".
std::string part_name(const resource& where);

/// Throws what a part threw, with the part in front; and, of what is wrong with the matrix, where in it the
/// part begins, since the part counts rows and columns from its own first. `number` counts from 0.
[[noreturn]] void fail_of_part(const error& problem, std::size_t number, const resource& where,
                               std::int64_t first_row, bool adjacent);

}  // namespace gossamer::inline v0::hybrids
