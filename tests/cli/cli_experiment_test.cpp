// SPDX-License-Identifier: BSD-3-Clause
// gossamer experiment: the list, the document that scripts read, the figure, and parts that are joined.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* tiny = "stencil(nx=12,ny=10,points=5)";

/// Of little time, bandwidths of small arrays among it.
std::vector<std::string> quick(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "experiment");
  arguments.insert(arguments.end(), {"--seconds", "0.001", "--threads", "2", "--llc-bytes", "1000000"});
  return arguments;
}

json document_of(const std::string& file) {
  json document = json::parse(read_file(file), nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << file;
  return document;
}

std::vector<std::string> names_in_list() {
  std::vector<std::string> names;
  for (const std::string& line : lines(unwrapped(cli({"experiment", "--list"}).out)))
    names.push_back(line.substr(0, line.find(' ')));
  names.erase(names.begin());
  return names;
}

TEST(cli_experiment, list_has_name_source_and_what_it_shows) {
  const outcome done = cli({"experiment", "--list"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(
      names_in_list(),
      ElementsAre("brc/table1", "brc/fig4", "brc/table3", "brc/fig6", "brc/search", "brc/fig7", "brc/fig8",
                  "brc/table4", "brc/table5", "brc/fig9", "brc/hybrid", "brc/options", "brc/coarsening",
                  "brc/block_rows", "brc/conversion", "bccoo/fig1", "bccoo/fig2", "bccoo/fig3", "bccoo/fig4",
                  "bccoo/fig5", "bccoo/fig6", "bccoo/fig7", "bccoo/fig8", "csr_m/fig12", "csr_m/fig13",
                  "csr_m/fig14", "csr_m/fig15", "csr_m/fig16", "csr_m/fig17", "arg_csr/fig_csr",
                  "arg_csr/fig_formats", "arg_csr/chunk_size", "arg_csr/block", "arg_csr/conversion",
                  "partition/table1", "partition/table2", "partition/fig6", "partition/fig7",
                  "partition/fig8", "partition/fig9", "partition/fig10", "partition/fig11", "partition/fig12",
                  "partition/fig13", "partition/fig14", "partition/block_density", "solvers/cg",
                  "solvers/minres", "solvers/lsqr", "solvers/pdhg"));
  EXPECT_THAT(done.out, HasSubstr("paper 002, Figure 12"));
  EXPECT_THAT(done.out, HasSubstr("speed of the CSR kernels"));
}

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& words) {
  const outcome done = cli(arguments);
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(lines(done.err), SizeIs(1));
  EXPECT_THAT(done.err, HasSubstr(words));
}

TEST(cli_experiment, bad_usage_is_one_line) {
  expect_usage_error({"experiment"}, "NAME is missing");
  expect_usage_error({"experiment", "csr_m/fig21"},
                     "there is no \"csr_m/fig21\"; similar names are csr_m/fig12, ");
  expect_usage_error({"experiment", "csr_m/fig12", "--resume"}, "--resume needs --json");
  expect_usage_error({"experiment", "csr_m/fig12", "--only", "nowhere.mtx"}, "nowhere.mtx: cannot open");
  expect_usage_error({"experiment", "csr_m/fig12", "--shard", "3/2"}, "experiment: --shard \"3/2\"");
  expect_usage_error({"experiment", "csr_m/fig12", "--value", "f16"}, "--value");
  expect_usage_error({"experiment", "csr_m/fig12", "--from", "a.json", "--resume"}, "--from");
  expect_usage_error({"experiment", "csr_m/fig12", "--beta", "0.5"}, "--beta is 0 or 1");
  expect_usage_error({"experiment", "partition/fig12", "--powers", "75,1"}, "--powers 75,1");
  expect_usage_error({"experiment", "partition/fig12", "--powers", "x"}, "experiment: ");
  expect_usage_error({"experiment", "csr_m/fig12", "--from", "nowhere.json"}, "nowhere.json: cannot open");
  expect_usage_error({"experiment", "csr_m/fig12", "--svg", "/nowhere/a.svg"},
                     "/nowhere/a.svg: cannot write");
  expect_usage_error({"experiment", "arg_csr/fig_csr", "--matrices", "/nowhere"}, "/nowhere: cannot open");
}

TEST(cli_experiment, partitions_are_those_of_the_partition_command) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"partition/table2", "--only", tiny, "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  ASSERT_THAT(document.at("rows"), SizeIs(3));
  for (const json& r : document.at("rows")) {
    EXPECT_EQ(r.at("status"), "partitioned");
    EXPECT_TRUE(r.at("seconds").is_null());
    const json& sets = r.at("partition");
    EXPECT_GT(sets.at("seconds").at("median"), 0);
    const json by_command = cli_json({"partition", tiny, "--powers", "75,75,1,1,1,1,1,1", "--algorithm",
                                      sets.at("algorithm").get<std::string>(), "--json"});
    EXPECT_EQ(sets.at("powers"), by_command.at("powers"));
    EXPECT_EQ(sets.at("relative_difference"), by_command.at("relative_difference"));
    EXPECT_EQ(sets.at("mean_density"), by_command.at("mean_density"));
    EXPECT_EQ(sets.at("padded_slots"), by_command.at("padded_zeros"));
  }
}

TEST(cli_experiment, document_has_these_members) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"csr_m/fig15", "--only", tiny, "--json", file}));
  EXPECT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  EXPECT_THAT(members(document), ElementsAre("schema", "commit", "experiment", "source", "shows", "value",
                                             "device", "powers", "beta", "machine", "rows", "refused"));
  EXPECT_EQ(document.at("schema"), 2);
  EXPECT_EQ(document.at("experiment"), "csr_m/fig15");
  EXPECT_EQ(document.at("source"), "paper 002, Figure 15");
  EXPECT_EQ(document.at("value"), "f32");
  EXPECT_EQ(document.at("device"), "cpu");
  EXPECT_EQ(document.at("powers"), "measured");
  EXPECT_EQ(document.at("beta"), 0);
  EXPECT_EQ(document.at("machine").at("threads"), 2);
  EXPECT_GT(document.at("machine").at("copy_gbs"), 0);
  EXPECT_THAT(document.at("refused"), IsEmpty());
  ASSERT_THAT(document.at("rows"), SizeIs(3));
  for (const json& r : document.at("rows")) {
    EXPECT_THAT(
        members(r),
        ElementsAre("matrix", "class", "source", "stand_in", "values", "rows", "cols", "nnz", "row_mean",
                    "row_sd", "row_min", "row_max", "value", "series", "portion", "portion_nnz", "format",
                    "options", "peer", "device", "threads", "status", "reason", "seconds", "gflops",
                    "formula", "paper_bandwidth_gbs", "bytes", "slots_per_nonzero", "inspect_seconds",
                    "error_ratio", "tried", "speed_up", "parts", "partition"));
    EXPECT_EQ(r.at("matrix"), tiny);
    EXPECT_EQ(r.at("stand_in"), false);
    EXPECT_EQ(r.at("source"), "generated");
    EXPECT_EQ(r.at("rows"), 120);
    EXPECT_EQ(r.at("nnz"), 556);
    EXPECT_EQ(r.at("row_min"), 3);
    EXPECT_EQ(r.at("row_max"), 5);
    EXPECT_EQ(r.at("portion"), "whole");
    EXPECT_EQ(r.at("portion_nnz"), 556);
    EXPECT_TRUE(r.at("tried").is_null());
  }
  const json& ellpack = document.at("rows")[0];
  EXPECT_EQ(ellpack.at("series"), "ELLPACK");
  EXPECT_EQ(ellpack.at("format"), "ellpack");
  EXPECT_EQ(ellpack.at("formula"), "(4)");
  ASSERT_EQ(ellpack.at("status"), "ok");
  EXPECT_EQ(ellpack.at("reason"), "");
  const double seconds = ellpack.at("seconds").at("median");
  EXPECT_GT(seconds, 0);
  EXPECT_GE(ellpack.at("seconds").at("count"), 11);
  EXPECT_DOUBLE_EQ(ellpack.at("gflops").get<double>(), 2 * 556 / seconds * 1e-9);
  EXPECT_DOUBLE_EQ(ellpack.at("paper_bandwidth_gbs").get<double>(), (8 * 556 + 8 * 120) / seconds * 1e-9);
  EXPECT_LE(ellpack.at("error_ratio"), 1.0);
  // Rows of up to 5, perhaps padded to a whole number of them besides.
  EXPECT_GE(ellpack.at("slots_per_nonzero").get<double>(), 600.0 / 556);
  EXPECT_LE(ellpack.at("slots_per_nonzero").get<double>(), 2);
  EXPECT_TRUE(ellpack.at("speed_up").is_null());
  EXPECT_THAT(done.out, HasSubstr("csr_m/fig15 (paper 002, Figure 15)"));
  EXPECT_THAT(done.out, HasSubstr("ELLPACK-R over ELLPACK: "));
}

