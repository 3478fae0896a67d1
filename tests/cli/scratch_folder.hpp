// SPDX-License-Identifier: BSD-3-Clause
// Files of one test, removed with it.
#pragma once

#include <string>
#include <string_view>

namespace gossamer::test {

class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const;
  /// Makes the file; returns its path.
  [[nodiscard]] std::string file(std::string_view name, std::string_view text) const;

 private:
  std::string folder_;
};

/// A failure where there is no such file.
std::string read_file(const std::string& path);

/// 4 x 5, of which everything is computed by hand:
///    2  .  .  -1  .
///    .  .  .   .  .
///    . .5  2   .  4
///    .  .  .  -1  .
inline constexpr std::string_view small_matrix =
    "%%MatrixMarket matrix coordinate real general\n"
    "4 5 6\n1 1 2\n1 4 -1\n3 2 0.5\n3 3 2\n3 5 4\n4 4 -1\n";

/// (1 2 3 4 5)
inline constexpr std::string_view small_x = "%%MatrixMarket matrix array real general\n5 1\n1\n2\n3\n4\n5\n";

}  // namespace gossamer::test
