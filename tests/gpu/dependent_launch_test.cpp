// SPDX-License-Identifier: BSD-3-Clause
// Kernels that begin before the one before them has ended, those that combine shared rows and whole products:
// nothing may be read too early.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

struct shared_rows {
  std::string name;
  std::string matrix;
  std::string format;
  option_texts options;
};

/// One for each way in which runs are combined: by a thread, a warp or a block each, or short ones by threads
/// or warps next to long ones; and one for each format that has a second kernel.
const std::vector<shared_rows>& shared_cases() {
  static const std::vector<shared_rows> all = {
      {"thread_a_run", "uniform(rows=20000,per_row=7)", "brc", {{"block_width", "1"}}},
      {"warp_a_run", "uniform(rows=5000,per_row=200)", "brc", {{"block_width", "1"}}},
      {"block_a_run", "uniform(rows=300,cols=5000,per_row=700)", "brc", {{"block_width", "1"}}},
      {"warp_a_short_run",
       "heavy_row(rows=3000,cols=3000,per_row=4,heavy=2500)",
       "brc",
       {{"block_width", "1"}}},
      {"csr", "uniform(rows=3000,per_row=1100)", "csr", {{"kernel", "balanced"}}},
      {"coo", "uniform(rows=3000,per_row=1100)", "coo", {}},
      {"bcoo", "uniform(rows=3000,per_row=700)", "bcoo", {}},
      {"bccoo", "uniform(rows=3000,per_row=700)", "bccoo", {{"entries_per_thread", "2"}}},
      {"csr_fragment", "uniform(rows=3000,per_row=1100)", "csr_fragment", {}},
      {"hyb", "power_law(rows=30000,mean=12)", "hyb", {{"tail", "brc"}, {"width", "3"}}},
      {"diag_blocks", "uniform(rows=3000,per_row=1100)", "diag_blocks", {}},
      {"cached_x_panels", "uniform(rows=3000,per_row=1100)", "cached_x", {{"cache_kib", "8"}}},
      {"thread_a_short_run", "rmat(scale=17)", "cached_x", {{"columns", "frequent"}, {"cache_kib", "16"}}},
      {"packed", "heavy_row(rows=9000,cols=9000,per_row=4,heavy=8000)", "packed", {{"longest_part", "256"}}}};
  return all;
}

std::string by_kernel(const testing::TestParamInfo<shared_rows>& each) {
  return each.param.name + "_cuda";
}

class overlap : public testing::TestWithParam<shared_rows> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
  csr_matrix<double, std::int64_t> a = bench_support::generate<double>(GetParam().matrix);
  inspect_options how{.format = GetParam().format, .options = GetParam().options};
};

/// y <- A y / scale - y / 2, again and again: each product reads what the one before wrote last.
TEST_P(overlap, products_in_a_row_see_all_of_the_one_before) {
  ASSERT_LE(a.rows, a.cols);
  const auto plan = inspect(a.view(), cuda{0}, how);
  workspace room = plan.make_workspace();
  const auto x = random_vector<double>(a.cols, 1);
  const auto y = random_vector<double>(a.rows, 2);
  const double alpha = 1.0 / static_cast<double>(a.nnz() / a.rows + 1);
  constexpr int products = 200;
  const auto run = [&](bool waits) {
    device_vector<double> x_on_device{std::span<const double>(x)};
    device_vector<double> y_on_device{std::span<const double>(y)};
    const stream s;
    for (int i = 0; i < products; ++i) {
      plan.multiply(alpha, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle, room);
      if (waits) check(cudaStreamSynchronize(s.handle));
      // What was just written is read by the next product, as x where the matrix is square.
      check(cudaMemcpyAsync(x_on_device.span().data(), y_on_device.span().data(), y.size() * sizeof(double),
                            cudaMemcpyDeviceToDevice, s.handle));
    }
    return y_on_device.fetch();
  };
  const auto apart = run(true);
  EXPECT_TRUE(std::isfinite(apart.front()));
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(same_bits(apart, run(false)));
}

