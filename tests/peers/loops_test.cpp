// SPDX-License-Identifier: BSD-3-Clause
// Loops of other libraries on the CPU; an absent one is skipped and says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bench_support/loops/cublas_api.hpp"
#include "bench_support/loops/loops.hpp"
#include "support/loop_cases.hpp"
#include "support/variable.hpp"

namespace gossamer::testing_support {
namespace {

using bench_support::loop_method;
using bench_support::loop_problem;
using testing::HasSubstr;
using testing::Property;
using testing::StartsWith;
using testing::Throws;

auto throws_error(errc code, const auto& words) {
  return Throws<error>(testing::AllOf(Property(&error::code, code), Property(&error::what, words)));
}

using cpu_loop_test = loop_cases::loop_test<device_set::cpu>;
class cpu_loop : public cpu_loop_test {};
class cpu_pdhg : public cpu_loop_test {};

INSTANTIATE_TEST_SUITE_P(loops, cpu_loop,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cpu, loop_method::cg)),
                         [](const auto& instance) { return instance.param; });
INSTANTIATE_TEST_SUITE_P(loops, cpu_pdhg,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cpu, loop_method::pdhg)),
                         [](const auto& instance) { return instance.param; });

GOSSAMER_LOOP_TESTS(cpu_loop, cpu_pdhg)

TEST_P(cpu_pdhg, has_no_test_of_convergence) {
  const loop_cases::integer_program<double> lp;
  auto loop =
      bench_support::inspect_loop<double>(loop_method::pdhg, GetParam(), lp.a.view(), lp.problem(), cpu{});
  EXPECT_THAT([&] { loop.solve({}); }, throws_error(errc::unsupported, HasSubstr("no test of convergence")));
  EXPECT_THAT([&] { loop.history(1); }, throws_error(errc::unsupported, HasSubstr("no residual")));
  EXPECT_THAT([&] { loop.iterate(-1); }, throws_error(errc::invalid_argument, HasSubstr("iterations = -1")));
}

TEST(loops, have_names_of_their_own) {
  std::set<std::pair<loop_method, std::string_view>> names;
  for (const bench_support::loop_info& each : bench_support::list_loops()) {
    EXPECT_TRUE(names.emplace(each.method, each.name).second) << each.name;
    EXPECT_NE(each.help, "");
    EXPECT_NE(each.library, "");
    EXPECT_EQ(bench_support::find_loop(each.method, each.name).help, each.help);
    const auto here = bench_support::find_loop_here(each.method, each.name);
    EXPECT_EQ(here.present, here.reason.empty()) << each.name;
  }
  EXPECT_THAT([] { bench_support::find_loop(loop_method::pdhg, "eigen_cg"); },
              throws_error(errc::invalid_argument, HasSubstr("loop of pdhg = \"eigen_cg\" is not one of ")));
}

TEST(loops, without_a_device_are_unsupported_in_one_line) {
  const auto a = laplace<double>(3, 3);
  const std::vector<double> b(9, 1.0);
  for (const std::string& name : loop_cases::loops_on(device_set::cuda, loop_method::cg)) {
    EXPECT_THAT(
        [&] { bench_support::inspect_loop<double>(loop_method::cg, name, a.view(), {.b = b}, cpu{}); },
        throws_error(errc::unsupported, HasSubstr("unsupported: " + name + ": it does not run on cpu")));
    if (bench_support::find_loop_here(loop_method::cg, name).present) continue;
    EXPECT_THAT(
        [&] { bench_support::inspect_loop<double>(loop_method::cg, name, a.view(), {.b = b}, cuda{0}); },
        throws_error(errc::unsupported, StartsWith("unsupported: " + name + ": ")));
  }
}

TEST(loops, reject_problems_that_do_not_fit) {
  const auto a = laplace<double>(3, 3);
  const auto wide = dense_rows<double>({{1, 2, 3}, {4, 5, 6}}, 3);
  const auto empty = dense_rows<double>({{0, 0}, {0, 0}}, 2);
  const std::vector<double> two(2, 1.0);
  const std::vector<double> three(3, 1.0);
  const std::vector<double> nine(9, 1.0);
  const auto cg = [](const auto& matrix, const std::vector<double>& b) {
    bench_support::inspect_loop<double>(loop_method::cg, "eigen_cg", matrix.view(), {.b = b}, cpu{});
  };
  EXPECT_THAT([&] { cg(a, three); }, throws_error(errc::size_mismatch, HasSubstr("b has 3 elements, not 9")));
  EXPECT_THAT([&] { cg(wide, two); }, throws_error(errc::unsupported, HasSubstr("2 x 3 is not square")));
  EXPECT_THAT([&] { cg(empty, two); }, throws_error(errc::unsupported, HasSubstr("nothing to multiply")));
  const auto pdhg = [&](const loop_problem<double>& problem) {
    bench_support::inspect_loop<double>(loop_method::pdhg, "mkl_cblas", wide.view(), problem, cpu{});
  };
  loop_problem<double> problem{
      .b = two, .c = three, .lower = three, .upper = three, .primal_step = 1, .dual_step = 1};
  problem.lower = two;
  EXPECT_THAT([&] { pdhg(problem); },
              throws_error(errc::size_mismatch, HasSubstr("lower has 2 elements, not 3")));
  problem.lower = three;
  problem.dual_step = 0;
  EXPECT_THAT([&] { pdhg(problem); },
              throws_error(errc::invalid_argument, HasSubstr("dual_step = 0 is not a positive number")));
}

/// The variable names a folder without the library: nothing else is looked at.
TEST(loops, of_cublas_are_looked_for_where_the_variable_says) {
#if !defined(GOSSAMER_HAVE_CUBLAS)
  EXPECT_THAT(bench_support::loops::look_for_cublas().reason, StartsWith("this build of gossamer "));
#else
  if (bench_support::loops::find_cublas().api != nullptr) GTEST_SKIP() << "it is loaded already";
  const variable given("GOSSAMER_CUBLAS", "/nowhere");
  EXPECT_EQ(bench_support::loops::look_for_cublas().reason,
            "GOSSAMER_CUBLAS = \"/nowhere\": there is no such file");
#endif
}

}  // namespace
}  // namespace gossamer::testing_support
