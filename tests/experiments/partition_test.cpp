// SPDX-License-Identifier: BSD-3-Clause
// What is concluded from rows in the experiments of paper 004, and the numbers that are typed in of it.
#include <gmock/gmock.h>

#include "experiments/all_experiments.hpp"
#include "experiments/partition/block_density.hpp"
#include "experiments/partition/printed.hpp"
#include "experiments/partition/products.hpp"
#include "experiments/partition/series.hpp"
#include "experiments/ratios.hpp"
#include "experiments/rows_by_hand.hpp"
#include "experiments/xml.hpp"

namespace gossamer::experiments::partition {
namespace {

using gossamer_test::row;
using gossamer_test::xml_document;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Eight sets that are off by so much in all.
json shared_row(const std::string& matrix, const char* series, double difference, double density,
                double product = 0) {
  json one = row(matrix, series, product, matrix.rfind("like(", 0) == 0);
  one["value"] = "f32";
  if (product == 0) one["status"] = "partitioned";
  one["partition"] = {{"algorithm", "nnz"},
                      {"powers", {1, 1, 1, 1, 1, 1, 1, 1}},
                      {"relative_difference", difference},
                      {"mean_density", density},
                      {"padded_slots", 0},
                      {"seconds", {{"median", 2e-3}}}};
  return one;
}

rows three(const std::string& matrix, double first, double second, double third) {
  return {shared_row(matrix, algorithms[0], first, 0.25), shared_row(matrix, algorithms[1], second, 0.5),
          shared_row(matrix, algorithms[2], third, 0.75)};
}

/// A digit that was typed wrong shows in the printed averages.
TEST(partition_printed, averages_are_those_of_the_columns) {
  const auto average = [](std::span<const printed_line> lines, std::size_t column) {
    std::vector<double> all;
    for (const printed_line& each : lines) all.push_back(each.percent[column]);
    return arithmetic_mean(all);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(average(printed_table1, i), printed_average1[i], 3e-4) << i;
    EXPECT_NEAR(average(printed_table2, i), printed_average2[i], 8e-4) << i;
  }
}

TEST(partition_report, differences_are_sums_listed_with_the_printed_ones) {
  rows all = three("like(pwtk)", 0.08, 0.008, 0.16);
  for (const json& each : three("mine", 0.04, 0.04, 0.004)) all.push_back(each);
  const experiment& e = *find_experiment("partition/table1");
  const std::string text = e.report(e, all);
  EXPECT_THAT(text, ContainsRegex("like.pwtk. [*] +8[.]0000 .4[.]2082. 2 ms +0[.]8000 .0[.]0044. 2 ms +"
                                  "16[.]0000 .0[.]0038. 2 ms\n"));
  EXPECT_THAT(text, ContainsRegex("mine +4[.]0000 .-. 2 ms"));
  EXPECT_THAT(text,
              ContainsRegex("average +6[.]0000 .5[.]3580. +2[.]4000 .0[.]0138. +8[.]2000 .0[.]0096.\n"));
  EXPECT_THAT(text, HasSubstr("Algorithm 2 misses the powers by no more than Algorithm 1: 2 of 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("Algorithm 3 misses the powers by no more than Algorithm 1: 1 of 2; not on like(pwtk) *\n"));
  EXPECT_EQ(xml_document(e.draw(e, all)).problem(), "");
  EXPECT_FALSE(xml_document(e.draw(e, all)).named("rect").empty());
}

TEST(partition_report, densities_are_averaged_over_matrices) {
  rows all = three("like(pwtk)", 0.08, 0.008, 0.016);
  for (json each : three("mine", 0.08, 0.008, 0.016)) {
    each["partition"]["mean_density"] = 0.85;
    all.push_back(each);
  }
  const experiment& e = *find_experiment("partition/fig10");
  EXPECT_THAT(e.report(e, all),
              HasSubstr("Algorithm 1: 55.0 (10) over 2 matrices: like(pwtk) * 25.0 mine 85.0\n"));
  EXPECT_THAT(e.report(e, json::array()), HasSubstr("Algorithm 3: - (55) over 0 matrices"));
}

/// Products of 10, 8 and 5 ms, and 2 ms for partitioning the rows.
TEST(partition_report, gains_are_means_of_the_matrices_own_with_and_without_partitioning) {
  rows all = {row("a", mkl, 10e-3), shared_row("a", algorithms[1], 0, 1, 8e-3),
              shared_row("a", algorithms[2], 0, 1, 5e-3)};
  all[0]["value"] = "f32";
  const gain apart = gain_over(all, mkl, false);
  EXPECT_EQ(apart.matrices, 1u);
  EXPECT_DOUBLE_EQ(apart.less_time, 50);
  EXPECT_DOUBLE_EQ(apart.higher_rate, 100);
  const gain with_sharing = gain_over(all, mkl, true);
  EXPECT_NEAR(with_sharing.less_time, 30, 1e-9);
  EXPECT_NEAR(with_sharing.higher_rate, 100 * 3.0 / 7, 1e-9);
  const gain over_2 = gain_over(all, algorithms[1], true);
  EXPECT_NEAR(over_2.less_time, 30, 1e-9);

  rows two = all;
  for (json each : {row("b", mkl, 10e-3), shared_row("b", algorithms[2], 0, 1, 10e-3)}) {
    each["value"] = "f32";
    two.push_back(each);
  }
  EXPECT_EQ(gain_over(two, mkl, false).matrices, 2u);
  EXPECT_DOUBLE_EQ(gain_over(two, mkl, false).less_time, 25);

  const experiment& e = *find_experiment("partition/fig6");
  const std::string text = e.report(e, all);
  EXPECT_THAT(
      text, HasSubstr("Algorithm 3 against MKL: 50.0 % less time (16.60 in the paper), 100.0 % higher "
                      "flop-rate (20.67); with the partitioning 30.0 % and 42.9 %; means over 1 matrices\n"));
  EXPECT_THAT(text, HasSubstr("Algorithm 3 against Algorithm 4: not measured\n"));
  EXPECT_THAT(text, HasSubstr("a  Algorithm 2 0.25  Algorithm 3 0.4\n"));
  EXPECT_THAT(text, Not(HasSubstr("18.39")));  // of f64
  EXPECT_EQ(xml_document(e.draw(e, all)).problem(), "");
  EXPECT_FALSE(xml_document(e.draw(e, all)).named("rect").empty());
}

TEST(partition_report, a_gpus_power_is_in_cores) {
  json one = shared_row("a", algorithms[1], 0, 1, 1e-3);
  EXPECT_FALSE(power_of_gpu(one).has_value());
  one["partition"]["powers"] = {75, 15};
  one["parts"] = {{{"where", "cuda:0"}, {"threads", nullptr}, {"nnz", 5}},
                  {{"where", "cpu"}, {"threads", 15}, {"nnz", 1}}};
  const auto power = power_of_gpu(one);
  ASSERT_TRUE(power.has_value());
  EXPECT_DOUBLE_EQ(power->cores, 75);
  EXPECT_DOUBLE_EQ(power->share, 5.0 / 6);
  const experiment& e = *find_experiment("partition/fig12");
  EXPECT_THAT(e.report(e, json::array({one})),
              HasSubstr("a, Algorithm 2: a GPU counts as 75 cores and has 83 % of the nonzeros\n"));
  one["partition"]["powers"] = {75};  // one part has no rows
  EXPECT_FALSE(power_of_gpu(one).has_value());
}

TEST(partition_report, power_is_by_the_density_of_the_block) {
  const experiment& e = *find_experiment("partition/block_density");
  rows all;
  const auto add = [&](const char* matrix, double width, double ratio) {
    json one = row(matrix, "ELLPACK", 1e-3);
    one["row_max"] = width;
    one["speed_up"] = {{"ratio", ratio}};
    all.push_back(one);
  };
  add("dense", 10, 80);
  add("thin", 100, 20);
  add("half", 20, 70);
  const auto powers = powers_by_density(all, "ELLPACK");
  ASSERT_EQ(powers.size(), 3u);
  EXPECT_EQ(powers[0].matrix, "thin");
  EXPECT_DOUBLE_EQ(powers[0].density, 0.1);
  EXPECT_DOUBLE_EQ(powers[2].ratio, 80);
  EXPECT_THAT(e.report(e, all),
              HasSubstr("ELLPACK, power over one core's at the block's density (paper, above "
                        "30 %: 75): 10 %: 20 50 %: 70 100 %: 80\n"
                        "ELLPACK, above 30 %: 70 to 80\n"));
  add("wide", 16, 20);
  EXPECT_THAT(e.report(e, all), HasSubstr("ELLPACK, above 30 %: 20 to 80\n"));
  EXPECT_EQ(xml_document(e.draw(e, all)).problem(), "");
  EXPECT_FALSE(xml_document(e.draw(e, all)).named("circle").empty());
}

}  // namespace
}  // namespace gossamer::experiments::partition
