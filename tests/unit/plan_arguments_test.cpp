// SPDX-License-Identifier: BSD-3-Clause
// Every way of calling inspect and multiply wrongly, and what each says.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "core/parallel.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "plans/describe.hpp"
#include "plans/forecast.hpp"
#include "support/battery.hpp"
#include "support/variable.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Runs f, expects gossamer::error of that code, and returns its message.
template <class F>
std::string message_of(errc code, F&& f) {
  try {
    f();
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(std::string_view(problem.what()).find('\n'), std::string_view::npos) << "a message is one line";
    return problem.what();
  }
  ADD_FAILURE() << "nothing was thrown, " << name(code) << " was expected";
  return {};
}

csr_matrix<double, std::int64_t> sample() {
  return bench_support::generate<double>("uniform(rows=40,cols=30,per_row=4)");
}

TEST(multiply, names_the_vector_of_the_wrong_length) {
  const auto a = sample();
  const auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  std::vector<double> x(29);
  std::vector<double> y(40);
  EXPECT_THAT(message_of(errc::size_mismatch, [&] { plan.multiply(1.0, x, 0.0, y); }),
              HasSubstr("x has 29 elements, the matrix has 30 columns"));
  x.resize(30);
  y.resize(41);
  EXPECT_THAT(message_of(errc::size_mismatch, [&] { plan.multiply(1.0, x, 0.0, y); }),
              HasSubstr("y has 41 elements, the matrix has 40 rows"));
}

TEST(multiply, refuses_vectors_that_share_memory) {
  const auto a = sample();
  const auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  std::vector<double> both(60);
  EXPECT_THAT(message_of(errc::overlap,
                         [&] {
                           plan.multiply(1.0, std::span<const double>(both).first(30), 0.0,
                                         std::span<double>(both).subspan(20, 40));
                         }),
              HasSubstr("x and y share memory"));
  std::vector<double> apart(70);
  plan.multiply(1.0, std::span<const double>(apart).first(30), 0.0, std::span<double>(apart).subspan(30, 40));
}

TEST(multiply, refuses_a_workspace_of_another_plan_and_one_in_use) {
  const auto a = bench_support::generate<double>("uniform(rows=200000,cols=30,per_row=20)");
  const auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  const auto other = inspect(a.view(), cpu{}, {.format = "csr"});
  workspace wrong = other.make_workspace();
  const std::vector<double> x(30, 1.0);
  std::vector<double> y(200000);
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { plan.multiply(1.0, x, 0.0, y, wrong); }),
              HasSubstr("another plan"));

  // Two threads on one workspace: whichever comes second is told so, and the first finishes right.
  std::atomic<int> busy{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&] {
      std::vector<double> mine(200000);
      for (int repeat = 0; repeat < 40; ++repeat) {
        try {
          plan.multiply(1.0, x, 0.0, mine);
        } catch (const error& problem) {
          EXPECT_EQ(problem.code(), errc::busy);
          ++busy;
        }
      }
    });
  }
  for (std::thread& each : team) each.join();
  EXPECT_GT(busy.load(), 0);
}

TEST(multiply, refuses_a_workspace_that_outlived_its_plan_or_was_moved_from) {
  const auto small = sample();
  const auto large = bench_support::generate<double>("heavy_row(rows=40,cols=30,per_row=4,heavy=30)");
  std::optional<plan<double>> p(inspect(small.view(), cpu{}, {.format = "coo"}));
  workspace stale = p->make_workspace();
  p.reset();
  p.emplace(inspect(large.view(), cpu{}, {.format = "coo"}));  // very likely at the same address
  const std::vector<double> x(30, 1.0);
  std::vector<double> y(40);
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { p->multiply(1.0, x, 0.0, y, stale); }),
              HasSubstr("another plan"));
  workspace fresh = p->make_workspace();
  const workspace taken = std::move(fresh);
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { p->multiply(1.0, x, 0.0, y, fresh); }),
              HasSubstr("moved from"));
}

