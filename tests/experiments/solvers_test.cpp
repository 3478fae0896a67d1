// SPDX-License-Identifier: BSD-3-Clause
// What is concluded from rows of solvers.
#include "experiments/solvers/series.hpp"

#include <gmock/gmock.h>

#include "experiments/all_experiments.hpp"
#include "experiments/rows_by_hand.hpp"
#include "experiments/xml.hpp"

namespace {

using namespace gossamer::experiments;
using gossamer_test::row;
using gossamer_test::xml_document;
using testing::HasSubstr;
using testing::Not;

/// A row of a matrix of `rows` rows, whose iteration takes `ratio` times as long as ours.
json solver_row(const std::string& matrix, std::string_view series, double rows, double ratio,
                const std::vector<double>& history) {
  json one = row(matrix, std::string(series), ratio * 1e-5);
  const json speed_up = ratio == 1 ? json(nullptr) : json{{"ratio", ratio}};
  one["rows"] = rows;
  one["speed_up"] = speed_up;
  one["solve"] = {{"iterations", 50},
                  {"same_bits_again", ratio == 1},
                  {"speed_up", speed_up},
                  {"seconds", {{"median", ratio * 1e-3}}},
                  {"history", history}};
  return one;
}

rows two_matrices() {
  return {solver_row("small", solvers::ours, 1000, 1, {8, 4, 2}),
          solver_row("small", solvers::graph, 1000, 2, {8, 4, 1}),
          solver_row("large", solvers::ours, 2e6, 1, {8, 4, 2}),
          solver_row("large", solvers::graph, 2e6, 1.5, {8, 4, 2})};
}

TEST(solvers, report_splits_ratios_by_size) {
  const experiment* e = find_experiment("solvers/cg");
  ASSERT_NE(e, nullptr);
  const std::string text = e->report(*e, two_matrices());
  EXPECT_THAT(text, HasSubstr("Gossamer over cuSPARSE + cuBLAS, graph, an iteration: below 1 M rows and 5 M "
                              "nonzeros 2.000 on 1 (least 2.000); above 1.500 on 1 (least 1.500)\n"));
  EXPECT_THAT(text, HasSubstr("Gossamer over cuSPARSE + cuBLAS, graph, a solution: below"));
  EXPECT_THAT(text, HasSubstr("Gossamer: the same bits again on 2 of 2\n"));
  EXPECT_THAT(text, HasSubstr("cuSPARSE + cuBLAS, graph: the same bits again on 0 of 2; residuals of 10 "
                              "iterations differ from ours by 0.5 at most\n"));
  EXPECT_THAT(text, HasSubstr("milliseconds to the solution"));
  EXPECT_THAT(text, Not(HasSubstr("Gossamer over Eigen")));
  const xml_document document(e->draw(*e, two_matrices()));
  EXPECT_EQ(document.problem(), "");
}

TEST(solvers, steps_alone_have_no_solution) {
  const experiment* e = find_experiment("solvers/pdhg");
  ASSERT_NE(e, nullptr);
  rows all = two_matrices();
  for (json& each : all) each["solve"] = nullptr;
  const std::string text = e->report(*e, all);
  EXPECT_THAT(text, HasSubstr("an iteration: below 1 M rows and 5 M nonzeros 2.000 on 1"));
  EXPECT_THAT(text, Not(HasSubstr("a solution")));
  EXPECT_THAT(text, Not(HasSubstr("bits")));
}

TEST(solvers, size_is_small_below_both_limits) {
  json one = row("a", "s", 1);
  one["rows"] = 999999;
  one["nnz"] = 4999999;
  EXPECT_TRUE(solvers::is_small(one));
  one["nnz"] = 5000000;
  EXPECT_FALSE(solvers::is_small(one));
  one["nnz"] = 1;
  one["rows"] = 1000000;
  EXPECT_FALSE(solvers::is_small(one));
}

TEST(solvers, histories_are_compared_as_far_as_both_go) {
  const json a = solver_row("m", "a", 1, 1, {8, 4, 2, 1});
  const json b = solver_row("m", "b", 1, 2, {8, 4, 1});
  EXPECT_EQ(solvers::history_difference(&a, &b, 16), 0.5);
  EXPECT_EQ(solvers::history_difference(&a, &b, 1), 0.0);
  EXPECT_EQ(solvers::history_difference(&a, nullptr, 16), std::nullopt);
  json without = a;
  without["solve"] = nullptr;
  EXPECT_EQ(solvers::history_difference(&a, &without, 16), std::nullopt);
  EXPECT_EQ(solvers::solve_seconds(&without), std::nullopt);
  EXPECT_EQ(solvers::solve_seconds(&b), 2e-3);
  EXPECT_EQ(solvers::solve_member(&b, "iterations"), 50);
  EXPECT_EQ(solvers::solve_member(&b, "nothing"), std::nullopt);
}

}  // namespace
