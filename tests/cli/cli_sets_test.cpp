// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins and sets on the command line: figures beside figures, real files where a folder has them.
#include <gmock/gmock.h>

#include <map>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* no_folder = "GOSSAMER_MATRICES=";

/// The objects of a set, one a line.
std::vector<json> objects(const outcome& done) {
  std::vector<json> all;
  for (const std::string& line : lines(done.out)) all.push_back(json::parse(line));
  return all;
}

void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  const outcome done = cli(arguments, {.environment = {no_folder}, .out_file = {}});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
  EXPECT_THAT(done.err, StartsWith("gossamer: "));
  for (const std::string& word : words) EXPECT_THAT(done.err, HasSubstr(word));
}

TEST(cli_like, json_lists_the_papers_figures_with_those_obtained) {
  const json info = cli_json({"info", "like(CIR)", "--json"});
  EXPECT_EQ(info.at("matrix"), "like(CIR)");
  EXPECT_EQ(info.at("values"), "distinct");
  const json like = info.at("like");
  EXPECT_THAT(members(like), ElementsAre("name", "aliases", "class", "figures", "sectors_per_entry"));
  EXPECT_EQ(like.at("name"), "scircuit");
  EXPECT_EQ(like.at("aliases"), json::parse(R"(["CIR","Circuit"])"));
  EXPECT_EQ(like.at("class"), "circuit");
  std::map<std::string, json> figures;
  for (const json& each : like.at("figures")) {
    EXPECT_THAT(members(each), ElementsAre("figure", "published", "got", "source"));
    figures[each.at("figure")] = each;
  }
  // Paper 000, Table 1 and Table 4.
  for (const auto& [figure, number] : std::map<std::string, int>{
           {"rows", 170998}, {"cols", 170998}, {"nnz", 958936}, {"min", 1}, {"max", 353}, {"hyb_k", 5}}) {
    EXPECT_EQ(figures[figure].at("published"), number);
    EXPECT_EQ(figures[figure].at("got"), number);
    EXPECT_EQ(figures[figure].at("source"), "paper 000, Table 1");
  }
  EXPECT_EQ(figures["sd"].at("published"), 4);
  EXPECT_NEAR(figures["sd"].at("got").get<double>(), 4, 0.03);
  EXPECT_EQ(figures["coo_percent"].at("published"), 21.775);
  EXPECT_NEAR(figures["coo_percent"].at("got").get<double>(), 21.775, 0.0005);
  EXPECT_EQ(figures["coo_percent"].at("source"), "paper 000, Table 4");
  const json sectors = like.at("sectors_per_entry");
  EXPECT_GE(sectors.at("got"), sectors.at("least"));
  EXPECT_LE(sectors.at("got"), sectors.at("most"));
}

TEST(cli_like, unreachable_figures_have_a_reason) {
  const json info = cli_json({"info", "like(EPI)", "--json"});
  int exceptions = 0;
  for (const json& each : info.at("like").at("figures")) {
    if (!each.contains("exception")) continue;
    ++exceptions;
    EXPECT_EQ(each.at("figure"), "sd");
  }
  EXPECT_EQ(exceptions, 1);
}

TEST(cli_like, sectors_are_stated_for_f64_alone) {
  const json info = cli_json({"info", "like(CIR)", "--json", "--value", "f32"});
  EXPECT_TRUE(info.at("like").at("sectors_per_entry").at("got").is_null());
}