TEST(multiply, takes_any_number_of_threads) {
  const auto a = bench_support::generate<double>("uniform(rows=200000,cols=30,per_row=20)");
  const auto plan = inspect(a.view(), cpu{.threads = 1 << 20}, {.format = "csr"});
  const std::vector<double> x(30, 1.0);
  std::vector<double> y(200000);
  plan.multiply(1.0, x, 0.0, y);
  EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y).passed()));
}

TEST(multiply, serves_threads_with_a_workspace_each) {
  const auto a = bench_support::generate<double>("heavy_row(rows=3000,cols=30000,per_row=20,heavy=30000)");
  for (const format_info& format : list_formats()) {
    if (!forecast(a.view(), measure_rows(a.view()), format.name, {}, cpu{}).refusal.empty()) continue;
    const auto plan = inspect(a.view(), cpu{.threads = 2}, {.format = std::string(format.name)});
    std::vector<std::thread> team;
    for (unsigned t = 0; t < 3; ++t) {
      team.emplace_back([&, t] {
        workspace scratch = plan.make_workspace();
        const auto x = random_vector<double>(a.cols, t);
        auto y = poisoned<double>(a.rows);
        for (int repeat = 0; repeat < 10; ++repeat) plan.multiply(1.0, x, 0.0, y, scratch);
        EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y).passed()))
            << format.name;
      });
    }
    for (std::thread& each : team) each.join();
  }
}

TEST(multiply, refuses_device_vectors_on_the_cpu) {
  const auto a = sample();
  const auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  double* nowhere = reinterpret_cast<double*>(0x1000);
  EXPECT_THAT(message_of(errc::unsupported,
                         [&] {
                           plan.multiply(1.0, device_span<const double>(nowhere, 30), 0.0,
                                         device_span<double>(nowhere + 4096, 40), nullptr);
                         }),
              HasSubstr("device vectors"));
}

TEST(inspect, validates_before_it_trusts) {
  auto a = sample();
  a.col[7] = 30;
  EXPECT_THAT(message_of(errc::invalid_matrix, [&] { inspect(a.view(), cpu{}, {.format = "csr"}); }),
              HasSubstr("col[7] = 30"));
}

TEST(inspect, names_unknown_formats_options_and_values) {
  std::string known;
  for (const format_info& each : list_formats())
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  const auto a = sample();
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.format = "cxr"}); }),
              AllOf(HasSubstr("\"cxr\""), HasSubstr(known)));
  EXPECT_THAT(message_of(errc::invalid_argument,
                         [&] {
                           inspect(a.view(), cpu{}, {.format = "csr", .options = {{"kernal", "x"}}});
                         }),
              AllOf(HasSubstr("\"kernal\""), HasSubstr("kernel")));
  EXPECT_THAT(message_of(errc::invalid_argument,
                         [&] {
                           inspect(a.view(), cpu{}, {.format = "csr", .options = {{"kernel", "x"}}});
                         }),
              AllOf(HasSubstr("kernel = \"x\""), HasSubstr("balanced")));
  EXPECT_THAT(message_of(errc::invalid_argument,
                         [&] {
                           inspect(a.view(), cpu{},
                                   {.format = "csr", .options = {{"kernel", "auto"}, {"kernel", "thread"}}});
                         }),
              HasSubstr("option kernel is given 2 times"));
  EXPECT_THAT(message_of(errc::invalid_argument,
                         [&] {
                           inspect(a.view(), cpu{}, {.format = "ellpack", .options = {{"max_padding", "0"}}});
                         }),
              AllOf(HasSubstr("max_padding = \"0\""), HasSubstr("from 1 to")));
}

