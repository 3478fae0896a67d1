// SPDX-License-Identifier: BSD-3-Clause
// Reads Matrix Market texts from standard input, each behind its length in 8 bytes, and answers in binary: a
// byte 1, rows, columns and entries in 8 bytes each, then all rows, all columns and all values; or a byte 0
// and a message behind its length.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/io.hpp"

namespace {

template <class T>
void put(const T* data, std::size_t count) {
  std::fwrite(data, sizeof(T), count, stdout);
}

void put_count(std::int64_t number) {
  put(&number, 1);
}

void refuse(const std::string& message) {
  std::fputc(0, stdout);
  put_count(static_cast<std::int64_t>(message.size()));
  put(message.data(), message.size());
}

void answer(const std::string& text) {
  const auto read =
      gossamer::parse_matrix_market<double>(text, "f", {.threads = 1, .chunk_bytes = 0, .progress = {}});
  const auto a = read.matrix.view();
  std::vector<std::int32_t> row;
  row.reserve(a.col.size());
  for (std::int64_t i = 0; i < a.rows; ++i)
    row.resize(static_cast<std::size_t>(a.row_ptr[i + 1]), static_cast<std::int32_t>(i));
  std::fputc(1, stdout);
  for (const std::int64_t number : {a.rows, a.cols, a.nnz()}) put_count(number);
  put(row.data(), row.size());
  put(a.col.data(), a.col.size());
  put(a.val.data(), a.val.size());
}

}  // namespace

int main() {
  std::uint64_t size = 0;
  std::string text;
  while (std::fread(&size, sizeof size, 1, stdin) == 1) {
    text.resize(size);
    if (std::fread(text.data(), 1, size, stdin) != size) return 1;
    try {
      answer(text);
    } catch (const gossamer::error& problem) {
      refuse(std::string(gossamer::name(problem.code())) + " " + problem.what());
    } catch (const std::exception& problem) {
      refuse(std::string("foreign ") + problem.what());
    }
    std::fflush(stdout);
  }
}