TEST_P(overlap, the_first_product_of_all_may_be_recorded) {
  const auto plan = inspect(a.view(), cuda{0}, how);
  workspace room = plan.make_workspace();
  const auto x = random_vector<double>(a.cols, 3);
  const auto y = random_vector<double>(a.rows, 4);
  device_vector<double> x_on_device{std::span<const double>(x)};
  device_vector<double> y_on_device{std::span<const double>(y)};
  const stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
  plan.multiply(1.5, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle, room);
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, s.handle));
  EXPECT_TRUE(
      (bench_support::verify<double, std::int64_t>(a.view(), 1.5, x, -0.5, y, y_on_device.fetch()).passed()));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

INSTANTIATE_TEST_SUITE_P(kernels, overlap, testing::ValuesIn(shared_cases()), by_kernel);

std::vector<std::string> formats_on_device() {
  std::vector<std::string> names;
  for (const format_info& each : list_formats())
    if (contains(each.devices, device_set::cuda)) names.emplace_back(each.name);
  return names;
}

class dependent_launches : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

/// GOSSAMER_TEST_PRODUCTS=N for tools under which every product takes hundreds of times as long.
int products_in_turns() {
  const char* const text = std::getenv("GOSSAMER_TEST_PRODUCTS");
  if (text == nullptr) return 100;
  int products = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, problem] = std::from_chars(text, end, products);
  if (at != end || problem != std::errc{} || products < 2)
    throw std::invalid_argument(std::string("GOSSAMER_TEST_PRODUCTS = ") + text +
                                ": not a number of two or more");
  return products;
}

/// u <- A v / scale + u / 4 and v <- A u / scale + v / 4 in turns, with nothing between the kernels of one
/// product and of the next: each reads as x what the one before wrote last, on any multiprocessor, and writes
/// what that one read.
template <value V>
void expect_turns(const std::string& format, const std::string& matrix, const option_texts& options = {}) {
  SCOPED_TRACE(format + " of " + matrix);
  const csr_matrix<V, std::int64_t> a = bench_support::generate<V>(matrix);
  ASSERT_EQ(a.rows, a.cols);
  std::unique_ptr<const plan<V>> made;
  try {
    made =
        std::make_unique<const plan<V>>(inspect(a.view(), cuda{0}, {.format = format, .options = options}));
  } catch (const error& refused) {
    ASSERT_EQ(refused.code(), errc::unsupported) << refused.what();
    return;
  }
  if (!nlohmann::json::parse(made->describe()).at("deterministic").template get<bool>()) return;
  workspace room = made->make_workspace();
  const auto v = random_vector<V>(a.cols, 1);
  const auto u = random_vector<V>(a.rows, 2);
  const V alpha = V{1} / static_cast<V>(a.nnz() / a.rows + 1);
  const int products = products_in_turns();
  const auto run = [&](bool waits, bool recorded) {
    device_vector<V> there[] = {device_vector<V>(std::span<const V>(v)),
                                device_vector<V>(std::span<const V>(u))};
    const stream s;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    if (recorded) check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < products; ++i) {
      made->multiply(alpha, std::as_const(there[i % 2]).span(), V{0.25}, there[1 - i % 2].span(), s.handle,
                     room);
      if (waits) check(cudaStreamSynchronize(s.handle));
    }
    if (recorded) {
      check(cudaStreamEndCapture(s.handle, &graph));
      check(cudaGraphInstantiate(&ready, graph, 0));
      check(cudaGraphLaunch(ready, s.handle));
      check(cudaStreamSynchronize(s.handle));
      check(cudaGraphExecDestroy(ready));
      check(cudaGraphDestroy(graph));
    }
    return there[products % 2].fetch();
  };
  const auto apart = run(true, false);
  EXPECT_TRUE(std::all_of(apart.begin(), apart.end(), [](V each) { return std::isfinite(each); }));
  EXPECT_TRUE(std::any_of(apart.begin(), apart.end(), [](V each) { return each != V{0}; }));
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(same_bits(apart, run(false, false)));
  EXPECT_TRUE(same_bits(apart, run(false, true))) << "recorded in a graph";
}

