// SPDX-License-Identifier: BSD-3-Clause
// What inspect() chooses on a CPU if no format is named, and what the choice must not depend on; plans that
// refer to the caller's arrays.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "plans/inspect.hpp"
#include "support/battery.hpp"
#include "tuning/machine.hpp"

namespace gossamer::testing_support {
namespace {

using testing::HasSubstr;

/// Runs f, expects gossamer::error of that code, and returns its message.
template <class F>
std::string text_of_error(errc code, F&& f) {
  try {
    f();
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    return problem.what();
  }
  ADD_FAILURE() << "nothing was thrown, " << name(code) << " was expected";
  return {};
}

csr_matrix<double, std::int64_t> small_matrix() {
  return bench_support::generate<double>("uniform(rows=40,cols=30,per_row=4)");
}

/// Counts the bytes that the library holds by its allocation hook, for as long as it lives. An allocation of
/// more than `most` bytes fails.
struct counted_host_memory {
  explicit counted_host_memory(std::int64_t most_bytes = unknown_memory)
      : most(most_bytes), before(set_host_allocation_hook({allocate, release, this})) {}
  ~counted_host_memory() { set_host_allocation_hook(before); }
  counted_host_memory(const counted_host_memory&) = delete;
  counted_host_memory& operator=(const counted_host_memory&) = delete;

  static void* allocate(std::size_t bytes, std::size_t alignment, int, void* user) {
    auto& self = *static_cast<counted_host_memory*>(user);
    if (static_cast<std::int64_t>(bytes) > self.most) return nullptr;
    self.held += static_cast<std::int64_t>(bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<counted_host_memory*>(user)->held -= static_cast<std::int64_t>(bytes);
    std::free(pointer);
  }

  std::int64_t held = 0;
  std::int64_t most;
  allocation_hook before;
};

TEST(inspect, chooses_a_format_by_default) {
  const auto a = small_matrix();
  EXPECT_EQ(inspect_options().format, "auto");
  EXPECT_EQ(inspect(a.view()).format(), inspect(a.view(), cpu{}, {.format = "auto"}).format());
  EXPECT_THAT(text_of_error(errc::invalid_argument,
                            [&] {
                              inspect(a.view(), cpu{}, {.options = {{"kernel", "balanced"}}});
                            }),
              HasSubstr("option \"kernel\" needs a format"));
}

TEST(inspect, is_quick_for_few_products) {
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=60,nz=10,points=7,values=few(2))");
  EXPECT_NE(inspect(a.view(), cpu{}, {.calls = 100}).format(), "csr");
  EXPECT_EQ(inspect(a.view(), cpu{}, {.calls = 99}).format(), "csr");
  EXPECT_EQ(inspect(a.view(), cpu{}, {.calls = 99, .vectors = 8}).format(), "csr");
  EXPECT_EQ(inspect(a.view(), cpu{}, {.calls = 0}).format(), "csr");
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(text_of_error(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.calls = bad}); }),
                HasSubstr("inspect: calls = "));
}

/// The choice must not depend on the threads; what it depends on besides is in tests of usual_machine().
TEST(inspect, chooses_the_same_format_for_any_number_of_threads) {
  const auto compare = [](const csr_matrix<double, std::int64_t>& a) {
    const auto one = inspect(a.view(), cpu{.threads = 1});
    for (const int threads : {7, 64}) {
      const auto many = inspect(a.view(), cpu{.threads = threads});
      EXPECT_EQ(many.format(), one.format());
      EXPECT_EQ(many.options(), one.options());
    }
  };
  for (const battery_entry& entry : battery()) {
    SCOPED_TRACE(entry.name);
    compare(entry.matrix);
  }
  // Large enough for several threads, and for samples.
  for (const char* text : {"stencil(nx=300,ny=400,points=5,values=few(3))", "rmat(scale=15)",
                           "fem(nx=14,dof=3)", "power_grid(buses=60k)"}) {
    SCOPED_TRACE(text);
    compare(bench_support::generate<double>(text));
  }
}

TEST(inspect, refers_to_the_callers_arrays_if_it_must) {
  // Every format but csr, and pattern_csr above all, stores this matrix again.
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=60,nz=10,points=7,values=few(2))");
  const auto bytes_of = [&](const inspect_options& how) {
    const counted_host_memory counter;
    const auto made = inspect(a.view(), cpu{.threads = 1}, how);
    return counter.held;
  };
  EXPECT_GT(bytes_of({}), a.nnz());
  EXPECT_LT(bytes_of({.memory = matrix_memory::caller_arrays}), 8 * a.rows);
  EXPECT_LT(bytes_of({.format = "tuned", .memory = matrix_memory::caller_arrays}), 8 * a.rows);
  EXPECT_EQ(inspect(a.view(), cpu{}, {.memory = matrix_memory::caller_arrays}).format(), "csr");
  EXPECT_THAT(
      text_of_error(
          errc::unsupported,
          [&] { inspect(a.view(), cpu{}, {.format = "packed", .memory = matrix_memory::caller_arrays}); }),
      HasSubstr("packed: it stores the matrix again"));
}

