// SPDX-License-Identifier: BSD-3-Clause
// Whether a paper's conclusion holds for rows.
#include "experiments/claims.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "experiments/rows_by_hand.hpp"

namespace {

using namespace gossamer::experiments;
using gossamer_test::row;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A matrix on which "new" is so many times as fast as "old".
void add(rows& all, const std::string& matrix, double ratio, double sd = 5) {
  for (const auto& [label, median] : {std::pair{"new", 1e-3}, std::pair{"old", 1e-3 * ratio}}) {
    all.push_back(row(matrix, label, median));
    all.back()["row_sd"] = sd;
  }
}

claim new_over_old() {
  return {.says = "new is faster", .faster = "new", .slower = "old"};
}

std::string text_of(const claim& c, const rows& all) {
  experiment e;
  e.claims = {c};
  return claims_of(e, all);
}

TEST(claims, one_matrix_refutes_what_is_said_of_each) {
  rows all = json::array();
  add(all, "a", 2);
  add(all, "b", 0.98);
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::confirmed);
  add(all, "c", 0.96);
  const judgement j = judge(new_over_old(), all);
  EXPECT_EQ(j.is, verdict::refuted);
  ASSERT_EQ(j.against.size(), 1u);
  EXPECT_EQ(j.against[0].matrix, "c");
  EXPECT_EQ(
      text_of(new_over_old(), all),
      "refuted: new is faster; new over old: arithmetic mean 1.313, geometric mean 1.235, at least 1 on 1 of "
      "3; against it: c 0.960\n");
}

TEST(claims, an_average_is_the_arithmetic_mean) {
  rows all = json::array();
  add(all, "a", 3);
  add(all, "b", 0.25);
  add(all, "c", 0.25);
  claim c = new_over_old();
  c.on = extent::average;
  c.least = 1.1;
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  c.least = 1.2;
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
  EXPECT_THAT(text_of(c, all), Not(HasSubstr("against it")));
}

TEST(claims, exceptions_are_shown_and_do_not_count) {
  rows all = json::array();
  add(all, "a", 2);
  add(all, "like(odd)", 0.5);
  claim c = new_over_old();
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
  c.except = {"odd"};
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  EXPECT_THAT(text_of(c, all),
              HasSubstr("at least 1 on 1 of 1; where the paper says the contrary: like(odd) 0.500\n"));
}

TEST(claims, only_matrices_of_the_variation_count) {
  rows all = json::array();
  add(all, "even", 0.1, 0);
  add(all, "uneven", 2, 5);
  add(all, "wild", 0.1, 7);
  claim c = new_over_old();
  c.more_than = 0;
  c.at_most = 2.0 / 3;
  const judgement j = judge(c, all);
  EXPECT_EQ(j.is, verdict::confirmed);
  ASSERT_EQ(j.counted.size(), 1u);
  EXPECT_EQ(j.counted[0].matrix, "uneven");
}

TEST(claims, without_both_times_nothing_is_said) {
  const rows all = {row("a", "new", 1e-3), row("a", "old", 0)};
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::not_measured);
  EXPECT_EQ(text_of(new_over_old(), all), "not measured: new is faster\n");
}

TEST(rows, names_and_options) {
  json one = row("like(cant,values=constant)", "s", 1e-3);
  one["options"] = "block_rows=32,block_width=78,width=4";
  EXPECT_EQ(published_name(one), "cant");
  EXPECT_EQ(published_name(row("like(LP)", "s", 1)), "LP");
  EXPECT_EQ(published_name(row("stencil(nx=3)", "s", 1)), "stencil(nx=3)");
  EXPECT_EQ(option_of(&one, "width"), "4");
  EXPECT_EQ(option_of(&one, "block_width"), "78");
  EXPECT_EQ(option_of(&one, "block"), "");
  EXPECT_EQ(option_of(nullptr, "width"), "");
  EXPECT_DOUBLE_EQ(variation_of(one), 0.5);
  EXPECT_FALSE(member(&one, "nothing").has_value());
  EXPECT_EQ(member(&one, "nnz"), 1000.0);
}

}  // namespace
