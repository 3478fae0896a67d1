// SPDX-License-Identifier: BSD-3-Clause
// Tables and quantities as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gossamer::cli {

struct column {
  std::string title;
  std::size_t width = 0;  ///< at least; the title's width counts too
  bool left = false;      ///< words stand left, numbers right
};

/// Rows are made one at a time, so that a long run shows what it has.
class table {
 public:
  explicit table(std::vector<column> columns);
  [[nodiscard]] std::string head() const;
  /// Fewer cells than columns: the rest of the line is empty. The last cell given is not padded.
  [[nodiscard]] std::string row(const std::vector<std::string>& cells) const;

 private:
  std::vector<column> columns_;
};

/// Three significant digits, no exponent from 0.0001 on; "-" for what is no number.
std::string number_text(double number);

/// "12.3 us"
std::string seconds_text(double seconds);

/// "1.5 MB", in powers of 1000.
std::string bytes_text(std::int64_t bytes);

}  // namespace gossamer::cli