TEST(inspect, refuses_what_this_device_does_not_have) {
  const auto a = sample();
  EXPECT_THAT(message_of(errc::unsupported,
                         [&] {
                           inspect(a.view(), cpu{}, {.format = "csr", .options = {{"kernel", "warp"}}});
                         }),
              HasSubstr("unsupported: csr: option kernel = warp exists on cuda only"));
  EXPECT_THAT(message_of(errc::unsupported,
                         [&] {
                           inspect(a.view(), cpu{}, {.format = "csr", .options = {{"threads_per_row", "4"}}});
                         }),
              HasSubstr("unsupported: csr: option threads_per_row exists on cuda only"));
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.memory_limit = 100}); }),
              HasSubstr("inspect: memory_limit = 100: only a plan on a GPU has one"));
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.vectors = 0}); }),
              HasSubstr("inspect: vectors = 0 is less than 1"));
  EXPECT_THAT(
      message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{.threads = -1}, {.format = "csr"}); }),
      HasSubstr("threads = -1"));
  const int devices = cuda_device_count();
  EXPECT_THAT(message_of(errc::no_device, [&] { inspect(a.view(), cuda{devices}, {.format = "csr"}); }),
              HasSubstr("cuda:" + std::to_string(devices)));
}

/// An option, or one choice of it, that only a GPU has is no other name of what the CPU does anyway.
TEST(inspect, takes_no_option_of_the_other_device) {
  const auto a = sample();
  int asked = 0;
  const auto refused = [&](const format_info& format, const option_info& option, std::string_view value) {
    ++asked;
    const std::string message = message_of(errc::unsupported, [&] {
      static_cast<void>(inspect(
          a.view(), cpu{},
          {.format = std::string(format.name), .options = {{std::string(option.name), std::string(value)}}}));
    });
    EXPECT_THAT(message, AllOf(HasSubstr(format.name), HasSubstr(option.name), HasSubstr("cuda only")));
  };
  for (const format_info& format : list_formats()) {
    for (const option_info& option : format.options) {
      if (option.devices == device_set::cuda)
        refused(format, option, option.choices.empty() ? std::to_string(option.min) : option.choices[0].name);
      for (const option_choice& choice : option.choices)
        if (option.devices == device_set::both && choice.devices == device_set::cuda)
          refused(format, option, choice.name);
    }
  }
  EXPECT_GE(asked, 10);
}

TEST(inspect, refuses_a_matrix_that_would_be_mostly_padding) {
  const auto a = bench_support::generate<double>("heavy_row(rows=100000,cols=100000,per_row=3,heavy=100000)");
  EXPECT_THAT(message_of(errc::unsupported, [&] { inspect(a.view(), cpu{}, {.format = "ellpack"}); }),
              AllOf(HasSubstr("unsupported: ellpack: 100000 rows padded to the longest of 100000"),
                    HasSubstr("max_padding = 10")));
}

TEST(inspect, obeys_GOSSAMER_ISA) {
  const auto a = sample();
  {
    const variable forced("GOSSAMER_ISA", "baseline");
    EXPECT_THAT(inspect(a.view(), cpu{}, {.format = "csr"}).describe(), HasSubstr("\"isa\":\"baseline\""));
  }
  {
    const variable forced("GOSSAMER_ISA", "sse9");
    EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.format = "csr"}); }),
                HasSubstr("GOSSAMER_ISA = \"sse9\""));
  }
  EXPECT_THAT(inspect(a.view(), cpu{.level = isa::baseline}, {.format = "csr"}).describe(),
              HasSubstr("\"isa\":\"baseline\""));
}

TEST(inspect, obeys_GOSSAMER_GATHERS) {
  const auto a = sample();
  for (const char* text : {"fast", "slow", "auto", ""}) {
    const variable forced("GOSSAMER_GATHERS", text);
    EXPECT_NO_THROW(inspect(a.view(), cpu{}, {.format = "csr"})) << text;
  }
  const variable forced("GOSSAMER_GATHERS", "often");
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.format = "csr"}); }),
              HasSubstr("GOSSAMER_GATHERS = \"often\" is not one of auto, fast, slow"));
}

