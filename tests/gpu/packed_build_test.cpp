// SPDX-License-Identifier: BSD-3-Clause
// packed, built on a device: all arrays must equal the host's, and so must the row statistics that determine
// the options.
#include <gmock/gmock.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "exec/cuda/device_rows.hpp"
#include "formats/packed/format.hpp"
#include "support/battery.hpp"
#include "support/built_on_device.hpp"
#include "support/device_vectors.hpp"
#include "support/stored_matrix.hpp"
#include "support/threads.hpp"
#include "support/vectors.hpp"

namespace gossamer {
namespace {

using formats::packed;
using formats::packed_elided_deltas;
using formats::packed_short_rows;
using testing_support::array_on_device;
using testing_support::battery;
using testing_support::battery_entry;
using testing_support::converted;
using testing_support::is_built_alike;
using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::run_by_threads;

#define SKIP_WITHOUT_DEVICE() \
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine"

const packed::options settings[] = {
    {},
    {.longest_walk = 1},
    {.longest_walk = 4096},
    {.longest_walk = 12, .longest_part = 256},
    {.longest_part = 1000, .short_rows = packed_short_rows::entries},
    {.longest_walk = 32, .short_rows = packed_short_rows::padded},
    {.longest_walk = 8, .short_rows = packed_short_rows::entries},
    {.entries_per_slice = 128},
    {.entries_per_slice = 32},
    {.longest_part = 256, .short_rows = packed_short_rows::entries, .entries_per_slice = 32},
    {.short_rows = packed_short_rows::entries, .entries_per_slice = 33},
    {.warps_per_slice = 8},
    {.elided_deltas = packed_elided_deltas::always},
    {.longest_walk = 128,
     .short_rows = packed_short_rows::padded,
     .elided_deltas = packed_elided_deltas::always},
};

/// Large enough to be sampled, with windows of every kind: diagonal slices among COO slices, a long row among
/// short ones, sorted or not.
const char* const specifications[] = {
    "stencil(nx=200,ny=170,points=5)",
    "stencil(nx=33,ny=31,nz=29,points=27,values=distinct)",
    "stencil(nx=12,ny=12,nz=12,points=27,dof=3,values=distinct)",
    "power_law(rows=40k,mean=6,max=9000)",
    "power_law(rows=20k,mean=30,max=3000,values=constant)",
    "circuit(rows=60k)",
    "rmat(scale=14)",
    "uniform(rows=9k,per_row=16)",
    "fem(nx=22,dof=3)",  // by eight warps long slices begin first
    "heavy_row(rows=3000,cols=90000,per_row=3,heavy=70000)",
    "arrow(n=5000)",
    "dense(rows=300,cols=700)",
    "banded(n=20k,lower=7,upper=7)",
    "empty_rows(rows=70k,fraction=0.97,per_row=3)",
    // Large, with slices of both kinds until they are cut again: one kind costs hardly more.
    "power_grid(buses=150k,block=2,degree=3.2,region=100)",
};

template <value V, offset O>
void expect_alike(const csr_matrix<double, std::int64_t>& matrix) {
  const auto a = converted<V, O>(matrix);
  for (const packed::options& o : settings) {
    SCOPED_TRACE(testing::Message() << "longest_walk " << o.longest_walk << ", longest_part "
                                    << o.longest_part << ", short_rows " << static_cast<int>(o.short_rows)
                                    << ", entries_per_slice " << o.entries_per_slice << ", warps "
                                    << o.warps_per_slice << ", " << 8 * sizeof(V) << " bits, offsets of "
                                    << 8 * sizeof(O));
    EXPECT_TRUE((is_built_alike<packed, V, O>(a.view(), o)));
  }
}

TEST(packed_on_device, builds_what_the_host_builds_of_the_battery_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.rows == 0) continue;
    SCOPED_TRACE(entry.name);
    expect_alike<double, std::int32_t>(entry.matrix);
    expect_alike<float, std::int64_t>(entry.matrix);
  }
}

class packed_of_larger_matrices : public testing::TestWithParam<const char*> {};

TEST_P(packed_of_larger_matrices, is_what_the_host_builds) {
  SKIP_WITHOUT_DEVICE();
  const auto a = bench_support::generate<double>(GetParam());
  expect_alike<double, std::int64_t>(a);
  expect_alike<float, std::int32_t>(a);
}

std::string name_of(const char* text) {
  std::string name;
  for (const char* at = text; *at != 0; ++at) {
    if (std::isalnum(static_cast<unsigned char>(*at)) != 0)
      name += *at;
    else if (!name.ends_with('_'))
      name += '_';
  }
  return name + (name.ends_with('_') ? "cuda" : "_cuda");
}

INSTANTIATE_TEST_SUITE_P(each, packed_of_larger_matrices, testing::ValuesIn(specifications),
                         [](const auto& each) { return name_of(each.param); });

