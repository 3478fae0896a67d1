// SPDX-License-Identifier: BSD-3-Clause
// What every format's cost() has to be for predictions to be made of it.
#include <gtest/gtest.h>

#include <string>

#include "formats/all_formats.hpp"
#include "support/battery.hpp"

namespace gossamer::formats {
namespace {

using testing_support::battery;

const exec::target a_cpu{.kind = device_set::cpu};
const exec::target a_gpu{.kind = device_set::cuda, .compute_capability = 90};

/// f(matrix, statistics, options, footprint) of the battery's matrices that F takes, by default.
template <class F, class Function>
void for_each_taken(const exec::target& where, Function&& f) {
  for (const auto& entry : battery()) {
    SCOPED_TRACE(entry.name + ", " + std::string(F::name) +
                 (where.kind == device_set::cuda ? " on a GPU" : " on a CPU"));
    const auto a = entry.matrix.view();
    const row_statistics s = measure_rows(a);
    const typename F::options o = F::resolve({}, s, where);
    const auto size = F::measure(a, s, o, where);
    if (size.refusal.empty()) f(s, o, size);
  }
}

/// predict_seconds() takes what a GPU is said to take at 1 GB/s for bytes: a time beside them would be a
/// hundred thousand bytes.
TEST(cost, is_linear_in_the_bytes) {
  all_formats::for_each([]<class F>() {
    for (const exec::target& where : {a_cpu, a_gpu}) {
      if (!contains(F::devices, where.kind)) continue;
      for_each_taken<F>(where, [&](const row_statistics& s, const auto& o, const auto& size) {
        const auto at = [&](double bandwidth_gbs) {
          return cost_of<F, double, std::int64_t>(
              s, o, where,
              {.bandwidth_gbs = bandwidth_gbs, .starts = {.first_seconds = 0, .next_seconds = 0}}, size);
        };
        EXPECT_DOUBLE_EQ(at(1), 1024 * at(1024));
      });
    }
  });
}

/// Those that it counts are a CPU's, whichever the device: a GPU's starts are gpu_work's.
TEST(cost, counts_the_passes_of_a_cpu) {
  all_formats::for_each([]<class F>() {
    if (F::devices != device_set::both) return;
    for_each_taken<F>(a_cpu, [&](const row_statistics& s, const auto& o, const auto& size) {
      const auto passes = [&](const exec::target& where) {
        const machine of_starts_alone{.bandwidth_gbs = 1e300,
                                      .starts = {.first_seconds = 1, .next_seconds = 1}};
        return cost_of<F, double, std::int64_t>(s, o, where, of_starts_alone, size);
      };
      EXPECT_GE(passes(a_cpu), 1);
      EXPECT_EQ(passes(a_gpu), passes(a_cpu));
    });
  });
}

TEST(cost, starts_of_a_cpu_do_not_count_on_a_gpu) {
  all_formats::for_each([]<class F>() {
    if (!contains(F::devices, device_set::cuda)) return;
    for_each_taken<F>(a_gpu, [&](const row_statistics& s, const auto& o, const auto& size) {
      const auto seconds = [&](double start) {
        return predict_seconds<F, double, std::int64_t>(
            s, o, a_gpu, {.bandwidth_gbs = 4000, .starts = {.first_seconds = start, .next_seconds = start}},
            size);
      };
      EXPECT_EQ(seconds(1), seconds(0));
    });
  });
}

TEST(device_work, reads_memory_no_faster_than_a_copy) {
  constexpr double cache_over_copy =
      hopper::capacity.cache_bytes_per_second / (hopper::capacity.copy_gb_per_second * 1e9);
  all_formats::for_each([]<class F>() {
    if (!contains(F::devices, device_set::cuda)) return;
    for_each_taken<F>(a_gpu, [](const row_statistics& s, const auto& o, const auto& size) {
      const device_work work = device_work_of<F, double>(s, o, size);
      EXPECT_GE(work.kernel.time_ratio_in_cache + work.kernel.added_time_ratio_in_memory,
                cache_over_copy * 0.998);
    });
  });
}

}  // namespace
}  // namespace gossamer::formats
