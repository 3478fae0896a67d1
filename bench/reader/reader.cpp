// SPDX-License-Identifier: BSD-3-Clause
// Reads the files that its standard input names, one a line ("THREADS FILE"), and answers each with one line:
// the seconds of the read alone, what was read, and sums by which the caller can tell that it read the same.
// A line per file, so that a script can alternate between this process and another reader.
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "gossamer/error.hpp"
#include "gossamer/io.hpp"

namespace {

void answer(const std::string& file, int threads) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto read =
      gossamer::read_matrix_market<double>(file, {.threads = threads, .chunk_bytes = 0, .progress = {}});
  const double seconds = std::chrono::duration<double>(clock::now() - begin).count();

  const auto a = read.matrix.view();
  // Whole numbers wrap the same way everywhere; the values' sum is compared up to rounding.
  std::uint64_t indices = 0;
  double values = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]);
         ++k) {
      indices += (i + 1) * (static_cast<std::uint64_t>(a.col[k]) + 1);
      values += a.val[k];
    }
  }
  std::cout << "{\"seconds\": " << seconds << ", \"rows\": " << a.rows << ", \"cols\": " << a.cols
            << ", \"nnz\": " << a.nnz() << ", \"indices\": " << indices << ", \"values\": " << values << "}"
            << std::endl;
}

}  // namespace

int main() {
  std::cout.precision(17);
  std::cout << gossamer::gzip_library() << std::endl;
  int threads = 0;
  std::string file;
  try {
    while (std::cin >> threads && std::getline(std::cin >> std::ws, file)) answer(file, threads);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}
