// SPDX-License-Identifier: BSD-3-Clause
// What is concluded from rows, and the list of experiments.
#include "experiments/conclude.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "experiments/all_experiments.hpp"
#include "experiments/arg_csr/chunk_size.hpp"
#include "experiments/rows_by_hand.hpp"
#include "experiments/xml.hpp"

namespace {

using namespace gossamer::experiments;
using gossamer_test::row;
using gossamer_test::xml_document;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json with_speed_up(json row, double ratio) {
  row["speed_up"] = {{"ratio", ratio}};
  return row;
}

experiment two_series() {
  experiment e;
  e.name = "paper/figure";
  e.shows = "it";
  e.all_series = {{.label = "new", .format = "f", .formula = bandwidth_formula::csr},
                  {.label = "old", .format = "g"},
                  {.label = "needed", .format = "h", .drawn = false}};
  e.orders = {{"new", "old"}};
  return e;
}

TEST(conclude, order_holds_where_both_were_measured) {
  const rows all = {row("a", "new", 1e-3), row("a", "old", 4e-3), row("b", "new", 2e-3),
                    row("b", "old", 1e-3), row("c", "new", 1e-3), row("c", "old", 0)};
  const std::string text = table_of(two_series(), all, quantity::gflops) + orders_of(two_series(), all);
  EXPECT_THAT(text, HasSubstr("new over old: faster on 1 of 2, geometric mean 1.414; a 4.000 b 0.500\n"));
  EXPECT_THAT(text, HasSubstr("unsupported"));
  EXPECT_THAT(text, Not(HasSubstr("needed")));
  EXPECT_EQ(orders_of(two_series(), json::array()), "new over old: not measured\n");
}

TEST(conclude, of_many_matrices_the_ends_are_named) {
  rows all = json::array();
  for (int i = 1; i <= 13; ++i) {
    all.push_back(row("m" + std::to_string(i), "new", 1e-3));
    all.push_back(row("m" + std::to_string(i), "old", i * 1e-3));
  }
  EXPECT_THAT(orders_of(two_series(), all), HasSubstr("faster on 13 of 13"));
  EXPECT_THAT(orders_of(two_series(), all), HasSubstr("; most 13.000 m13, least 1.000 m1\n"));
}

TEST(conclude, bars_are_a_group_a_matrix) {
  const rows all = {row("a", "new", 1e-3), row("a", "old", 4e-3), row("b", "new", 2e-3, true),
                    row("b", "old", 0)};
  const std::string text = bars(two_series(), all, quantity::gflops, false);
  const xml_document document(text);
  EXPECT_EQ(document.problem(), "");
  EXPECT_EQ(document.named("rect").size(), 1u + 3u);
  EXPECT_THAT(text, HasSubstr(">b *<"));
  EXPECT_THAT(text, HasSubstr("stand-in with the published figures"));
  EXPECT_THAT(text, Not(HasSubstr("needed")));
}

TEST(conclude, a_series_without_a_formula_has_no_bandwidth) {
  const rows all = {row("a", "new", 1e-3), row("a", "old", 4e-3)};
  const std::string text = bars(two_series(), all, quantity::paper_bandwidth, false);
  EXPECT_THAT(text, HasSubstr(">new<"));
  EXPECT_THAT(text, Not(HasSubstr(">old<")));
  EXPECT_THAT(text, Not(HasSubstr("stand-in")));
}

TEST(conclude, speed_ups_count_matrices) {
  experiment e = two_series();
  e.compared = comparison::over_subject;
  e.subject = "old";
  const rows all = {with_speed_up(row("a", "new", 1e-3), 16), row("a", "old", 1e-3),
                    with_speed_up(row("b", "new", 1e-3), 0.5), with_speed_up(row("c", "new", 1e-3), 2),
                    row("d", "new", 0)};
  EXPECT_EQ(
      speed_ups(e, all),
      "new over old: at least as fast on 2 of 3 matrices, twice on 2, ten times on 1; geometric mean 2.520, "
      "most 16.000 a, least 0.500 b; 1 refused or failed\n");
  const xml_document document(speed_up_curves(e, all));
  EXPECT_EQ(document.problem(), "");
  ASSERT_EQ(document.named("polyline").size(), 1u);
  const std::string points = document.named("polyline")[0].attributes.at("points");
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 3);
  e.compared = comparison::of_subject;
  EXPECT_THAT(speed_ups(e, all), StartsWith("old over new: "));
}

TEST(conclude, same_name_with_other_values_is_another_matrix) {
  rows all = {row("a", "new", 1e-3), row("a", "new", 2e-3)};
  all[1]["values"] = "distinct";
  EXPECT_THAT(matrices_of(all), ElementsAre("a", "a values=distinct"));
  EXPECT_EQ(number(find_row(all, "a values=distinct", "new"), quantity::seconds), 2e-3);
  EXPECT_EQ(find_row(all, "a", "old"), nullptr);
}

