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
  return {.statement = "new is faster", .faster = "new", .slower = "old"};
}

std::string text_of(const claim& c, const rows& all) {
  experiment e;
  e.claims = {c};
  return claims_of(e, all);
}

TEST(claims, one_matrix_refutes_a_claim_about_each) {
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
      "3; 3 of 3 measured; 0 of 3 are stand-ins; against it: c 0.960\n");
}

TEST(claims, an_average_is_the_arithmetic_mean) {
  rows all = json::array();
  add(all, "a", 4);
  add(all, "b", 0.5);
  claim c = new_over_old();
  c.on = extent::average;
  c.least = 2.2;
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  c.least = 2.3;
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
  EXPECT_THAT(text_of(c, all), Not(HasSubstr("against it")));
}

TEST(claims, what_is_slower_by_the_geometric_mean_is_not_confirmed) {
  rows all = json::array();
  add(all, "a", 3);
  add(all, "b", 0.25);
  claim c = new_over_old();
  c.on = extent::average;
  EXPECT_EQ(judge(c, all).is, verdict::arithmetic_mean_only);
  EXPECT_THAT(text_of(c, all),
              StartsWith("by the arithmetic mean only: new is faster; new over old: arithmetic "
                         "mean 1.625, geometric mean 0.866"));
}

TEST(claims, a_target_is_the_geometric_mean_and_names_what_is_below_1) {
  rows all = json::array();
  add(all, "a", 4);
  add(all, "b", 0.5);
  add(all, "c", 0.99);
  claim c = new_over_old();
  c.on = extent::geometric_average;
  c.least = 1.25;
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  EXPECT_THAT(text_of(c, all), HasSubstr("; below 1: b 0.500 c 0.990\n"));
  c.least = 1.26;
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
}

TEST(claims, unmeasured_requests_are_named) {
  rows all = json::array();
  add(all, "a", 2);
  add(all, "like(b)", 2);
  all[2]["stand_in"] = all[3]["stand_in"] = true;
  all.push_back(row("c", "new", 1e-3));
  all.push_back(row("c", "old", 0));
  all.push_back(row("d", "new", 1e-3));
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::confirmed_in_part);
  const std::string text = text_of(new_over_old(), all);
  EXPECT_THAT(text, StartsWith("confirmed in part: new is faster; "));
  EXPECT_THAT(
      text,
      HasSubstr("at least 1 on 2 of 2; 2 of 4 measured, not c (old unsupported), d (old no row); 1 of 2 "
                "are stand-ins\n"));
  claim average = new_over_old();
  average.on = extent::average;
  EXPECT_EQ(judge(average, all).is, verdict::confirmed_in_part);
  add(all, "e", 0.5);
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::refuted);
}

TEST(claims, a_wrong_product_confirms_nothing) {
  rows all = json::array();
  add(all, "a", 2);
  all.push_back(row("b", "new", 0));
  all.push_back(row("b", "old", 1e-3));
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::confirmed_in_part);
  all[2]["status"] = "failed";
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::not_measured);
  EXPECT_THAT(text_of(new_over_old(), all), HasSubstr("1 of 2 measured, not b (new failed)"));
  add(all, "c", 0.5);  // a matrix on which both are right refutes it still
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::refuted);
}

TEST(claims, empty_portions_are_not_expected) {
  rows all = json::array();
  add(all, "a", 2);
  for (const char* series : {"new", "old"}) {
    all.push_back(row("b", series, 0));
    all.back()["portion_nnz"] = 0;
  }
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::confirmed);
}

TEST(claims, covers_the_named_matrices_and_reports_if_none_exists) {
  rows all = json::array();
  add(all, "like(a)", 2);
  add(all, "like(a,values=constant)", 0.1);
  add(all, "other", 0.1);
  claim c = new_over_old();
  c.about = {"a", "b"};
  const judgement j = judge(c, all);
  EXPECT_EQ(j.is, verdict::confirmed_in_part);
  ASSERT_EQ(j.counted.size(), 1u);
  EXPECT_THAT(text_of(c, all), HasSubstr("1 of 2 measured, not b (no row)"));
  add(all, "a", 3);  // the file, before its stand-in
  ASSERT_EQ(judge(c, all).counted.size(), 1u);
  EXPECT_DOUBLE_EQ(judge(c, all).counted[0].ratio, 3);
  add(all, "b", 3);
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);

  c.about = {"elsewhere"};
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
  c.least = 0.1;
  EXPECT_EQ(judge(c, all).is, verdict::confirmed_in_part);
  EXPECT_THAT(text_of(c, all), HasSubstr("of other matrices than those that it is about"));
}

TEST(claims, of_a_type_and_of_a_search_that_tried_so_many) {
  rows all = json::array();
  add(all, "a", 2);
  for (json& each : all) each["value"] = "f32";
  claim c = new_over_old();
  c.value = "f64";
  EXPECT_EQ(judge(c, all).is, verdict::not_measured);
  EXPECT_THAT(text_of(c, all), HasSubstr("0 of 1 measured, not a (in f32)"));
  c.value = "f32";
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  c.tried = 2;
  all[1]["tried"] = json::array({1});
  EXPECT_EQ(judge(c, all).is, verdict::not_measured);
  EXPECT_THAT(text_of(c, all), HasSubstr("not a (1 settings tried)"));
  all[1]["tried"] = json::array({1, 2});
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
}

TEST(claims, exceptions_are_shown_and_do_not_count) {
  rows all = json::array();
  add(all, "a", 2);
  add(all, "like(odd)", 0.5);
  claim c = new_over_old();
  EXPECT_EQ(judge(c, all).is, verdict::refuted);
  c.except = {"odd"};
  EXPECT_EQ(judge(c, all).is, verdict::confirmed);
  EXPECT_THAT(
      text_of(c, all),
      HasSubstr(
          "1 of 1 measured; 0 of 1 are stand-ins; where the paper says the contrary: like(odd) 0.500\n"));
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

TEST(claims, gives_no_verdict_without_both_times) {
  const rows all = {row("a", "new", 1e-3), row("a", "old", 0)};
  EXPECT_EQ(judge(new_over_old(), all).is, verdict::not_measured);
  EXPECT_EQ(text_of(new_over_old(), all),
            "not measured: new is faster; 0 of 1 measured, not a (old unsupported)\n");
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
