// SPDX-License-Identifier: BSD-3-Clause
// gossamer tune, and "auto" where a format is named
#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

/// What --option takes: name=value, joined by commas; or nothing.
constexpr const char* option_list = "([a-z_]+=[a-z0-9_.]+(,[a-z_]+=[a-z0-9_.]+)*)?";

TEST(cli_tune, json_has_these_members) {
  const scratch_folder scratch;
  const std::string file = scratch.path("tuned.json");
  const outcome done = cli({"tune", "arrow(n=300)", "--calls", "10", "--budget", "0.2", "--json", file});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const json found = json::parse(read_file(file));
  EXPECT_THAT(members(found),
              ElementsAre("matrix", "rows", "cols", "nnz", "value", "op", "device", "calls", "budget_seconds",
                          "spent_seconds", "complete", "from_cache", "model", "chosen", "measurements"));
  EXPECT_EQ(found.at("rows"), 300);
  EXPECT_EQ(found.at("calls"), 10);
  EXPECT_EQ(found.at("device"), "cpu");
  EXPECT_EQ(found.at("measurements").at(0).at("format"), "csr");
  EXPECT_THAT(found.at("measurements").at(0).at("options").get<std::string>(), HasSubstr("kernel="));
  for (const char* choice : {"model", "chosen"})
    EXPECT_THAT(found.at(choice).at("options").get<std::string>(), MatchesRegex(option_list));
  bool some_refused = false;
  for (const json& measurement : found.at("measurements")) {
    EXPECT_THAT(members(measurement),
                ElementsAre("format", "options", "default", "status", "reason", "bytes", "predicted_seconds",
                            "multiply_seconds", "inspect_seconds", "total_seconds"));
    EXPECT_THAT(measurement.at("options").get<std::string>(), MatchesRegex(option_list));
    const bool measured = measurement.at("status") == "measured";
    EXPECT_EQ(measurement.at("reason").get<std::string>().empty(), measured);
    EXPECT_EQ(measurement.at("total_seconds").is_null(), !measured);
    if (measurement.at("status") == "refused") some_refused = true;
    if (!measured) continue;
    EXPECT_DOUBLE_EQ(measurement.at("total_seconds").get<double>(),
                     measurement.at("inspect_seconds").get<double>() +
                         10 * measurement.at("multiply_seconds").get<double>());
  }
  EXPECT_TRUE(some_refused);  // ellpack: one row is full
}

TEST(cli_tune, transposed_tunes_for_the_transpose) {
  const scratch_folder scratch;
  const std::string file = scratch.path("tuned.json");
  const std::string forward_file = scratch.path("forward.json");
  // Of the transpose csr has fewer offsets.
  const std::string matrix = "uniform(rows=3000,cols=50,per_row=4)";
  const outcome done = cli({"tune", matrix, "--transposed", "--budget", "0", "--json", file});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(unwrapped(done.out), HasSubstr("products by the transpose"));
  ASSERT_EQ(cli({"tune", matrix, "--budget", "0", "--json", forward_file}).status, 0);
  const json found = json::parse(read_file(file));
  const json forward = json::parse(read_file(forward_file));
  EXPECT_EQ(found.at("op"), "transposed");
  EXPECT_EQ(found.at("rows"), 3000);
  EXPECT_EQ(forward.at("op"), "forward");
  EXPECT_LT(found.at("measurements").at(0).at("bytes"), forward.at("measurements").at(0).at("bytes"));
}

TEST(cli_tune, table_has_a_line_for_each_setting_and_names_the_choice) {
  const scratch_folder scratch;
  const std::string file = scratch.path("tuned.json");
  const outcome done = cli({"tune", "arrow(n=300)", "--budget", "0", "--value", "f32", "--json", file});
  ASSERT_EQ(done.status, 0) << done.err;
  const json found = json::parse(read_file(file));
  const auto text = lines(done.out);
  const std::string whole = unwrapped(done.out);
  ASSERT_EQ(lines(whole).size(), found.at("measurements").size() + 5);
  EXPECT_THAT(text[0], HasSubstr("f32 on cpu; 1000 products"));
  for (const char* title : {"format", "options", "predicted", "measured", "inspect", "total"})
    EXPECT_THAT(text[1], HasSubstr(title));
  EXPECT_THAT(text[2], HasSubstr("chosen"));
  EXPECT_THAT(text[2], HasSubstr(" kernel="));
  EXPECT_THAT(whole, HasSubstr("not tried: the budget is spent"));
  EXPECT_THAT(whole, HasSubstr("refused: "));
  EXPECT_THAT(text.back(), HasSubstr("chosen  csr kernel="));
}

TEST(cli_tune, second_run_has_it_from_the_cache) {
  const scratch_folder scratch;
  const run_settings cached{.environment = {"GOSSAMER_CACHE=" + scratch.path("cache")}};
  const std::vector<std::string> command{"tune", "diagonal(50)", "--budget", "0"};
  EXPECT_THAT(cli(command, cached).out, testing::Not(HasSubstr("measured before")));
  EXPECT_THAT(cli(command, cached).out, HasSubstr("measured before"));
}

TEST(cli_tune, refuses_what_makes_no_sense) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"tune"},
                                             {"tune", "diagonal(5)", "--calls", "-1"},
                                             {"tune", "diagonal(5)", "--calls", "nan"},
                                             {"tune", "diagonal(5)", "--budget", "inf"},
                                             {"tune", "diagonal(5)", "--device", "cuda:99"},
                                             {"tune", "diagonal(5)", "--json", "/nowhere/at/all.json"},
                                             {"tune", "@gallery"}}) {
    const outcome done = cli(command);
    EXPECT_EQ(done.status, 2) << done.err;
    EXPECT_EQ(lines(done.err).size(), 1U) << done.err;
    EXPECT_EQ(done.out, "");
  }
}

TEST(cli_tune, multiply_takes_auto_and_tuned) {
  const scratch_folder scratch;
  const std::string small = scratch.file("small.mtx", small_matrix);
  for (const char* format : {"auto", "tuned"}) {
    const outcome done = cli({"multiply", small, "--x", "ones", "--format", format, "--check"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(vector_of(done.out), ElementsAre(1, 0, 6.5, -1));
    EXPECT_EQ(cli({"multiply", small, "--format", format, "--option", "kernel=thread"}).status, 2);
  }
}

/// A search without time measures csr alone, which is not what "auto" chooses.
TEST(cli_tune, finds_what_tuned_takes_and_auto_does_not) {
  const scratch_folder scratch;
  const run_settings cached{.environment = {"GOSSAMER_CACHE=" + scratch.path("cache")}};
  const std::string grid = "stencil(nx=60,ny=60,nz=10,points=7)";
  ASSERT_EQ(cli({"tune", grid, "--budget", "0"}, cached).status, 0);
  const auto format_of = [&](const char* asked) {
    const outcome done = cli({"multiply", grid, "--format", asked, "--check"}, cached);
    EXPECT_EQ(done.status, 0) << done.err;
    return done.err;
  };
  EXPECT_THAT(format_of("tuned"), HasSubstr("gossamer: csr "));
  EXPECT_THAT(format_of("auto"), testing::Not(HasSubstr("gossamer: csr ")));
}

}  // namespace
}  // namespace gossamer::test
