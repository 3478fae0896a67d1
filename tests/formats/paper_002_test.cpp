// SPDX-License-Identifier: BSD-3-Clause
// Paper 002's worked matrix in each of its formats, and the cases that decide whether its fragments are
// right.
#include <gmock/gmock.h>

#include "formats/csr/format.hpp"
#include "formats/ellpack/format.hpp"
#include "formats/papers/csr_fragment/format.hpp"
#include "formats/papers/csr_gathered/format.hpp"
#include "formats/papers/ellpack_r/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/stored_arrays.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;

/// The values of Figure 4, which shows them moved to the left; the text has lost the figures with the
/// columns, so those are ours:
///   2 0 0 4 0
///   0 1 2 0 3
///   0 0 1 0 0
///   1 0 0 0 1
struct paper_002 {
  std::vector<std::int32_t> row_ptr{0, 2, 5, 6, 8};
  std::vector<std::int32_t> col{0, 3, 1, 2, 4, 2, 0, 4};
  std::vector<double> val{2, 4, 1, 2, 3, 1, 1, 1};
  std::vector<double> x{1, 2, 3, 4, 5};  // section 3.1
  [[nodiscard]] csr_view<double, std::int32_t> view() const {
    return {.rows = 4, .cols = 5, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

/// The first four slots of each column of a table, and that nothing else is in it.
template <class T>
std::vector<std::vector<T>> columns_of(const host_buffer<T>& table, std::size_t stride, std::size_t used,
                                       T padding) {
  std::vector<std::vector<T>> columns;
  for (std::size_t begin = 0; begin < table.size(); begin += stride) {
    columns.emplace_back(table.data() + begin, table.data() + begin + used);
    for (std::size_t at = used; at < stride; ++at)
      EXPECT_EQ(table[begin + at], padding) << begin << " " << at;
  }
  return columns;
}

/// Figure 4: the arrays are those of the matrix itself.
TEST(paper_002_arrays, csr) {
  const paper_002 a;
  const auto s = csr::build(a.view(), {.kernel = csr_kernel::thread}, on_cuda);
  EXPECT_THAT(list(s.row_ptr), ElementsAre(0, 2, 5, 6, 8));
  EXPECT_THAT(list(s.col), ElementsAre(0, 3, 1, 2, 4, 2, 0, 4));
  EXPECT_THAT(list(s.val), ElementsAre(2, 4, 1, 2, 3, 1, 1, 1));
}

/// Figures 5 and 6.
TEST(paper_002_arrays, ellpack) {
  const auto s = ellpack::build(paper_002().view(), {}, on_cpu);
  EXPECT_EQ(s.meta.width, 3);
  EXPECT_EQ(s.meta.stride % 16, 0);
  const auto stride = static_cast<std::size_t>(s.meta.stride);
  EXPECT_THAT(columns_of(s.val, stride, 4, 0.0),
              ElementsAre(ElementsAre(2, 1, 1, 1), ElementsAre(4, 2, 0, 1), ElementsAre(0, 3, 0, 0)));
  EXPECT_THAT(columns_of(s.col, stride, 4, -1),
              ElementsAre(ElementsAre(0, 1, 2, 0), ElementsAre(3, 2, -1, 4), ElementsAre(-1, 4, -1, -1)));
}

/// Figures 8 and 9; columns rounded up to 16 slots (section 5.3).
TEST(paper_002_arrays, ellpack_r) {
  const auto s = ellpack_r::build(paper_002().view(), {.threads_per_row = ellpack_r_threads::one}, on_cpu);
  EXPECT_THAT(list(s.length), ElementsAre(2, 3, 1, 2));
  EXPECT_EQ(s.meta.stride, 16);
  EXPECT_THAT(columns_of(s.val, 16, 4, 0.0),
              ElementsAre(ElementsAre(2, 1, 1, 1), ElementsAre(4, 2, 0, 1), ElementsAre(0, 3, 0, 0)));
  EXPECT_THAT(columns_of(s.col, 16, 4, -1),
              ElementsAre(ElementsAre(0, 1, 2, 0), ElementsAre(3, 2, -1, 4), ElementsAre(-1, 4, -1, -1)));
}

/// ELLR-T with two threads a row: their slots stand side by side, and a row is padded to an even length only.
TEST(paper_002_arrays, ellpack_r_with_two_threads_a_row) {
  const auto s = ellpack_r::build(paper_002().view(), {.threads_per_row = ellpack_r_threads::two}, on_cuda);
  EXPECT_THAT(list(s.length), ElementsAre(2, 3, 1, 2));
  EXPECT_EQ(s.meta.stride, 16);
  EXPECT_EQ(s.meta.columns, 2);
  EXPECT_THAT(columns_of(s.val, 16, 8, 0.0),
              ElementsAre(ElementsAre(2, 4, 1, 2, 1, 0, 1, 1), ElementsAre(0, 0, 3, 0, 0, 0, 0, 0)));
  EXPECT_THAT(columns_of(s.col, 16, 8, -1),
              ElementsAre(ElementsAre(0, 3, 1, 2, 2, -1, 0, 4), ElementsAre(-1, -1, 4, -1, -1, -1, -1, -1)));
  EXPECT_EQ(s.meta.slot(1, 2), 16 + 2);
}

/// A column is a multiple of 16 slots long, a row only of T.
TEST(paper_002_arrays, ellpack_r_with_a_warp_a_row) {
  const auto s =
      ellpack_r::build(paper_002().view(), {.threads_per_row = ellpack_r_threads::thirty_two}, on_cuda);
  EXPECT_EQ(s.meta.stride, 128);
  EXPECT_EQ(s.meta.columns, 1);
  EXPECT_EQ(s.val[32], 1);
  EXPECT_EQ(s.val[34], 3);
  EXPECT_EQ(s.col[35], -1);
}

/// Figure 7, x = 1 ... 5.
TEST(paper_002_arrays, csr_m) {
  const paper_002 a;
  const auto s = csr_gathered::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.row_ptr), ElementsAre(0, 2, 5, 6, 8));
  EXPECT_THAT(list(s.val), ElementsAre(2, 4, 1, 2, 3, 1, 1, 1));
  const auto v = s.view();
  EXPECT_EQ(csr_gathered::scratch<f64>(v), 8);
  std::vector<double> scratch(8, -1);
  product<f64> p{.x = a.x.data()};
  const auto passes = csr_gathered::passes<f64>(v, isa::baseline);
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_FALSE(passes[0].writes_rows);
  passes[0].run(v, p, 0, passes[0].units, scratch.data());
  EXPECT_THAT(scratch, ElementsAre(1, 4, 2, 3, 5, 3, 1, 5));

  std::vector<double> y(4, std::numeric_limits<double>::quiet_NaN());
  p = {.alpha = 1, .y = y.data()};  // no x any more
  EXPECT_TRUE(passes[1].writes_rows);
  passes[1].run(v, p, 0, passes[1].units, scratch.data());
  EXPECT_THAT(y, ElementsAre(18, 23, 3, 6));
}

/// Figure 11, for fragments of 4: rows 0 0 1 1 | 1 2 3 3; and of the paper's 1024.
TEST(paper_002_arrays, bound) {
  const paper_002 a;
  EXPECT_THAT(list(find_bounds(a.view(), 4)), ElementsAre(fragment_bound{0, 1}, fragment_bound{1, 3}));
  const auto s = csr_fragment::build(a.view(), {}, on_cpu);
  EXPECT_EQ(s.row_ptr.data(), a.row_ptr.data());
  EXPECT_THAT(list(s.bound), ElementsAre(fragment_bound{0, 3}));
  EXPECT_EQ(s.gap.size(), 0u);
  EXPECT_EQ(s.carries.row.size(), 0u);
}

/// Rows of the given lengths, entry k of a row in column k; the values are whole numbers, so that sums are
/// exact.
csr_matrix<double, std::int64_t> with_lengths(const std::vector<std::int64_t>& lengths) {
  std::int64_t nnz = 0;
  std::int64_t longest = 1;
  for (const std::int64_t length : lengths) {
    nnz += length;
    longest = std::max(longest, length);
  }
  csr_matrix<double, std::int64_t> a{.rows = static_cast<std::int64_t>(lengths.size()),
                                     .cols = longest,
                                     .row_ptr = host_buffer<std::int64_t>(lengths.size() + 1),
                                     .col = host_buffer<std::int32_t>(static_cast<std::size_t>(nnz)),
                                     .val = host_buffer<double>(static_cast<std::size_t>(nnz))};
  std::size_t k = 0;
  a.row_ptr[0] = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t j = 0; j < lengths[i]; ++j, ++k) {
      a.col[k] = static_cast<std::int32_t>(j);
      a.val[k] = static_cast<double>(1 + k % 7);
    }
    a.row_ptr[i + 1] = static_cast<std::int64_t>(k);
  }
  return a;
}

