// SPDX-License-Identifier: BSD-3-Clause
// What only a plan on a CUDA device can do: device vectors, streams, graphs, borrowed device arrays, device
// allocation.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "gpu/failing_allocator.hpp"
#include "support/battery.hpp"
#include "support/device_vectors.hpp"
#include "support/stored_matrix.hpp"
#include "support/threads.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

constexpr const char* every_format_takes = "stencil(nx=40,ny=30,points=9)";

class device : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }

  /// Every battery matrix that the format takes, with every variant of its options.
  template <class F>
  void for_each_case(F&& f) const {
    for (const option_texts& options : variants(GetParam(), cuda{0})) {
      for (const battery_entry& entry : battery()) {
        const auto view = entry.matrix.view();
        if (!forecast(view, measure_rows(view), GetParam(), options, cuda{0}).refusal.empty()) continue;
        std::string text = entry.name;
        for (const auto& [key, setting] : options) text += " " + key + "=" + setting;
        SCOPED_TRACE(text);
        f(entry.matrix, inspect_options{.format = GetParam(), .options = options, .values_change = true});
      }
    }
  }

  static bool deterministic(const plan<double>& p) {
    return nlohmann::json::parse(p.describe()).at("deterministic").get<bool>();
  }
};

std::vector<std::string> gpu_formats() {
  std::vector<std::string> names;
  for (const format_info& each : list_formats()) {
    if (contains(each.devices, device_set::cuda)) names.emplace_back(each.name);
  }
  return names;
}

std::string with_suffix(const testing::TestParamInfo<std::string>& info) {
  return info.param + "_cuda";
}

TEST_P(device, multiplies_device_vectors_and_replays_in_a_graph) {
  for_each_case([&](const csr_matrix<double, std::int64_t>& a, const inspect_options& how) {
    auto plan = inspect(a.view(), cuda{0}, how);
    const auto x = random_vector<double>(a.cols, 1);
    const auto y = random_vector<double>(a.rows, 2);
    device_vector<double> x_on_device{std::span<const double>(x)};
    device_vector<double> y_on_device{std::span<const double>(y)};
    device_vector<double> values{std::span<const double>(a.val.data(), a.val.size())};
    const stream s;
    plan.multiply(1.5, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle);
    const auto once = y_on_device.fetch();
    const stored_matrix stored(a.view(), plan);
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(stored.view(), 1.5, x, -0.5, y, once).passed()));

    // The same work, recorded: values refreshed, then multiplied.
    y_on_device.fill(y);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
    if (plan.reencodes())
      EXPECT_THAT([&] { plan.update_values(std::as_const(values).span(), s.handle); },
                  testing::Throws<error>(testing::AllOf(
                      testing::Property(&error::code, errc::unsupported),
                      testing::Property(&error::what, testing::HasSubstr("re-encodes values")))));
    else
      plan.update_values(std::as_const(values).span(), s.handle);
    plan.multiply(1.5, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle);
    check(cudaStreamEndCapture(s.handle, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    check(cudaGraphLaunch(ready, s.handle));
    const auto replayed = y_on_device.fetch();
    if (deterministic(plan)) {
      EXPECT_TRUE(same_bits(once, replayed));
    }
    EXPECT_TRUE(
        (bench_support::verify<double, std::int64_t>(stored.view(), 1.5, x, -0.5, y, replayed).passed()));
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  });
}

TEST_P(device, serves_several_threads_with_a_workspace_each) {
  const auto a = bench_support::generate<double>(every_format_takes);
  const auto plan = inspect(a.view(), cuda{0}, {.format = GetParam()});
  constexpr int threads = 4;
  std::vector<std::vector<double>> results(threads);
  run_by_threads(threads, [&](int t) {
    workspace scratch = plan.make_workspace();
    const auto x = random_vector<double>(a.cols, static_cast<unsigned>(t));
    auto y = poisoned<double>(a.rows);
    for (int repeat = 0; repeat < 20; ++repeat) plan.multiply(1.0, x, 0.0, y, scratch);
    results[static_cast<std::size_t>(t)] = y;
  });
  for (int t = 0; t < threads; ++t) {
    const auto x = random_vector<double>(a.cols, static_cast<unsigned>(t));
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {},
                                                             results[static_cast<std::size_t>(t)])
                     .passed()));
  }
}

