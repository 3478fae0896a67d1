// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/number_argument.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace gossamer::cli {

validator number_between(double low, double high) {
  return {[low, high](std::string& text) -> std::string {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && *end == '\0' && number >= low && number <= high) return {};
            return fmt::format("\"{}\" is not a number from {} to {}", text, low, high);
          },
          "FLOAT"};
}

validator number_of_double() {
  return {[](std::string& text) -> std::string {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            if (end == text.c_str() || *end != '\0') return fmt::format("\"{}\" is not a number", text);
            const bool written = text.find_first_of("iI") != std::string::npos;
            return std::isinf(number) && !written ? fmt::format("{} is too large for f64", text)
                                                  : std::string();
          },
          "FLOAT"};
}

validator positive_number(bool may_be_zero) {
  return {[may_be_zero](std::string& text) -> std::string {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && *end == '\0' && std::isfinite(number) &&
                (number > 0 || (may_be_zero && number == 0)))
              return {};
            return fmt::format("\"{}\" is not a {} finite number", text,
                               may_be_zero ? "non-negative" : "positive");
          },
          "FLOAT"};
}

}  // namespace gossamer::cli
