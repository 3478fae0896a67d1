// SPDX-License-Identifier: BSD-3-Clause
// What is concluded from rows in the experiments of paper 000, and the numbers that are typed in of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/averages.hpp"
#include "experiments/brc/fig6.hpp"
#include "experiments/brc/printed.hpp"
#include "experiments/brc/search.hpp"
#include "experiments/brc/table1.hpp"
#include "experiments/brc/table4.hpp"
#include "experiments/rows_by_hand.hpp"
#include "experiments/xml.hpp"

namespace {

using namespace gossamer::experiments;
using namespace gossamer::experiments::brc;
using gossamer_test::row;
using gossamer_test::xml_document;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const experiment& named(const char* name) {
  return *find_experiment(name);
}

/// The table's columns hang together, so a digit that was typed wrong shows.
TEST(brc_printed, b2_is_equation_3_of_the_printed_figures_but_for_spheres) {
  EXPECT_EQ(printed_matrices().size(), 14u);
  for (const printed_matrix& m : printed_matrices()) {
    const std::int64_t equation = std::min<std::int64_t>({m.mean + m.sd, m.max, 200});
    if (m.name == "consph") {
      EXPECT_EQ(m.b2, 91);
      EXPECT_EQ(equation, b2_of_spheres_by_equation_3);
    } else {
      EXPECT_EQ(m.b2, equation) << m.name;
    }
    EXPECT_LE(m.hyb_k, m.max);
    EXPECT_NEAR(static_cast<double>(m.nnz) / static_cast<double>(m.rows), static_cast<double>(m.mean), 0.51)
        << m.name;
  }
}

TEST(brc_printed, matrices_without_a_row_are_counted_unless_all_are) {
  EXPECT_EQ(without_row(json::array()), 0u);
  EXPECT_EQ(without_row(json::array({row("mine", "BRC", 1)})), 0u);
  EXPECT_EQ(
      without_row(json::array({row("mine", "BRC", 1), row("like(cant)", "BRC", 1), row("cant", "BRC", 1)})),
      13u);
}

TEST(brc_printed, shares_of_time_are_those_of_the_times) {
  for (const printed_matrix& m : printed_matrices()) {
    EXPECT_NEAR(m.coo_time_percent, 100 * m.coo_ms / (m.coo_ms + m.ell_ms), 0.2) << m.name;
    EXPECT_EQ(m.coo_percent == 0, m.coo_ms == 0) << m.name;
    EXPECT_EQ(m.coo_percent == 100, m.ell_ms == 0) << m.name;
  }
}

json forecast_row(const std::string& matrix, const char* series, const char* options) {
  json one = row(matrix, series, 0, true);
  one.update({{"status", "forecast"},
              {"options", options},
              {"rows", 62451},
              {"cols", 62451},
              {"nnz", 4007383},
              {"row_mean", 64.17},
              {"row_sd", 14.02},
              {"row_min", 1},
              {"row_max", 78}});
  return one;
}

TEST(brc_table1, formats_report_b2_and_hyb_k_and_mark_other_numbers) {
  rows all = {forecast_row("like(cant)", "B2 by Equation (3)", "block_rows=32,block_width=78"),
              forecast_row("like(cant)", "HYB-k", "width=75,tail=coo")};
  const experiment& e = named("brc/table1");
  EXPECT_THAT(table1_lines(all), SizeIs(1));
  EXPECT_THAT(table1_lines(all)[0].differs, IsEmpty());
  EXPECT_EQ(table1_lines(all)[0].b2, 78);
  EXPECT_EQ(table1_lines(all)[0].hyb_k, 75);
  EXPECT_THAT(e.report(e, all), HasSubstr("B2 as printed on 1 of 1\nHYB-k as printed on 1 of 1\n"));

  all[0]["options"] = "block_width=77";
  for (json& each : all) each["row_max"] = 79;
  EXPECT_THAT(table1_lines(all)[0].differs, ElementsAre("max", "B2"));
  EXPECT_THAT(e.report(e, all), HasSubstr("B2 as printed on 0 of 1; like(cant) * 77\n"));
  EXPECT_THAT(e.report(e, all),
              HasSubstr("differs in max, B2: printed 62451 62451 4007383 64 14 1 78 78 75"));
  const xml_document figure(e.draw(e, all));
  EXPECT_EQ(figure.problem(), "");
  EXPECT_EQ(figure.named("rect").size(), 1u + 4u);
}

TEST(brc_table1, what_the_paper_does_not_have_is_not_counted) {
  const rows all = {forecast_row("mine", "B2 by Equation (3)", "block_width=3"),
                    forecast_row("mine", "HYB-k", "")};
  const experiment& e = named("brc/table1");
  EXPECT_EQ(table1_lines(all)[0].printed, nullptr);
  EXPECT_EQ(table1_lines(all)[0].b2, 3);
  EXPECT_FALSE(table1_lines(all)[0].hyb_k.has_value());
  EXPECT_THAT(e.report(e, all), HasSubstr("not in Table 1"));
  EXPECT_THAT(e.report(e, all), HasSubstr("B2 as printed on 0 of 0\n"));
  EXPECT_EQ(xml_document(e.draw(e, all)).named("rect").size(), 1u + 1u);
}

TEST(brc_table3, both_means_are_listed_with_the_printed_ones) {
  const auto over = [](const char* matrix, const char* series, double ratio) {
    json one = row(matrix, series, 1e-3 * ratio);
    one["speed_up"] = {{"ratio", ratio}};
    return one;
  };
  const rows all = {row("a", "BRC", 1e-3), over("a", "JDS", 4), row("b", "BRC", 1e-3), over("b", "JDS", 1),
                    over("b", "HYB", 0.5)};
  const experiment& e = named("brc/table3");
  const auto averages = average_speed_ups(e, all);
  const auto jds =
      std::find_if(averages.begin(), averages.end(), [](const auto& a) { return a.over == "JDS"; });
  ASSERT_NE(jds, averages.end());
  EXPECT_DOUBLE_EQ(jds->arithmetic, 2.5);
  EXPECT_DOUBLE_EQ(jds->geometric, 2);
  EXPECT_EQ(jds->matrices, 2u);
  for (const printed_speed_up& p : printed_speed_ups())
    EXPECT_TRUE(std::any_of(averages.begin(), averages.end(), [&](const auto& a) {
      return a.over == p.over;
    })) << p.over;
  const std::string text = e.report(e, all);
  EXPECT_THAT(text, testing::ContainsRegex("JDS +2\\.500 +2\\.000 +2 +4\\.91 +3\\.54 +1\\.64 +1\\.30\n"));
  EXPECT_THAT(text, testing::ContainsRegex("RG12 +- +- +0 +2\\.30"));
}

TEST(brc_table3, other_matrices_are_reported_apart) {
  rows all = json::array();
  const auto add = [&](const char* matrix, double ratio) {
    all.push_back(row(matrix, "BRC", 1e-3));
    all.push_back(row(matrix, "CSR, best kernel", 1e-3 * ratio));
    all.back()["speed_up"] = {{"ratio", ratio}};
  };
  add("like(cant)", 2);
  add("like(webbase-1M)", 1);
  add("like(webbase-1M,values=constant)", 8);
  add("cnr-2000", 8);
  const experiment& e = named("brc/table3");
  const std::string text = e.report(e, all);
  const std::size_t apart = text.find("apart from these");
  ASSERT_NE(apart, std::string::npos);
  const auto means = [](const char* numbers) {
    return testing::ContainsRegex(std::string("CSR, best kernel +") + numbers);
  };
  EXPECT_THAT(text.substr(0, apart), means("1\\.500 +1\\.414 +2 "));
  EXPECT_THAT(text.substr(apart), means("8\\.000 +8\\.000 +2 "));
  for (const json& each : divided(all).others)
    EXPECT_EQ(each.at("speed_up").is_null() || each.at("speed_up").at("ratio") == 8, true);
  EXPECT_THAT(divided(all).others, SizeIs(4));
  EXPECT_THAT(named("brc/fig4").draw(named("brc/fig4"), all), testing::Not(HasSubstr("cnr-2000")));
}

rows sweep(const std::string& matrix, double at_two, double at_eight) {
  rows all = json::array();
  const auto add = [&](const char* series, const char* width, double speed) {
    json one = row(matrix, series, 1e-3 / speed);
    one["options"] = std::string("block_rows=32,block_width=") + width;
    one["row_max"] = 10;
    one["row_mean"] = 3.4;
    one["row_sd"] = 1.4;
    all.push_back(one);
  };
  add("Equation (3)", "5", 1);
  add("1", "1", 0.5);
  add("2", "2", at_two);
  add("4", "4", 0.9);
  add("8", "8", at_eight);
  add("16", "16", 7);  // no row is so long
  add("unbounded", "10", 1);
  add("best B2", "8", std::max(1.0, at_eight));
  return all;
}

TEST(brc_fig6, speed_by_b2_over_that_of_the_equation) {
  const auto curves = width_curves(sweep("a", 0.7, 1.02));
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].equation, 5);
  EXPECT_EQ(curves[0].usual, 5);
  ASSERT_EQ(curves[0].relative.size(), 6u);
  EXPECT_EQ(curves[0].relative[0].first, 1);
  EXPECT_DOUBLE_EQ(curves[0].relative[0].second, 0.5);
  EXPECT_EQ(curves[0].relative[3], std::pair(std::int64_t{5}, 1.0));
  EXPECT_EQ(curves[0].relative[5].first, 10);

  const experiment& e = named("brc/fig6");
  const std::string text = e.report(e, sweep("a", 0.7, 1.02));
  EXPECT_THAT(
      text, HasSubstr("a: μ + σ = 5, speed over that of B2 = 5: 1: 0.500 2: 0.700 4: 0.900 5: 1.000 8: 1.020 "
                      "10: 1.000\n"));
  EXPECT_THAT(text,
              HasSubstr("Equation (3) over best B2: faster on 0 of 1, geometric mean 0.980; a 0.980\n"));
  const xml_document figure(e.draw(e, sweep("a", 0.7, 1.02)));
  EXPECT_EQ(figure.problem(), "");
  EXPECT_EQ(figure.named("circle").size(), 6u);
  EXPECT_EQ(figure.named("polyline").size(), 1u);
}

