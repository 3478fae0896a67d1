// SPDX-License-Identifier: BSD-3-Clause
// Whole solves of linear programs on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/linear_program_cases.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support {
namespace {

using gossamer_test::expect_error;
using linear_program_cases::found_point;
using linear_program_cases::loop_vectors;
using linear_program_cases::two_rows;
using linear_program_cases::unscaled;
using testing::HasSubstr;

/// Vectors in host memory and plans on the CPU.
struct loop_on_host : on_host {
  class loop {
   public:
    loop(const plan<double>& a, const loop_vectors& of, const solve::program_setting& setting)
        : of_(of), loop_(a, scaled(of), setting, of.x, of.y, {}, nullptr) {}
    solve::program_state advance(std::int64_t rounds, int steps) { return loop_.advance(rounds, steps); }
    found_point point() {
      found_point at{of_.x, of_.y, of_.x, of_.y};
      loop_.copy_to(at.x, at.y, at.moved_x, at.moved_y);
      return at;
    }

   private:
    static solve::scaled_program<> scaled(const loop_vectors& of) {
      return {.program = {.cost = of.program.cost,
                          .lower = of.program.lower,
                          .upper = of.program.upper,
                          .row_lower = of.program.row_lower,
                          .row_upper = of.program.row_upper},
              .rows = of.rows,
              .columns = of.columns};
    }
    const loop_vectors& of_;
    solve::linear_program_loop<host_space> loop_;
  };
};

#define GOSSAMER_CASE(name)                     \
  TEST(linear_program_loop, name) {             \
    linear_program_cases::name<loop_on_host>(); \
  }
GOSSAMER_LINEAR_PROGRAM_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

TEST(linear_program_loop, bits_do_not_depend_on_threads) {
  const auto a = rectangular<double>(40000, 60000);
  const loop_vectors of = unscaled({.cost = random_vector<double>(a.cols, 1),
                                    .lower = std::vector<double>(60000, -1),
                                    .upper = std::vector<double>(60000, 2),
                                    .row_lower = std::vector<double>(40000, -1),
                                    .row_upper = std::vector<double>(40000, 0.5)});
  found_point expected;
  for (const int threads : {1, 2, 3}) {
    const auto made = inspect(a.view(), cpu{.threads = threads}, {.operations = operation_set::both});
    loop_on_host::loop run(made, of, {.norm = 12, .rtol = 0});
    static_cast<void>(run.advance(2, 10));
    const found_point at = run.point();
    if (threads == 1) expected = at;
    EXPECT_TRUE(same_bits(at.x, expected.x));
    EXPECT_TRUE(same_bits(at.y, expected.y));
  }
}

TEST(linear_program_loop, refuses_wrong_arguments) {
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  const auto forward = inspect(a.view());
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  const auto refuses = [](errc code, const char* text, const auto& body) {
    expect_error(code, HasSubstr(text), body);
  };
  const loop_vectors of = unscaled(two_rows());
  refuses(errc::unsupported, "the plan was inspected with operations = forward; it needs both",
          [&] { loop_on_host::loop(forward, of, {}); });
  loop_vectors wrong = of;
  wrong.columns.resize(3);
  refuses(errc::size_mismatch, "columns has 3 elements, the matrix has 2 columns",
          [&] { loop_on_host::loop(made, wrong, {}); });
  wrong = of;
  wrong.y.resize(1);
  refuses(errc::size_mismatch, "y has 1 elements, the matrix has 2 rows",
          [&] { loop_on_host::loop(made, wrong, {}); });
  refuses(errc::invalid_argument, "rtol = -1", [&] { loop_on_host::loop(made, of, {.rtol = -1}); });
  loop_on_host::loop run(made, of, {});
  refuses(errc::invalid_argument, "0 rounds of 40 steps: both must be at least 1",
          [&] { run.advance(0, 40); });
  refuses(errc::invalid_argument, "1 rounds of 0 steps", [&] { run.advance(1, 0); });
}

}  // namespace
}  // namespace gossamer::testing_support
