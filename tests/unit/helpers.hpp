// SPDX-License-Identifier: BSD-3-Clause
// What several unit tests need: a number of threads for a while, an error's code and text, sums over arrays.
#pragma once

#include <gmock/gmock.h>
#include <omp.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer_test {

/// Sets what threads = 0 means until it goes out of scope.
class thread_count {
 public:
  explicit thread_count(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  thread_count(const thread_count&) = delete;
  thread_count& operator=(const thread_count&) = delete;
  ~thread_count() { omp_set_num_threads(before_); }

 private:
  int before_;
};

/// Runs body; fails unless it throws a gossamer::error of that code whose text matches.
template <class Body>
void expect_error(gossamer::errc code, const testing::Matcher<std::string>& text, Body&& body) {
  try {
    body();
  } catch (const gossamer::error& e) {
    EXPECT_EQ(gossamer::name(e.code()), gossamer::name(code)) << e.what();
    EXPECT_THAT(std::string(e.what()), text);
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

/// Owns the arrays of a small matrix that a test writes down.
template <class V, class O = std::int64_t>
struct small_csr {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<O> row_ptr;
  std::vector<std::int32_t> col;
  std::vector<V> val;

  [[nodiscard]] gossamer::csr_view<V, O> view() const {
    return {.rows = rows, .cols = cols, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

template <class T>
std::vector<T> to_vector(const gossamer::host_buffer<T>& buffer) {
  return {buffer.span().begin(), buffer.span().end()};
}

/// FNV-1a over the bytes.
template <class T>
std::uint64_t checksum(std::span<const T> array, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const std::byte b : std::as_bytes(array))
    hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return hash;
}

template <class V, class O>
std::uint64_t checksum(const gossamer::csr_matrix<V, O>& a) {
  return checksum(a.view().val, checksum(a.view().col, checksum(a.view().row_ptr)));
}

}  // namespace gossamer_test
