// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/powers_argument.hpp"

#include <algorithm>
#include <cstdlib>

#include "arguments/number_argument.hpp"
#include "arguments/usage_error.hpp"

namespace gossamer::cli {

/// CLI11's own splitting passes over pieces without a character.
std::vector<double> parse_powers(std::string_view command, const std::string& text, bool may_be_zero) {
  const validator valid = positive_number(may_be_zero);
  std::vector<double> powers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string piece = text.substr(begin, end - begin);
    const std::string wrong = valid.check(piece);
    if (!wrong.empty()) fail_usage("{}: --powers {}: {}", command, text, wrong);
    powers.push_back(std::strtod(piece.c_str(), nullptr));
    begin = end + 1;
  }
  return powers;
}

partition_algorithm algorithm_of(std::string_view word) {
  if (word == "rows") return partition_algorithm::rows;
  return word == "pmf" ? partition_algorithm::pmf : partition_algorithm::nonzeros;
}

}  // namespace gossamer::cli
