// SPDX-License-Identifier: BSD-3-Clause
// What the tests of io share: data files, a scratch folder, exact comparison, and a way to catch an error.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/io.hpp"

namespace gossamer::io_test {

inline std::filesystem::path data_folder() {
  return std::filesystem::path(GOSSAMER_SOURCE_DIR) / "tests" / "io" / "data";
}

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& e : std::filesystem::directory_iterator(folder))
    names.insert(e.path().filename().string());
  return names;
}

/// A folder that goes away with the object.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gossamer_io_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// One gzip member, made by zlib's own writer.
inline std::string gzip(std::string_view text) {
  const scratch_folder folder;
  const auto file = folder / "x.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  if (!text.empty()) gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return slurp(file);
}

struct caught_error {
  errc code{};
  std::string message;
  friend bool operator==(const caught_error&, const caught_error&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const caught_error& e) {
  return out << name(e.code) << ": " << e.message;
}

/// The library's error that `body` throws; nothing where it returns.
template <class Body>
std::optional<caught_error> error_of(Body&& body) {
  try {
    body();
  } catch (const error& e) {
    return caught_error{e.code(), e.what()};
  }
  return std::nullopt;
}

/// Every way to cut and share out the work that has to give one result.
inline std::vector<read_options> all_ways() {
  std::vector<read_options> ways;
  for (const int threads : {1, 4}) {
    for (const std::int64_t bytes : {0, 1, 7, 64})
      ways.push_back({.threads = threads, .chunk_bytes = bytes, .progress = {}});
  }
  return ways;
}

inline std::string name_of(const read_options& o) {
  return "threads " + std::to_string(o.threads) + ", chunk_bytes " + std::to_string(o.chunk_bytes);
}

/// The same bits, except that every NaN is the same: a decimal file has only one.
template <class V>
bool same_value(V a, V b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  using bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

/// Equal entry for entry and in order.
template <class V, class OA, class OB>
testing::AssertionResult same_matrix(const csr_view<V, OA>& a, const csr_view<V, OB>& b) {
  if (a.rows != b.rows || a.cols != b.cols || a.nnz() != b.nnz() || a.row_ptr.size() != b.row_ptr.size())
    return testing::AssertionFailure() << a.rows << " x " << a.cols << ", " << a.nnz() << " against "
                                       << b.rows << " x " << b.cols << ", " << b.nnz();
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i) {
    if (a.row_ptr[i] != b.row_ptr[i])
      return testing::AssertionFailure()
             << "row_ptr[" << i << "]: " << a.row_ptr[i] << " against " << b.row_ptr[i];
  }
  for (std::size_t k = 0; k < a.col.size(); ++k) {
    if (a.col[k] != b.col[k] || !same_value(a.val[k], b.val[k]))
      return testing::AssertionFailure() << "entry " << k << ": column " << a.col[k] << ", " << a.val[k]
                                         << " against column " << b.col[k] << ", " << b.val[k];
  }
  return testing::AssertionSuccess();
}

template <class V>
struct triple {
  std::int32_t row;  ///< from 0
  std::int32_t col;
  V val;
};

/// A matrix from its entries row by row.
template <class V>
csr_matrix<V> make_matrix(std::int64_t rows, std::int64_t cols, const std::vector<triple<V>>& entries) {
  csr_matrix<V> a{.rows = rows,
                  .cols = cols,
                  .row_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(rows) + 1),
                  .col = host_buffer<std::int32_t>(entries.size()),
                  .val = host_buffer<V>(entries.size())};
  std::fill(a.row_ptr.span().begin(), a.row_ptr.span().end(), 0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    for (auto i = static_cast<std::size_t>(entries[k].row) + 1; i < a.row_ptr.size(); ++i) ++a.row_ptr[i];
    a.col[k] = entries[k].col;
    a.val[k] = entries[k].val;
  }
  return a;
}

}  // namespace gossamer::io_test