TEST(inspect, obeys_GOSSAMER_SWEEPS) {
  const auto a = sample();
  for (const char* text : {"forward", "alternating", "auto", ""}) {
    const variable forced("GOSSAMER_SWEEPS", text);
    EXPECT_NO_THROW(inspect(a.view(), cpu{}, {.format = "csr"})) << text;
  }
  const variable forced("GOSSAMER_SWEEPS", "sideways");
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), cpu{}, {.format = "csr"}); }),
              HasSubstr("GOSSAMER_SWEEPS = \"sideways\" is not one of auto, forward, alternating"));
}

TEST(inspect, can_be_cancelled_at_every_stage) {
  const auto a = sample();
  std::vector<std::string> stages;
  const auto all = [&](const progress& p) {
    stages.emplace_back(p.stage);
    return true;
  };
  static_cast<void>(inspect(a.view(), cpu{}, {.format = "csr", .values_change = true, .progress = all}));
  EXPECT_THAT(stages, testing::ElementsAre("validate", "statistics", "build", "map"));
  for (const std::string& stage : stages) {
    EXPECT_THAT(message_of(errc::cancelled,
                           [&] {
                             inspect(a.view(), cpu{},
                                     {.format = "csr",
                                      .values_change = true,
                                      .progress = [&](const progress& p) { return p.stage != stage; }});
                           }),
                HasSubstr(stage));
  }
}

/// Of a matrix and of coordinates; where a stage is cancelled, the limit is gone too.
TEST(inspect, has_the_threads_of_its_plan) {
  const auto a = sample();
  const std::vector<std::int32_t> at{0};
  const std::vector<double> value{1};
  const coo_view<double> one{.rows = 1, .cols = 1, .row = at, .col = at, .val = value};
  const int usual = core::default_threads();
  for (const int threads : {1, 5, 0}) {
    std::vector<int> seen;
    const auto look = [&](const progress& p) {
      seen.push_back(core::default_threads());
      return std::string_view(p.stage) != "map";
    };
    static_cast<void>(inspect(a.view(), cpu{.threads = threads}, {.format = "csr", .progress = look}));
    static_cast<void>(inspect(one, cpu{.threads = threads}, {.format = "csr", .progress = look}));
    EXPECT_THROW(inspect(a.view(), cpu{.threads = threads},
                         {.format = "csr", .values_change = true, .progress = look}),
                 error);
    EXPECT_THAT(seen, AllOf(testing::SizeIs(3 + 4 + 4), testing::Each(threads == 0 ? usual : threads)));
    EXPECT_EQ(core::default_threads(), usual);
  }
}

TEST(inspect, refuses_a_description_that_is_not_one) {
  const auto a = sample();
  EXPECT_THAT(message_of(errc::parse_error, [&] { inspect(a.view(), description{"{"}); }),
              HasSubstr("description"));
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), description{"{}"}); }),
              HasSubstr("value"));
  std::string absurd = inspect(a.view(), cpu{}, {.format = "csr"}).describe();
  absurd.replace(absurd.find("\"threads\":0"), 11, "\"threads\":1e30");
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), description{absurd}); }),
              HasSubstr("threads = 1e+30"));
  const auto f32 = converted<float, std::int64_t>(a);
  const std::string other = inspect(f32.view(), cpu{}, {.format = "csr"}).describe();
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), description{other}); }),
              AllOf(HasSubstr("\"f32\""), HasSubstr("f64")));
}

TEST(inspect, takes_the_expected_number_of_vectors) {
  const auto a = bench_support::generate<double>("stencil(nx=30,ny=30,points=5)");
  for (const operation_set operations : {operation_set::forward, operation_set::both}) {
    const auto made = inspect(a.view(), cpu{}, {.format = "auto", .operations = operations, .vectors = 4});
    EXPECT_TRUE(plans::multiplies_at_once(made.format(), device_set::cpu, 4)) << made.format();
  }
  const auto hybrid = inspect(a.view(), parse_hybrid("cpu:1,cpu:1"), {.vectors = 4});
  EXPECT_EQ(hybrid.parts().front().format, inspect(a.view()).format()) << "columns come one by one";
}

