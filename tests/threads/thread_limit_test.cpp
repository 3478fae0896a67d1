// SPDX-License-Identifier: BSD-3-Clause
// A number of threads bounds all that a call does: no function starts more than it was allowed.
#include "gossamer/resource.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/timer.hpp"
#include "threads/thread_counter.hpp"

namespace gossamer {
namespace {

using gossamer_test::most_threads_alive;
using gossamer_test::reset_most_threads_alive;
using gossamer_test::threads_alive;

using matrix = csr_matrix<double, std::int64_t>;

/// Large enough for every loop to go to several threads.
const matrix& sample() {
  static const matrix a = [] {
    const thread_limit alone(1);  // the first thread keeps none that would be counted
    return bench_support::generate<double>("stencil(nx=200,ny=200,points=9)");
  }();
  return a;
}

/// Largest number of threads that work on body(), including the calling one. A new thread calls body():
/// OpenMP keeps a worker team for each calling thread, and ends it some time after that thread.
int threads_of(const std::function<void()>& body) {
  while (threads_alive() > 0) std::this_thread::yield();
  reset_most_threads_alive();
  std::thread(body).join();
  return most_threads_alive();
}

struct named_call {
  std::string name;
  std::function<void()> body;
};

std::filesystem::path scratch_file(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / ("thread_limit_" + std::to_string(getpid()) + name);
}

std::vector<named_call> calls_without_a_resource(const std::string& ending) {
  const auto file = scratch_file(ending);
  const auto view = sample().view();
  std::vector<double> x(static_cast<std::size_t>(view.cols), 1.0);
  const std::vector<double> of_three_blocks(100'000, 1.0);
  return {
      {"generate", [] { bench_support::generate<double>("stencil(nx=200,ny=200,points=9)"); }},
      {"write_matrix_market", [=] { write_matrix_market(file, view); }},
      {"read_matrix_market", [=] { read_matrix_market<double>(file); }},
      {"write_vector", [=] { write_vector<double>(file.string() + ".x" + ending, of_three_blocks); }},
      {"read_vector", [=] { read_vector<double>(file.string() + ".x" + ending); }},
      {"validate", [=] { validate(view); }},
      {"measure_rows", [=] { measure_rows(view); }},
      {"measure_entries", [=] { measure_entries(view); }},
      {"partition_rows",
       [=] {
         partition_rows(view, std::vector<double>{1, 2}, {.algorithm = partition_algorithm::pmf});
       }},
      {"verify",
       [=] {
         const std::vector<double> y(x.size());
         bench_support::verify(view, 1.0, std::span<const double>(x), 0.0, std::span<const double>(y),
                               std::span<const double>(y));
       }},
      {"copy", [=] { copy<double, std::int64_t>(view); }},
  };
}

std::vector<named_call> calls_on(const cpu& where) {
  const auto view = sample().view();
  const thread_limit alone(1);
  const row_statistics statistics = measure_rows(view);
  std::vector<named_call> all{
      {"rank_formats", [=] { rank_formats(view, statistics, where, {.every_setting = true}); }},
      {"tune", [=] { tune(view, where, {.budget_seconds = 0.01, .use_cache = false}); }},
      {"copy_bandwidth", [=] { copy_bandwidth(where, 1 << 20); }},
  };
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    all.push_back({std::string(format.name), [=] {
                     auto made =
                         inspect(view, where, {.format = std::string(format.name), .values_change = true});
                     const std::vector<double> x(static_cast<std::size_t>(view.cols), 1.0);
                     std::vector<double> y(x.size());
                     made.multiply(1.0, x, 0.0, y);
                     made.update_values(view.val);
                     static_cast<void>(made.stored_values(view));
                     static_cast<void>(made.to_csr());
                   }});
  }
  return all;
}

TEST(thread_limit, bounds_reading_writing_and_generating) {
  for (const std::string ending : {".mtx", ".mtx.gz"}) {
    for (const named_call& each : calls_without_a_resource(ending)) {
      for (const int threads : {1, 2}) {
        const int used = threads_of([&] {
          const thread_limit limit(threads);
          each.body();
        });
        EXPECT_LE(used, threads) << each.name << " " << ending;
      }
    }
  }
}

TEST(thread_limit, enforces_the_limit) {
  for (const named_call& each : calls_without_a_resource(".mtx")) {
    const int used = threads_of([&] {
      const thread_limit limit(3);
      each.body();
    });
    EXPECT_EQ(used, 3) << each.name;
  }
}

TEST(thread_limit, read_options_bound_reading) {
  const auto file = scratch_file(".mtx");
  {
    const thread_limit alone(1);
    write_matrix_market(file, sample().view());
  }
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(threads_of([&] { read_matrix_market<double>(file, {.threads = threads}); }), threads);
  }
}

TEST(thread_limit, threads_of_a_resource_bound_all_that_is_done_on_it) {
  for (const int threads : {1, 2}) {
    for (const named_call& each : calls_on(cpu{.threads = threads})) {
      const int used = threads_of([&] {
        const thread_limit usual(4);
        each.body();
      });
      EXPECT_LE(used, threads) << each.name;
    }
  }
}

}  // namespace
}  // namespace gossamer
