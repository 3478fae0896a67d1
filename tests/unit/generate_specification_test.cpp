// SPDX-License-Identifier: BSD-3-Clause
// The text of a specification: what counts as one, what is understood, and every message about what is not.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/numbers.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer::errc;
using gossamer::bench_support::is_specification;
using gossamer_test::expect_error;
using testing::AllOf;
using testing::HasSubstr;

std::uint64_t sum_of(const std::string& specification) {
  return gossamer_test::checksum(gossamer::bench_support::generate<double>(specification));
}

void expect_refused(const std::string& specification, const testing::Matcher<std::string>& text,
                    errc code = errc::invalid_argument) {
  SCOPED_TRACE(specification);
  expect_error(code, text, [&] { gossamer::bench_support::generate<float>(specification); });
}

TEST(specification, a_name_with_parentheses_to_the_end) {
  for (const char* text : {"stencil(nx=3)", "x()", "_a9(anything at all)", "  stencil( nx = 3 )  ",
                           "like(cant)", "a(values=few(3))", "a((b)", "Name(1)"})
    EXPECT_TRUE(gossamer::bench_support::is_specification(text)) << text;
}

TEST(specification, paths_and_the_rest_are_none) {
  for (const char* text :
       {"",         " ",        "stencil",  "stencil(", "stencil)", "(nx=3)", "dir/a(1).mtx",
        "dir/a(1)", "a(1).mtx", "./a(1)",   "../a(1)",  "a.b(1)",   "a-b(1)", "3d(nx=1)",
        "a (1)",    "a(1)(2)",  "a(1)b(2)", "a(1) x",   "@brc",     "a)b(",   "a())"})
    EXPECT_FALSE(gossamer::bench_support::is_specification(text)) << text;
}

TEST(specification, spaces_and_order_do_not_matter) {
  const std::uint64_t plain = sum_of("uniform(rows=30,cols=40,per_row=5)");
  EXPECT_EQ(sum_of("  uniform(  rows = 30 ,\tcols=40 , per_row =5 )\n"), plain);
  EXPECT_EQ(sum_of("uniform(per_row=5,rows=30,cols=40)"), plain);
}

TEST(specification, the_first_parameters_name_may_be_left_out) {
  EXPECT_EQ(sum_of("diagonal(7)"), sum_of("diagonal(n=7)"));
  EXPECT_EQ(sum_of("stencil( 7 ,ny=2)"), sum_of("stencil(nx=7,ny=2)"));
  expect_refused("stencil(7,2)", "generate: stencil: \"2\" is not of the form key=value");
  expect_refused("stencil(nx=7,8)", "generate: stencil: \"8\" is not of the form key=value");
  expect_refused("stencil(7,nx=8)", "generate: stencil: nx = \"8\" is given twice");
}

TEST(specification, numbers_with_suffixes_and_exponents) {
  const std::uint64_t plain = sum_of("diagonal(n=12000)");
  for (const char* n : {"12k", "12e3", "1.2e4", "12E+3", "012000", "0.012M", "12000.0"})
    EXPECT_EQ(sum_of("diagonal(n=" + std::string(n) + ")"), plain) << n;
}

/// Of a parameter without a default, for a small matrix.
std::string small_value(std::string_view generator, std::string_view parameter) {
  if (generator == "like") return "scircuit";
  if (generator == "wilson") return "3";
  if (parameter == "scale") return "8";
  return parameter == "mean" ? "3" : "20";
}

/// The list is what the parser goes by: a default written out is the default, and each parameter is known.
TEST(specification, defaults_can_be_written_out) {
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators()) {
    std::string required;
    for (const gossamer::bench_support::generator_parameter& p : g.parameters) {
      if (p.default_text.empty()) required += std::string(p.name) + "=" + small_value(g.name, p.name) + ",";
    }
    if (g.name == "heavy_row") required += "heavy=12,";
    const std::string base = std::string(g.name) + "(" + required;
    const std::uint64_t plain = sum_of(base.substr(0, base.size() - 1) + ")");
    for (const gossamer::bench_support::generator_parameter& p : g.parameters) {
      if (p.default_text.empty() || p.name == "heavy") continue;
      const std::string spelled = base + std::string(p.name) + "=" + std::string(p.default_text) + ")";
      EXPECT_EQ(sum_of(spelled), plain) << spelled;
    }
  }
}