/// A description without a schema is of 0.1, whose csr found patterns on a CPU.
TEST(inspect, reads_descriptions_without_a_schema) {
  const auto a = bench_support::generate<double>("stencil(nx=40,ny=40,points=5)");
  const auto plan =
      inspect(a.view(), cpu{.threads = 2}, {.format = "pattern_csr", .options = {{"kernel", "balanced"}}});
  std::string old = plan.describe();
  const auto replace = [&](const std::string& text, const std::string& by) {
    ASSERT_NE(old.find(text), std::string::npos) << text;
    old.replace(old.find(text), text.size(), by);
  };
  replace("\"schema\":2,", "");
  replace("\"pattern_csr\"", "\"csr\"");
  const auto again = inspect(a.view(), description{old});
  EXPECT_EQ(again.format(), "pattern_csr");
  EXPECT_EQ(again.options(), plan.options());
  const auto x = random_vector<double>(a.cols, 3);
  auto y = poisoned<double>(a.rows);
  auto expected = y;
  again.multiply(1.0, x, 0.0, y);
  plan.multiply(1.0, x, 0.0, expected);
  EXPECT_TRUE(same_bits(y, expected));
  const auto plain = inspect(a.view(), cpu{}, {.format = "csr"});
  EXPECT_EQ(inspect(a.view(), description{plain.describe()}).format(), "csr");
  replace("{", "{\"schema\":3,");
  EXPECT_THAT(message_of(errc::invalid_argument, [&] { inspect(a.view(), description{old}); }),
              HasSubstr("schema = 3"));
}

/// Options of packed had other names in 0.1.
TEST(inspect, reads_options_of_descriptions_without_a_schema) {
  const std::string options = R"("options":{"column_repeats":"never","warps_on_diagonals":"more"})";
  const std::string rest = R"(,"format":"packed","device":"cuda:0","value":"f64"})";
  EXPECT_EQ(plans::parse_description("{" + options + rest, "f64").options.options,
            (option_texts{{"elided_deltas", "never"}, {"warps_on_diagonals", "scaled"}}));
  EXPECT_EQ(plans::parse_description(R"({"schema":2,)" + options + rest, "f64").options.options,
            (option_texts{{"column_repeats", "never"}, {"warps_on_diagonals", "more"}}))
      << "today's descriptions mean what they say";
}

TEST(inspect, takes_coordinates_in_any_order) {
  const std::vector<std::int32_t> row{2, 0, 2, 1};
  const std::vector<std::int32_t> col{1, 0, 0, 2};
  std::vector<double> val{4, 1, 3, 2};
  auto plan = inspect(coo_view<double>{.rows = 3, .cols = 3, .row = row, .col = col, .val = val}, cpu{},
                      {.format = "csr", .values_change = true});
  val.assign(4, 99.0);  // the plan has its own
  const std::vector<double> x{1, 10, 100};
  std::vector<double> y(3);
  plan.multiply(1.0, x, 0.0, y);
  EXPECT_EQ(y, (std::vector<double>{1, 200, 43}));
  const std::vector<double> sorted{1, 2, 4, 5};  // by row, the given order within a row
  plan.update_values(sorted);
  plan.multiply(1.0, x, 0.0, y);
  EXPECT_EQ(y, (std::vector<double>{1, 200, 45}));
}

