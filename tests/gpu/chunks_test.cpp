// SPDX-License-Identifier: BSD-3-Clause
// bcoo and bccoo on a GPU: whole numbers, whose sums are exact in any order, in rows that are hard to add up.
#include <gtest/gtest.h>

#include <random>

#include "gossamer/gossamer.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using row_lengths = std::vector<int>;

row_lengths repeated(const row_lengths& pattern, int rows) {
  row_lengths all;
  for (int i = 0; i < rows; ++i) all.push_back(pattern[static_cast<std::size_t>(i) % pattern.size()]);
  return all;
}

row_lengths joined(row_lengths first, const row_lengths& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

row_lengths with_gaps(int entries, int empty, int rows) {
  row_lengths pattern(static_cast<std::size_t>(empty), 0);
  pattern.insert(pattern.begin(), entries);
  return repeated(pattern, rows * (empty + 1));
}

row_lengths mixed() {
  std::mt19937 random(3);
  row_lengths all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(random() % 3 == 0 ? 0 : static_cast<int>(random() % 9));
    if (i % 50 == 7) all.push_back(700);
    if (i % 60 == 0) all.insert(all.end(), 30, 0);
  }
  return all;
}

struct rows_of {
  std::string name;
  row_lengths length;

  friend void PrintTo(const rows_of& each, std::ostream* to) { *to << each.name; }
};

/// A block takes 1024 entries at a time and a warp 64 to 256 of them. More than 32 empty rows in a row are
/// not written by the kernel.
const std::vector<rows_of>& cases() {
  static const std::vector<rows_of> all = {{"one_long", {0, 0, 5000, 0}},
                                           {"a_long_one_and_short_ones", joined({3000}, repeated({1}, 900))},
                                           {"one_entry_each", repeated({1}, 2100)},
                                           {"five_entries_each", repeated({5}, 600)},
                                           {"whole_tiles", repeated({64, 128, 256, 1024}, 12)},
                                           {"gaps_of_20", with_gaps(1, 20, 500)},
                                           {"gaps_of_40", with_gaps(2, 40, 300)},
                                           {"gaps_of_700", with_gaps(3, 700, 200)},
                                           {"mixed", mixed()},
                                           {"two", {3, 4}}};
  return all;
}

/// A matrix of whole numbers whose rows have these lengths, and what its product with x is.
template <class V>
struct whole_numbers {
  csr_matrix<V, std::int32_t> a;
  std::vector<V> x;
  std::vector<V> product;

  explicit whole_numbers(const row_lengths& length) {
    std::mt19937 random(7);
    constexpr std::int32_t cols = 3000;
    std::vector<std::int32_t> row_ptr{0};
    std::vector<std::int32_t> col;
    std::vector<V> val;
    for (std::int32_t j = 0; j < cols; ++j) x.push_back(static_cast<V>(j % 5));
    for (const int entries : length) {
      V sum{0};
      for (int k = 0; k < entries; ++k) {
        col.push_back(static_cast<std::int32_t>(random() % cols));
        val.push_back(static_cast<V>(1 + random() % 7));
        sum += val.back() * x[static_cast<std::size_t>(col.back())];
      }
      row_ptr.push_back(static_cast<std::int32_t>(col.size()));
      product.push_back(sum);
    }
    a = {.rows = static_cast<std::int64_t>(length.size()),
         .cols = cols,
         .row_ptr = host_buffer<std::int32_t>(row_ptr.size()),
         .col = host_buffer<std::int32_t>(col.size()),
         .val = host_buffer<V>(val.size())};
    std::copy(row_ptr.begin(), row_ptr.end(), a.row_ptr.data());
    std::copy(col.begin(), col.end(), a.col.data());
    std::copy(val.begin(), val.end(), a.val.data());
  }

  void check(const plan<V>& made) const {
    for (const int beta : {0, 1, 3}) {
      std::vector<V> y = poisoned<V>(a.rows);
      std::vector<V> expected = product;
      for (std::size_t i = 0; i < y.size(); ++i) {
        expected[i] *= 2;
        if (beta == 0) continue;
        y[i] = static_cast<V>(i % 9);
        expected[i] += static_cast<V>(beta) * y[i];
      }
      made.multiply(V{2}, x, static_cast<V>(beta), y);
      EXPECT_EQ(y, expected) << made.describe() << " beta " << beta;
    }
  }
};

class chunks : public testing::TestWithParam<rows_of> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }

  /// Every format, way to add and number of entries a thread, with chunks of so many.
  template <class F>
  static void for_each_kernel(const char* chunk, F&& f) {
    for (const char* const format : {"bcoo", "bccoo"})
      for (const char* const accumulate : {"ordered", "atomic"})
        for (const char* const entries : {"2", "4", "8"})
          f(inspect_options{
              .format = format,
              .options = {{"chunk", chunk}, {"accumulate", accumulate}, {"entries_per_thread", entries}}});
  }

  template <class V>
  static void check() {
    const whole_numbers<V> numbers(GetParam().length);
    for (const char* const chunk : {"1", "31", "70", "1024", "1500", "4096"})
      for_each_kernel(
          chunk, [&](const inspect_options& how) { numbers.check(inspect(numbers.a.view(), cuda{0}, how)); });
  }
};

TEST_P(chunks, are_summed_exactly) {
  check<double>();
  check<float>();
}

/// Then neighbouring entries may not be read together.
TEST_P(chunks, of_arrays_that_begin_anywhere_are_summed_exactly) {
  const whole_numbers<double> numbers(GetParam().length);
  const auto a = numbers.a.view();
  for (const std::size_t before : {1, 2, 3}) {
    const array_on_device<std::int32_t> row_ptr(a.row_ptr, before);
    const array_on_device<std::int32_t> col(a.col, before);
    const array_on_device<double> val(a.val, before);
    const csr_view<double, std::int32_t, device_space> there{
        .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
    for_each_kernel("1024", [&](const inspect_options& how) { numbers.check(inspect(there, cuda{0}, how)); });
  }
}

INSTANTIATE_TEST_SUITE_P(kernels, chunks, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name + "_cuda"; });

}  // namespace
}  // namespace gossamer::testing_support