struct matrix_of_launches {
  const char* name;
  const char* text;
};

/// Lanes of several warps; entries; diagonals, with holes too; cut rows and a second kernel; more blocks than
/// are there at once.
constexpr matrix_of_launches matrices_in_turns[] = {
    {"fem", "fem(nx=18,dof=3)"},
    {"circuit", "circuit(rows=30000)"},
    {"stencil_27", "stencil(nx=40,ny=40,nz=40,points=27,values=few(3))"},
    {"stencil_5", "stencil(nx=300,ny=300,points=5)"},
    {"power_law", "power_law(rows=30000,mean=5,max=20000)"},
    {"rmat", "rmat(scale=14,edge_factor=12)"},
    {"uniform", "uniform(rows=300000,per_row=16)"},
};

class dependent_launch_of_a_matrix
    : public testing::TestWithParam<std::tuple<std::string, matrix_of_launches>> {};

TEST_P(dependent_launch_of_a_matrix, products_without_a_wait_have_the_bits_of_those_with_one) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto& [format, matrix] = GetParam();
  expect_turns<double>(format, matrix.text);
  expect_turns<float>(format, matrix.text);
}

INSTANTIATE_TEST_SUITE_P(formats, dependent_launch_of_a_matrix,
                         testing::Combine(testing::ValuesIn(formats_on_device()),
                                          testing::ValuesIn(matrices_in_turns)),
                         [](const auto& each) {
                           return std::get<0>(each.param) + "_" + std::get<1>(each.param).name + "_cuda";
                         });

/// Plans in turns: what one of them writes the other reads, and either may be of the format whose kernels
/// begin early.
TEST_P(dependent_launches, of_two_plans_are_ordered) {
  const auto a = bench_support::generate<double>("fem(nx=18,dof=3)");
  const auto b =
      bench_support::generate<double>("power_law(rows=" + std::to_string(a.rows) + ",mean=5,max=9000)");
  ASSERT_EQ(a.rows, b.rows);
  std::vector<plan<double>> plans;
  try {
    plans.push_back(inspect(a.view(), cuda{0}, {.format = "packed"}));
    plans.push_back(inspect(b.view(), cuda{0}, {.format = GetParam()}));
  } catch (const error& refused) {
    ASSERT_EQ(refused.code(), errc::unsupported) << refused.what();
    GTEST_SKIP() << refused.what();
  }
  if (!nlohmann::json::parse(plans[1].describe()).at("deterministic").get<bool>())
    GTEST_SKIP() << "its bits vary";
  const auto start = random_vector<double>(a.cols, 1);
  const double scale[] = {1.0 / static_cast<double>(a.nnz() / a.rows + 1),
                          1.0 / static_cast<double>(b.nnz() / b.rows + 1)};
  const auto products = static_cast<std::size_t>(products_in_turns());
  const auto run = [&](bool waits) {
    device_vector<double> there[] = {device_vector<double>(std::span<const double>(start)),
                                     device_vector<double>(std::span<const double>(start))};
    const stream s;
    for (std::size_t i = 0; i < products; ++i) {
      plans[i % 2].multiply(scale[i % 2], std::as_const(there[i % 2]).span(), 0.25, there[1 - i % 2].span(),
                            s.handle);
      if (waits) check(cudaStreamSynchronize(s.handle));
    }
    auto both = there[0].fetch();
    const auto other = there[1].fetch();
    both.insert(both.end(), other.begin(), other.end());
    return both;
  };
  const auto apart = run(true);
  EXPECT_TRUE(std::all_of(apart.begin(), apart.end(), [](double each) { return std::isfinite(each); }));
  EXPECT_TRUE(std::any_of(apart.begin(), apart.end(), [](double each) { return each != 0; }));
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(same_bits(apart, run(false)));
}