TEST(cli_experiment, table_5_is_shown_from_the_document_of_its_scripts) {
  expect_usage_error({"experiment", "brc/table5"}, "brc/table5 is measured by bench/petsc/table5.sh");
  const std::string file =
      std::string(GOSSAMER_SOURCE_DIR) + "/bench/results/h200/experiments/brc_table5.json";
  const scratch_folder scratch;
  const std::string svg = scratch.path("a.svg");
  const outcome done = cli({"experiment", "brc/table5", "--from", file, "--svg", svg});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out,
              HasSubstr("ilu, brc (the paper's BRC on Kepler): total 14.889 (12.683), SpMV 0.111 (0.538)\n"));
  EXPECT_THAT(read_file(svg), HasSubstr("</svg>"));
  expect_usage_error({"experiment", "brc/table5", "--from", scratch.file("b.json", "{}")},
                     "not a document of brc/table5");
}

TEST(cli_experiment, f64_counts_eight_bytes_a_value) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"csr_m/fig16", "--only", tiny, "--value", "f64", "--json", file})).status, 0);
  const json r = document_of(file).at("rows")[0];
  EXPECT_EQ(r.at("value"), "f64");
  EXPECT_DOUBLE_EQ(r.at("paper_bandwidth_gbs").get<double>(),
                   (12 * 556 + 16 * 120) / r.at("seconds").at("median").get<double>() * 1e-9);
}