/// Where Equation (3) is bounded (5 here), the mean and deviation are not.
TEST(brc_fig6, mean_and_deviation_are_not_bounded) {
  rows all = sweep("a", 0.7, 1.2);
  for (json& each : all) each["row_mean"] = 7;
  EXPECT_EQ(width_curves(all)[0].equation, 5);
  EXPECT_EQ(width_curves(all)[0].usual, 8);
}

TEST(brc_fig6, a_matrix_without_the_equations_speed_has_no_curve) {
  rows all = sweep("a", 0.7, 1);
  for (json each : sweep("b", 0.7, 1)) {
    if (each.at("series") == "Equation (3)") each["gflops"] = nullptr;
    all.push_back(each);
  }
  EXPECT_THAT(width_curves(all), SizeIs(1));
}

TEST(brc_fig6, all_but_b2_is_fixed) {
  for (const series& each : named("brc/fig6").all_series) {
    if (!each.fastest_of.empty()) continue;
    EXPECT_THAT(each.gpu_options, testing::UnorderedElementsAre(testing::Pair("coarsening", "1"),
                                                                testing::Pair("threads_per_row", "1")))
        << each.label;
  }
}

TEST(brc_search, the_models_share_of_the_best) {
  rows all = {row("a", "BRC, tuned", 9e-4), row("a", "BRC", 1e-3), row("b", "BRC, tuned", 1e-3),
              row("b", "BRC", 1e-3), row("c", "BRC", 1e-3)};
  all[0]["options"] = "block_rows=128";
  all[0]["tried"] = json::array({1, 2, 3});
  const auto lines = search_lines(all);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_DOUBLE_EQ(lines[0].share, 0.9);
  EXPECT_EQ(lines[0].winner, "block_rows=128");
  EXPECT_EQ(lines[0].tried, 3u);
  EXPECT_EQ(lines[1].tried, 0u);
  const experiment& e = named("brc/search");
  EXPECT_THAT(e.report(e, all),
              HasSubstr("arithmetic mean 0.950, geometric mean 0.949, least 0.900, over 2 matrices"));
}

