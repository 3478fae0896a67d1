// SPDX-License-Identifier: BSD-3-Clause
// Children of a process that has used threads: they compute what their parent does, and never wait for
// threads that are not there.
#include "core/fork.hpp"

#include <omp.h>
#include <spawn.h>

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "core/parallel.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "support/child.hpp"
#include "support/variable.hpp"
#include "unit/helpers.hpp"

extern char** environ;

namespace gossamer {
namespace {

using testing_support::begin_child;
using testing_support::end_of;
using testing_support::status_of_child;

constexpr const char* long_enough_for_threads = "power_law(rows=30k,mean=8,max=300)";
constexpr int parents_threads = 2;

std::vector<double> steps_of_x(std::int64_t size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 + static_cast<double>(j % 97) / 97;
  return x;
}

std::vector<double> times_x(const plan<double>& p) {
  std::vector<double> y(static_cast<std::size_t>(p.rows()), -1);
  p.multiply(1.0, steps_of_x(p.cols()), 0.0, y);
  return y;
}

int team_of_two() {
  std::atomic<int> found{0};
  core::parallel(2, [&](int, int team) { found = team; });
  return found;
}

/// A parent that has used two threads, and a plan that it made.
class forked : public testing::Test {
 protected:
  forked()
      : matrix(bench_support::generate<double>(long_enough_for_threads)),
        made(inspect(matrix.view(), cpu{.threads = parents_threads})) {
    expected = times_x(made);
    EXPECT_EQ(team_of_two(), 2);
  }
  [[nodiscard]] bool child_is_right() const { return times_x(made) == expected; }

  csr_matrix<double, std::int64_t> matrix;
  plan<double> made;
  std::vector<double> expected;
};

/// Of each format that takes the matrix: a plan, and its product.
std::vector<std::pair<plan<double>, std::vector<double>>> plans_of_all_formats(
    const csr_matrix<double, std::int64_t>& a) {
  std::vector<std::pair<plan<double>, std::vector<double>>> all;
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    try {
      plan<double> one =
          inspect(a.view(), cpu{.threads = parents_threads}, {.format = std::string(format.name)});
      std::vector<double> y = times_x(one);
      all.emplace_back(std::move(one), std::move(y));
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::unsupported);
    }
  }
  return all;
}

TEST_F(forked, child_multiplies_by_plans_of_its_parent) {
  const auto all = plans_of_all_formats(matrix);
  ASSERT_GE(all.size(), 10u);
  EXPECT_EQ(status_of_child([&] {
              for (const auto& [one, y] : all)
                for (int k = 0; k < 3; ++k)
                  if (times_x(one) != y) return false;
              return true;
            }),
            0);
}

TEST_F(forked, child_inspects_and_updates_values) {
  const auto all = plans_of_all_formats(matrix);
  EXPECT_EQ(status_of_child([&] {
              for (const auto& [one, y] : all) {
                auto again = inspect(matrix.view(), cpu{.threads = parents_threads},
                                     {.format = std::string(one.format()), .values_change = true});
                if (times_x(again) != y) return false;
                again.update_values(matrix.view().val);
                if (times_x(again) != y) return false;
              }
              const auto automatic = inspect(matrix.view(), cpu{}, {.format = "auto"});
              return automatic.nnz() == matrix.nnz();
            }),
            0);
}

TEST_F(forked, child_reads_writes_and_generates) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("gossamer_fork_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const char* const name : {"a.mtx", "a.mtx.gz"}) {
    write_matrix_market(folder / name, matrix.view());
    EXPECT_EQ(gossamer_test::checksum(
                  read_matrix_market<double>(folder / name, {.threads = parents_threads}).matrix),
              gossamer_test::checksum(matrix));
  }
  EXPECT_EQ(status_of_child([&] {
              const auto sum = gossamer_test::checksum(matrix);
              if (gossamer_test::checksum(bench_support::generate<double>(long_enough_for_threads)) != sum)
                return false;
              for (const char* const name : {"a.mtx", "a.mtx.gz"}) {
                const read_options by_two{.threads = parents_threads, .chunk_bytes = 1 << 16};
                if (gossamer_test::checksum(read_matrix_market<double>(folder / name, by_two).matrix) != sum)
                  return false;
                const std::string again = std::string("again_") + name;
                write_matrix_market(folder / again, matrix.view());
                if (gossamer_test::checksum(read_matrix_market<double>(folder / again).matrix) != sum)
                  return false;
              }
              try {
                static_cast<void>(read_matrix_market<double>(folder / "none.mtx"));
              } catch (const error& problem) {
                return problem.code() == errc::io_error;
              }
              return false;
            }),
            0);
  std::filesystem::remove_all(folder);
}