TEST(cli_experiment, beta_is_of_the_timed_product_and_in_the_document) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"brc/fig4", "--only", tiny, "--beta", "1", "--json", file})).status, 0);
  const json document = document_of(file);
  EXPECT_EQ(document.at("beta"), 1);
  for (const json& r : document.at("rows")) {
    if (r.at("series") != "BRC" && r.at("series") != "HYB") continue;
    EXPECT_EQ(r.at("status"), "ok") << r.dump();
    EXPECT_LE(r.at("error_ratio"), 1.0);
  }
  const outcome other = cli(quick({"brc/fig4", "--only", tiny, "--json", file, "--resume"}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("its beta is 1.0, not 0.0"));
}

/// Only what this build or this machine really lacks is absent: a misspelt option would hide as one.
TEST(cli_experiment, every_experiment_runs_with_all_that_is_here) {
  std::set<std::string> formats;
  for (const json& each : cli_json({"formats", "--json"})) formats.insert(each.at("name"));
  const scratch_folder scratch;
  for (const std::string& name : names_in_list()) {
    SCOPED_TRACE(name);
    if (name == "brc/table5") continue;  // a run of PETSc's ex19
    const std::string file = scratch.path("a.json");
    const std::string svg = scratch.path("a.svg");
    const outcome done = cli(quick({name, "--only", tiny, "--json", file, "--svg", svg}));
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(read_file(svg), HasSubstr("</svg>"));
    EXPECT_THAT(read_file(svg), Not(HasSubstr("nan")));
    const json document = document_of(file);
    EXPECT_THAT(document.at("rows"), Not(IsEmpty()));
    for (const json& r : document.at("rows")) {
      SCOPED_TRACE(r.dump());
      EXPECT_NE(r.at("status"), "failed");
      EXPECT_FALSE(formats.count(r.at("format")) != 0 && r.at("status") == "absent");
      EXPECT_EQ(r.at("status") == "ok" || r.at("status") == "forecast" || r.at("status") == "partitioned",
                r.at("reason") == "");
      // cuSPARSE's do not run on a cpu.
      EXPECT_TRUE(r.at("format").get<std::string>().find("cusparse") != 0 || r.at("status") == "absent");
    }
  }
}

TEST(cli_experiment, solvers_are_timed_by_iteration_and_to_the_solution) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"solvers/cg", "--only", tiny, "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Gossamer: the same bits again on 1 of 1\n"));
  const json document = document_of(file);
  for (const json& r : document.at("rows")) {
    SCOPED_TRACE(r.dump());
    EXPECT_EQ(r.at("method"), "cg");
    EXPECT_EQ(r.at("made_definite"), true);
    if (r.at("status") != "ok") {
      EXPECT_TRUE(r.at("seconds").is_null());
      continue;
    }
    EXPECT_GT(r.at("seconds").at("median"), 0);
    EXPECT_GE(r.at("seconds").at("count"), 11);
    ASSERT_THAT(r.at("iterations_timed"), SizeIs(2));
    EXPECT_LT(r.at("iterations_timed")[0], r.at("iterations_timed")[1]);
    const json& solve = r.at("solve");
    EXPECT_THAT(members(solve),
                ElementsAre("rtol", "converged", "iterations", "residual", "true_relative_residual",
                            "same_bits_again", "seconds", "speed_up", "history"));
    EXPECT_EQ(solve.at("converged"), true);
    EXPECT_LE(solve.at("true_relative_residual").get<double>(), 2 * solve.at("rtol").get<double>());
    EXPECT_GE(solve.at("history").size(), 2u);
    EXPECT_GT(solve.at("seconds").at("median"), 0);
  }
  EXPECT_EQ(document.at("rows")[0].at("series"), "Gossamer");
  EXPECT_EQ(document.at("rows")[0].at("status"), "ok");
  // A rectangular matrix is no system.
  const outcome refused = cli(quick({"solvers/cg", "--only", "uniform(rows=20,cols=30,per_row=2)"}));
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("20 x 30 is not square"));
}

TEST(cli_experiment, solvers_run_the_method_of_their_name) {
  const scratch_folder scratch;
  for (const std::string method : {"cg", "minres", "lsqr", "pdhg"}) {
    const std::string file = scratch.path(method + ".json");
    const outcome done = cli(quick({"solvers/" + method, "--only", tiny, "--json", file}));
    ASSERT_EQ(done.status, 0) << done.err;
    const json rows = document_of(file).at("rows");
    EXPECT_EQ(rows[0].at("status"), "ok") << rows[0];
    for (const json& row : rows) {
      EXPECT_EQ(row.at("method"), method) << row;
      EXPECT_EQ(row.at("made_definite"), method == "cg" || method == "minres") << row;
    }
  }
}

