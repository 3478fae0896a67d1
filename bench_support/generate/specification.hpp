// SPDX-License-Identifier: BSD-3-Clause
// The text NAME(key=value, ...) taken apart, before anything is known about NAME.
#pragma once

#include <string_view>
#include <vector>

namespace gossamer::bench_support::generation {

/// Both point into the specification. An empty key stands for the generator's first parameter.
struct assignment {
  std::string_view key;
  std::string_view value;
};

struct specification {
  std::string_view name;
  std::vector<assignment> assignments;
};

/// Spaces may stand anywhere but inside a word and before the first parenthesis. A value may hold
/// parentheses.
specification parse(std::string_view text);

}  // namespace gossamer::bench_support::generation