/// y = 2 A x - 3 y is exact.
void expect_exact_product(const csr_matrix<double, std::int64_t>& a, const resource& where,
                          const option_texts& options) {
  const auto x = testing_support::integer_vector<double>(a.cols);
  auto y = testing_support::integer_vector<double>(a.rows);
  const auto before = y;
  inspect(a.view(), where, {.format = "csr_fragment", .options = options}).multiply(2.0, x, -3.0, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      sum += a.val[k] * x[static_cast<std::size_t>(a.col[k])];
    ASSERT_EQ(y[i], 2 * sum - 3 * before[i]) << "row " << i;
  }
}

/// The same with both kernels on a device.
void expect_exact_products_on_cuda(const std::vector<std::int64_t>& lengths,
                                   std::initializer_list<const char*> fragments) {
  const auto a = with_lengths(lengths);
  for (const char* fragment : fragments) {
    for (const char* kernel : {"paper", "adaptive"}) {
      SCOPED_TRACE(std::string(kernel) + " kernel, fragments of " + fragment);
      expect_exact_product(a, cuda{0}, {{"fragment", fragment}, {"kernel", kernel}});
    }
  }
}

const std::vector<std::int64_t> fragment_inside_one_row{3, 3000, 5};
const std::vector<std::int64_t> row_that_ends_on_a_boundary{1024, 1000, 24, 2048, 10};
const std::vector<std::int64_t> empty_rows_between{0, 1000, 0, 24, 0, 0, 3, 0};