#if CUDART_VERSION >= 12060
/// to[i] = from[i] / 2 for i < n, by a kernel of the caller's that begins early and waits as CUDA asks.
class early_halving {
 public:
  early_halving() {
    static constexpr char ptx[] = R"(
      .version 7.8
      .target sm_90
      .address_size 64
      .visible .entry halve(.param .u64 from, .param .u64 to, .param .u32 n) {
        .reg .pred %p;
        .reg .b32 %r<5>;
        .reg .b64 %a<4>;
        .reg .f64 %v;
        ld.param.u64 %a1, [from];
        ld.param.u64 %a2, [to];
        ld.param.u32 %r4, [n];
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %ntid.x;
        mov.u32 %r3, %tid.x;
        mad.lo.u32 %r1, %r1, %r2, %r3;
        griddepcontrol.wait;
        griddepcontrol.launch_dependents;
        setp.ge.u32 %p, %r1, %r4;
        @%p ret;
        mul.wide.u32 %a3, %r1, 8;
        add.u64 %a1, %a1, %a3;
        add.u64 %a2, %a2, %a3;
        ld.global.f64 %v, [%a1];
        mul.f64 %v, %v, 0d3FE0000000000000;
        st.global.f64 [%a2], %v;
        ret;
      })";
    check(cudaLibraryLoadData(&library_, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    check(cudaLibraryGetKernel(&kernel_, library_, "halve"));
  }
  early_halving(const early_halving&) = delete;
  early_halving& operator=(const early_halving&) = delete;
  ~early_halving() { (void)cudaLibraryUnload(library_); }

  void operator()(device_span<const double> from, device_span<double> to, cudaStream_t stream) const {
    constexpr unsigned threads = 256;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    const auto n = static_cast<unsigned>(from.size());
    config.gridDim = dim3((n + threads - 1) / threads);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    const double* source = from.data();
    double* target = to.data();
    unsigned size = n;
    void* arguments[] = {&source, &target, &size};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel_), arguments));
  }

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

TEST(packed_dependent_launch, a_kernel_of_the_callers_begins_early_too_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major < 9) GTEST_SKIP() << "kernels begin early from compute capability 9.0 on";
  const early_halving halve;
  for (const char* const matrix :
       {"fem(nx=18,dof=3)", "circuit(rows=30000)", "power_law(rows=30000,mean=5,max=20000)"}) {
    SCOPED_TRACE(matrix);
    const auto a = bench_support::generate<double>(matrix);
    const auto made = inspect(a.view(), cuda{0}, {.format = "packed"});
    const auto start = random_vector<double>(a.cols, 1);
    const double alpha = 1.0 / static_cast<double>(a.nnz() / a.rows + 1);
    const int products = products_in_turns();
    const auto run = [&](bool waits) {
      device_vector<double> x{std::span<const double>(start)};
      device_vector<double> y{std::span<const double>(start)};
      const stream s;
      for (int i = 0; i < products; ++i) {
        made.multiply(alpha, std::as_const(x).span(), 0.5, y.span(), s.handle);
        if (waits) check(cudaStreamSynchronize(s.handle));
        halve(std::as_const(y).span(), x.span(), s.handle);
        if (waits) check(cudaStreamSynchronize(s.handle));
      }
      return y.fetch();
    };
    const auto apart = run(true);
    EXPECT_TRUE(std::all_of(apart.begin(), apart.end(), [](double each) { return std::isfinite(each); }));
    EXPECT_TRUE(std::any_of(apart.begin(), apart.end(), [](double each) { return each != 0; }));
    for (int again = 0; again < 3; ++again) EXPECT_TRUE(same_bits(apart, run(false)));
  }
}
#endif

