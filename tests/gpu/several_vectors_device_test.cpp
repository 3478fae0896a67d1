// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors in device memory: each column has the bits of a single product.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/device_vectors.hpp"
#include "support/matrix_from_rows.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::several_vectors_device {
namespace {

/// How X or Y lies in memory: `gap` elements between rows or columns, `before` elements in front.
struct place {
  layout order;
  std::int64_t gap;
  std::int64_t before;

  [[nodiscard]] std::int64_t leading(std::int64_t rows, std::int64_t cols) const {
    return (order == layout::column_major ? rows : cols) + gap;
  }
  [[nodiscard]] std::size_t size(std::int64_t rows, std::int64_t cols) const {
    const std::int64_t lines = order == layout::column_major ? cols : rows;
    return static_cast<std::size_t>(before + lines * leading(rows, cols));
  }
  [[nodiscard]] std::size_t at(std::int64_t rows, std::int64_t cols, std::int64_t i, std::int64_t j) const {
    const std::int64_t l = leading(rows, cols);
    return static_cast<std::size_t>(before + (order == layout::column_major ? i + j * l : i * l + j));
  }
  template <class T>
  [[nodiscard]] dense_view<T, device_space> view(device_span<T> all, std::int64_t rows,
                                                 std::int64_t cols) const {
    return {.rows = rows,
            .cols = cols,
            .leading = leading(rows, cols),
            .order = order,
            .data = {all.data() + before, all.size() - static_cast<std::size_t>(before)}};
  }
};

/// Columns side by side in memory, NaN between them.
template <class V>
std::vector<V> laid_out(const std::vector<std::vector<V>>& columns, std::int64_t rows, const place& where) {
  const auto cols = static_cast<std::int64_t>(columns.size());
  auto all = poisoned<V>(static_cast<std::int64_t>(where.size(rows, cols)));
  for (std::int64_t j = 0; j < cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      all[where.at(rows, cols, i, j)] = columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  return all;
}

/// Of entry k of row i.
double value_of_entry(std::int64_t i, std::size_t k, std::int64_t) {
  return static_cast<double>((i * 7 + static_cast<std::int64_t>(k) * 13) % 101 - 50) / 64.0;
}

constexpr layout by_rows = layout::row_major;
constexpr layout by_columns = layout::column_major;
struct layouts {
  place x;
  place y;
};
/// Seven, so that each of six numbers of columns meets each of them. In the last, rows of an odd number of
/// columns are aligned, and are divided into packs of several widths.
const layouts all_layouts[] = {
    {{by_rows, 0, 0}, {by_rows, 0, 0}},    {{by_columns, 0, 0}, {by_columns, 3, 1}},
    {{by_rows, 4, 4}, {by_rows, 8, 0}},    {{by_rows, 1, 3}, {by_columns, 0, 0}},
    {{by_columns, 2, 1}, {by_rows, 0, 4}}, {{by_rows, 0, 1}, {by_rows, 3, 0}},
    {{by_rows, 1, 0}, {by_rows, 1, 8}}};

template <class V>
struct vectors_of_product {
  std::vector<std::vector<V>> x;
  std::vector<std::vector<V>> y;         ///< before the product
  std::vector<std::vector<V>> expected;  ///< by single products
};

/// All columns are copied together, since a copy takes longer than a product.
template <class V>
vectors_of_product<V> single_products(const plan<V>& made, int count, V alpha, V beta) {
  constexpr std::int64_t aligned = 64;
  const auto apart = [](std::int64_t rows) {
    return static_cast<std::size_t>((rows + aligned - 1) / aligned * aligned);
  };
  const std::size_t x_apart = apart(made.cols());
  const std::size_t y_apart = apart(made.rows());
  vectors_of_product<V> all;
  std::vector<V> x(static_cast<std::size_t>(count) * x_apart);
  std::vector<V> y(static_cast<std::size_t>(count) * y_apart);
  for (int j = 0; j < count; ++j) {
    all.x.push_back(random_vector<V>(made.cols(), static_cast<unsigned>(j)));
    if (j == 1 && made.cols() > 0) all.x.back()[0] = std::numeric_limits<V>::quiet_NaN();
    all.y.push_back(beta == V{0} ? poisoned<V>(made.rows())
                                 : random_vector<V>(made.rows(), static_cast<unsigned>(100 + j)));
    std::copy(all.x.back().begin(), all.x.back().end(), x.begin() + static_cast<std::ptrdiff_t>(j * x_apart));
    std::copy(all.y.back().begin(), all.y.back().end(), y.begin() + static_cast<std::ptrdiff_t>(j * y_apart));
  }
  const device_vector<V> x_on_device{std::span<const V>(x)};
  device_vector<V> y_on_device{std::span<const V>(y)};
  for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
    made.multiply(
        alpha,
        device_span<const V>{x_on_device.span().data() + j * x_apart, static_cast<std::size_t>(made.cols())},
        beta, device_span<V>{y_on_device.span().data() + j * y_apart, static_cast<std::size_t>(made.rows())},
        {});
  y = y_on_device.fetch();
  for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
    all.expected.emplace_back(y.begin() + static_cast<std::ptrdiff_t>(j * y_apart),
                              y.begin() + static_cast<std::ptrdiff_t>(j * y_apart) + made.rows());
  return all;
}

/// Parts of a pack, and several packs.
constexpr int some_counts[] = {1, 2, 4, 7, 16, 19};
/// Also more than one launch has.
constexpr int more_counts[] = {1, 2, 4, 7, 16, 19, 37, 48, 70};

/// Products by so many vectors, each in the next of the layouts. X has a NaN in its second column.
template <class V>
void expect_bits_of_single_products(const plan<V>& made, std::span<const int> counts, std::size_t next,
                                    std::span<const layouts> of = all_layouts) {
  const int most = *std::max_element(counts.begin(), counts.end());
  for (const auto& [alpha, beta] : {std::pair<V, V>{V(1.5), V(0)}, {V(0.3), V(0.7)}, {V(0), V(0.5)}}) {
    const auto all = single_products<V>(made, most, alpha, beta);
    for (const int count : counts) {
      const auto& [of_x, of_y] = of[next++ % of.size()];
      const auto some = [&](const auto& from) {
        return std::vector<std::vector<V>>(from.begin(), from.begin() + count);
      };
      const device_vector<V> x{std::span<const V>(laid_out<V>(some(all.x), made.cols(), of_x))};
      device_vector<V> y{std::span<const V>(laid_out<V>(some(all.y), made.rows(), of_y))};
      made.multiply(alpha, of_x.view(x.span(), made.cols(), count), beta,
                    of_y.view(y.span(), made.rows(), count), {});
      ASSERT_TRUE(same_bits(y.fetch(), laid_out<V>(some(all.expected), made.rows(), of_y)))
          << count << " columns, layouts " << (next - 1) % of.size() << ", beta " << beta << ", "
          << made.describe();
    }
  }
}

bool contains_format(std::initializer_list<std::string_view> formats, std::string_view format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

class several_device_vectors : public testing::TestWithParam<format_setting> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
  template <class V>
  void expect_on(const csr_matrix<double, std::int64_t>& matrix, std::span<const int> counts) {
    const auto a = converted<V, std::int64_t>(matrix);
    const format_setting& how = GetParam();
    std::optional<plan<V>> made;
    try {
      made = inspect(a.view(), cuda{0}, {.format = how.format, .options = how.options});
    } catch (const error& problem) {
      ASSERT_EQ(problem.code(), errc::unsupported) << problem.what();
      return;  // for its padding
    }
    expect_bits_of_single_products(*made, counts, matrices_++);
  }

 private:
  std::size_t matrices_ = 0;
};

TEST_P(several_device_vectors, have_the_bits_of_single_products) {
  if (contains_format({"packed", "csr", "sliced_ell"}, GetParam().format)) {
    for (const battery_entry& entry : battery()) {
      SCOPED_TRACE(entry.name);
      expect_on<double>(entry.matrix, some_counts);
      expect_on<float>(entry.matrix, some_counts);
    }
  }
  const auto& options = GetParam().options;
  // short_rows decides between lane slices and COO slices, whose kernels depend on the number of columns.
  const bool has_more = options.empty() || options.front().first == "short_rows";
  const std::span<const int> counts =
      has_more ? std::span<const int>(more_counts) : std::span<const int>(some_counts);
  for (const char* text :
       {"stencil(nx=33,ny=31,points=9,values=distinct)", "fem(nx=6,dof=3)", "circuit(rows=3000)",
        "power_law(rows=2000,mean=6,max=1500)", "uniform(rows=700,per_row=16)", "arrow(n=900)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    expect_on<double>(a, counts);
    expect_on<float>(a, counts);
  }
}

/// csr and sliced_ell with each of their kernels.
std::vector<format_setting> kernel_choices() {
  std::vector<format_setting> all;
  for (const char* kernel : {"thread", "warp", "half_warp", "balanced"})
    all.push_back({.format = "csr", .options = {{"kernel", kernel}}});
  for (const char* threads : {"1", "2", "4", "8", "16", "32"})
    for (const char* rows_per_group : {"1", "5"})
      all.push_back(
          {.format = "csr", .options = {{"threads_per_row", threads}, {"rows_per_group", rows_per_group}}});
  for (const char* threads : {"1", "2", "4", "8", "16"}) {
    all.push_back({.format = "sliced_ell", .options = {{"threads_per_row", threads}}});
    all.push_back({.format = "sliced_ell",
                   .options = {{"threads_per_row", threads}, {"slice_rows", "8"}, {"sort_window", "64"}}});
  }
  return all;
}

/// Each format, `packed` with each value of each of its options, and kernel_choices().
std::vector<format_setting> choices() {
  std::vector<format_setting> all = kernel_choices();
  for (const format_info& each : list_formats()) {
    if (!contains(each.devices, device_set::cuda)) continue;
    all.push_back({.format = std::string(each.name), .options = {}});
    if (each.name != "packed") continue;
    for (const option_info& option : each.options) {
      if (!contains(option.devices, device_set::cuda)) continue;
      const auto add = [&](std::string value) {
        all.push_back({.format = "packed", .options = {{std::string(option.name), std::move(value)}}});
      };
      for (const option_choice& value : option.choices)
        if (contains(value.devices, device_set::cuda)) add(std::string(value.name));
      if (option.choices.empty()) {
        add(std::to_string(option.min));
        add(std::to_string(option.max));
        if (option.test_value != 0) add(std::to_string(option.test_value));
      }
    }
  }
  return all;
}

std::string name_of(const format_setting& choice) {
  std::string name = choice.format;
  for (const auto& [option, value] : choice.options) name += "_" + option + "_" + value;
  return name + "_cuda";
}

INSTANTIATE_TEST_SUITE_P(formats, several_device_vectors, testing::ValuesIn(choices()),
                         [](const auto& each) { return name_of(each.param); });

/// Rows longer than the units of csr's `balanced`, which share them. lengths: of the long rows, each followed
/// by two short ones. Entries of a long row repeat columns.
template <class V>
csr_matrix<V, std::int64_t> long_rows(const std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t cols = 997;
  return matrix_from_rows<V>(
      3 * static_cast<std::int64_t>(lengths.size()), cols,
      [&](std::int64_t i) {
        std::vector<std::int64_t> of_row(
            i % 3 == 0 ? static_cast<std::size_t>(lengths[static_cast<std::size_t>(i / 3)]) : 2);
        for (std::size_t k = 0; k < of_row.size(); ++k) of_row[k] = (i + static_cast<std::int64_t>(k)) % cols;
        return of_row;
      },
      value_of_entry);
}

std::vector<std::int64_t> equal_lengths(std::size_t count, std::int64_t length) {
  return std::vector<std::int64_t>(count, length);
}

template <class V>
void expect_bits_with_shared_rows(const std::vector<std::int64_t>& lengths) {
  const auto a = long_rows<V>(lengths);
  const auto made = inspect(a.view(), cuda{0}, {.format = "csr", .options = {{"kernel", "balanced"}}});
  for (std::size_t next = 0; next < std::size(all_layouts); ++next)
    expect_bits_of_single_products<V>(made, some_counts, next);
}

/// Rows whose parts are added by the last block to arrive, or by a second kernel, which has a thread, a warp
/// or a block for each row, or warps and blocks.
TEST(several_device_vectors_of_shared_rows, have_the_bits_of_single_products_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  std::vector<std::int64_t> one_very_long = equal_lengths(1100, 8200);
  one_very_long[500] = 1'100'000;
  for (const auto& lengths : {equal_lengths(10, 20'000), equal_lengths(10, 300'000), equal_lengths(900, 8200),
                              equal_lengths(100, 80'000), equal_lengths(7, 1'100'000), one_very_long}) {
    SCOPED_TRACE(lengths.size());
    expect_bits_with_shared_rows<double>(lengths);
    expect_bits_with_shared_rows<float>(lengths);
  }
}

/// Rows of 0 to `most` entries: empty ones alone and in runs, and long ones that several teams share.
csr_matrix<double, std::int64_t> rows_of_many_lengths(std::int64_t rows, std::int64_t most) {
  return matrix_from_rows<double>(
      rows, rows,
      [&](std::int64_t i) {
        const std::int64_t kind = i % 23;
        std::int64_t length = kind < 5 ? 0 : kind < 17 ? kind - 4 : (i * 37) % most + 1;
        if (i % 200 < 30) length = 0;
        std::vector<std::int64_t> of_row(static_cast<std::size_t>(length));
        for (std::size_t k = 0; k < of_row.size(); ++k)
          of_row[k] = (i * 11 + static_cast<std::int64_t>(k) * 3) % rows;
        std::sort(of_row.begin(), of_row.end());
        of_row.erase(std::unique(of_row.begin(), of_row.end()), of_row.end());
        return of_row;
      },
      value_of_entry);
}

template <class V>
void expect_bits_of_wide_products(const csr_matrix<double, std::int64_t>& matrix) {
  const layouts aligned[] = {all_layouts[0], all_layouts[2]};
  constexpr int counts[] = {16, 24, 32, 48, 64};
  const auto a = converted<V, std::int64_t>(matrix);
  // Rows of more than 256 entries are cut by the last.
  for (const auto& [option, value] : {std::pair{"short_rows", "auto"},
                                      {"short_rows", "entries"},
                                      {"short_rows", "padded"},
                                      {"longest_part", "256"}}) {
    const auto made = inspect(a.view(), cuda{0}, {.format = "packed", .options = {{option, value}}});
    for (std::size_t next = 0; next < std::size(aligned); ++next)
      expect_bits_of_single_products<V>(made, counts, next, aligned);
  }
}

TEST(several_device_vectors_in_wide_products, have_the_bits_of_single_products_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  for (const auto& matrix :
       {rows_of_many_lengths(5000, 40), rows_of_many_lengths(3000, 250), rows_of_many_lengths(2000, 700),
        bench_support::generate<double>("power_law(rows=2000,mean=6,max=1500)")}) {
    SCOPED_TRACE(matrix.rows);
    expect_bits_of_wide_products<double>(matrix);
    expect_bits_of_wide_products<float>(matrix);
  }
}

/// A variant of the wide kernel loads elements of X for half a chunk at a time. It is used with more than 10
/// and up to 14 blocks of 64 threads a multiprocessor, or more than 5 and up to 7 of 128 (64 columns in f64).
/// With more blocks, 16 columns in f64 are no wide product.
TEST(several_device_vectors_in_half_chunks, have_the_bits_of_single_products_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  constexpr std::int64_t some_rows = 5000;
  constexpr std::int64_t entries_of_slice = 240;  // about; a COO slice has room for 256
  const std::int64_t some_entries = rows_of_many_lengths(some_rows, 40).view().nnz();
  for (const int blocks_of_multiprocessor : {6, 12, 16}) {
    SCOPED_TRACE(blocks_of_multiprocessor);
    const std::int64_t entries = entries_of_slice * blocks_of_multiprocessor * multiprocessors;
    const auto matrix = rows_of_many_lengths(some_rows * entries / some_entries, 40);
    expect_bits_of_wide_products<double>(matrix);
    expect_bits_of_wide_products<float>(matrix);
  }
}

TEST(several_expected_vectors, are_multiplied_by_packed_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto a = bench_support::generate<double>("uniform(rows=700,per_row=16)");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.vectors = 2}).format(), "packed");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.values_change = true, .vectors = 2}).format(), "packed");
}