TEST(csr_fragment_cases, a_fragment_inside_one_row) {
  const auto a = with_lengths(fragment_inside_one_row);
  const auto s = csr_fragment::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.bound), ElementsAre(fragment_bound{0, 1}, fragment_bound{1, 1}, fragment_bound{1, 2}));
  EXPECT_THAT(list(s.carries.row), ElementsAre(1));
  EXPECT_THAT(list(s.carries.first), ElementsAre(1));
  EXPECT_THAT(list(s.carries.last), ElementsAre(5));
  EXPECT_FALSE(s.meta.carries.apart);
  EXPECT_TRUE(csr_fragment::build(a.view(), {}, on_cuda).meta.carries.apart);
  expect_exact_product(a, cpu{}, {});
}

TEST(csr_fragment_cases, a_fragment_inside_one_row_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_exact_products_on_cuda(fragment_inside_one_row, {"256", "1024"});
}

TEST(csr_fragment_cases, a_row_that_ends_on_a_boundary) {
  const auto a = with_lengths(row_that_ends_on_a_boundary);
  const auto s = csr_fragment::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.bound), ElementsAre(fragment_bound{0, 0}, fragment_bound{1, 2}, fragment_bound{3, 3},
                                         fragment_bound{3, 3}, fragment_bound{4, 4}));
  EXPECT_THAT(list(s.carries.row), ElementsAre(3));
  EXPECT_THAT(list(s.carries.first), ElementsAre(5));
  EXPECT_THAT(list(s.carries.last), ElementsAre(7));
  expect_exact_product(a, cpu{}, {});
}

TEST(csr_fragment_cases, a_row_that_ends_on_a_boundary_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_exact_products_on_cuda(row_that_ends_on_a_boundary, {"256", "1024"});
}

TEST(csr_fragment_cases, empty_rows_between_fragments) {
  const auto a = with_lengths(empty_rows_between);
  const auto s = csr_fragment::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.bound), ElementsAre(fragment_bound{1, 3}, fragment_bound{6, 6}));
  EXPECT_THAT(list(s.gap), ElementsAre(fragment_gap{0, 1}, fragment_gap{4, 6}, fragment_gap{7, 8}));
  expect_exact_product(a, cpu{}, {});
}

TEST(csr_fragment_cases, empty_rows_between_fragments_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_exact_products_on_cuda(empty_rows_between, {"256", "1024"});
}

TEST(csr_fragment_cases, many_empty_rows_are_shared_out) {
  std::vector<std::int64_t> lengths(10000, 0);
  lengths[0] = 7;
  const auto a = with_lengths(lengths);
  const auto s = csr_fragment::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.gap),
              ElementsAre(fragment_gap{1, 4097}, fragment_gap{4097, 8193}, fragment_gap{8193, 10000}));
  expect_exact_product(a, cpu{.threads = 3}, {});
  expect_exact_product(with_lengths(std::vector<std::int64_t>(10000, 0)), cpu{.threads = 3}, {});
}

const std::vector<std::int64_t> row_over_many_fragments{5, 0, 300000, 17, 0, 255};