TEST(cli_experiment, csr_m_is_timed_with_its_gather_step) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"csr_m/fig13", "--only", "banded(n=20k,lower=8)", "--json", file})).status, 0);
  const json rows = document_of(file).at("rows");
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const json& r) { return r.at("series") == "CSR-M with gather"; });
  ASSERT_NE(row, rows.end());
  ASSERT_EQ(row->at("status"), "ok") << row->at("reason");
  EXPECT_LE(row->at("error_ratio"), 1.0);
  EXPECT_GT(row->at("seconds").at("min"), 0.0);
  EXPECT_TRUE(row->at("paper_bandwidth_gbs").is_null());
}

TEST(cli_experiment, chunk_sizes_are_those_requested) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done =
      cli(quick({"arg_csr/chunk_size", "--only", "uniform(rows=2k,per_row=7)", "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  ASSERT_THAT(document.at("rows"), SizeIs(8));
  for (const json& r : document.at("rows")) {
    ASSERT_EQ(r.at("status"), "ok") << r.at("reason");
    EXPECT_GE(r.at("slots_per_nonzero"), 1.0);
    const auto asked = r.at("series").get<std::string>();
    if (asked == "auto") continue;
    EXPECT_THAT(r.at("options").get<std::string>() + ",", HasSubstr("desired_chunk_size=" + asked + ","));
  }
  EXPECT_THAT(done.out, HasSubstr("auto against the best size: geometric mean "));
}

json row_of(const json& document, const std::string& series) {
  for (const json& r : document.at("rows")) {
    if (r.at("series") == series) return r;
  }
  ADD_FAILURE() << "no series " << series;
  return nullptr;
}

TEST(cli_experiment, a_search_keeps_the_fastest_and_lists_its_candidates) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"brc/search", "--only", "power_law(rows=3k,mean=6)", "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json best = row_of(document_of(file), "BRC, tuned");
  ASSERT_EQ(best.at("status"), "ok") << best.at("reason");
  ASSERT_TRUE(best.at("tried").is_array());
  EXPECT_GT(best.at("tried").size(), 2u);
  double least = 1e9;
  int defaults = 0;
  std::set<std::string> options;
  for (const json& each : best.at("tried")) {
    EXPECT_THAT(members(each), ElementsAre("options", "default", "median", "reason"));
    EXPECT_TRUE(options.insert(each.at("options")).second) << each;
    defaults += each.at("default") == true ? 1 : 0;
    ASSERT_TRUE(each.at("median").is_number()) << each;
    least = std::min(least, each.at("median").get<double>());
    if (each.at("options") == best.at("options")) {
      EXPECT_EQ(each.at("median"), best.at("seconds").at("median"));
    }
  }
  EXPECT_EQ(best.at("seconds").at("median").get<double>(), least);
  EXPECT_EQ(defaults, 1);
  const json model = row_of(document_of(file), "BRC");
  EXPECT_TRUE(model.at("tried").is_null());
  EXPECT_EQ(model.at("speed_up").at("of"), "BRC, tuned");
  EXPECT_EQ(model.at("speed_up").at("paired"), true);
}

TEST(cli_experiment, a_forecast_is_made_without_a_product) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"brc/table1", "--only", "like(CAN)", "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  ASSERT_THAT(document.at("rows"), SizeIs(2));
  for (const json& r : document.at("rows")) {
    EXPECT_EQ(r.at("status"), "forecast") << r.at("reason");
    EXPECT_TRUE(r.at("seconds").is_null());
    EXPECT_TRUE(r.at("gflops").is_null());
    EXPECT_GT(r.at("bytes"), 4007383 * 12);
  }
  EXPECT_THAT(row_of(document, "B2 by Equation (3)").at("options").get<std::string>(),
              HasSubstr("block_width=78,"));
  EXPECT_THAT(row_of(document, "HYB-k").at("options").get<std::string>(), HasSubstr("width=75,"));
}

