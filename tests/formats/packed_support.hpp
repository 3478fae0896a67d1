// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of packed: matrices of given rows, their storage for a CPU and for a device, and checks
// of products and of the matrix back.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "formats/packed/format.hpp"
#include "gossamer/gossamer.hpp"
#if defined(GOSSAMER_HAVE_CUDA)
#include "support/built_on_device.hpp"
#endif
#include "support/matrix_from_rows.hpp"
#include "support/stored_arrays.hpp"
#include "support/stored_matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats::packed_tests {

using testing_support::alike;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;

using testing_support::matrix_from_rows;

template <value V>
using matrix = csr_matrix<V, std::int64_t>;

/// If there is a device, it must build the same storage.
template <value V>
packed_storage<V, host_buffer> stored(const matrix<V>& a, const exec::target& target,
                                      packed::options o = {}) {
  const auto view = a.view();
  const row_statistics s = measure_rows(view);
#if defined(GOSSAMER_HAVE_CUDA)
  if (target.kind == device_set::cuda && cuda_device_count() > 0 && a.rows > 0) {
    EXPECT_EQ(testing_support::is_built_alike<packed>(view, o), packed::rounds_to<V>(o).empty());
  }
#endif
  return packed::build(view, packed::resolve(o, s, target), target);
}

/// A CPU with each instruction set that runs here.
inline std::vector<resource> cpus() {
  std::vector<resource> all;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512})
    if (runs_here(level)) all.emplace_back(cpu{.level = level});
  return all;
}

template <value V>
void expect_right(const matrix<V>& a, const std::vector<resource>& where, const option_texts& options = {}) {
  const auto x = testing_support::random_vector<V>(a.cols, 1);
  const auto y = testing_support::random_vector<V>(a.rows, 2);
  for (const resource& each : where) {
    const auto plan = inspect(a.view(), each, {.format = "packed", .options = options});
    auto got = y;
    plan.multiply(V{1.5}, x, V{-0.5}, got);
    const testing_support::stored_matrix stored(a.view(), plan);
    EXPECT_TRUE((bench_support::verify<V, std::int64_t>(stored.view(), V{1.5}, x, V{-0.5}, y, got).passed()));
    got = testing_support::poisoned<V>(a.rows);
    plan.multiply(V{1}, x, V{0}, got);
    EXPECT_TRUE((bench_support::verify<V, std::int64_t>(stored.view(), V{1}, x, V{0}, {}, got).passed()));
  }
}

template <value V>
void expect_back(const matrix<V>& a, const packed_storage<V, host_buffer>& s) {
  const matrix<V> back = packed::to_csr(s);
  EXPECT_TRUE(alike(list(back.row_ptr), list(a.row_ptr)));
  EXPECT_TRUE(alike(list(back.col), list(a.col)));
  ASSERT_EQ(back.val.size(), a.val.size());
  EXPECT_EQ(std::memcmp(back.val.data(), a.val.data(), a.val.size() * sizeof(V)), 0);
}

/// `length` columns of row i below `range`, unsorted and far apart.
inline std::vector<std::int64_t> uneven_row(std::int64_t i, std::int64_t length, std::int64_t range) {
  std::vector<std::int64_t> of_row;
  for (std::int64_t k = 0; k < length; ++k) of_row.push_back((i * 7919 + k * 104729) % range);
  return of_row;
}

/// Distinct values for all entries of a matrix.
inline double any_value(std::int64_t i, std::size_t k, std::int64_t) {
  return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
}

/// Records which encodings of columns and values occurred, for each layout of slices.
class coverage {
 public:
  template <value V>
  void add(const packed_storage<V, host_buffer>& s) {
    for (const packed_slice& each : s.slice.span())
      if (each.steps > 0) seen_[layout_of(each)][columns_of(each)].insert(values_of(each.values()));
  }
  /// Prints a line for each layout: each encoding of columns, followed by the encodings of values that
  /// occurred with it.
  void print(const char* of) const {
    std::printf(
        "%s; values: c one for all, s one a step, 4 and 8 bits in a table, h half, n narrow, f full\n", of);
    for (const auto& [layout, columns] : seen_) {
      std::printf("  %-32s", layout.c_str());
      for (const auto& [way, values] : columns)
        std::printf("  %s %s", way.c_str(), std::string(values.begin(), values.end()).c_str());
      std::printf("\n");
    }
  }

 private:
  static std::string layout_of(const packed_slice& s) {
    if (s.is_coo_slice()) return "COO slices";
    const std::string lacks = s.is_full() ? "" : ", ragged";
    if (s.is_diagonal_slice()) return "diagonals" + lacks;
    if (s.is_row_part()) return "row parts" + lacks;
    const std::string lanes =
        s.sharing() == 0 ? "rows" : "rows of " + std::to_string(1 << s.sharing()) + " lanes";
    return lanes + (s.lists_rows() ? ", listed" : "") + lacks;
  }
  static std::string columns_of(const packed_slice& s) {
    static constexpr const char* starts[] = {"zero", "row", "given"};
    static constexpr const char* bytes[] = {"none", "one", "two", "four"};
    return std::string(starts[static_cast<int>(s.starts())]) + "/" + bytes[static_cast<int>(s.columns())] +
           (s.elides_deltas() ? " r" : "");
  }
  static char values_of(packed_values way) { return "cs48hnf"[static_cast<int>(way)]; }

  std::map<std::string, std::map<std::string, std::set<char>>> seen_;
};

}  // namespace gossamer::formats::packed_tests