json part(const std::string& matrix, const char* series, double median, std::int64_t nnz) {
  json one = row(matrix, series, median, true);
  one["portion_nnz"] = nnz;
  return one;
}

TEST(brc_table4, shares_and_times_of_the_parts) {
  const rows all = {part("like(cant)", "COO_COO", 1e-3, 3),   part("like(cant)", "ELL_ELL", 3e-3, 997),
                    part("like(consph)", "COO_COO", 0, 0),    part("like(consph)", "ELL_ELL", 2e-3, 1000),
                    part("like(pwtk)", "COO_COO", 1e-4, 200), part("like(pwtk)", "ELL_ELL", 1e-3, 800)};
  const auto lines = table4_lines(all);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_DOUBLE_EQ(*lines[0].coo_percent, 0.3);
  EXPECT_DOUBLE_EQ(*lines[0].coo_time_percent, 25);
  EXPECT_DOUBLE_EQ(*lines[0].coo_ms, 1);
  EXPECT_EQ(lines[1].coo_ms, 0.0);
  EXPECT_EQ(lines[1].coo_time_percent, 0.0);
  const experiment& e = named("brc/table4");
  const std::string text = e.report(e, all);
  EXPECT_THAT(text, HasSubstr("0.323 38.189 0.181 0.293  CNZ differs\n"));
  EXPECT_THAT(text,
              HasSubstr("CNZ is the printed one on 1 of 3; of small COO parts 1 of 2 take a larger share"));
  EXPECT_EQ(xml_document(e.draw(e, all)).named("rect").size(), 1u + 9u);
  // A document that lost the row of one part of a matrix is drawn without it.
  const rows partial = {all[0], all[1], all[3]};
  EXPECT_EQ(xml_document(e.draw(e, partial)).named("rect").size(), 1u + 3u);
}