/// Kernels that begin early read what update_values wrote: it has been written when that returns, whatever
/// stream is next.
void expect_new_values_behind_an_update(const format_setting& setting,
                                        std::initializer_list<const char*> matrices) {
  const inspect_options how{.format = setting.format, .options = setting.options, .values_change = true};
  for (const char* const matrix : matrices) {
    SCOPED_TRACE(matrix);
    auto a = bench_support::generate<double>(matrix);
    const auto x = random_vector<double>(a.cols, 1);
    const device_vector<double> x_on_device{std::span<const double>(x)};
    plan<double> made = inspect(a.view(), cuda{0}, how);
    const stream s;
    for (unsigned round = 0; round < 5; ++round) {
      const auto values = random_vector<double>(a.nnz(), 10 + round);
      std::copy(values.begin(), values.end(), a.val.data());
      device_vector<double> y{std::span<const double>(x).first(static_cast<std::size_t>(a.rows))};
      device_vector<double> other{std::span<const double>(x).first(static_cast<std::size_t>(a.rows))};
      const plan<double> fresh = inspect(a.view(), cuda{0}, how);
      made.multiply(1.0, x_on_device.span(), 0.0, other.span(), s.handle);  // of the values before
      check(cudaStreamSynchronize(s.handle));
      made.update_values(values);
      made.multiply(1.0, x_on_device.span(), 0.0, y.span(), s.handle);
      const auto got = y.fetch();
      fresh.multiply(1.0, x_on_device.span(), 0.0, other.span(), s.handle);
      EXPECT_TRUE(same_bits(got, other.fetch()));
      EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, got).passed()));
    }
  }
}

TEST(packed_dependent_launch, a_product_right_behind_new_values_has_them_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_new_values_behind_an_update(
      {"packed", {}}, {"fem(nx=18,dof=3)", "circuit(rows=30000)", "stencil(nx=300,ny=300,points=5)"});
}

/// The same in one stream, with nothing but the update between the products. Each round replaces every value
/// by another one, so a product that reads an old value has other bits.
template <value V>
void expect_updates_between_products(const format_setting& setting, const std::string& matrix,
                                     std::int64_t least = 0,
                                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  SCOPED_TRACE(matrix);
  auto a = bench_support::generate<V>(matrix);
  const inspect_options how{.format = setting.format, .options = setting.options, .values_change = true};
  plan<V> made = inspect(a.view(), cuda{0}, how);
  EXPECT_GT(made.streamed_bytes(), least);
  EXPECT_LT(made.streamed_bytes(), most);
  const auto x = random_vector<V>(a.cols, 1);
  const device_vector<V> x_on_device{std::span<const V>(x)};
  constexpr std::size_t rounds = 8;
  std::vector<std::unique_ptr<device_vector<V>>> values;
  std::vector<std::unique_ptr<device_vector<V>>> results;
  std::vector<std::vector<V>> expected;
  for (std::size_t round = 0; round < rounds; ++round) {
    // Between round + 1 and round + 1.5, so that no value occurs in two rounds.
    auto next = random_vector<V>(a.nnz(), static_cast<unsigned>(10 + round));
    for (V& each : next) each = static_cast<V>(round + 1) + std::min(std::abs(each), V{1}) / 2;
    std::copy(next.begin(), next.end(), a.val.data());
    values.push_back(std::make_unique<device_vector<V>>(std::span<const V>(next)));
    results.push_back(std::make_unique<device_vector<V>>(static_cast<std::size_t>(a.rows)));
    const plan<V> fresh = inspect(a.view(), cuda{0}, how);
    device_vector<V> y(static_cast<std::size_t>(a.rows));
    const stream s;
    fresh.multiply(V{1}, x_on_device.span(), V{0}, y.span(), s.handle);
    expected.push_back(y.fetch());
  }
  for (std::size_t round = 1; round < rounds; ++round)
    EXPECT_FALSE(same_bits(expected[round - 1], expected[round]));
  workspace room = made.make_workspace();
  const stream s;
  for (int again = 0; again < 3; ++again) {
    for (std::size_t round = 0; round < rounds; ++round) {
      made.update_values(std::as_const(*values[round]).span(), s.handle);
      made.multiply(V{1}, x_on_device.span(), V{0}, results[round]->span(), s.handle, room);
    }
    for (std::size_t round = 0; round < rounds; ++round)
      EXPECT_TRUE(same_bits(expected[round], results[round]->fetch())) << "round " << round;
  }
}

