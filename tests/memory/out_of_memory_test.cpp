// SPDX-License-Identifier: BSD-3-Clause
// Every allocation of a call made to fail, one after the other: those of the standard library, for which this
// program replaces operator new, and those of the hook, whose default is operator new too. The caller sees
// gossamer's error, which says where; nothing leaks, and later calls work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/public_calls.hpp"
#include "support/variable.hpp"

namespace {

using gossamer::testing_support::library_runs;

/// How many allocations of the library still succeed before one fails, and whether those after it fail too.
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> allowed{never};
std::atomic<bool> all_after{false};
std::atomic<std::int64_t> held{0};  ///< allocations that were not released

bool refused() noexcept {
  if (!library_runs || allowed == never) return false;
  const std::int64_t left = allowed.fetch_sub(1);
  return left == 0 || (left < 0 && all_after);
}

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (refused()) return nullptr;
  ++held;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void give(void* pointer) noexcept {
  if (pointer != nullptr) --held;
  std::free(pointer);
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const pointer = take(bytes == 0 ? 1 : bytes, alignment);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace

// Not inlined: one of a pair alone is, GCC takes the other for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return take_or_throw(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  return take(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* pointer) noexcept {
  give(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::size_t) noexcept {
  give(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::align_val_t) noexcept {
  give(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
  give(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
  give(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, const std::nothrow_t&) noexcept {
  give(pointer);
}

namespace gossamer {
namespace {

/// Large enough for several threads to take part, and taken by every format.
const csr_matrix<double, std::int64_t>& sample() {
  static const auto a = bench_support::generate<double>("stencil(nx=120,ny=60,points=5)");
  return a;
}

/// Runs `call` with its first, second, ... allocation failing until it succeeds; returns how many failures
/// there were.
int fail_each_allocation(std::string_view place, const std::function<void()>& call) {
  call();  // what is made once for all calls
  for (int k = 0; k < 10000; ++k) {
    std::string reported;
    std::string kind;
    errc code{};
    bool threw = true;
    allowed = k;
    try {
      testing_support::in_library(call);
      threw = false;
    } catch (const error& problem) {
      code = problem.code();
      reported = problem.what();
    } catch (const std::exception& problem) {
      kind = problem.what();
    }
    const bool reached = allowed.exchange(never) < 0;
    if (!threw) {
      // An allocation that nobody needs may fail unseen; only a call that never got there is the last.
      if (!reached) return k;
      continue;
    }
    EXPECT_EQ(kind, "") << place << ", allocation " << k << " let a standard exception out";
    EXPECT_EQ(code, errc::out_of_memory) << place << ", allocation " << k << ": " << reported;
    EXPECT_THAT(reported, testing::StartsWith(std::string(place) + ": ")) << "allocation " << k;
    if (testing::Test::HasFailure()) return k;
  }
  ADD_FAILURE() << place << " never succeeded";
  return 0;
}

struct outcome {
  std::string text;          ///< of a call that returned
  std::optional<errc> code;  ///< of gossamer's error
  std::string message;
  std::string foreign;  ///< of any other exception
};

outcome outcome_of(const testing_support::public_call& one) {
  outcome result;
  try {
    result.text = one.call();
  } catch (const error& problem) {
    result.code = problem.code();
    result.message = problem.what();
  } catch (const std::exception& problem) {
    result.foreign = problem.what();
  }
  return result;
}

/// All of the first allocations, of many others each 17th.
std::int64_t next_failing(std::int64_t k) {
  return k < 200 ? k + 1 : k + 17;
}

/// check(outcome, reached) for calls of which one allocation fails, or it and all after it: the first, then
/// the next, until a call makes fewer.
template <class F>
void fail_allocations_of(const testing_support::public_call& one, F&& check) {
  for (const bool all : {false, true}) {
    all_after = all;
    for (std::int64_t k = 0;; k = next_failing(k)) {
      SCOPED_TRACE("allocation " + std::to_string(k) + (all ? " and all after it" : ""));
      const auto failed = [&] {
        allowed = k;
        const outcome found = outcome_of(one);
        const bool reached = allowed.exchange(never) < 0;
        check(found, reached);
        return reached;
      };
      const std::int64_t before = held;
      if (!failed()) break;
      if (held == before) continue;
      // What is made once for all calls may be made now; a call that loses memory loses some each time.
      const std::int64_t after_first = held;
      failed();
      EXPECT_EQ(held, after_first) << "a failed call keeps memory";
    }
  }
  all_after = false;
}

coo_view<double> sample_as_coordinates(std::vector<std::int32_t>& rows) {
  const auto a = sample().view();
  rows.clear();
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto length = a.row_ptr[static_cast<std::size_t>(i) + 1] - a.row_ptr[static_cast<std::size_t>(i)];
    rows.insert(rows.end(), static_cast<std::size_t>(length), static_cast<std::int32_t>(i));
  }
  return {.rows = a.rows, .cols = a.cols, .row = rows, .col = a.col, .val = a.val};
}

TEST(out_of_memory, validate_takes_none) {
  std::vector<std::int32_t> rows;
  const auto coo = sample_as_coordinates(rows);
  EXPECT_EQ(fail_each_allocation("validate", [&] { validate(sample().view()); }), 0);
  EXPECT_EQ(fail_each_allocation("validate", [&] { validate(coo); }), 0);
}

TEST(out_of_memory, statistics_name_themselves) {
  EXPECT_GT(fail_each_allocation("measure_rows", [] { static_cast<void>(measure_rows(sample().view())); }),
            0);
  EXPECT_GT(fail_each_allocation("measure_row_lengths",
                                 [] { static_cast<void>(measure_row_lengths(sample().view())); }),
            0);
  EXPECT_GT(
      fail_each_allocation("measure_entries", [] { static_cast<void>(measure_entries(sample().view())); }),
      0);
}

TEST(out_of_memory, generate_names_itself) {
  for (const char* text : {"uniform(rows=2000,per_row=3)", "power_law(rows=2000,mean=4)", "rmat(scale=8)"}) {
    SCOPED_TRACE(text);
    EXPECT_GT(
        fail_each_allocation("generate", [&] { static_cast<void>(bench_support::generate<float>(text)); }),
        2);
  }
}

TEST(out_of_memory, sharing_out_names_itself) {
  const std::vector<double> powers{1, 2, 6};
  for (const partition_algorithm algorithm :
       {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    SCOPED_TRACE(name(algorithm));
    EXPECT_GT(
        fail_each_allocation(
            "partition_rows",
            [&] { static_cast<void>(partition_rows(sample().view(), powers, {.algorithm = algorithm})); }),
        2);
  }
  // Three arrays of each part, and the diagonals.
  EXPECT_GE(fail_each_allocation("split_diagonal_blocks",
                                 [] { static_cast<void>(split_diagonal_blocks(sample().view())); }),
            7);
}

TEST(out_of_memory, plans_for_a_format_name_themselves) {
  const auto a = sample().view();
  const row_statistics statistics = measure_rows(a);
  for (const format_info& format : list_formats()) {
    SCOPED_TRACE(format.name);
    EXPECT_GT(fail_each_allocation(
                  "forecast", [&] { static_cast<void>(forecast(a, statistics, format.name, {}, cpu{})); }),
              0);
    EXPECT_GT(fail_each_allocation("candidates",
                                   [&] { static_cast<void>(candidates(format.name, statistics, cpu{})); }),
              0);
    EXPECT_GT(fail_each_allocation("variants", [&] { static_cast<void>(variants(format.name, cpu{})); }), 0);
  }
}

TEST(out_of_memory, inspect_names_itself) {
  std::vector<std::int32_t> rows;
  const auto coo = sample_as_coordinates(rows);
  // Coordinates become int64 offsets; most formats convert int32 ones.
  const auto narrow = testing_support::converted<double, std::int32_t>(sample());
  for (const format_info& format : list_formats()) {
    const inspect_options options{.format = std::string(format.name), .values_change = true, .copy = true};
    SCOPED_TRACE(options.format);
    EXPECT_GT(fail_each_allocation(
                  "inspect", [&] { static_cast<void>(inspect(narrow.view(), cpu{.threads = 2}, options)); }),
              2);
    EXPECT_GT(
        fail_each_allocation("inspect", [&] { static_cast<void>(inspect(coo, cpu{.threads = 2}, options)); }),
        2);
  }
}

TEST(out_of_memory, errors_name_the_requested_format) {
  const auto plan = inspect(sample().view(), cpu{.threads = 2}, {.format = "csr"});
  EXPECT_GT(fail_each_allocation("to_csr", [&] { static_cast<void>(plan.to_csr()); }), 0);
  EXPECT_GT(fail_each_allocation("make_workspace", [&] { static_cast<void>(plan.make_workspace()); }), 0);
  EXPECT_GT(fail_each_allocation("describe", [&] { static_cast<void>(plan.describe()); }), 20);
  const description like{plan.describe()};
  EXPECT_GT(fail_each_allocation("inspect", [&] { static_cast<void>(inspect(sample().view(), like)); }), 20);
}

/// A format that encodes values again needs memory for it; what fails halfway leaves the old values.
TEST(out_of_memory, new_values_name_themselves_and_leave_the_plan_as_it_was) {
  const auto a = sample().view();
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  const std::vector<double> halves(static_cast<std::size_t>(a.nnz()), 0.5);
  std::vector<double> with_old(static_cast<std::size_t>(a.rows));
  std::vector<double> with_halves = with_old;
  std::vector<double> y = with_old;
  for (const format_info& format : list_formats()) {
    SCOPED_TRACE(format.name);
    auto plan =
        inspect(a, cpu{.threads = 1},
                {.format = std::string(format.name), .options = {}, .values_change = true, .progress = {}});
    plan.update_values(halves);
    plan.multiply(1.0, x, 0.0, with_halves);
    plan.update_values(a.val);
    plan.multiply(1.0, x, 0.0, with_old);
    bool has_old = true;
    bool left_alone = true;
    fail_each_allocation("update_values", [&] {
      plan.multiply(1.0, x, 0.0, y);
      left_alone &= y == (has_old ? with_old : with_halves);
      plan.update_values(has_old ? std::span<const double>(halves) : a.val);
      has_old = !has_old;
    });
    EXPECT_TRUE(left_alone);
  }
}

TEST(out_of_memory, reordered_plans_name_themselves_and_stay_as_they_were) {
  const auto mesh = bench_support::generate<double>("shuffled_mesh(nx=9,ny=8)");
  const auto a = mesh.view();
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  const std::vector<double> halves(static_cast<std::size_t>(a.nnz()), 0.5);
  for (const char* format : {"csr", "packed"}) {
    SCOPED_TRACE(format);
    const inspect_options options{.format = format,
                                  .values_change = true,
                                  .operations = operation_set::both,
                                  .reorder = reordering::rcm};
    try {
      EXPECT_GT(
          fail_each_allocation("inspect", [&] { static_cast<void>(inspect(a, cpu{.threads = 2}, options)); }),
          10);
    } catch (const error& problem) {
      ASSERT_EQ(problem.code(), errc::unsupported);
      GTEST_SKIP() << problem.what();
    }
    auto plan = inspect(a, cpu{.threads = 1}, options);
    const auto products = [&] {
      std::vector<double> y(static_cast<std::size_t>(2 * a.rows));
      plan.multiply(1.0, x, 0.0, std::span(y).first(x.size()));
      plan.multiply_transposed(1.0, x, 0.0, std::span(y).last(x.size()));
      return y;
    };
    const auto with_old = products();
    plan.update_values(halves);
    const auto with_halves = products();
    bool has_old = false;
    fail_each_allocation("update_values", [&] {
      plan.update_values(has_old ? std::span<const double>(halves) : a.val);
      has_old = !has_old;
    });
    EXPECT_EQ(products(), has_old ? with_old : with_halves);
  }
}

class out_of_memory_files : public testing::Test {
 protected:
  out_of_memory_files() {
    std::string name = (std::filesystem::temp_directory_path() / "gossamer_memory_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
  }
  ~out_of_memory_files() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(out_of_memory_files, readers_and_writers_name_the_file) {
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    const std::filesystem::path file = folder_ / name;
    EXPECT_GT(fail_each_allocation(file.native(), [&] { write_matrix_market(file, sample().view()); }), 2);
    EXPECT_GT(
        fail_each_allocation(file.native(),
                             [&] { static_cast<void>(read_matrix_market<double>(file, {.threads = 2})); }),
        5);
  }
  const std::filesystem::path file = folder_ / "x.mtx";
  const std::vector<double> x(5000, 0.5);
  EXPECT_GT(fail_each_allocation(file.native(), [&] { write_vector(file, std::span<const double>(x)); }), 2);
  EXPECT_GT(fail_each_allocation(file.native(), [&] { static_cast<void>(read_vector<double>(file)); }), 2);
}

TEST_F(out_of_memory_files, every_public_function_throws_the_error_of_the_library_or_is_right) {
  const std::string cache = (folder_ / "cache").string();
  const testing_support::variable here("GOSSAMER_CACHE", cache.c_str());
  for (const testing_support::public_call& each : testing_support::public_calls(folder_)) {
    SCOPED_TRACE(each.function);
    const outcome expected = outcome_of(each);
    ASSERT_EQ(expected.foreign, "");
    fail_allocations_of(each, [&](const outcome& found, bool reached) {
      EXPECT_EQ(found.foreign, "");
      if (reached && found.code == errc::out_of_memory) {
        EXPECT_THAT(found.message, testing::HasSubstr("out of host memory"));
      } else {
        EXPECT_EQ(found.text, expected.text);
        EXPECT_EQ(found.message, expected.message);
      }
    });
  }
}

/// A file that is replaced, one that is overwritten in place, and one in a folder where nothing can be made.
TEST_F(out_of_memory_files, a_failed_output_keeps_the_old_file) {
  const auto replaced = folder_ / "replaced";
  const auto linked = folder_ / "linked";
  const auto closed = folder_ / "closed" / "file";
  std::filesystem::create_directory(folder_ / "closed");
  for (const auto& file : {replaced, linked, closed}) write_file(file, "old");
  std::filesystem::create_hard_link(linked, folder_ / "other_link");
  std::filesystem::permissions(folder_ / "closed", std::filesystem::perms{0555});
  const auto files_here = [&] {
    return std::distance(std::filesystem::recursive_directory_iterator(folder_), {});
  };
  const auto count = files_here();
  const std::vector<double> x{1};
  for (const auto& file : {replaced, linked, closed}) {
    SCOPED_TRACE(file);
    const testing_support::public_call calls[] = {
        {"write_file", [&] { return testing_support::in_library([&] { write_file(file, "new"); }), "new"; }},
        {"write_vector",
         [&] {
           testing_support::in_library([&] { write_vector<double>(file, x); });
           return testing_support::read_file(file);
         }},
        {"write_matrix_market", [&] {
           testing_support::in_library(
               [&] { write_matrix_market(file, testing_support::small_matrix().view()); });
           return testing_support::read_file(file);
         }}};
    for (const testing_support::public_call& each : calls) {
      SCOPED_TRACE(each.function);
      fail_allocations_of(each, [&](const outcome& found, bool) {
        EXPECT_EQ(testing_support::read_file(file), found.code ? "old" : found.text);
        EXPECT_EQ(files_here(), count);
        write_file(file, "old");
      });
    }
  }
  std::filesystem::permissions(folder_ / "closed", std::filesystem::perms{0755});
}

/// Counts what is taken through the hook and the most that was held at once.
struct counting_hook {
  std::atomic<std::int64_t> held{0};
  std::atomic<std::int64_t> most{0};
  allocation_hook before = set_host_allocation_hook({allocate, release, this});
  ~counting_hook() { set_host_allocation_hook(before); }

  static void* allocate(std::size_t bytes, std::size_t alignment, int, void* user) {
    auto* self = static_cast<counting_hook*>(user);
    const std::int64_t now = self->held += static_cast<std::int64_t>(bytes);
    std::int64_t seen = self->most;
    while (seen < now && !self->most.compare_exchange_weak(seen, now)) {
    }
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<counting_hook*>(user)->held -= static_cast<std::int64_t>(bytes);
    ::operator delete (pointer, std::align_val_t{64});
  }
};

TEST(memory, inspect_of_coordinates_does_not_hold_the_sorted_matrix_twice) {
  std::vector<std::int32_t> rows;
  const auto coo = sample_as_coordinates(rows);
  counting_hook hook;
  {
    const auto plan = inspect(coo, cpu{.threads = 1}, {.format = "csr"});
    EXPECT_LT(hook.most, plan.bytes() * 11 / 10);
    EXPECT_GE(hook.most, plan.bytes());
  }
  EXPECT_EQ(hook.held, 0);
}

}  // namespace
}  // namespace gossamer