TEST(specification, every_generator_documents_itself_and_what_all_share) {
  std::set<std::string_view> names;
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators()) {
    EXPECT_TRUE(names.insert(g.name).second) << g.name;
    EXPECT_FALSE(g.help.empty()) << g.name;
    ASSERT_GE(g.parameters.size(), 3U);
    EXPECT_TRUE(g.parameters.front().default_text.empty())
        << g.name << ": the first one is what the name stands for";
    EXPECT_EQ(g.parameters[g.parameters.size() - 2].name, "seed");
    EXPECT_EQ(g.parameters[g.parameters.size() - 2].default_text, "1");
    EXPECT_EQ(g.parameters.back().name, "values");
    EXPECT_EQ(g.parameters.back().default_text, "distinct");
    std::set<std::string_view> parameters;
    for (const gossamer::bench_support::generator_parameter& p : g.parameters) {
      EXPECT_FALSE(p.help.empty()) << g.name << ": " << p.name;
      EXPECT_TRUE(parameters.insert(p.name).second) << g.name << ": " << p.name;
    }
  }
  for (const char* name :
       {"stencil",    "fem",       "banded",   "diagonal",   "dense",     "arrow",         "uniform",
        "power_law",  "rmat",      "circuit",  "power_grid", "sparse_lp", "shuffled_mesh", "bipartite",
        "empty_rows", "heavy_row", "cut_grid", "epidemic",   "nlpkkt",    "wilson",        "like"})
    EXPECT_EQ(names.count(name), 1U) << name;
}

TEST(specification_error, form) {
  expect_refused("stencil", "generate: \"stencil\" is not of the form NAME(key=value, ...)");
  expect_refused("", "generate: \"\" is not of the form NAME(key=value, ...)");
  expect_refused("stencil(nx=3", "generate: \"stencil(nx=3\" is not of the form NAME(key=value, ...)");
  expect_refused("stencil(nx=3,values=few(3)",
                 "generate: stencil: the parentheses of \"stencil(nx=3,values=few(3)\" do not match");
  expect_refused("stencil(nx=3,)",
                 "generate: stencil: nothing stands before or after a comma in \"stencil(nx=3,)\"");
  expect_refused("stencil(,nx=3)", HasSubstr("nothing stands before or after a comma"));
  expect_refused("stencil(nx=3,,ny=2)", HasSubstr("nothing stands before or after a comma"));
  expect_refused("stencil(=3)", "generate: stencil: \"=3\" has no parameter name before \"=\"");
  expect_refused("stencil(n x=3)", "generate: stencil: \"n x=3\" has no parameter name before \"=\"");
}

TEST(specification_error, unknown_generator_lists_the_known_ones) {
  std::string known;
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators())
    known += (known.empty() ? "" : ", ") + std::string(g.name);
  expect_refused("stancil(nx=3)", "generate: there is no generator \"stancil\" (known: " + known + ")");
  expect_refused("Stencil(nx=3)", HasSubstr("there is no generator \"Stencil\""));
}

TEST(specification_error, unknown_parameter_lists_the_known_ones) {
  expect_refused("stencil(nx=3,foo=4)",
                 "generate: stencil: foo = \"4\": there is no such parameter (known: nx, ny, nz, points, "
                 "dof, seed, values)");
  expect_refused("stencil(NX=3)", HasSubstr("NX = \"3\": there is no such parameter"));
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators())
    expect_refused(std::string(g.name) + "(no_such=1)",
                   AllOf(HasSubstr(std::string(g.name) + ": no_such = \"1\""), HasSubstr("seed, values")));
}

TEST(specification_error, duplicate_and_missing_parameters) {
  expect_refused("stencil(nx=3,nx=4)", "generate: stencil: nx = \"4\" is given twice");
  expect_refused("stencil()", "generate: stencil: nx is missing (nodes along x)");
  expect_refused("power_law(rows=3)", HasSubstr("power_law: mean is missing"));
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators())
    expect_refused(std::string(g.name) + "()",
                   HasSubstr(std::string(g.parameters.front().name) + " is missing"));
}

TEST(specification_error, not_a_whole_number) {
  for (const char* text : {"abc", "", "3x", "0x10", "1.5", "1.25k1", "--3", "+3", "1e", "1e-3", ".5", "5.",
                           "3kk", "3K", "1 000", "1e99999", "nan", "rows"}) {
    expect_refused("stencil(nx=" + std::string(text) + ")",
                   "generate: stencil: nx = \"" + std::string(text) + "\" is not a whole number");
  }
}

TEST(specification_error, whole_numbers_outside_their_range) {
  const std::string range = "is outside [1, 9223372036854775807]";
  for (const char* text :
       {"0", "-1", "-5k", "9223372036854775808", "99999999999999999999", "10000000000G", "1e19", "1e9999"})
    expect_refused("stencil(nx=" + std::string(text) + ")",
                   "generate: stencil: nx = \"" + std::string(text) + "\" " + range);
  expect_refused("diagonal(n=-1)", "generate: diagonal: n = \"-1\" is outside [0, 9223372036854775807]");
  expect_refused("diagonal(n=3,seed=-1)",
                 "generate: diagonal: seed = \"-1\" is outside [0, 9223372036854775807]");
  expect_refused("empty_rows(rows=9,every=0)",
                 "generate: empty_rows: every = \"0\" is outside [1, 2147483647]");
}