/// Thousands of values: as many distinct ones as the table holds, some more, rare ones that a sample misses,
/// infinities and NaNs, and both zeros.
TEST(packed_on_device, finds_the_table_that_the_host_finds_cuda) {
  SKIP_WITHOUT_DEVICE();
  auto a = bench_support::generate<double>("uniform(rows=40k,per_row=8)");
  std::mt19937_64 random(3);
  for (const int different : {1, 2, 16, 17, 255, 256, 257, 300, 5000, 0}) {
    for (const int rare : {0, 1, 200, 3000}) {
      SCOPED_TRACE(testing::Message() << different << " different ones, " << rare << " rare");
      for (double& each : a.val.span())
        each = different == 0 ? static_cast<double>(random() >> 11)
                              : -3 + static_cast<double>(random() % static_cast<unsigned>(different));
      for (int k = 0; k < rare; ++k) {
        const auto at = random() % a.val.size();
        a.val[at] = k % 50 == 7    ? std::numeric_limits<double>::quiet_NaN()
                    : k % 50 == 8  ? -std::numeric_limits<double>::infinity()
                    : k % 50 == 9  ? -0.0
                    : k % 50 == 10 ? std::bit_cast<double>(~std::uint64_t{0})
                                   : 0.5 + static_cast<double>(k % 23);
      }
      EXPECT_TRUE((is_built_alike<packed>(a.view(), {})));
      EXPECT_TRUE((is_built_alike<packed>(converted<float, std::int32_t>(a).view(), {})));
    }
  }
}

template <value V, offset O>
std::optional<row_statistics> measured_on_device(const csr_matrix<V, O>& a) {
  const plans::matrix_on_device<V, O> there(a.view(), 0);
  return exec::measure_rows_on_device(there.view(), 0);
}

template <value V, offset O>
void expect_the_same_statistics(const csr_matrix<double, std::int64_t>& matrix) {
  const auto a = converted<V, O>(matrix);
  const row_statistics here = measure_rows(a.view());
  const auto there = measured_on_device(a);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->rows, here.rows);
  EXPECT_EQ(there->cols, here.cols);
  EXPECT_EQ(there->nnz, here.nnz);
  EXPECT_EQ(there->mean, here.mean);
  EXPECT_EQ(there->standard_deviation, here.standard_deviation);
  EXPECT_EQ(there->min, here.min);
  EXPECT_EQ(there->max, here.max);
  EXPECT_EQ(there->empty, here.empty);
  EXPECT_EQ(there->common_length, here.common_length);
  EXPECT_EQ(there->sliced_slots, here.sliced_slots);
  EXPECT_EQ(there->spread, here.spread);
}

TEST(rows_on_device, are_measured_as_on_the_host_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.rows == 0) continue;
    SCOPED_TRACE(entry.name);
    expect_the_same_statistics<double, std::int32_t>(entry.matrix);
    expect_the_same_statistics<float, std::int64_t>(entry.matrix);
  }
  for (const char* const text : specifications) {
    SCOPED_TRACE(text);
    expect_the_same_statistics<double, std::int64_t>(bench_support::generate<double>(text));
  }
}

/// More rows and entries than one round of the kernels that look for faults takes.
TEST(rows_on_device, at_the_end_of_a_large_matrix_are_looked_at_cuda) {
  SKIP_WITHOUT_DEVICE();
  auto a = bench_support::generate<double>("uniform(rows=700k,cols=5000,per_row=4)");
  expect_the_same_statistics<double, std::int32_t>(a);
  const auto last = a.col.size() - 1;
  const std::int32_t column = std::exchange(a.col[last], 5000);
  EXPECT_FALSE(measured_on_device(a));
  a.col[last] = column;
  EXPECT_TRUE(measured_on_device(a));
  a.row_ptr[a.row_ptr.size() - 2] = a.row_ptr[a.row_ptr.size() - 3] - 1;
  EXPECT_FALSE(measured_on_device(a));
}