TEST(cli_like, text_matches_json) {
  const outcome done = cli({"info", "like(rma10,values=few(3))"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("values          few(3)"));
  EXPECT_THAT(done.out,
              HasSubstr("stands in for rma10 (HAR, FEM/Harbor), class fem; values are not published"));
  EXPECT_THAT(done.out, testing::ContainsRegex("coo_percent +18[.]673 +18[.]6730 +paper 000, Table 4"));
}

TEST(cli_like, unknown_names) {
  refused({"info", "like(cnat)"}, {"\"cnat\"", "near: cant"});
  refused({"multiply", "like(no_such_matrix)"}, {"no_such_matrix", "--list-matrices"});
  refused({"info", "like()"}, {"like", "name is missing"});
}

TEST(cli_like, list_matrices_names_all_and_the_sets) {
  const outcome done = cli({"generate", "--list-matrices"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(lines(unwrapped(done.out)).size(), 75u + 8);
  EXPECT_THAT(
      done.out,
      HasSubstr("pwtk, WIN, Wind Tunnel: fem, 217918 x 217918, 11634424 nonzeros (paper 000, Table 1)\n"));
  EXPECT_THAT(done.out, HasSubstr("PR02R: fem, 161070 x 161070, 8185136 nonzeros (SuiteSparse index)\n"));
  EXPECT_THAT(done.out, HasSubstr("@headline: "));
  EXPECT_THAT(done.out, HasSubstr("@held_out: generated matrices of five kinds"));
}

TEST(cli_sets, info_describes_one_matrix_after_the_other) {
  const outcome done = cli({"info", "@gallery", "--json"}, {.environment = {no_folder}, .out_file = {}});
  EXPECT_EQ(done.status, 0) << done.err;
  const auto all = objects(done);
  EXPECT_EQ(all.size(), 21u);
  EXPECT_EQ(all.front().at("matrix"), "stencil(nx=30,ny=30,nz=10,points=27)");
  EXPECT_THAT(cli({"info", "diagonal(3)", "diagonal(4)"}).out,
              AllOf(HasSubstr("diagonal(3): 3 x 3"), HasSubstr("diagonal(4): 4 x 4")));
}

TEST(cli_sets, a_real_file_comes_before_a_stand_in) {
  const scratch_folder scratch;
  (void)scratch.file("scircuit.mtx", small_matrix);
  // The folder by option, and by the environment; the option wins.
  for (const bool option : {true, false}) {
    std::vector<std::string> arguments{"info", "@csr_m", "@brc", "--json"};
    if (option) arguments.insert(arguments.end(), {"--matrices", scratch.path("")});
    const outcome done = cli(arguments, {.environment = {option ? std::string("GOSSAMER_MATRICES=/nowhere")
                                                                : "GOSSAMER_MATRICES=" + scratch.path("")},
                                         .out_file = {}});
    EXPECT_EQ(done.status, 0) << done.err;
    int real = 0;
    int stand_ins = 0;
    for (const json& each : objects(done)) {
      real += each.at("matrix") == "scircuit" && each.at("nnz") == 6 && each.at("values") == "file";
      stand_ins += each.contains("like");
    }
    EXPECT_EQ(real, 1);
    EXPECT_EQ(stand_ins, 6 + 13);
  }
}

TEST(cli_sets, a_file_may_have_other_values) {
  const scratch_folder scratch;
  (void)scratch.file("graph.mtx",
                     "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 1\n2 1\n3 2\n3 3\n");
  const auto ask = [&](const std::string& matrix) {
    return json::parse(cli({"info", matrix, "--json", "--matrices", scratch.path("")}).out);
  };
  EXPECT_EQ(ask("file(graph)").at("distinct_values"), 1);
  EXPECT_EQ(ask("file(graph)").at("values"), "file");
  EXPECT_EQ(ask("file(graph,values=distinct)").at("distinct_values"), 4);
  EXPECT_EQ(ask("file(graph,values=distinct)").at("values"), "distinct");
  EXPECT_EQ(ask("file(graph,values=distinct)").at("matrix"), "graph");
  EXPECT_EQ(ask("file(graph, values=few(2), seed=3)").at("distinct_values"), 2);
  EXPECT_EQ(ask("file(" + scratch.path("graph.mtx") + ",values=distinct)").at("distinct_values"), 4);
  // Where a command has no --matrices, the environment says where.
  EXPECT_EQ(cli({"multiply", "file(graph,values=constant)", "--x", "ones"},
                {.environment = {"GOSSAMER_MATRICES=" + scratch.path("")}, .out_file = {}})
                .out,
            "%%MatrixMarket matrix array real general\n3 1\n1\n1\n2\n");
}

TEST(cli_sets, what_is_refused) {
  refused({"info", "@brd"}, {"@brd", "@brc", "@headline"});
  refused({"multiply", "@brc"}, {"@brc: a set of matrices, but this command needs one matrix"});
  refused({"convert", "@gallery", "-o", "/dev/null"}, {"@gallery: a set of matrices"});
  refused({"info", "@gallery", "--spy", "/dev/null"}, {"--spy draws only one matrix"});
  refused({"info", "file(graph)"}, {"file(graph): no folder of matrices is given", "--matrices"});
  refused({"info", "file(graph)", "--matrices", "/nowhere"},
          {"the folder of matrices has no graph.mtx.gz or graph.mtx (/nowhere)"});
  refused({"info", "file(/nowhere/graph.mtx)"}, {"/nowhere/graph.mtx: cannot open: No such file"});
  refused({"info", "file(graph,values=blue)"}, {"values = \"blue\" is not distinct"});
  refused({"info", "file(graph,seed=x)"}, {"seed = \"x\""});
  refused({"info", "file(graph,frob=1)"}, {"frob", "values"});
  refused({"info", "file()"}, {"the file's name is missing"});
}

}  // namespace
}  // namespace gossamer::test
