// SPDX-License-Identifier: BSD-3-Clause
#include "core/fail.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

std::string_view name(operation product) {
  switch (product) {
    case operation::forward:
      return "forward";
    case operation::transposed:
      return "transposed";
  }
  fail(errc::invalid_argument, "operation: invalid value {}", static_cast<int>(product));
}

std::string_view name(operation_set operations) {
  switch (operations) {
    case operation_set::forward:
      return "forward";
    case operation_set::transposed:
      return "transposed";
    case operation_set::both:
      return "both";
  }
  fail(errc::invalid_argument, "operations: invalid value {}", static_cast<int>(operations));
}

operation parse_operation(std::string_view text) {
  for (const operation each : {operation::forward, operation::transposed})
    if (text == name(each)) return each;
  fail(errc::invalid_argument, "operation = \"{}\" is not one of forward, transposed", text);
}

operation_set parse_operations(std::string_view text) {
  for (const operation_set each : {operation_set::forward, operation_set::transposed, operation_set::both})
    if (text == name(each)) return each;
  fail(errc::invalid_argument, "operations = \"{}\" is not one of forward, transposed, both", text);
}

}  // namespace gossamer::inline v0