TEST(cli_experiment, parts_of_a_matrix_are_matrices) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  // 4999 rows of 16 and one of 3000: what is beyond the width of hyb is that row's.
  const outcome done =
      cli(quick({"brc/fig9", "--only", "heavy_row(rows=5k,cols=20k,per_row=16,heavy=3000)", "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  const json head = row_of(document, "ELL_ELL");
  const json tail = row_of(document, "COO_COO");
  EXPECT_EQ(head.at("portion"), "head");
  EXPECT_EQ(tail.at("portion"), "tail");
  EXPECT_EQ(head.at("nnz"), 4999 * 16 + 3000);
  EXPECT_EQ(head.at("portion_nnz"), 5000 * 16);
  EXPECT_EQ(tail.at("portion_nnz"), 3000 - 16);
  for (const json& r : document.at("rows")) {
    SCOPED_TRACE(r.dump());
    ASSERT_EQ(r.at("status"), "ok");
    EXPECT_LE(r.at("error_ratio"), 1.0);
    EXPECT_DOUBLE_EQ(r.at("gflops").get<double>(), 2 * r.at("portion_nnz").get<double>() * 1e-9 /
                                                       r.at("seconds").at("median").get<double>());
  }
  EXPECT_LT(head.at("slots_per_nonzero"), 1.1);  // the heavy row would pad all of them

  // Its rows are those of two other experiments too.
  const outcome table = cli({"experiment", "brc/table4", "--from", file, "--json", scratch.path("b.json")});
  ASSERT_EQ(table.status, 0) << table.err;
  const json joined = document_of(scratch.path("b.json"));
  EXPECT_EQ(joined.at("experiment"), "brc/table4");
  EXPECT_EQ(joined.at("source"), "paper 000, Table 4");
  ASSERT_THAT(joined.at("rows"), SizeIs(2));
  EXPECT_EQ(row_of(joined, "COO_COO"), tail);
  EXPECT_EQ(cli({"experiment", "brc/hybrid", "--from", file}).status, 0);
  expect_usage_error({"experiment", "brc/fig9", "--from", scratch.path("b.json")},
                     "its experiment is \"brc/table4\", not \"brc/fig9\"");
  expect_usage_error({"experiment", "brc/table3", "--from", file}, "not \"brc/table3\"");
}

TEST(cli_experiment, empty_parts_are_reported) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"brc/table4", "--only", "diagonal(5k)", "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json tail = row_of(document_of(file), "COO_COO");
  EXPECT_EQ(tail.at("status"), "unsupported");
  EXPECT_EQ(tail.at("portion_nnz"), 0);
  EXPECT_THAT(tail.at("reason").get<std::string>(), HasSubstr("no entry is in the tail"));
  EXPECT_EQ(row_of(document_of(file), "ELL_ELL").at("status"), "ok");
}

TEST(cli_experiment, distributed_rows_are_multiplied_concurrently) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"partition/fig6", "--only", tiny, "--json", file}));
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(file);
  const json one_plan = row_of(document, "CSR, one plan");
  EXPECT_TRUE(one_plan.at("parts").is_null());
  EXPECT_TRUE(one_plan.at("partition").is_null());
  EXPECT_EQ(row_of(document, "Algorithm 4").at("format"), "diag_blocks");
  for (const char* series : {"Algorithm 1", "Algorithm 2", "Algorithm 3"}) {
    const json r = row_of(document, series);
    SCOPED_TRACE(r.dump());
    ASSERT_EQ(r.at("status"), "ok");
    EXPECT_EQ(r.at("format"), "hybrid");
    EXPECT_EQ(r.at("device"), "hybrid");
    EXPECT_LE(r.at("error_ratio"), 1.0);
    // In turn with the others: as many samples.
    EXPECT_EQ(r.at("seconds").at("count"), one_plan.at("seconds").at("count"));
    const json& sets = r.at("partition");
    EXPECT_GT(sets.at("seconds").at("median"), 0);
    EXPECT_EQ(sets.at("powers"), json({1, 1}));
    const json by_command = cli_json({"partition", tiny, "--powers", "1,1", "--algorithm",
                                      sets.at("algorithm").get<std::string>(), "--json"});
    EXPECT_EQ(sets.at("relative_difference"), by_command.at("relative_difference"));
    ASSERT_THAT(r.at("parts"), SizeIs(2));
    for (std::size_t k = 0; k < 2; ++k) {
      const json& part = r.at("parts")[k];
      EXPECT_EQ(part.at("where"), "cpu");
      EXPECT_EQ(part.at("threads"), 1);
      EXPECT_EQ(part.at("format"), "pattern_csr");
      EXPECT_EQ(part.at("rows"), by_command.at("sets")[k].at("rows"));
      EXPECT_EQ(part.at("nnz"), by_command.at("sets")[k].at("nnz"));
    }
  }
  // Figure 8 shows the same measurement, Figure 7 one in f64.
  EXPECT_EQ(cli({"experiment", "partition/fig8", "--from", file}).status, 0);
  expect_usage_error({"experiment", "partition/fig7", "--from", file},
                     "its experiment is \"partition/fig6\"");
}

TEST(cli_experiment, rows_are_shared_out_over_gpus_only_where_there_are_any) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"partition/fig12", "--only", tiny, "--json", file}),
                {.environment = {"CUDA_VISIBLE_DEVICES="}, .out_file = {}})
                .status,
            0);
  const json document = document_of(file);
  for (const char* series : {"Algorithm 1", "Algorithm 2", "Algorithm 3", "Algorithm 4, as published",
                             "Algorithm 4", "Algorithm 2, rebalanced", "CSR, GPU alone"}) {
    EXPECT_EQ(row_of(document, series).at("status"), "absent");
    EXPECT_EQ(row_of(document, series).at("reason"), "there is no GPU here");
  }
  EXPECT_EQ(row_of(document, "CSR, one plan").at("status"), "ok");
}