TEST_F(forked, child_multiplies_by_hybrid_plans_and_destroys_them) {
  const auto of_two_groups = [&] {
    return inspect(matrix.view(), parse_hybrid("cpu:2,cpu:2,cpu:1"), {.format = "csr"});
  };
  std::optional<plan<double>> parents = of_two_groups();
  std::optional<workspace> own = parents->make_workspace();
  const std::vector<double> y = times_x(*parents);
  EXPECT_EQ(status_of_child([&] {
              own.reset();
              if (times_x(*parents) != y) return false;
              parents.reset();
              return times_x(of_two_groups()) == y;
            }),
            0);
  EXPECT_EQ(status_of_child([&] {
              parents.reset();  // without a product before
              own.reset();
              return true;
            }),
            0);
  EXPECT_EQ(times_x(*parents), y);
}

TEST_F(forked, child_tunes) {
  const testing_support::variable no_cache("GOSSAMER_CACHE", "");
  const tune_options quick{.budget_seconds = 0, .use_cache = false};
  EXPECT_FALSE(tune(matrix.view(), cpu{.threads = parents_threads}, quick).measurements.empty());
  EXPECT_EQ(status_of_child([&] {
              return !tune(matrix.view(), cpu{.threads = parents_threads}, quick).measurements.empty();
            }),
            0);
}

TEST_F(forked, new_thread_of_the_child_has_a_full_team) {
  const int before = core::forks();
  EXPECT_FALSE(core::lost_team());
  EXPECT_EQ(status_of_child([&] {
              int elsewhere = 0;
              std::thread([&] { elsewhere = team_of_two(); }).join();
              return core::forks() == before + 1 && core::lost_team() && team_of_two() == 1 &&
                     thread_count(cpu{.threads = parents_threads}) == 1 && elsewhere == 2;
            }),
            0);
  EXPECT_EQ(core::forks(), before);
  EXPECT_FALSE(core::lost_team());
  EXPECT_EQ(team_of_two(), 2);
  EXPECT_EQ(times_x(made), expected);
}

TEST_F(forked, grandchild_still_runs_on_one_thread) {
  EXPECT_EQ(status_of_child([&] {
              return child_is_right() &&
                     status_of_child([&] { return child_is_right() && team_of_two() == 1; }) == 0;
            }),
            0);
}

TEST_F(forked, child_of_another_thread) {
  int of_one_with_a_team = -1;
  int of_one_without = -1;
  std::thread([&] {
    EXPECT_EQ(team_of_two(), 2);
    of_one_with_a_team = status_of_child([&] { return child_is_right(); });
  }).join();
  std::thread([&] { of_one_without = status_of_child([&] { return child_is_right(); }); }).join();
  EXPECT_EQ(of_one_with_a_team, 0);
  EXPECT_EQ(of_one_without, 0);
}

TEST_F(forked, several_children_at_once) {
  std::array<pid_t, 4> children{};
  for (pid_t& each : children) each = begin_child([&] { return child_is_right(); });
  for (const pid_t each : children) EXPECT_EQ(end_of(each), 0);
}

TEST_F(forked, children_of_several_threads_at_once) {
  std::atomic<int> right{0};
  std::vector<std::thread> forking;
  constexpr int many = 4;
  for (int t = 0; t < many; ++t)
    forking.emplace_back([&] {
      for (int k = 0; k < 3; ++k)
        if (status_of_child([&] { return child_is_right(); }) == 0) ++right;
    });
  for (std::thread& each : forking) each.join();
  EXPECT_EQ(right, 3 * many);
}