/// With the default options alone: to pin and release an array takes a millisecond.
TEST_P(device, multiplies_by_arrays_that_stay_in_host_memory) {
  for (const battery_entry& entry : battery()) {
    SCOPED_TRACE(entry.name);
    const auto a = entry.matrix.view();
    if (!forecast(a, measure_rows(a), GetParam(), {}, cuda{0}).refusal.empty()) continue;
    inspect_options how{.format = GetParam(), .values_change = true};
    const auto whole = inspect(a, cuda{0}, how);
    EXPECT_EQ(whole.bus_bytes(), 0);
    const auto x = random_vector<double>(a.cols, 1);
    auto expected = poisoned<double>(a.rows);
    whole.multiply(1.5, x, 0.0, expected);
    const csr_matrix<double, std::int64_t> kept = whole.to_csr();
    const auto changed = random_vector<double>(a.nnz(), 7);
    const csr_view<double, std::int64_t> other{
        .rows = a.rows, .cols = a.cols, .row_ptr = a.row_ptr, .col = a.col, .val = changed};
    for (const std::int64_t limit : {std::int64_t{0}, whole.bytes() / 3}) {
      how.memory_limit = limit;
      auto made = inspect(a, cuda{0}, how);
      EXPECT_EQ(made.bytes(), whole.bytes());
      if (limit == 0) {
        EXPECT_EQ(made.bus_bytes(), made.streamed_bytes());
      }
      EXPECT_LE(made.streamed_bytes() - made.bus_bytes(), limit);
      auto y = poisoned<double>(a.rows);
      made.multiply(1.5, x, 0.0, y);
      EXPECT_TRUE(same_bits(y, expected));
      const csr_matrix<double, std::int64_t> back = made.to_csr();
      EXPECT_THAT(std::as_const(back.val).span(), testing::ElementsAreArray(std::as_const(kept.val).span()));
      EXPECT_EQ(inspect(a, description{made.describe()}).bus_bytes(), made.bus_bytes());
      made.update_values(changed);
      made.multiply(1.5, x, 0.0, y);
      EXPECT_TRUE((bench_support::verify<double, std::int64_t>(other, 1.5, x, 0.0, {}, y).passed()));
    }
  }
}

/// The caller's arrays may begin anywhere, also where a vector load may not.
void inspect_in_device_memory(std::string_view format, std::size_t before) {
  for (const battery_entry& entry : battery()) {
    const auto a = converted<double, std::int32_t>(entry.matrix);
    if (!forecast(a.view(), measure_rows(a.view()), format, {}, cuda{0}).refusal.empty()) continue;
    const array_on_device<std::int32_t> row_ptr(a.view().row_ptr, before);
    const array_on_device<std::int32_t> col(a.view().col, before);
    const array_on_device<double> val(a.view().val, before);
    const csr_view<double, std::int32_t, device_space> there{
        .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
    const auto plan = inspect(there, cuda{0}, {.format = std::string(format)});
    const auto x = random_vector<double>(a.cols, 3);
    auto y = poisoned<double>(a.rows);
    plan.multiply(1.0, x, 0.0, y);
    EXPECT_TRUE((bench_support::verify<double, std::int32_t>(a.view(), 1.0, x, 0.0, {}, y).passed()))
        << entry.name;
    auto copied =
        inspect(there, cuda{0}, {.format = std::string(format), .values_change = true, .copy = true});
    const std::vector<double> zeros(a.val.size(), 0.0);
    copied.update_values(zeros);
    EXPECT_EQ(val.fetch(), std::vector<double>(a.val.data(), a.val.data() + a.val.size()))
        << "the caller's values changed";
  }
}

TEST_P(device, inspects_a_matrix_in_device_memory) {
  inspect_in_device_memory(GetParam(), 0);
}

TEST_P(device, inspects_arrays_that_begin_anywhere_in_device_memory) {
  inspect_in_device_memory(GetParam(), 1);
}

TEST_P(device, survives_the_failure_of_any_allocation) {
  const auto a = bench_support::generate<double>(every_format_takes);
  auto changed = bench_support::generate<double>(every_format_takes);
  for (double& each : changed.val.span()) each = -2 * each;
  const auto x = random_vector<double>(a.cols, 4);
  const auto is_product_of = [&](const plan<double>& made, const csr_matrix<double, std::int64_t>& of) {
    auto y = poisoned<double>(a.rows);
    made.multiply(1.0, x, 0.0, y);
    return bench_support::verify<double, std::int64_t>(of.view(), 1.0, x, 0.0, {}, y).passed();
  };
  bool succeeded = false;
  for (int allowed = 0; allowed < 100 && !succeeded; ++allowed) {
    failing_allocator allocator{.allowed = allowed};
    const allocation_hook previous =
        set_device_allocation_hook({failing_allocator::allocate, failing_allocator::release, &allocator});
    try {
      auto made = inspect(a.view(), cuda{0}, {.format = GetParam(), .values_change = true});
      EXPECT_TRUE(is_product_of(made, a));
      try {
        made.update_values(changed.view().val);
      } catch (const error&) {
        EXPECT_TRUE(is_product_of(made, a)) << "the plan is not as it was";
        throw;
      }
      EXPECT_TRUE(is_product_of(made, changed));
      succeeded = true;
      EXPECT_GE(allowed, 3);
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::out_of_memory) << problem.what();
    }
    EXPECT_EQ(allocator.held, 0) << "after " << allowed << " allocations";
    set_device_allocation_hook(previous);
  }
  EXPECT_TRUE(succeeded);
}