TEST(cli_experiment, rows_are_shared_out_over_a_gpu_and_cores_cuda) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(
      cli(quick({"partition/fig12", "--only", "stencil(nx=300,ny=300,points=5)", "--json", file})).status, 0);
  const json document = document_of(file);
  if (const json alone = row_of(document, "CSR, GPU alone"); alone.at("status") == "absent") {
    ASSERT_THAT(alone.at("reason").get<std::string>(), HasSubstr("there is no GPU here"));
    GTEST_SKIP() << "no usable CUDA device on this machine";
  }
  EXPECT_TRUE(document.at("machine").at("gpu").is_string());
  for (const char* series : {"Algorithm 1", "Algorithm 2", "Algorithm 3"}) {
    const json r = row_of(document, series);
    SCOPED_TRACE(r.dump());
    ASSERT_EQ(r.at("status"), "ok");
    EXPECT_EQ(r.at("parts")[0].at("where"), "cuda:0");
    EXPECT_EQ(r.at("parts")[0].at("format"), std::string(series) == "Algorithm 3" ? "ellpack" : "hyb");
    EXPECT_EQ(r.at("parts").back().at("where"), "cpu");
    EXPECT_EQ(r.at("parts").back().at("format"), "pattern_csr");
    EXPECT_EQ(r.at("partition").at("powers").size(), r.at("parts").size());
    // Measured, not 1 : 1.
    EXPECT_NE(r.at("partition").at("powers")[0], r.at("partition").at("powers").back());
  }
  EXPECT_EQ(row_of(document, "Algorithm 4").at("parts")[0].at("format"), "diag_blocks");
  EXPECT_EQ(row_of(document, "Algorithm 4").at("parts")[0].at("rows"), 90000);
  EXPECT_EQ(row_of(document, "Algorithm 2, rebalanced").at("status"), "ok");
  const json published = row_of(document, "Algorithm 4, as published");
  ASSERT_EQ(published.at("status"), "ok") << published.dump();
  ASSERT_THAT(published.at("parts"), SizeIs(2));
  EXPECT_EQ(published.at("parts")[0].at("where"), "cuda:0");
  EXPECT_EQ(published.at("parts")[0].at("format"), "dia");
  EXPECT_EQ(published.at("parts")[1].at("where"), "cpu");

  const std::string other = scratch.path("b.json");
  ASSERT_EQ(cli(quick({"partition/fig12", "--only", tiny, "--powers", "75", "--json", other})).status, 0);
  const json typed = document_of(other);
  EXPECT_EQ(typed.at("powers"), "75");
  const json sets = row_of(typed, "Algorithm 2").at("partition");
  EXPECT_EQ(sets.at("powers").front(), 75);
  EXPECT_EQ(sets.at("powers").back(), row_of(typed, "Algorithm 2").at("parts").back().at("threads"));
}

TEST(cli_experiment, all_of_the_cpu_is_timed_apart) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"brc/fig8", "--only", tiny, "--json", file})).status, 0);
  const json sell = row_of(document_of(file), "SELL on the CPU, best window");
  ASSERT_EQ(sell.at("status"), "ok") << sell.at("reason");
  EXPECT_EQ(sell.at("device"), "cpu");
  EXPECT_EQ(sell.at("threads"), 2);
  EXPECT_EQ(sell.at("speed_up").at("paired"), false);
}

TEST(cli_experiment, stand_ins_are_marked) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"csr_m/fig15", "--only", "like(west0067)", "--json", file}));
  // The catalogue has no such matrix, which is bad input.
  EXPECT_EQ(done.status, 2) << done.err;
  const outcome made = cli(quick({"csr_m/fig15", "--only", "like(mac_econ_fwd500)", "--json", file}));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(document_of(file).at("rows")[0].at("stand_in"), true);
  EXPECT_THAT(made.out, HasSubstr("like(mac_econ_fwd500) *"));
}

TEST(cli_experiment, speed_up_over_one_core) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"arg_csr/fig_csr", "--only", tiny, "--json", file})).status, 0);
  const json document = document_of(file);
  bool reference_seen = false;
  for (const json& r : document.at("rows")) {
    if (r.at("series") == "CSR, one CPU core") {
      reference_seen = true;
      EXPECT_EQ(r.at("status"), "ok");
      EXPECT_EQ(r.at("threads"), 1);
      EXPECT_TRUE(r.at("speed_up").is_null());
      continue;
    }
    EXPECT_EQ(r.at("threads"), 2);
    if (r.at("status") != "ok") {
      EXPECT_TRUE(r.at("speed_up").is_null());
      continue;
    }
    const json& s = r.at("speed_up");
    EXPECT_THAT(members(s), ElementsAre("of", "over", "ratio", "low", "high", "paired"));
    EXPECT_EQ(s.at("of"), r.at("series"));
    EXPECT_EQ(s.at("over"), "CSR, one CPU core");
    EXPECT_LE(s.at("low"), s.at("ratio"));
    EXPECT_GE(s.at("high"), s.at("ratio"));
    EXPECT_EQ(s.at("paired"), false);
  }
  EXPECT_TRUE(reference_seen);
}