TEST(chunk_size, the_fastest_and_what_auto_chose) {
  rows all;
  const auto add = [&](const std::string& matrix, const std::string& series, const std::string& size,
                       double median, double sd) {
    json one = row(matrix, series, median);
    one["options"] = "desired_chunk_size=" + size + ",block=128";
    one["row_sd"] = sd;
    all.push_back(one);
  };
  add("uneven", "1", "1", 1e-3, 20);
  add("uneven", "32", "32", 2e-3, 20);
  add("uneven", "auto", "32", 2e-3, 20);
  add("even", "1", "1", 4e-3, 0);
  add("even", "16", "16", 1e-3, 0);
  add("even", "auto", "16", 1e-3, 0);
  add("refused", "1", "1", 0, 0);
  const auto choices = arg_csr::chunk_choices(all);
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].matrix, "even");
  EXPECT_EQ(choices[0].variation, 0);
  EXPECT_EQ(choices[0].best, 16);
  EXPECT_EQ(choices[0].automatic, 16);
  EXPECT_EQ(choices[0].automatic_share, 1);
  EXPECT_EQ(choices[0].best_slots, 1.25);
  EXPECT_EQ(choices[1].variation, 2);
  EXPECT_EQ(choices[1].best, 1);
  EXPECT_EQ(choices[1].automatic, 32);
  EXPECT_DOUBLE_EQ(choices[1].automatic_share, 0.5);
  const experiment* e = find_experiment("arg_csr/chunk_size");
  ASSERT_NE(e, nullptr);
  const xml_document document(e->draw(*e, all));
  EXPECT_EQ(document.problem(), "");
  EXPECT_EQ(document.named("circle").size(), 4u + 2u);
  EXPECT_THAT(e->report(*e, all), HasSubstr("auto against the best size: geometric mean 0.707"));
}

class experiments_of_the_list : public testing::TestWithParam<experiment> {};

INSTANTIATE_TEST_SUITE_P(all, experiments_of_the_list,
                         testing::ValuesIn(all_experiments().begin(), all_experiments().end()),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

TEST_P(experiments_of_the_list, is_complete) {
  const experiment& e = GetParam();
  EXPECT_EQ(find_experiment(e.name)->name, e.name);
  EXPECT_THAT(e.source, StartsWith("paper "));
  EXPECT_NE(e.shows, "");
  EXPECT_TRUE(e.value == "f32" || e.value == "f64");
  EXPECT_EQ(e.matrices.empty(), !e.made_by.empty());
  std::set<std::string> labels;
  for (const series& each : e.all_series) {
    const bool only_shared_out = !each.algorithm.empty() && each.among == parties::none;
    EXPECT_EQ(!each.format.empty() + !each.peer.empty() + !each.fastest_of.empty() + only_shared_out, 1)
        << each.label;
    EXPECT_TRUE(!only_shared_out || !e.powers.empty()) << each.label;
    for (const std::string& other : each.fastest_of) EXPECT_TRUE(labels.count(other)) << other;
    EXPECT_TRUE(labels.insert(each.label).second) << each.label << " is there twice";
  }
  EXPECT_EQ(e.compared == comparison::none, e.subject.empty());
  EXPECT_TRUE(e.subject.empty() || labels.count(e.subject)) << e.subject;
  for (const order& pair : e.orders) {
    EXPECT_TRUE(labels.count(pair.faster)) << pair.faster;
    EXPECT_TRUE(labels.count(pair.slower)) << pair.slower;
  }
  const auto is_of_portion = [](const series& each) { return each.of != portion::whole; };
  const bool divides = std::any_of(e.all_series.begin(), e.all_series.end(), is_of_portion);
  EXPECT_EQ(divides, !e.split.format.empty());
  EXPECT_EQ(divides, !e.split.option.empty());
  // Without any rows there is a report and a figure too.
  EXPECT_NE(e.report(e, json::array()), "");
  EXPECT_EQ(xml_document(e.draw(e, json::array())).problem(), "");
}

/// Else rows of the other's document would be shown as what they are not.
TEST_P(experiments_of_the_list, is_drawn_from_documents_of_the_same_series) {
  const experiment& e = GetParam();
  for (const std::string& name : e.drawn_from) {
    const experiment* other = find_experiment(name);
    ASSERT_NE(other, nullptr) << name;
    EXPECT_TRUE(e.compared == comparison::none ||
                (e.compared == other->compared && e.subject == other->subject));
    EXPECT_EQ(e.value, other->value);
    for (const std::string& matrix : e.matrices)
      EXPECT_TRUE(std::count(other->matrices.begin(), other->matrices.end(), matrix)) << matrix;
    for (const series& each : e.all_series) {
      SCOPED_TRACE(name + ": " + each.label);
      const auto same = std::find_if(other->all_series.begin(), other->all_series.end(),
                                     [&](const series& s) { return s.label == each.label; });
      ASSERT_NE(same, other->all_series.end());
      EXPECT_EQ(same->format, each.format);
      EXPECT_EQ(same->options, each.options);
      EXPECT_EQ(same->gpu_options, each.gpu_options);
      EXPECT_EQ(same->peer, each.peer);
      EXPECT_EQ(same->fastest_of, each.fastest_of);
      EXPECT_EQ(same->where, each.where);
      EXPECT_EQ(same->of, each.of);
      EXPECT_EQ(same->how, each.how);
    }
  }
}

TEST(all_experiments, names_are_unique_and_found_when_misspelt) {
  std::set<std::string> names;
  for (const experiment& each : all_experiments()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  EXPECT_EQ(find_experiment("csr_m"), nullptr);
  EXPECT_EQ(near_names("csr_m/fig1b").size(), 3u);
  EXPECT_EQ(near_names("arg_csr/chunksize").front(), "arg_csr/chunk_size");
  EXPECT_EQ(near_names("fig15").front(), "csr_m/fig15");
  EXPECT_THAT(near_names("arg_csr").front(), StartsWith("arg_csr/"));
}

}  // namespace
