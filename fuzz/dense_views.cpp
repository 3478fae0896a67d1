// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the shapes, layouts and places of X and Y in Y = alpha A X + beta Y. Views that do not fit are
// refused by the library's error. Otherwise Y is the product by definition, and nothing else has changed.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <memory>
#include <string_view>

#include "fuzz/target.hpp"
#include "gossamer/error.hpp"
#include "plans/plan_base.hpp"
#include "plans/transposed_plan.hpp"

namespace gossamer::fuzz {
namespace {

constexpr std::int64_t rows = 5;
constexpr std::int64_t cols = 4;
constexpr double matrix[rows][cols] = {
    {1, 0, -2, 0}, {0, 3, 0, 0}, {0, 0, 0, 0}, {4, 1, -1, 2}, {0, 0, 0, -5}};
constexpr std::size_t memory_size = 200;
using memory_array = std::array<double, memory_size>;

/// A plan without a format: formats are most of the library.
class plan_by_definition final : public plans::plan_base<f64> {
 public:
  plan_by_definition()
      : plan_base({.format = "none", .where = cpu{.threads = 1}, .rows = rows, .cols = cols, .nnz = 9}) {
    finish(std::chrono::steady_clock::now());
  }
  void multiply_host(const product<f64>& p, plans::workspace_base&) const override {
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < cols && p.alpha != 0; ++j) sum += matrix[i][j] * p.x[j];
      p.finish_row(i, sum);
    }
  }
  /// So that there are blocks of columns, and a last one with fewer.
  [[nodiscard]] std::int64_t columns_at_once() const noexcept override { return 3; }
  void multiply_device(const product<f64>&, cuda_stream, plans::workspace_base&) const override {}
  void update_host(const double*) override {}
  void update_device(const double*, cuda_stream) override {}
  [[nodiscard]] csr_matrix<double, std::int64_t> to_csr() const override { return {}; }
  void stored_values(const std::int64_t*, const double*, double*) const override {}
  [[nodiscard]] std::unique_ptr<plans::workspace_base> make_workspace() const override {
    return std::make_unique<nothing>(id());
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t slots() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return 0; }

 private:
  struct nothing final : plans::workspace_base {
    using workspace_base::workspace_base;
    [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  };
};

class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] unsigned byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  /// Returns `usual` in three of four cases, otherwise a small number or any number.
  [[nodiscard]] std::int64_t number(std::int64_t usual) {
    const unsigned kind = byte();
    if (kind < 192) return usual;
    if (kind < 240) return static_cast<std::int64_t>(kind) - 200;
    std::uint64_t any = 0;
    for (int k = 0; k < 8; ++k) any = any << 8 | byte();
    return static_cast<std::int64_t>(any);
  }

 private:
  std::string_view rest_;
};

/// Part of `memory`.
dense_view<double> read_view(byte_reader& in, memory_array& memory, std::int64_t usual_rows,
                             std::int64_t usual_cols) {
  dense_view<double> m{.rows = in.number(usual_rows), .cols = in.number(usual_cols)};
  m.order = in.byte() % 2 == 0 ? layout::column_major : layout::row_major;
  const std::int64_t gap = in.byte() % 4;
  m.leading = in.number((m.order == layout::column_major ? usual_rows : usual_cols) + gap);
  const std::size_t begin = in.byte() % memory_size;
  const std::size_t cut = in.byte();
  m.data = std::span(memory).subspan(begin);
  if (cut >= 128) m.data = m.data.first(cut % (m.data.size() + 1));
  return m;
}

std::int64_t place(const dense_view<double>& m, std::int64_t i, std::int64_t j) {
  return m.order == layout::column_major ? i + j * m.leading : i * m.leading + j;
}

/// Whether m has so many rows, its lines do not overlap, and all elements are in its memory.
bool fits(const dense_view<double>& m, std::int64_t expected_rows) {
  if (m.rows != expected_rows || m.cols < 0) return false;
  if (m.cols == 0) return true;
  const auto size = static_cast<std::int64_t>(m.data.size());
  if (m.cols > size || m.leading < (m.order == layout::column_major ? m.rows : m.cols)) return false;
  const bool one_line = (m.order == layout::column_major ? m.cols : m.rows) == 1;
  if (m.leading > size) return one_line && m.rows * m.cols <= size;
  return place(m, m.rows - 1, m.cols - 1) < size;
}

using places = std::bitset<memory_size>;

places places_of(const dense_view<double>& m, const memory_array& memory) {
  places all;
  const auto begin = static_cast<std::size_t>(m.data.data() - memory.data());
  for (std::int64_t i = 0; i < m.rows; ++i)
    for (std::int64_t j = 0; j < m.cols; ++j) all.set(begin + static_cast<std::size_t>(place(m, i, j)));
  return all;
}

void check_error(const error& problem, bool acceptable) {
  const std::string text = problem.what();
  if (!text.starts_with("multiply: ") || text.find('\n') != std::string::npos)
    found("a message without the call, or of several lines: " + text);
  if (problem.code() != errc::size_mismatch && problem.code() != errc::invalid_argument &&
      problem.code() != errc::overlap)
    found("an unexpected error: " + text);
  if (acceptable) found("refused though it fits: " + text);
}

/// Whether the memory of one, from its first to its last element, is disjoint from the other's.
bool are_apart(const dense_view<double>& x, const dense_view<double>& y) {
  if (x.cols == 0 || y.cols == 0) return true;
  const double* const x_last = x.data.data() + place(x, x.rows - 1, x.cols - 1);
  const double* const y_last = y.data.data() + place(y, y.rows - 1, y.cols - 1);
  return x_last < y.data.data() || y_last < x.data.data();
}

void check(std::string_view bytes) {
  static const plan<double> made(std::make_unique<plan_by_definition>());
  memory_array memory;
  for (std::size_t k = 0; k < memory_size; ++k) memory[k] = static_cast<double>(k % 13) - 6;
  const memory_array before = memory;
  byte_reader in(bytes);
  const double alpha = in.byte() % 3;
  const double beta = in.byte() % 3;
  const std::int64_t columns = in.byte() % 12;
  const dense_view<double> x = read_view(in, memory, cols, columns);
  const dense_view<double> y = read_view(in, memory, rows, columns);
  const bool fit = fits(x, cols) && fits(y, rows) && x.cols == y.cols;
  try {
    made.multiply(alpha, x, beta, y);
  } catch (const error& problem) {
    check_error(problem, fit && (problem.code() != errc::overlap || are_apart(x, y)));
    if (memory != before) found("memory was changed by a product that was refused");
    return;
  }
  if (!fit) found("accepted though it does not fit");
  if ((places_of(x, memory) & places_of(y, memory)).any()) found("accepted though X and Y overlap");
  memory_array expected = before;
  const auto x_begin = static_cast<std::size_t>(x.data.data() - memory.data());
  const auto y_begin = static_cast<std::size_t>(y.data.data() - memory.data());
  for (std::int64_t column = 0; column < y.cols; ++column)
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < cols; ++j)
        sum += matrix[i][j] * before[x_begin + static_cast<std::size_t>(place(x, j, column))];
      double& to = expected[y_begin + static_cast<std::size_t>(place(y, i, column))];
      to = alpha * sum + beta * to;
    }
  if (memory != expected) found("another product, or a change outside Y");
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