TEST(specification_error, dimensions_over_int32_are_unsupported) {
  const std::string over = " is over 2147483647, the largest int32 index";
  expect_refused("diagonal(n=2147483648)", "generate: diagonal: n = 2147483648" + over, errc::unsupported);
  expect_refused("uniform(rows=3G)", "generate: uniform: rows = 3000000000" + over, errc::unsupported);
  expect_refused("uniform(rows=3,cols=9223372036854775807)",
                 "generate: uniform: cols = 9223372036854775807" + over, errc::unsupported);
  expect_refused("stencil(nx=1290,ny=1291,nz=1292)",
                 "generate: stencil: nx * ny * nz * dof = 2151683880" + over, errc::unsupported);
  expect_refused("stencil(nx=2G,ny=2G,nz=2G,dof=2G)",
                 "generate: stencil: nx * ny * nz * dof = 4000000000000000000" + over, errc::unsupported);
}

TEST(specification_error, values) {
  const std::string kinds = "is not distinct, few(K), constant or f32_exact";
  for (const char* text : {"blue", "", "few", "few()x", "distinct()", "Constant"})
    expect_refused("diagonal(n=3,values=" + std::string(text) + ")",
                   "generate: diagonal: values = \"" + std::string(text) + "\" " + kinds);
  for (const char* text :
       {"few()", "few(0)", "few(-1)", "few(x)", "few(33554433)", "few(1e30)", "few(few(3))"})
    expect_refused("diagonal(n=3,values=" + std::string(text) + ")",
                   "generate: diagonal: values = \"" + std::string(text) +
                       "\" needs a whole number of values from 1 to 33554432");
}

TEST(specification_error, what_does_not_go_together) {
  expect_refused("stencil(nx=3,points=6)", "generate: stencil: points = \"6\" is not 3, 5, 7, 9, 27 or auto");
  expect_refused("stencil(nx=3,dof=0)", HasSubstr("dof = \"0\" is outside"));
  expect_refused("uniform(rows=10)", "generate: uniform: per_row = \"16\" is more than cols = 10");
  expect_refused("uniform(rows=10,cols=3,per_row=4)",
                 "generate: uniform: per_row = \"4\" is more than cols = 3");
  expect_refused("uniform(rows=0)", "generate: uniform: per_row = \"16\" is more than cols = 0");
  expect_refused("arrow(n=3,width=4)", "generate: arrow: width = \"4\" is more than n = 3");
  expect_refused("heavy_row(rows=10,per_row=1)",
                 "generate: heavy_row: heavy = \"1000000\" is more than cols = 10");
  expect_refused("heavy_row(rows=10,per_row=11,heavy=1)",
                 "generate: heavy_row: per_row = \"11\" is more than cols = 10");
  expect_refused("heavy_row(rows=10,heavy=10,at=10)", "generate: heavy_row: at = \"10\" is outside [0, 9]");
  expect_refused("heavy_row(rows=10,heavy=10,at=end)",
                 "generate: heavy_row: at = \"end\" is not a whole number");
  expect_refused("heavy_row(rows=0,heavy=0)", HasSubstr("rows = \"0\" is outside [1"));
  expect_refused("empty_rows(rows=9,every=2,fraction=0.5)",
                 "generate: empty_rows: fraction = \"0.5\" does not go together with every");
  expect_refused("empty_rows(rows=9,fraction=1.5)",
                 "generate: empty_rows: fraction = \"1.5\" is outside [0, 1]");
  expect_refused("empty_rows(rows=9,fraction=-0.5)",
                 "generate: empty_rows: fraction = \"-0.5\" is outside [0, 1]");
  for (const char* text : {"half", "", "nan", "inf", "0.5x", "1e999"})
    expect_refused("empty_rows(rows=9,fraction=" + std::string(text) + ")",
                   "generate: empty_rows: fraction = \"" + std::string(text) + "\" is not a number");
  expect_refused("empty_rows(rows=9,per_row=10)",
                 "generate: empty_rows: per_row = \"10\" is more than cols = 9");
  expect_refused("power_law(rows=10,mean=11)", "generate: power_law: mean = \"11\" is outside [0, 10]");
  expect_refused("power_law(rows=10,mean=5,max=4)", "generate: power_law: mean = \"5\" is outside [0, 4]");
  expect_refused("power_law(rows=10,mean=5,max=11)",
                 "generate: power_law: max = \"11\" is more than cols = 10");
  expect_refused("power_law(rows=10,mean=5,exponent=1)",
                 "generate: power_law: exponent = \"1\" is outside [1.1, 10]");
}

TEST(parse_whole, keeps_to_int64) {
  using gossamer::bench_support::generation::number_status;
  using gossamer::bench_support::generation::parse_whole;
  EXPECT_EQ(parse_whole("9223372036854775807").value, INT64_MAX);
  EXPECT_EQ(parse_whole("9223372036854775807").status, number_status::ok);
  EXPECT_EQ(parse_whole("-9223372036854775807").value, -INT64_MAX);
  EXPECT_EQ(parse_whole("9.223372036854775807e18").value, INT64_MAX);
  EXPECT_EQ(parse_whole("9223372036854775808").status, number_status::too_large);
  EXPECT_EQ(parse_whole("0e9999").value, 0);
  EXPECT_EQ(parse_whole("1." + std::string(20'000, '0')).value, 1);
  EXPECT_EQ(parse_whole("1." + std::string(20'000, '1') + "e9999").status, number_status::not_a_number);
}

}  // namespace