TEST(brc_table4, a_part_that_was_not_divided_has_no_time) {
  json coo = row("like(cant)", "COO_COO", 0);
  coo["portion_nnz"] = nullptr;
  const auto lines = table4_lines(json::array({coo}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].coo_ms.has_value());
  EXPECT_FALSE(lines[0].coo_percent.has_value());
  EXPECT_FALSE(lines[0].ell_ms.has_value());
}

TEST(brc_hybrid, ratios_and_variations_are_listed) {
  rows all = json::array();
  for (const auto& [matrix, sd] : {std::pair{"even", 0.0}, std::pair{"some", 6.0}, std::pair{"wild", 7.0}}) {
    for (const auto& [series, median] :
         {std::pair{"BRC", 1e-3}, std::pair{"HYB", 4e-3}, std::pair{"ELL + BRC", 2e-3}}) {
      all.push_back(row(matrix, series, median));
      all.back()["row_sd"] = sd;
    }
  }
  const experiment& e = named("brc/hybrid");
  const std::string text = e.report(e, all);
  EXPECT_THAT(text, HasSubstr("ELL + BRC over BRC: faster on 0 of 3, geometric mean 0.500"));
  EXPECT_THAT(text, HasSubstr("ELL + BRC over HYB: faster on 3 of 3, geometric mean 2.000"));
  EXPECT_THAT(text, HasSubstr("even 0.000 some 0.600 wild 0.700\n"));
}

}  // namespace