/// OpenMP starts threads for a thread that has none yet, as many as its first region asks for, and keeps them
/// while that lives.
TEST(update_values, has_the_threads_of_its_plan) {
  const std::filesystem::path threads_of_this_process = "/proc/self/task";
  if (!std::filesystem::exists(threads_of_this_process))
    GTEST_SKIP() << "this system does not list threads in /proc";
  const auto running = [&] {
    std::set<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(threads_of_this_process))
      names.insert(each.path().filename());
    return names;
  };
  /// How many threads there are behind it that were not there before; others, of earlier tests, may end
  /// meanwhile.
  const auto started_by = [&](auto&& body) {
    std::vector<std::string> started;
    std::thread([&] {
      const std::set<std::string> before = running();
      body();
      std::ranges::set_difference(running(), before, std::back_inserter(started));
    }).join();
    return static_cast<int>(started.size());
  };
  const auto a = bench_support::generate<double>("diagonal(n=100k)");
  const std::vector<double> fresh(static_cast<std::size_t>(a.nnz()), 2.0);
  for (const int threads : {1, 3}) {
    std::optional<plan<double>> made;
    EXPECT_EQ(
        started_by([&] {
          made.emplace(inspect(a.view(), cpu{.threads = threads}, {.format = "csr", .values_change = true}));
        }),
        threads - 1);
    EXPECT_EQ(started_by([&] { made->update_values(fresh); }), threads - 1);
  }
}

TEST(update_values, needs_values_change) {
  const auto a = sample();
  auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  const std::vector<double> values(a.val.size());
  EXPECT_THAT(message_of(errc::unsupported, [&] { plan.update_values(values); }), HasSubstr("values_change"));
  auto ready = inspect(a.view(), cpu{}, {.format = "csr", .values_change = true});
  const std::vector<double> few(3);
  EXPECT_THAT(message_of(errc::size_mismatch, [&] { ready.update_values(few); }),
              HasSubstr("3 values for 160 nonzeros"));
}

struct failing_allocator {
  int allowed = 0;
  std::int64_t held = 0;
  static void* allocate(std::size_t bytes, std::size_t alignment, int, void* user) {
    auto& self = *static_cast<failing_allocator*>(user);
    if (self.allowed-- <= 0) return nullptr;
    self.held += static_cast<std::int64_t>(bytes);
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<failing_allocator*>(user)->held -= static_cast<std::int64_t>(bytes);
    ::operator delete (pointer, std::align_val_t{64});
  }
};

/// Memory comes from the allocator as long as this lives, however the test ends.
class allocator_in_use {
 public:
  explicit allocator_in_use(failing_allocator& allocator)
      : before_(
            set_host_allocation_hook({failing_allocator::allocate, failing_allocator::release, &allocator})) {
  }
  allocator_in_use(const allocator_in_use&) = delete;
  allocator_in_use& operator=(const allocator_in_use&) = delete;
  ~allocator_in_use() { set_host_allocation_hook(before_); }

 private:
  allocation_hook before_;
};

/// What is borrowed is not copied: bytes() counts it, the allocator does not see it.
TEST(plan, borrows_arrays_unless_copy_is_set) {
  const auto a = bench_support::generate<double>("uniform(rows=40,cols=400,per_row=40)");
  const auto held_by = [&](bool copy) {
    failing_allocator counter{.allowed = 1000};
    const allocator_in_use in_use(counter);
    const auto plan = inspect(a.view(), cpu{.threads = 1}, {.format = "csr", .copy = copy});
    EXPECT_GE(plan.bytes(), a.nnz() * 12);
    return counter.held;
  };
  EXPECT_LT(held_by(false), a.nnz() * 12);
  EXPECT_GE(held_by(true), a.nnz() * 12);
}

/// Rows whose values pattern_csr also holds in tiles: 24 rows of one pattern after another.
TEST(plan, streamed_bytes_count_duplicated_values_once) {
  const auto a = bench_support::generate<double>("stencil(nx=64,ny=64,points=5)");
  const auto plan = inspect(a.view(), cpu{}, {.format = "pattern_csr"});
  EXPECT_EQ(plan.slots(), a.nnz());
  EXPECT_GT(plan.bytes(), plan.streamed_bytes());
  EXPECT_GE(plan.streamed_bytes(), a.nnz() * 12 + a.rows * 8);
  EXPECT_LT(plan.streamed_bytes(), a.nnz() * 12 + a.rows * 8 + a.nnz() * 4);
}

