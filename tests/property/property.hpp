// SPDX-License-Identifier: BSD-3-Clause
// A property test runs once for each format of the library on each kind of device: names end in /FORMAT_cpu,
// /FORMAT_cuda.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/pairwise.hpp"
#include "support/stored_matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {

struct subject {
  std::string format;
  bool on_gpu;
};

inline std::string subject_text(const subject& s) {
  return s.format + (s.on_gpu ? "_cuda" : "_cpu");
}

inline void PrintTo(const subject& s, std::ostream* out) {
  *out << subject_text(s);
}

inline std::string subject_name(const testing::TestParamInfo<subject>& info) {
  return subject_text(info.param);
}

inline std::vector<subject> subjects() {
  std::vector<subject> all;
  for (const format_info& format : list_formats()) {
    if (contains(format.devices, device_set::cpu)) all.push_back({std::string(format.name), false});
    if (contains(format.devices, device_set::cuda)) all.push_back({std::string(format.name), true});
  }
  return all;
}

inline std::vector<subject> cpu_subjects() {
  std::vector<subject> on_cpu = subjects();
  std::erase_if(on_cpu, [](const subject& s) { return s.on_gpu; });
  return on_cpu;
}

inline bool is_deterministic(std::string_view described) {
  return described.find("\"deterministic\":true") != std::string_view::npos;
}

/// Where the subject's tests run: for the cpu, every instruction set that it has, with several numbers of
/// threads.
class property_test : public testing::TestWithParam<subject> {
 protected:
  void SetUp() override {
    if (GetParam().on_gpu && cuda_device_count() == 0)
      GTEST_SKIP() << "no usable CUDA device on this machine (built with CUDA: " << built_with_cuda() << ")";
  }

  [[nodiscard]] const std::string& format() const { return GetParam().format; }

  [[nodiscard]] resource where(std::size_t isa_index = 0, int threads = 2) const {
    if (GetParam().on_gpu) return cuda{0};
    return cpu{.threads = threads, .level = levels()[isa_index % levels().size()]};
  }

  [[nodiscard]] std::size_t isa_count() const { return GetParam().on_gpu ? 1 : levels().size(); }

  static const std::vector<isa>& levels() {
    static const std::vector<isa> all = [] {
      std::vector<isa> found;
      for (const isa level : {isa::avx512, isa::avx2, isa::baseline}) {
        if (runs_here(level)) found.push_back(level);
      }
      return found;
    }();
    return all;
  }

  /// Calls f(entry, options) for every matrix of the battery that the format takes, with each variant of its
  /// options. Fails where the format takes none.
  template <class F>
  void for_each_case(F&& f) const {
    std::size_t taken = 0;
    for (const option_texts& options : variants(format(), where())) {
      for (const battery_entry& entry : battery()) {
        const auto view = entry.matrix.view();
        if (!forecast(view, measure_rows(view), format(), options, where()).refusal.empty()) continue;
        ++taken;
        SCOPED_TRACE(entry.name + " " + format() + " " + text(options));
        f(entry, options);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    const std::size_t many = battery().size() > 40 ? 20 : 0;  // else they were chosen by name
    EXPECT_GT(taken, many) << "the format refuses nearly everything";
  }

  /// for_each_case() of every seventh case or so. Each variant of the options meets other matrices.
  template <class F>
  void for_some_cases(F&& f) const {
    std::size_t step = 7;
    while (battery().size() % step == 0) ++step;
    std::size_t next = 0;
    for_each_case([&](const battery_entry& entry, const option_texts& options) {
      if (next++ % step == 0) f(entry, options);
    });
  }

  [[nodiscard]] bool takes_transpose(const csr_matrix<double, std::int64_t>& a,
                                     const option_texts& options) const {
    const auto at = transpose(a.view());
    return forecast(at.view(), measure_rows(at.view()), format(), options, where()).refusal.empty();
  }

  static std::string text(const option_texts& options) {
    std::string all;
    for (const auto& [key, value] : options) all += key + "=" + value + " ";
    return all;
  }
};

}  // namespace gossamer::testing_support