void expect_replayed_product(const char* format, int count) {
  const auto a = bench_support::generate<double>("power_law(rows=2000,mean=6,max=1500)");
  const auto made = inspect(a.view(), cuda{0}, {.format = format});
  const place where{by_rows, 0, 0};
  const auto all = single_products<double>(made, count, 1.5, 0.0);
  const auto expected = laid_out<double>(all.expected, made.rows(), where);
  const device_vector<double> x{std::span<const double>(laid_out<double>(all.x, made.cols(), where))};
  device_vector<double> y{std::span<const double>(laid_out<double>(all.y, made.rows(), where))};
  const stream s;
  const auto multiply = [&] {
    made.multiply(1.5, where.view(x.span(), made.cols(), count), 0.0,
                  where.view(y.span(), made.rows(), count), s.handle);
  };
  multiply();  // takes its room
  y.fill(poisoned<double>(static_cast<std::int64_t>(expected.size())));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
  multiply();
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, s.handle));
  EXPECT_TRUE(same_bits(y.fetch(), expected));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

TEST(several_device_vectors_in_a_graph, replay_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  for (const char* format : {"packed", "csr", "sliced_ell"})
    for (const int count : {4, 16, 70}) {
      SCOPED_TRACE(format);
      expect_replayed_product(format, count);
    }
}