/// One fault each; the plan's error has to be the host's, whichever side found it.
TEST(rows_on_device, of_what_is_not_valid_are_none_cuda) {
  SKIP_WITHOUT_DEVICE();
  const auto faulty = [&](const std::string& name, auto&& spoil) {
    SCOPED_TRACE(name);
    auto a = bench_support::generate<double>("uniform(rows=3000,per_row=9)");
    spoil(a);
    EXPECT_FALSE(measured_on_device(a));
    const auto thrown = [&](auto&& inspect_it) -> std::string {
      try {
        inspect_it();
      } catch (const error& problem) {
        return problem.what();
      }
      return "nothing";
    };
    const std::string expected = thrown([&] { validate(a.view()); });
    EXPECT_NE(expected, "nothing");
    EXPECT_EQ(thrown([&] { static_cast<void>(inspect(a.view(), cuda{0}, {.format = "packed"})); }), expected);
    const array_on_device<std::int64_t> row_ptr(a.view().row_ptr, 0);
    const array_on_device<std::int32_t> col(a.view().col, 0);
    const array_on_device<double> val(a.view().val, 0);
    const csr_view<double, std::int64_t, device_space> there{
        .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
    EXPECT_EQ(thrown([&] { static_cast<void>(inspect(there, cuda{0}, {.format = "packed"})); }), expected);
  };
  faulty("the first offset", [](auto& a) { a.row_ptr[0] = 1; });
  faulty("the last offset", [](auto& a) { a.row_ptr[3000] -= 1; });
  faulty("an offset that falls", [](auto& a) { a.row_ptr[1700] = a.row_ptr[1699] - 1; });
  faulty("an offset far beyond", [](auto& a) { a.row_ptr[1700] = std::int64_t{1} << 60; });
  faulty("a negative offset", [](auto& a) { a.row_ptr[1] = -5; });
  faulty("a negative column", [](auto& a) { a.col[26999] = -1; });
  faulty("a column too large", [](auto& a) { a.col[0] = 3000; });
}

/// Values whose bits differ although they compare equal, or not at all.
TEST(packed_on_device, encodes_odd_values_as_the_host_does_cuda) {
  SKIP_WITHOUT_DEVICE();
  using limits = std::numeric_limits<double>;
  const double odd[] = {limits::quiet_NaN(),
                        std::bit_cast<double>(std::uint64_t{0xfff8000000001234}),
                        std::bit_cast<double>(std::uint64_t{0x7ff4000000000001}),
                        std::bit_cast<double>(std::uint64_t{0x7ff0000020000000}),
                        limits::infinity(),
                        -0.0,
                        0.0,
                        limits::denorm_min(),
                        std::numeric_limits<float>::denorm_min(),
                        std::numeric_limits<float>::min(),
                        -std::numeric_limits<float>::min() / 2,
                        std::numeric_limits<float>::max(),
                        2.0 * std::numeric_limits<float>::max(),
                        0x1p-24,
                        65504,
                        1 + limits::epsilon()};
  constexpr std::size_t kinds = std::size(odd);
  auto a = bench_support::generate<double>("uniform(rows=2000,per_row=9)");
  for (std::size_t first = 0; first < kinds; ++first) {
    for (const std::size_t different : {std::size_t{1}, std::size_t{2}, std::size_t{5}, kinds}) {
      SCOPED_TRACE(testing::Message() << different << " from " << first);
      for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = odd[(first + k % different) % kinds];
      EXPECT_TRUE((is_built_alike<packed>(a.view(), {})));
      EXPECT_TRUE((is_built_alike<packed>(a.view(), {.short_rows = packed_short_rows::entries})));
    }
  }
}

/// Few COO slices, which become lane slices: the host and the device must decide alike.
TEST(packed_on_device, drops_few_coo_slices_as_the_host_does_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const char* const text : {"stencil(nx=1000,ny=100,points=5)", "stencil(nx=400,ny=410,points=9)",
                                 "banded(n=300k,lower=3,upper=3)"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE((is_built_alike<packed>(bench_support::generate<double>(text).view(), {})));
  }
}

/// The stages of inspect show who builds: for a device the matrix is uploaded before it is validated, and
/// nothing afterwards.
TEST(packed_on_device, is_how_plans_are_built_cuda) {
  SKIP_WITHOUT_DEVICE();
  const auto a = bench_support::generate<double>("uniform(rows=3000,per_row=9)");
  const array_on_device<std::int64_t> row_ptr(a.view().row_ptr, 1);
  const array_on_device<std::int32_t> col(a.view().col, 3);
  const array_on_device<double> val(a.view().val, 1);
  const csr_view<double, std::int64_t, device_space> there{
      .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  std::vector<std::string> stages;
  const auto stages_of = [&](const auto& matrix, inspect_options how) {
    stages.clear();
    how.progress = [&](const progress& p) {
      stages.emplace_back(p.stage);
      return true;
    };
    const auto made = inspect(matrix, cuda{0}, how);
    const auto x = random_vector<double>(a.cols, 5);
    auto y = poisoned<double>(a.rows);
    made.multiply(1.0, x, 0.0, y);
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(
                     testing_support::stored_matrix(a.view(), made).view(), 1.0, x, 0.0, {}, y)
                     .passed()));
    return stages;
  };
  using testing::ElementsAre;
  EXPECT_THAT(stages_of(a.view(), {.format = "packed"}),
              ElementsAre("upload", "validate", "statistics", "build"));
  EXPECT_THAT(stages_of(there, {.format = "packed"}), ElementsAre("validate", "statistics", "build"));
  // The host builds rounded values, and plans with a memory limit.
  const auto by_the_host = ElementsAre("validate", "statistics", "build", "upload");
  EXPECT_THAT(stages_of(a.view(), {.format = "packed", .options = {{"precision", "f16"}}}), by_the_host);
  EXPECT_THAT(stages_of(there, {.format = "packed", .options = {{"precision", "f16"}}}), by_the_host);
  EXPECT_THAT(stages_of(a.view(), {.format = "packed", .memory_limit = 1000}), by_the_host);
}