TEST(plan, counts_its_slots) {
  // 160 entries, 40 rows of 4: without padding in csr, with none that the arrays hold forgotten in any
  // format.
  const auto a = sample();
  for (const format_info& format : list_formats()) {
    const auto plan =
        inspect(a.view(), cpu{}, {.format = std::string(format.name), .options = {}, .progress = {}});
    EXPECT_GE(plan.slots(), 160) << format.name;
    EXPECT_LE(plan.slots() * static_cast<std::int64_t>(sizeof(double)), plan.bytes()) << format.name;
  }
  for (const char* const format : {"csr", "pattern_csr"})
    EXPECT_EQ(inspect(a.view(), cpu{}, {.format = format}).slots(), 160) << format;
  const auto uneven = bench_support::generate<double>("arrow(n=10,width=1)");
  const auto padded = inspect(uneven.view(), cpu{}, {.format = "ellpack", .options = {}, .progress = {}});
  EXPECT_GE(padded.slots(), 10 * measure_rows(uneven.view()).max);
}

TEST(plan, moves) {
  const auto a = sample();
  auto plan = inspect(a.view(), cpu{}, {.format = "csr"});
  auto moved = std::move(plan);
  plan = inspect(a.view(), cpu{}, {.format = "coo"});
  const auto x = random_vector<double>(30, 1);
  auto y = poisoned<double>(40);
  moved.multiply(1.0, x, 0.0, y);
  EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y).passed()));
  EXPECT_EQ(plan.format(), "coo");
  EXPECT_GT(moved.inspect_seconds(), 0.0);
  static_assert(!std::is_copy_constructible_v<gossamer::plan<double>>);
}

/// Fails the n-th allocation and counts what is held.
TEST(plan, survives_the_failure_of_any_host_allocation) {
  const auto a =
      bench_support::generate<double>("stencil(nx=60,ny=50,points=9)");  // which every format takes
  for (const format_info& format : list_formats()) {
    bool succeeded = false;
    // A composite has the arrays of both its parts: 50 with csr and dia.
    for (int allowed = 0; allowed < 100 && !succeeded; ++allowed) {
      failing_allocator allocator{.allowed = allowed};
      const allocator_in_use in_use(allocator);
      try {
        const auto plan = inspect(a.view(), cpu{.threads = 1},
                                  {.format = std::string(format.name), .values_change = true, .copy = true});
        succeeded = true;
        EXPECT_GE(allowed, 2) << format.name;
      } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::out_of_memory) << problem.what();
      }
      EXPECT_EQ(allocator.held, 0) << format.name << " after " << allowed << " allocations";
    }
    EXPECT_TRUE(succeeded) << format.name;
  }
}

TEST(forecast, predicts_without_allocating) {
  const auto a = sample();
  const row_statistics s = measure_rows(a.view());
  failing_allocator nothing{.allowed = 0};
  const allocator_in_use in_use(nothing);
  for (const format_info& format : list_formats()) {
    const format_forecast f = forecast(a.view(), s, format.name, {}, cpu{}, 100.0);
    EXPECT_GT(f.bytes, 0) << format.name;
    // No format can beat the time that its own bytes and the vectors need.
    EXPECT_GE(f.seconds, (static_cast<double>(f.bytes) * 0.9 + 70 * 8) / 100e9) << format.name;
    EXPECT_LT(f.seconds, 1e-4) << format.name;
    EXPECT_FALSE(candidates(format.name, s, cpu{}).empty()) << format.name;
    EXPECT_EQ(candidates(format.name, s, cuda{0}).empty(), !contains(format.devices, device_set::cuda))
        << format.name;
  }
}

}  // namespace
}  // namespace gossamer::testing_support