TEST(packed_dependent_launch, values_updated_between_two_products_are_read_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  constexpr std::int64_t limit = std::int64_t{16} << 20;
  const format_setting entries{"packed", {{"short_rows", "entries"}}};
  expect_updates_between_products<double>(entries, "circuit(rows=30000)", 0, limit);
  expect_updates_between_products<float>(entries, "circuit(rows=30000)", 0, limit);
  expect_updates_between_products<double>(entries, "uniform(rows=300000,per_row=16)", limit);
  expect_updates_between_products<float>(entries, "uniform(rows=300000,per_row=16)", limit);
}

/// Panels, where a lane follows the pieces of its entries, and frequent columns in segments of several
/// chunks.
const format_setting cached_x_settings[] = {
    {"cached_x", {{"columns", "panels"}, {"cache_kib", "8"}}},
    {"cached_x", {{"columns", "frequent"}, {"cache_kib", "16"}}},
};

TEST(cached_x_dependent_launch, a_product_right_behind_new_values_has_them_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  for (const format_setting& each : cached_x_settings) {
    SCOPED_TRACE(each.options.front().second);
    expect_new_values_behind_an_update(each, {"uniform(rows=3000,per_row=700)", "rmat(scale=17)",
                                              "empty_rows(rows=30000,every=3,per_row=5)"});
  }
}

TEST(cached_x_dependent_launch, values_updated_between_two_products_are_read_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  for (const format_setting& each : cached_x_settings) {
    SCOPED_TRACE(each.options.front().second);
    for (const char* const matrix :
         {"circuit(rows=30000)", "uniform(rows=3000,per_row=700)", "rmat(scale=17)"}) {
      expect_updates_between_products<double>(each, matrix);
      expect_updates_between_products<float>(each, matrix);
    }
  }
}

/// More COO slices than the device holds at once: each reads x only after the product before it has ended.
TEST(packed_dependent_launch, large_coo_slices_wait_before_x_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const std::string large = "uniform(rows=300000,per_row=16)";
  const option_texts entries = {{"short_rows", "entries"}};
  EXPECT_GT(
      inspect(bench_support::generate<float>(large).view(), cuda{0}, {.format = "packed", .options = entries})
          .bytes(),
      std::int64_t{16} << 20);
  expect_turns<double>("packed", large, entries);
  expect_turns<float>("packed", large, entries);
}

struct halves_of_launches {
  const char* name;
  const char* text;
  const char* short_rows;
};
constexpr halves_of_launches all_halves_of_launches[] = {
    {"fem_padded", "fem(nx=18,dof=3)", "padded"},
    {"fem_entries", "fem(nx=18,dof=3)", "entries"},
    {"stencil_padded", "stencil(nx=40,ny=40,nz=40,points=27)", "padded"},
    {"stencil_entries", "stencil(nx=40,ny=40,nz=40,points=27)", "entries"},
};

class packed_dependent_launch_in_halves : public testing::TestWithParam<halves_of_launches> {};

/// Values of 2 bytes.
TEST_P(packed_dependent_launch_in_halves, wait_for_the_product_before) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_turns<double>("packed", GetParam().text,
                       {{"precision", "f16"}, {"short_rows", GetParam().short_rows}});
}

INSTANTIATE_TEST_SUITE_P(packed, packed_dependent_launch_in_halves, testing::ValuesIn(all_halves_of_launches),
                         [](const auto& each) { return std::string(each.param.name) + "_cuda"; });

INSTANTIATE_TEST_SUITE_P(formats, dependent_launches, testing::ValuesIn(formats_on_device()),
                         [](const auto& each) { return each.param + "_cuda"; });

}  // namespace
}  // namespace gossamer::testing_support
