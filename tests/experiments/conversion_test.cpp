// SPDX-License-Identifier: BSD-3-Clause
// What conversions cost: in products of plain CSR, against one core, and when they have paid.
#include "experiments/conversion.hpp"

#include <gmock/gmock.h>

#include "experiments/all_experiments.hpp"
#include "experiments/rows_by_hand.hpp"
#include "gossamer/formats.hpp"

namespace gossamer::experiments {
namespace {

using gossamer_test::row;
using testing::HasSubstr;
using testing::Not;

TEST(conversion, is_counted_in_products_of_plain_csr) {
  rows all = {row("a", "CSR", 1e-3), row("a", "BRC", 5e-4), row("a", "JDS", 2e-3)};
  all[0]["inspect_seconds"] = 1e-3;
  all[1]["inspect_seconds"] = 20e-3;
  all[2]["inspect_seconds"] = 3e-3;
  const experiment& e = *find_experiment("brc/conversion");
  const auto lines = conversion_lines(e, all);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].series, "BRC");
  EXPECT_DOUBLE_EQ(lines[0].products, 20);
  EXPECT_DOUBLE_EQ(*lines[0].break_even, 38);
  EXPECT_FALSE(lines[1].break_even.has_value());
  EXPECT_THAT(e.report(e, all), HasSubstr("never"));
}

/// Formats are words there; a new one has to be among them.
TEST(conversion, is_measured_of_every_format) {
  std::vector<std::string> words;
  for (const series& each : find_experiment("arg_csr/conversion")->all_series)
    if (each.drawn && each.label != plain_csr) words.push_back(each.format);
  std::vector<std::string> names;
  for (const format_info& each : list_formats()) names.emplace_back(each.name);
  EXPECT_THAT(words, testing::UnorderedElementsAreArray(names));
}

TEST(conversion, is_set_against_one_core) {
  rows all = {row("a", "CSR", 1e-3), row("a", "arg_csr", 1e-3), row("a", "arg_csr, one core", 8e-3),
              row("a", "jds", 1e-3)};
  all[0]["inspect_seconds"] = 1e-3;
  all[1]["inspect_seconds"] = 4e-3;
  all[2]["inspect_seconds"] = 30e-3;
  all[3]["inspect_seconds"] = 2e-3;
  for (json& each : all) each["threads"] = 16;
  all[2]["threads"] = 1;
  const experiment& e = *find_experiment("arg_csr/conversion");
  const std::string text = e.report(e, all);
  EXPECT_THAT(text, testing::ContainsRegex("16 threads, ms"));
  EXPECT_THAT(text, testing::ContainsRegex("a +arg_csr +4[.]0 +4[.]00 +30[.]00 +7[.]50\n"));
  EXPECT_THAT(text, testing::ContainsRegex("a +jds +2[.]0 +2[.]00 +- +-\n"));
  EXPECT_THAT(text, Not(HasSubstr("one core")));
  EXPECT_THAT(e.draw(e, all), HasSubstr("arg_csr"));
}

}  // namespace
}  // namespace gossamer::experiments