TEST(cli_experiment, every_file_of_the_folder_is_taken_and_bad_ones_are_listed) {
  const scratch_folder scratch;
  static_cast<void>(scratch.file("good.mtx", small_matrix));
  static_cast<void>(
      scratch.file("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 2.0\n"));
  static_cast<void>(scratch.file("notes.txt", "no matrix"));
  const std::string folder = std::string(scratch.path(""));
  const std::string file = scratch.path("a.json");
  // The last of the gallery's matrices are generated; the shard has the files, which come behind them.
  const outcome all = cli(quick({"arg_csr/fig_csr", "--matrices", folder, "--json", file}));
  EXPECT_EQ(all.status, 0) << all.err;
  const json document = document_of(file);
  ASSERT_THAT(document.at("refused"), SizeIs(1));
  EXPECT_EQ(document.at("refused")[0].at("matrix"), "complex");
  EXPECT_THAT(document.at("refused")[0].at("reason").get<std::string>(), StartsWith("complex.mtx:1:"));
  EXPECT_THAT(document.dump(), Not(HasSubstr(folder)));
  std::set<std::string> matrices;
  for (const json& r : document.at("rows")) matrices.insert(r.at("matrix"));
  EXPECT_THAT(matrices, Contains("good"));
  EXPECT_GT(matrices.size(), 10u);
  EXPECT_THAT(all.out, HasSubstr("left out: complex: "));

  static_cast<void>(
      scratch.file("broken.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1.0\n"));
  const outcome again = cli(quick({"arg_csr/fig_csr", "--matrices", folder, "--json", file, "--resume"}));
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_THAT(again.err, HasSubstr("are in the document already"));
  EXPECT_THAT(document_of(file).at("refused"), SizeIs(2));
  EXPECT_EQ(document_of(file).at("rows"), document.at("rows"));
}

TEST(cli_experiment, parts_are_joined_and_drawn_without_measuring) {
  const scratch_folder scratch;
  const std::vector<std::string> both{"csr_m/fig15", "--only", tiny, "--only", "banded(n=50,lower=2)"};
  const auto part = [&](const std::string& shard) {
    auto arguments = both;
    arguments.insert(arguments.end(),
                     {"--shard", shard, "--json", scratch.path(shard.substr(0, 1) + ".json")});
    EXPECT_EQ(cli(quick(arguments)).status, 0);
    return scratch.path(shard.substr(0, 1) + ".json");
  };
  const std::string first = part("1/2");
  const std::string second = part("2/2");
  EXPECT_THAT(document_of(first).at("rows"), SizeIs(3));
  const std::string joined = scratch.path("all.json");
  const std::string svg = scratch.path("all.svg");
  const outcome done =
      cli({"experiment", "csr_m/fig15", "--from", first + "," + second, "--json", joined, "--svg", svg});
  EXPECT_EQ(done.status, 0) << done.err;
  const json document = document_of(joined);
  ASSERT_THAT(document.at("rows"), SizeIs(6));
  EXPECT_EQ(document.at("rows")[0], document_of(first).at("rows")[0]);
  EXPECT_EQ(document.at("rows")[3], document_of(second).at("rows")[0]);
  EXPECT_THAT(read_file(svg), HasSubstr("banded(n=50,lower=2)"));
  // Twice the same part is that part.
  ASSERT_EQ(cli({"experiment", "csr_m/fig15", "--from", first, "--from", first, "--json", joined}).status, 0);
  EXPECT_EQ(document_of(joined).at("rows"), document_of(first).at("rows"));

  // Figure 16 shows the same measurement, Figure 12 another.
  ASSERT_EQ(cli({"experiment", "csr_m/fig16", "--from", first, "--json", joined}).status, 0);
  EXPECT_EQ(document_of(joined).at("experiment"), "csr_m/fig16");
  expect_usage_error({"experiment", "csr_m/fig12", "--from", first}, "its experiment is");
  json other = document_of(second);
  other["machine"]["cpu"] = "another";
  const std::string elsewhere = scratch.file("other.json", other.dump());
  expect_usage_error({"experiment", "csr_m/fig15", "--from", first, "--from", elsewhere},
                     "another machine (cpu was");
  other = document_of(second);
  other["rows"][0].erase("seconds");
  expect_usage_error({"experiment", "csr_m/fig15", "--from", scratch.file("short.json", other.dump())},
                     "not a document of gossamer experiment");
  expect_usage_error({"experiment", "csr_m/fig15", "--from", scratch.file("text.json", "words")},
                     "not a document of gossamer experiment");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The same rows as an older version wrote them, whose csr on a CPU is pattern_csr now.
json in_schema_1(const json& document) {
  json old = json::parse(replaced(document.dump(), "pattern_csr", "csr"));
  old["schema"] = 1;
  return old;
}

TEST(cli_experiment, formats_of_schema_1_are_renamed_on_a_cpu) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  for (const char* name : {"partition/fig6", "arg_csr/conversion"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(cli(quick({name, "--only", tiny, "--json", file})).status, 0);
    json document = document_of(file);
    // Schema 1 has no other csr on a CPU.
    json& rows = document["rows"];
    rows.erase(
        std::remove_if(rows.begin(), rows.end(), [](const json& r) { return r.at("format") == "csr"; }),
        rows.end());
    const json old = in_schema_1(document);
    ASSERT_NE(old.at("rows"), document.at("rows"));
    const std::string joined = scratch.path("joined.json");
    const outcome done =
        cli({"experiment", name, "--from", scratch.file("old.json", old.dump()), "--json", joined});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(document_of(joined), document);
  }
}

TEST(cli_experiment, formats_of_schema_1_keep_their_names_on_a_gpu) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"partition/fig6", "--only", tiny, "--json", file})).status, 0);
  json old = in_schema_1(document_of(file));
  for (json& row : old["rows"]) {
    if (row.at("device") == "cpu") row["device"] = "cuda:0";
    if (row.at("parts").is_array()) row["parts"][0]["where"] = "cuda:0";
  }
  const std::string joined = scratch.path("joined.json");
  const outcome done =
      cli({"experiment", "partition/fig6", "--from", scratch.file("old.json", old.dump()), "--json", joined});
  ASSERT_EQ(done.status, 0) << done.err;
  const json document = document_of(joined);
  EXPECT_EQ(row_of(document, "CSR, one plan").at("format"), "csr");
  const json shared = row_of(document, "Algorithm 2");
  EXPECT_EQ(shared.at("parts")[0].at("format"), "csr");
  EXPECT_EQ(shared.at("parts")[1].at("format"), "pattern_csr");
  EXPECT_THAT(shared.at("options").get<std::string>(), EndsWith("formats=csr,pattern_csr"));
}