/// Where two arrays of row-major columns lie in one allocation. The products of a chain swap their roles.
struct two_arrays {
  std::int64_t columns;
  std::int64_t leading;
  std::int64_t at[2];
  std::int64_t size;

  static two_arrays apart(std::int64_t rows, std::int64_t columns) {
    return {columns, columns, {0, rows * columns}, 2 * rows * columns};
  }
  /// In the rows of one array, 16 bytes from the beginning and end of a row. Both have elements in one sector
  /// of the cache.
  template <class V>
  static two_arrays side_by_side(std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t gap = 16 / sizeof(V);
    const std::int64_t leading = 2 * (columns + gap);
    return {columns, leading, {gap, columns + gap}, rows * leading};
  }
  template <class T>
  [[nodiscard]] dense_view<T, device_space> view(device_span<T> all, std::int64_t rows, int which) const {
    const auto begin = static_cast<std::size_t>(at[which]);
    const auto length = static_cast<std::size_t>((rows - 1) * leading + columns);
    return {.rows = rows,
            .cols = columns,
            .leading = leading,
            .order = layout::row_major,
            .data = {all.data() + begin, length}};
  }
};

/// Each product begins while the kernels of the one before it may still run, and multiplies what they write.
template <class V>
void expect_bits_in_a_chain(const plan<V>& made, const two_arrays& where) {
  constexpr int products = 20;
  const std::vector<V> first = random_vector<V>(where.size, 1);
  const stream s;
  const auto result = [&](bool waits) {
    device_vector<V> memory{std::span<const V>(first)};
    for (int i = 0; i < products; ++i) {
      made.multiply(V(0.01), where.view(device_span<const V>(memory.span()), made.cols(), i % 2), V(0),
                    where.view(memory.span(), made.rows(), 1 - i % 2), s.handle);
      if (waits) check(cudaStreamSynchronize(s.handle));
    }
    return memory.fetch();
  };
  const std::vector<V> expected = result(true);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(same_bits(result(false), expected)) << where.columns << " columns, " << made.describe();
}