INSTANTIATE_TEST_SUITE_P(formats, device, testing::ValuesIn(gpu_formats()), with_suffix);

/// A row over more blocks than one warp combines, in whole numbers, for which the sum is exact in any order.
TEST(device_rows, of_many_blocks_are_exact_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto pattern =
      bench_support::generate<double>("heavy_row(rows=1000,cols=1300000,per_row=5,heavy=1200000)");
  const auto a = converted<float, std::int64_t>(pattern, true);
  const auto x = integer_vector<float>(a.cols);
  std::vector<float> expected(static_cast<std::size_t>(a.rows));
  inspect(a.view(), cpu{.level = isa::baseline}, {.format = "csr"}).multiply(1.0f, x, 0.0f, expected);
  for (const std::string format : {"csr", "coo", "bcoo", "bccoo"}) {
    const option_texts options = format == "csr" ? option_texts{{"kernel", "balanced"}} : option_texts{};
    auto y = poisoned<float>(a.rows);
    inspect(a.view(), cuda{0}, {.format = format, .options = options}).multiply(1.0f, x, 0.0f, y);
    EXPECT_EQ(y, expected) << format;
  }
}

/// A host product may follow a device product of the same plan that still runs.
TEST(device_rows, of_host_and_device_products_do_not_meet_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto a =
      bench_support::generate<double>("heavy_row(rows=300000,cols=300000,per_row=20,heavy=300000)");
  const auto plan = inspect(a.view(), cuda{0}, {.format = "csr", .options = {{"kernel", "balanced"}}});
  const auto x = random_vector<double>(a.cols, 1);
  const auto other = random_vector<double>(a.cols, 2);
  device_vector<double> x_on_device{std::span<const double>(x)};
  device_vector<double> y_on_device(static_cast<std::size_t>(a.rows));
  const stream s;
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (int queued = 0; queued < 50; ++queued)
      plan.multiply(1.0, std::as_const(x_on_device).span(), 0.0, y_on_device.span(), s.handle);
    auto y = poisoned<double>(a.rows);
    plan.multiply(1.0, other, 0.0, y);
    ASSERT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, other, 0.0, {}, y).passed()));
    ASSERT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y_on_device.fetch())
                     .passed()));
  }
}

TEST(device_arguments, are_checked_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto a = bench_support::generate<double>("diagonal(n=10)");
  const auto plan = inspect(a.view(), cuda{0}, {.format = "csr"});
  device_vector<double> x(10);
  device_vector<double> y(9);
  const auto thrown = [](auto&& f) {
    try {
      f();
    } catch (const error& problem) {
      return problem.code();
    }
    return errc{0};
  };
  EXPECT_EQ(thrown([&] { plan.multiply(1.0, std::as_const(x).span(), 0.0, y.span(), nullptr); }),
            errc::size_mismatch);
  EXPECT_EQ(thrown([&] { plan.multiply(1.0, std::as_const(x).span(), 0.0, x.span(), nullptr); }),
            errc::overlap);
  EXPECT_EQ(thrown([&] { inspect(a.view(), cuda{99}, {.format = "csr"}); }), errc::no_device);
}

}  // namespace
}  // namespace gossamer::testing_support