/// Allocations of more than a few rows fail.
TEST(inspect, names_what_needs_less_memory) {
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=60,nz=10,points=7)");
  const counted_host_memory counter(a.nnz());
  EXPECT_THAT(text_of_error(errc::out_of_memory, [&] { inspect(a.view(), cpu{.threads = 1}); }),
              HasSubstr("memory = caller_arrays needs less"));
  EXPECT_NO_THROW(inspect(a.view(), cpu{.threads = 1}, {.memory = matrix_memory::caller_arrays}));
  EXPECT_THAT(text_of_error(errc::out_of_memory,
                            [&] { inspect(a.view(), cpu{.threads = 1}, {.values_change = true}); }),
              testing::Not(HasSubstr("caller_arrays")))
      << "which new values do not allow";
}

TEST(inspect, cannot_refer_to_the_callers_arrays_alone_if_it_needs_others) {
  const auto a = small_matrix();
  const auto refused = [&](const inspect_options& how) {
    return text_of_error(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, how); });
  };
  constexpr matrix_memory forbidden = matrix_memory::caller_arrays;
  EXPECT_THAT(refused({.copy = true, .memory = forbidden}), HasSubstr("caller_arrays with copy"));
  EXPECT_THAT(refused({.values_change = true, .memory = forbidden}), HasSubstr("with values_change"));
  for (const operation_set operations : {operation_set::transposed, operation_set::both})
    EXPECT_THAT(refused({.memory = forbidden, .operations = operations}), HasSubstr("with the transpose"));
  EXPECT_THAT(text_of_error(errc::invalid_argument,
                            [&] { inspect(a.view(), parse_hybrid("cpu:1,cpu:1"), {.memory = forbidden}); }),
              HasSubstr("with several resources"));
  const coo_view<double> triples{.rows = a.rows, .cols = a.cols, .row = {}, .col = {}, .val = {}};
  EXPECT_THAT(text_of_error(errc::invalid_argument, [&] { inspect(triples, cpu{}, {.memory = forbidden}); }),
              HasSubstr("with triples"));
}

/// The transpose may be long where A is wide.
TEST(inspect_with, chooses_for_a_and_for_the_transpose_by_samples_of_each) {
  plans::chooser<double, std::int64_t> choose;
  choose.sampled = [](const csr_view<double, std::int64_t>& a) -> std::optional<format_setting> {
    if (a.rows >= a.cols) return {};
    return format_setting{"csr", {{"kernel", "balanced"}}};
  };
  const auto setting_of = [&](const char* text, operation_set operations, const char* what) {
    const auto a = bench_support::generate<double>(text);
    const plan<double> made = plans::inspect_with<double, std::int64_t>(
        a.view(), cpu{}, {.format = "coo", .operations = operations}, choose);
    const auto all = nlohmann::json::parse(made.describe());
    return std::string(what).empty() ? all.at("format") : all.at(what).at("format");
  };
  constexpr const char* wide = "uniform(rows=20,cols=90,per_row=5)";
  constexpr const char* tall = "uniform(rows=90,cols=20,per_row=5)";
  EXPECT_EQ(setting_of(wide, operation_set::both, ""), "csr");
  EXPECT_EQ(setting_of(wide, operation_set::both, "transposed"), "coo");
  EXPECT_EQ(setting_of(tall, operation_set::both, ""), "coo");
  EXPECT_EQ(setting_of(tall, operation_set::both, "transposed"), "csr");
  EXPECT_EQ(setting_of(wide, operation_set::forward, ""), "csr");
  EXPECT_EQ(setting_of(tall, operation_set::forward, ""), "coo");
}

TEST(usual_machine, does_not_depend_on_this_one) {
  const auto same = [](const machine_description& p, const machine_description& q) {
    return p.kind == q.kind && p.level == q.level && p.threads == q.threads &&
           p.cache_bytes == q.cache_bytes && p.available_host_bytes == q.available_host_bytes;
  };
  const machine_description one = tuning::usual_machine(cpu{.threads = 1});
  EXPECT_TRUE(same(one, tuning::usual_machine(cpu{.threads = 64})));
  EXPECT_EQ(one.available_host_bytes, unknown_memory);
  EXPECT_EQ(one.level, automatic_isa());
  EXPECT_EQ(tuning::usual_machine(cpu{.level = isa::baseline}).level, isa::baseline);
}

}  // namespace
}  // namespace gossamer::testing_support