TEST_F(forked, fork_inside_a_parallel_region) {
  std::atomic<int> right{0};
#pragma omp parallel num_threads(2)
  if (status_of_child([&] { return child_is_right(); }) == 0) ++right;
  EXPECT_EQ(right, 2);
}

/// Another library of the program's may be the one that has used OpenMP.
TEST(forked_program, parent_used_openmp_itself) {
  int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(status_of_child([] {
              const auto a = bench_support::generate<double>(long_enough_for_threads);
              return times_x(inspect(a.view(), cpu{.threads = 4})) ==
                     times_x(inspect(a.view(), cpu{.threads = 1}));
            }),
            0);
}

/// Locks of the library are free in the child, whatever other threads are doing.
TEST_F(forked, child_of_a_process_whose_other_threads_inspect_and_multiply) {
  std::atomic<bool> done{false};
  std::vector<std::thread> busy;
  const auto small = bench_support::generate<double>("stencil(nx=30,ny=30,points=5)");
  for (int t = 0; t < 2; ++t)
    busy.emplace_back([&] {
      while (!done)
        static_cast<void>(times_x(inspect(small.view(), cpu{.threads = 1}, {.format = "packed"})));
    });
  const std::vector<double> y = times_x(inspect(small.view(), cpu{.threads = 1}, {.format = "packed"}));
  for (int k = 0; k < 25; ++k)
    EXPECT_EQ(
        status_of_child([&] {
          return times_x(inspect(small.view(), cpu{.threads = parents_threads}, {.format = "packed"})) == y;
        }),
        0);
  done = true;
  for (std::thread& each : busy) each.join();
}

TEST_F(forked, parent_may_start_other_programs) {
  const int before = core::forks();
  pid_t child = 0;
  std::array<char*, 2> arguments{const_cast<char*>("true"), nullptr};
  ASSERT_EQ(::posix_spawnp(&child, "true", nullptr, nullptr, arguments.data(), environ), 0);
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(std::system("true"), 0);
  std::FILE* const pipe = ::popen("true", "r");
  ASSERT_NE(pipe, nullptr);
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_EQ(core::forks(), before);
  EXPECT_FALSE(core::lost_team());
  EXPECT_EQ(team_of_two(), 2);
}

TEST_F(forked, child_may_end_by_exit) {
  if (std::getenv("OMP_TOOL_LIBRARIES") != nullptr) GTEST_SKIP() << "LLVM's Archer crashes in such a child";
  const pid_t child = begin_child([&]() -> bool { std::exit(child_is_right() ? 0 : 1); });
  EXPECT_EQ(end_of(child), 0);
}

TEST(found_once, is_the_same_for_all_threads) {
  core::found_once<std::vector<int>> once;
  std::atomic<int> asked{0};
  std::array<const std::vector<int>*, 4> found{};
  core::parallel(static_cast<int>(found.size()), [&](int thread, int team) {
    ++asked;
    while (asked < team) std::this_thread::yield();
    found[static_cast<std::size_t>(thread)] = &once.get([thread] { return std::vector<int>{thread}; });
  });
  const std::vector<int>* const first = &once.get([] { return std::vector<int>(); });
  EXPECT_EQ(first->size(), 1u);
  for (const std::vector<int>* const each : found) EXPECT_TRUE(each == nullptr || each == first);
  delete first;  // a found_once that is no constant leaves it behind
}

/// True where the process has one thread, as the system counts them.
bool is_alone() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line == "Threads:\t1") return true;
  return false;
}

/// In a process of its own, which has opened no region.
TEST(forked_before_threads, child_has_a_whole_team) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (!is_alone()) std::_Exit(0);  // a sanitizer's thread is there, or the system does not say
        const int status = status_of_child([] {
          if (team_of_two() != 2) return false;
          // Now it has one to lose.
          return status_of_child([] { return team_of_two() == 1; }) == 0;
        });
        std::_Exit(status == 0 && team_of_two() == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gossamer
