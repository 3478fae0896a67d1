// SPDX-License-Identifier: BSD-3-Clause
// The matrices that every format must pass, each there for one kind of trouble.
#pragma once

#include <string>
#include <vector>

#include "gossamer/gossamer.hpp"

namespace gossamer::testing_support {

struct battery_entry {
  std::string name;
  csr_matrix<double, std::int64_t> matrix;
};

/// Made once (GOSSAMER_TEST_MATRICES=NAME,NAME makes only those); up to some ten thousand entries each, so
/// that several units and thread blocks are used.
const std::vector<battery_entry>& battery();

/// The same structure with values in V and offsets in O. Values become V's; `integers` makes them whole,
/// small and never zero, so that sums are exact in any order.
template <value V, offset O>
csr_matrix<V, O> converted(const csr_matrix<double, std::int64_t>& a, bool integers = false);

}  // namespace gossamer::testing_support