/// Cancelled at each stage in turn, and with no memory for some array: an error or a plan of the host's, and
/// nothing is left behind.
TEST(packed_on_device, gives_up_cleanly_cuda) {
  SKIP_WITHOUT_DEVICE();
  const auto a = bench_support::generate<double>("power_law(rows=20k,mean=30,max=9000)");
  for (int allowed = 0; allowed < 4; ++allowed) {
    int asked = 0;
    inspect_options how{.format = "packed"};
    how.progress = [&](const progress&) { return asked++ < allowed; };
    try {
      static_cast<void>(inspect(a.view(), cuda{0}, how));
      ADD_FAILURE() << "cancelled at stage " << allowed;
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::cancelled);
    }
  }
  struct allocator {
    int fails_at;
    int calls = 0;
    static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
      auto& self = *static_cast<allocator*>(user);
      void* pointer = nullptr;
      if (++self.calls == self.fails_at || cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
      return pointer;
    }
    static void release(void* pointer, std::size_t, int, void*) { (void)cudaFree(pointer); }
  };
  const auto x = random_vector<double>(a.cols, 5);
  int built_by_the_host = 0;
  bool failed = true;
  for (int at = 1; failed; ++at) {
    ASSERT_LT(at, 40);
    allocator once{.fails_at = at};
    const allocation_hook previous =
        set_device_allocation_hook({allocator::allocate, allocator::release, &once});
    auto y = poisoned<double>(a.rows);
    std::string reason;
    try {
      inspect(a.view(), cuda{0}, {.format = "packed"}).multiply(1.0, x, 0.0, y);
    } catch (const error& problem) {
      reason = problem.what();
      EXPECT_EQ(problem.code(), errc::out_of_memory);
    }
    set_device_allocation_hook(previous);
    failed = once.calls >= at;
    if (!reason.empty()) continue;
    built_by_the_host += failed ? 1 : 0;
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y).passed())) << at;
  }
  EXPECT_GT(built_by_the_host, 3) << "the host builds if the device lacks memory for building";
}

/// Several at once on one device.
TEST(packed_on_device, builds_from_several_threads_cuda) {
  SKIP_WITHOUT_DEVICE();
  const auto a = bench_support::generate<double>("power_law(rows=20k,mean=30,max=9000)");
  const auto x = random_vector<double>(a.cols, 5);
  constexpr int threads = 4;
  std::vector<std::vector<double>> y(threads, poisoned<double>(a.rows));
  run_by_threads(threads, [&](int t) {
    for (int i = 0; i < 5; ++i)
      inspect(a.view(), cuda{0}, {.format = "packed"}).multiply(1.0, x, 0.0, y[static_cast<std::size_t>(t)]);
  });
  for (const auto& each : y) {
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, each).passed()));
    EXPECT_EQ(each, y.front());
  }
}

/// A plan that the device built, and one that the host built because of its memory limit.
TEST(packed_on_device, plans_multiply_to_the_same_bits_cuda) {
  SKIP_WITHOUT_DEVICE();
  for (const char* const text : specifications) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    const auto x = random_vector<double>(a.cols, 5);
    const auto y = random_vector<double>(a.rows, 6);
    auto built_on_device = inspect(a.view(), cuda{0}, {.format = "packed", .values_change = true});
    auto built_here =
        inspect(a.view(), cuda{0},
                {.format = "packed", .values_change = true, .memory_limit = std::int64_t{1} << 40});
    EXPECT_EQ(built_on_device.bytes(), built_here.bytes());
    EXPECT_EQ(built_on_device.options(), built_here.options());
    EXPECT_EQ(built_on_device.bus_bytes(), 0);
    const auto expect_the_same = [&] {
      auto got = y;
      auto expected = y;
      built_on_device.multiply(1.5, x, -0.5, got);
      built_here.multiply(1.5, x, -0.5, expected);
      EXPECT_EQ(got, expected);
    };
    expect_the_same();
    std::vector<double> values(a.val.data(), a.val.data() + a.val.size());
    for (double& each : values) each = 3 - each;
    built_on_device.update_values(values);
    built_here.update_values(values);
    expect_the_same();
    const auto back = built_on_device.to_csr();
    EXPECT_EQ(std::vector<double>(back.val.data(), back.val.data() + back.val.size()), values);
  }
}

}  // namespace
}  // namespace gossamer