template <class V>
void expect_bits_in_chains(const csr_matrix<double, std::int64_t>& matrix) {
  const auto a = converted<V, std::int64_t>(matrix);
  for (const char* short_rows : {"auto", "padded", "entries"}) {
    const auto made =
        inspect(a.view(), cuda{0}, {.format = "packed", .options = {{"short_rows", short_rows}}});
    for (const std::int64_t count : {16, 64}) {
      expect_bits_in_a_chain<V>(made, two_arrays::apart(a.rows, count));
      expect_bits_in_a_chain<V>(made, two_arrays::side_by_side<V>(a.rows, count));
    }
  }
}

/// Long rows, and many short ones. All blocks of both kernels are resident at once, so both begin together,
/// and the kernel of the lane slices ends much later. The next product must wait for both.
csr_matrix<double, std::int64_t> long_and_short_rows() {
  constexpr std::int64_t rows = 10'000;
  constexpr std::int64_t how_many_long = 100;
  return matrix_from_rows<double>(
      rows, rows,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row(i < how_many_long ? 8000u : 5u);
        for (std::size_t k = 0; k < of_row.size(); ++k)
          of_row[k] = i < how_many_long ? static_cast<std::int64_t>(k)
                                        : (i + static_cast<std::int64_t>(k) * 31) % rows;
        std::sort(of_row.begin(), of_row.end());
        return of_row;
      },
      value_of_entry);
}

TEST(several_device_vectors_in_a_chain, have_the_bits_of_products_that_wait_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  // Of the second, nearly all entries are in lane slices. The last has COO slices only, unless it is padded.
  for (const auto& matrix : {bench_support::generate<double>("power_law(rows=20000,mean=6,max=1500)"),
                             rows_of_many_lengths(9000, 3000), long_and_short_rows(),
                             bench_support::generate<double>("uniform(rows=60000,per_row=8)")}) {
    expect_bits_in_chains<double>(matrix);
    expect_bits_in_chains<float>(matrix);
  }
}

}  // namespace
}  // namespace gossamer::testing_support::several_vectors_device