TEST(csr_fragment_cases, a_row_over_many_fragments) {
  const auto a = with_lengths(row_over_many_fragments);
  for (const char* fragment : {"256", "1024"})
    expect_exact_product(a, cpu{.threads = 2}, {{"fragment", fragment}});
}

/// Over 4096 fragments in one row: threads share the sum of its slots, which comes out the same for any
/// number of them.
TEST(csr_fragment_cases, a_row_of_more_slots_than_a_block_has) {
  const std::int64_t length = 256 * (exec::combine_block + 100);
  const auto a = with_lengths({3, length, 700});
  const option_texts options{{"fragment", "256"}};
  ASSERT_GT(
      csr_fragment::build(a.view(), {.fragment = csr_fragment_length::of_256}, on_cpu).meta.carries.longest,
      2 * exec::combine_block);
  for (const int threads : {1, 2, 5}) expect_exact_product(a, cpu{.threads = threads}, options);
}

/// Over 1100 fragments in one row: its sums are added by a block, not by a thread.
TEST(csr_fragment_cases, a_row_over_many_fragments_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_exact_products_on_cuda(row_over_many_fragments, {"256", "512", "1024", "2048", "4096"});
}

row_statistics rows_like(std::int64_t rows, std::int64_t length) {
  return {
      .rows = rows, .cols = rows, .nnz = rows * length, .mean = static_cast<double>(length), .max = length};
}

TEST(ellpack_r_threads_per_row, fill_the_device_and_keep_two_entries_each) {
  const auto chosen = [](std::int64_t rows, std::int64_t length) {
    return number_of(ellpack_r::resolve({}, rows_like(rows, length), on_cuda).threads_per_row);
  };
  EXPECT_EQ(chosen(1000000, 27), 1);
  EXPECT_EQ(chosen(65856, 81), 8);
  EXPECT_EQ(chosen(2000, 2000), 32);
  EXPECT_EQ(chosen(2000, 9), 4);
  EXPECT_EQ(chosen(2000, 3), 1);
}

TEST(ellpack_r_footprint, refuses_padding_and_never_overflows) {
  const csr_view<double, std::int64_t> nothing{};
  const auto options_of = [](ellpack_r_threads threads, std::int64_t max_padding) {
    return ellpack_r::options{.threads_per_row = threads, .max_padding = max_padding};
  };
  const row_statistics most{
      .rows = max_dimension, .cols = max_dimension, .nnz = 5000000000, .max = 4000000000};
  for (const auto threads : {ellpack_r_threads::one, ellpack_r_threads::thirty_two}) {
    const footprint f = ellpack_r::measure(nothing, most, options_of(threads, 1000000), on_cuda);
    EXPECT_EQ(f.bytes, std::numeric_limits<std::int64_t>::max());
    EXPECT_THAT(f.refusal, HasSubstr("a row of 4000000000 entries; lengths have 32 bits"));
  }
  // 32 slots for each row of 3: more than 10 a nonzero.
  const auto short_rows = rows_like(100000, 3);
  EXPECT_THAT(
      ellpack_r::measure(nothing, short_rows, options_of(ellpack_r_threads::thirty_two, 10), on_cuda).refusal,
      HasSubstr("3.2e+06 slots for 300000 nonzeros, 10.7 a nonzero"));
  const footprint taken =
      ellpack_r::measure(nothing, short_rows, options_of(ellpack_r_threads::two, 10), on_cuda);
  EXPECT_EQ(taken.refusal, "");
  EXPECT_EQ(taken.bytes, 200000 * 2 * 12 + 100000 * 4);
}

/// The message of the error that f throws.
template <class F>
std::string message_of(errc code, F&& f) {
  try {
    f();
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    return problem.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(paper_002_options, of_one_device_are_unsupported_on_the_other) {
  const paper_002 a;
  const auto asking = [&](const char* format, const char* option, const char* value) {
    return [=, &a] {
      static_cast<void>(inspect(a.view(), cpu{}, {.format = format, .options = {{option, value}}}));
    };
  };
  EXPECT_EQ(message_of(errc::unsupported, asking("ellpack_r", "threads_per_row", "4")),
            "unsupported: ellpack_r: option threads_per_row exists on cuda only");
  EXPECT_EQ(message_of(errc::unsupported, asking("csr_fragment", "kernel", "paper")),
            "unsupported: csr_fragment: option kernel exists on cuda only");
  EXPECT_THAT(message_of(errc::invalid_argument, asking("csr_fragment", "fragment", "1000")),
              HasSubstr("is not one of 256, 512, 1024, 2048, 4096"));
}

}  // namespace
}  // namespace gossamer::formats