TEST(cli_experiment, resume_refuses_older_and_unknown_schemas) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"partition/fig6", "--only", tiny, "--json", file})).status, 0);
  const json document = document_of(file);
  const json first = in_schema_1(document);
  const std::string old = scratch.file("old.json", first.dump());
  const outcome more = cli(quick({"partition/fig6", "--only", tiny, "--json", old, "--resume"}));
  EXPECT_EQ(more.status, 2);
  EXPECT_THAT(more.err, HasSubstr("old.json: a document of schema 1"));
  EXPECT_EQ(document_of(old), first);

  json unknown = document;
  unknown["schema"] = 3;
  const std::string newer = scratch.file("newer.json", unknown.dump());
  const std::string words = "newer.json: not a document of gossamer experiment (schema 1 or 2)";
  const outcome refused = cli(quick({"partition/fig6", "--only", tiny, "--json", newer, "--resume"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr(words));
  expect_usage_error({"experiment", "partition/fig6", "--from", newer}, words);
  EXPECT_EQ(document_of(newer), unknown);
}

TEST(cli_experiment, resume_goes_on_with_the_same_run_only) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  ASSERT_EQ(cli(quick({"csr_m/fig15", "--only", tiny, "--json", file})).status, 0);
  const json before = document_of(file);
  const outcome more = cli(
      quick({"csr_m/fig15", "--only", tiny, "--only", "banded(n=50,lower=2)", "--json", file, "--resume"}));
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("1 of 2 matrices are in the document already"));
  const json after = document_of(file);
  ASSERT_THAT(after.at("rows"), SizeIs(6));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(after.at("rows")[i], before.at("rows")[i]);
  EXPECT_EQ(after.at("machine").at("copy_gbs"), before.at("machine").at("copy_gbs"));

  const outcome other =
      cli(quick({"csr_m/fig15", "--only", tiny, "--value", "f64", "--json", file, "--resume"}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("its value is \"f32\", not \"f64\""));
  EXPECT_EQ(document_of(file), after);
}

TEST(cli_experiment, a_wrong_product_is_a_failed_row_and_status_1) {
#if defined(GOSSAMER_WRONG_PRODUCT)
  const scratch_folder scratch;
  const std::string file = scratch.path("a.json");
  const outcome done = cli(quick({"csr_m/fig15", "--only", tiny, "--value", "f64", "--json", file}),
                           {.environment = {"LD_PRELOAD=" GOSSAMER_WRONG_PRODUCT}, .out_file = {}});
  EXPECT_EQ(done.status, 1) << done.err;
  const json document = document_of(file);
  const json& wrong = document.at("rows").at(0);
  EXPECT_EQ(wrong.at("status"), "failed");
  EXPECT_THAT(wrong.at("reason").get<std::string>(), HasSubstr("wrong in row"));
  EXPECT_TRUE(wrong.at("seconds").is_null());
  EXPECT_TRUE(wrong.at("gflops").is_null());
  EXPECT_TRUE(wrong.at("paper_bandwidth_gbs").is_null());
#else
  GTEST_SKIP() << "a wrong product can replace the library's only where it is a shared library without "
                  "sanitizers";
#endif
}

}  // namespace
}  // namespace gossamer::test
