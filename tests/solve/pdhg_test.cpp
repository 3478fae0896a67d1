// SPDX-License-Identifier: BSD-3-Clause
// The method for linear programs on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/pdhg_cases.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support {
namespace {

using gossamer_test::expect_error;
using solve::pdhg_iterate;
using testing::HasSubstr;

#define GOSSAMER_CASE(name)              \
  TEST(pdhg, name) {                     \
    pdhg_cases::name<on_host, double>(); \
    pdhg_cases::name<on_host, float>();  \
  }
GOSSAMER_PDHG_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

TEST(pdhg, bits_do_not_depend_on_threads) {
  const auto a = rectangular<double>(40000, 60000);
  const program_vectors<double> program{.cost = random_vector<double>(a.cols, 1),
                                        .lower = std::vector<double>(60000, -1),
                                        .upper = std::vector<double>(60000, 2),
                                        .row_lower = std::vector<double>(40000, -1),
                                        .row_upper = random_vector<double>(a.rows, 2)};
  std::vector<double> expected_x(60000), expected_y(40000);
  double change = 0;
  for (const int threads : {1, 2, 3}) {
    const auto made = inspect(a.view(), cpu{.threads = threads}, {.operations = operation_set::both});
    pdhg_on_host<double> run(made, program);
    const auto last =
        run.loop().advance(20, {.primal_step = 0.05, .dual_step = 0.05, .halpern = true, .average = true});
    std::vector<double> x(60000), y(40000);
    run.copy_to(x, y, pdhg_iterate::average);
    if (threads == 1) {
      expected_x = x;
      expected_y = y;
      change = last.dual_change;
    }
    EXPECT_EQ(last.dual_change, change);
    EXPECT_TRUE(same_bits(x, expected_x));
    EXPECT_TRUE(same_bits(y, expected_y));
  }
}

TEST(pdhg, refuses_wrong_arguments) {
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  const auto forward = inspect(a.view());
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  const auto program = pdhg_cases::small_program<double>();
  const auto refuses = [](errc code, const char* text, const auto& body) {
    expect_error(code, HasSubstr(text), body);
  };
  refuses(errc::unsupported, "pdhg: the plan was inspected with operations = forward; it needs both",
          [&] { pdhg_on_host<double>(forward, program); });
  auto wrong = program;
  wrong.upper.resize(1);
  refuses(errc::size_mismatch, "pdhg: upper has 1 elements, the matrix has 2 columns",
          [&] { pdhg_on_host<double>(made, wrong); });
  wrong = program;
  wrong.row_lower.resize(3);
  refuses(errc::size_mismatch, "pdhg: row_lower has 3 elements, the matrix has 2 rows",
          [&] { pdhg_on_host<double>(made, wrong); });
  pdhg_on_host<double> run(made, program);
  refuses(errc::invalid_argument, "pdhg: step sizes 0 and 1: not positive numbers",
          [&] { run.loop().advance(1, {.primal_step = 0, .dual_step = 1}); });
  refuses(errc::invalid_argument, "pdhg: step sizes 1 and inf: not positive numbers", [&] {
    run.loop().advance(1, {.primal_step = 1, .dual_step = std::numeric_limits<double>::infinity()});
  });
  // Of type float, these are 0 and infinite.
  const auto narrow_program = pdhg_cases::small_program<float>();
  const auto narrow_matrix = dense_rows<float>({{1, 2}, {3, 1}}, 2);
  const auto narrow = inspect(narrow_matrix.view(), cpu{}, {.operations = operation_set::both});
  pdhg_on_host<float> narrow_run(narrow, narrow_program);
  refuses(errc::invalid_argument, "not positive numbers",
          [&] { narrow_run.loop().advance(1, {.primal_step = 1e-60, .dual_step = 1}); });
  refuses(errc::invalid_argument, "not positive numbers",
          [&] { narrow_run.loop().advance(1, {.primal_step = 1, .dual_step = 1e60}); });
  refuses(errc::invalid_argument, "pdhg: reflection = 2: not from 0 to 1",
          [&] { run.loop().advance(1, {.primal_step = 1, .dual_step = 1, .reflection = 2}); });
  refuses(errc::invalid_argument, "pdhg: steps = -1: less than 0",
          [&] { run.loop().advance(-1, {.primal_step = 1, .dual_step = 1}); });
  refuses(errc::size_mismatch, "pdhg: y has 1 elements, the matrix has 2 rows", [&] {
    run.restart({0, 0}, {0});
  });
}

}  // namespace
}  // namespace gossamer::testing_support
