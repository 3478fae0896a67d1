// SPDX-License-Identifier: BSD-3-Clause
// gossamer bench: the document that scripts read, and the table.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct bench_run {
  outcome done;
  json document;
};

bench_run bench(std::vector<std::string> arguments, const run_settings& settings = {}) {
  const scratch_folder scratch;
  const std::string file = scratch.path("bench.json");
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--seconds", "0.002", "--json", file});
  // What is installed here is no matter of these tests, and bandwidths of small arrays are measured in no
  // time.
  for (const auto& [option, value] : {std::pair("--peer", "none"), std::pair("--llc-bytes", "1000000")})
    if (std::find(arguments.begin(), arguments.end(), option) == arguments.end())
      arguments.insert(arguments.end(), {option, value});
  bench_run result{.done = cli(arguments, settings)};
  result.document = json::parse(read_file(file), nullptr, false);
  EXPECT_FALSE(result.document.is_discarded());
  return result;
}

void expect_measured(const json& r, double copy_gbs) {
  EXPECT_THAT(members(r.at("seconds")),
              ElementsAre("median", "min", "max", "count", "low", "high", "spread", "preempted"));
  const double median = r.at("seconds").at("median");
  EXPECT_GT(median, 0);
  EXPECT_LE(r.at("seconds").at("min"), median);
  EXPECT_GE(r.at("seconds").at("max"), median);
  EXPECT_LE(r.at("seconds").at("low"), median);
  EXPECT_GE(r.at("seconds").at("high"), median);
  EXPECT_GE(r.at("seconds").at("spread"), 0);
  EXPECT_GE(r.at("seconds").at("count"), 11);
  EXPECT_GT(r.at("inspect_seconds"), 0);
  EXPECT_GT(r.at("predicted_seconds"), 0);
  const double rows = r.at("rows");
  const double cols = r.at("cols");
  const double nnz = r.at("nnz");
  const double bytes = r.at("bytes");
  const double streamed = r.at("streamed_bytes");
  EXPECT_LE(streamed, bytes);
  EXPECT_GE(streamed, bytes / 2);  // at most one copy is left out
  const double value = r.at("value") == "f32" ? 4 : 8;
  EXPECT_DOUBLE_EQ(r.at("gflops").get<double>(), 2 * nnz / median * 1e-9);
  EXPECT_DOUBLE_EQ(r.at("bytes_per_nonzero").get<double>(), bytes / nnz);
  EXPECT_DOUBLE_EQ(r.at("csr_equivalent_gbs").get<double>(),
                   (nnz * (value + 4) + (rows + 1) * 4 + (rows + cols) * value) / median * 1e-9);
  EXPECT_DOUBLE_EQ(r.at("stream_fraction").get<double>(),
                   (streamed + (rows + cols) * value) / median * 1e-9 / copy_gbs);
  EXPECT_LE(r.at("error_ratio"), 1.0);
  const json& pays = r.at("break_even_multiplies");
  EXPECT_TRUE(pays.is_null() || pays >= 0) << pays;
}

TEST(cli_bench, document_has_these_members) {
  const bench_run run = bench({"stencil(nx=20,ny=15,points=5)", "--value", "f32,f64"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& document = run.document;
  EXPECT_THAT(members(document), ElementsAre("schema", "commit", "machine", "results", "absent"));
  EXPECT_EQ(document.at("absent"), json::array());
  EXPECT_EQ(document.at("schema"), 2);
  EXPECT_NE(document.at("commit"), "");
  const json& machine = document.at("machine");
  EXPECT_THAT(members(machine), ElementsAre("cpu", "threads", "stream_gbs", "gpu", "copy_gbs", "isa",
                                            "llc_bytes", "driver", "cuda", "peers"));
  EXPECT_GT(machine.at("llc_bytes"), 0);
  EXPECT_EQ(machine.at("peers"), json::object());
  EXPECT_GE(machine.at("threads"), 1);
  EXPECT_GT(machine.at("stream_gbs"), 0);
  EXPECT_GT(machine.at("copy_gbs"), 0);
  EXPECT_TRUE(machine.at("gpu").is_null());

  const json formats = cli_json({"formats", "--json"});
  ASSERT_EQ(document.at("results").size(), 2 * formats.size());
  std::size_t i = 0;
  for (const json& r : document.at("results")) {
    SCOPED_TRACE(r.dump());
    EXPECT_THAT(
        members(r),
        ElementsAre("matrix", "class", "rows", "cols", "nnz", "value", "op", "columns", "device", "format",
                    "options", "peer", "status", "reason", "inspect_seconds", "device_inspect_seconds",
                    "seconds", "gflops", "bytes", "bytes_per_nonzero", "csr_equivalent_gbs",
                    "stream_fraction", "vs_best_peer", "error_ratio", "break_even_multiplies", "cache",
                    "predicted_seconds", "latency_seconds", "values", "source", "requested", "default",
                    "exceeds_llc", "blind_rows", "vs_peers", "vector_seconds", "streamed_bytes"));
    EXPECT_EQ(r.at("matrix"), "stencil(nx=20,ny=15,points=5)");
    EXPECT_EQ(r.at("class"), "stencil");
    EXPECT_EQ(r.at("rows"), 300);
    EXPECT_EQ(r.at("nnz"), 1430);
    EXPECT_EQ(r.at("value"), i < formats.size() ? "f32" : "f64");
    EXPECT_EQ(r.at("columns"), 1);
    EXPECT_EQ(r.at("device"), "cpu");
    EXPECT_EQ(r.at("format"), formats.at(i % formats.size()).at("name"));
    EXPECT_EQ(r.at("peer"), false);
    EXPECT_EQ(r.at("status"), "ok");
    EXPECT_EQ(r.at("reason"), "");
    EXPECT_TRUE(r.at("vs_best_peer").is_null());
    EXPECT_EQ(r.at("cache"), "hot");
    EXPECT_EQ(r.at("source"), "generated");
    EXPECT_EQ(r.at("requested"), "");
    EXPECT_EQ(r.at("default"), true);
    EXPECT_EQ(r.at("blind_rows"), 0);
    EXPECT_EQ(r.at("exceeds_llc"), false);
    EXPECT_TRUE(r.at("latency_seconds").is_null());
    expect_measured(r, machine.at("copy_gbs"));
    ++i;
  }
}

TEST(cli_bench, op_times_both_products) {
  const bench_run run =
      bench({"uniform(rows=300,cols=200,per_row=9)", "--op", "forward,transposed", "--format",
             "csr,packed,auto", "--peer", "eigen,eigen_transposed", "--cache", "hot,solver", "--verbose"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  std::map<std::string, std::set<std::string>> formats;
  for (const json& r : run.document.at("results")) {
    SCOPED_TRACE(r.dump());
    EXPECT_EQ(r.at("rows"), 300);
    EXPECT_EQ(r.at("cols"), 200);
    EXPECT_NE(r.at("status"), "failed");
    if (r.at("status") == "ok") {
      EXPECT_LE(r.at("error_ratio"), 1);
    }
    formats[r.at("op")].insert(r.at("format"));
  }
  const bool has_eigen = formats["forward"].contains("eigen");
  EXPECT_EQ(formats["forward"].size(), has_eigen ? 4U : 3U);
  EXPECT_EQ(formats["transposed"].size(), has_eigen ? 5U : 3U);
  EXPECT_FALSE(formats["forward"].contains("eigen_transposed"));
  EXPECT_THAT(run.done.out, HasSubstr("f64 A^T"));
  if (has_eigen) {
    EXPECT_THAT(run.done.out, HasSubstr("csr f64 hot transposed against the best peer"));
  }
}

TEST(cli_bench, columns_are_rows_of_their_own) {
  const bench_run run = bench({"uniform(rows=300,cols=200,per_row=9)", "--columns", "1,3,1", "--op",
                               "forward,transposed", "--format", "csr,packed", "--peer",
                               "eigen,eigen_transposed,eigen_spmm_row", "--cache", "all", "--verbose"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  std::map<std::pair<std::string, int>, std::set<std::string>> formats;
  for (const json& r : run.document.at("results")) {
    SCOPED_TRACE(r.dump());
    const double columns = r.at("columns");
    formats[{r.at("op"), r.at("columns")}].insert(r.at("format"));
    EXPECT_NE(r.at("status"), "unsupported");
    if (r.at("status") != "ok") continue;  // short products may be too short for the state solver
    EXPECT_LE(r.at("error_ratio"), 1);
    const double median = r.at("seconds").at("median");
    EXPECT_DOUBLE_EQ(r.at("gflops").get<double>(), 2 * 2700 * columns / median * 1e-9);
    EXPECT_DOUBLE_EQ(
        r.at("csr_equivalent_gbs").get<double>(),
        (2700 * 12 + (r.at("op") == "forward" ? 301 : 201) * 4 + 500 * columns * 8) / median * 1e-9);
    if (r.at("peer") == true) continue;
    EXPECT_EQ(r.at("predicted_seconds").is_null(), columns > 1);
    EXPECT_EQ(r.at("vs_peers").contains("eigen_spmm_row"), columns > 1 && r.at("vs_peers").contains("eigen"));
  }
  std::set<std::string> single{"csr", "packed"};
  if (!run.document.at("machine").at("peers").empty()) single.insert("eigen");
  std::set<std::string> several = single;
  if (single.size() > 2) several.insert("eigen_spmm_row");
  EXPECT_EQ(formats.size(), 4U);
  EXPECT_EQ((formats[{"forward", 1}]), single);
  EXPECT_EQ((formats[{"forward", 3}]), several);
  if (single.size() > 2) {
    single.insert("eigen_transposed");
    several.insert("eigen_transposed");
  }
  EXPECT_EQ((formats[{"transposed", 1}]), single);
  EXPECT_EQ((formats[{"transposed", 3}]), several);
  EXPECT_THAT(run.done.out, HasSubstr("f64 x3"));
  if (single.size() > 2) {
    EXPECT_THAT(run.done.out, HasSubstr("csr f64 hot transposed, 3 columns against the best peer"));
  }
}

TEST(cli_bench, resume_measures_columns_that_are_missing) {
  const scratch_folder scratch;
  const std::string file = scratch.path("bench.json");
  const auto run = [&](const std::string& columns) {
    const outcome done =
        cli({"bench", "diagonal(10)", "--format", "csr", "--peer", "none", "--seconds", "0.002",
             "--llc-bytes", "1000000", "--columns", columns, "--json", file, "--resume"});
    EXPECT_EQ(done.status, 0) << done.err;
    return json::parse(read_file(file)).at("results");
  };
  EXPECT_EQ(run("1").size(), 1U);
  const json both = run("3");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both.at(1).at("columns"), 3);
  EXPECT_EQ(run("1,3"), both);
}

TEST(cli_bench, columns_of_several_parts) {
  const bench_run run =
      bench({"uniform(rows=300,cols=200,per_row=9)", "--columns", "3", "--op", "forward,transposed",
             "--device", "hybrid", "--parts", "cpu:1,cpu:1", "--powers", "1,1", "--format", "csr"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  EXPECT_EQ(run.document.at("results").size(), 6U);
  for (const json& r : run.document.at("results")) {
    EXPECT_EQ(r.at("columns"), 3);
    EXPECT_EQ(r.at("status"), "ok");
  }
}

TEST(cli_bench, bad_columns_are_usage_errors) {
  for (const std::string bad : {"0", "x", "1,-3", "1.5", "1000001"}) {
    const outcome done = cli({"bench", "diagonal(10)", "--columns", bad});
    EXPECT_EQ(done.status, 2) << bad;
    EXPECT_THAT(done.err, testing::AllOf(HasSubstr("--columns"), HasSubstr(bad.substr(bad.find(',') + 1))));
    EXPECT_EQ(lines(done.err).size(), 1U) << done.err;
  }
  const outcome single = cli({"bench", "diagonal(10)", "--peer", "eigen_spmm_row", "--format", "none"});
  EXPECT_EQ(single.status, 2);
  EXPECT_THAT(single.err, HasSubstr("--peer eigen_spmm_row needs --columns 2 or more"));
}

TEST(cli_bench, op_of_several_parts) {
  const bench_run run = bench({"uniform(rows=300,cols=200,per_row=9)", "--op", "transposed", "--device",
                               "hybrid", "--parts", "cpu:1,cpu:1", "--powers", "1,1", "--format", "csr"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  EXPECT_EQ(run.document.at("results").size(), 3U);
  for (const json& r : run.document.at("results")) {
    EXPECT_EQ(r.at("op"), "transposed");
    EXPECT_EQ(r.at("status"), "ok");
  }
}

TEST(cli_bench, a_transposed_peer_needs_the_operation) {
  const outcome done =
      cli({"bench", "dense(rows=3,cols=3)", "--peer", "eigen_transposed", "--format", "none"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("--peer eigen_transposed needs --op transposed"));
}

TEST(cli_bench, several_parts_together_and_each_alone) {
  const bench_run run = bench({"stencil(nx=20,ny=15,points=5)", "--device", "hybrid", "--parts",
                               "cpu:1,cpu:2", "--powers", "1,2", "--format", "csr"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& results = run.document.at("results");
  ASSERT_EQ(results.size(), 3U);
  const std::vector<std::vector<int>> rows{{104, 196}, {300, 0}, {0, 300}};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& r = results.at(i);
    SCOPED_TRACE(r.dump());
    EXPECT_EQ(r.at("device"), "hybrid");
    EXPECT_EQ(r.at("default"), i == 0);
    ASSERT_EQ(r.at("parts").size(), 2U);
    int nnz = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const json& part = r.at("parts").at(k);
      EXPECT_THAT(members(part), ElementsAre("where", "threads", "format", "rows", "nnz", "seconds"));
      EXPECT_EQ(part.at("format"), rows[i][k] > 0 ? "csr" : "none");
      if (i > 0) {
        EXPECT_EQ(part.at("rows"), rows[i][k]);
      }
      EXPECT_EQ(part.at("seconds") > 0, rows[i][k] > 0);
      nnz += part.at("nnz").get<int>();
    }
    EXPECT_EQ(nnz, 1430);
    EXPECT_EQ(r.contains("vs_alone"), i == 0);
  }
  EXPECT_THAT(members(results.at(0).at("vs_alone")), ElementsAre("cpu:1", "cpu:2"));
  EXPECT_THAT(run.done.out, HasSubstr("cpu:2 alone"));
  EXPECT_NEAR(results.at(0).at("parts").at(1).at("nnz").get<double>() / 1430, 2.0 / 3, 0.01);
}

TEST(cli_bench, table_alone_is_on_stdout) {
  const scratch_folder scratch;
  const bench_run run = bench({scratch.file("small.mtx", small_matrix), "--format", "csr,coo", "--verbose"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const auto table = lines(run.done.out);
  ASSERT_GE(table.size(), 4u);
  for (const char* title :
       {"matrix", "value", "format", "options", "median", "GFLOP/s", "bytes/nnz", "predicted"})
    EXPECT_THAT(table[0], HasSubstr(title));
  EXPECT_EQ(table[1].rfind("small ", 0), 0u);
  EXPECT_THAT(table[1], HasSubstr(" csr "));
  EXPECT_THAT(table[2], HasSubstr(" coo "));
  EXPECT_THAT(run.done.err, HasSubstr("small: 4 x 5, 6 nonzeros, f64"));
  EXPECT_THAT(run.done.err, Not(HasSubstr("\r")));  // no bar: stderr is a file here
  EXPECT_TRUE(run.document.at("results").at(0).at("class").is_null());
}

TEST(cli_bench, a_refusal_is_a_result_and_the_run_goes_on) {
  const bench_run run =
      bench({"heavy_row(rows=5k,heavy=5k,per_row=1)", "diagonal(10)", "--format", "ellpack"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 2u);
  const json& refused = run.document.at("results").at(0);
  EXPECT_EQ(refused.at("status"), "unsupported");
  EXPECT_THAT(refused.at("reason").get<std::string>(), HasSubstr("5000"));
  EXPECT_EQ(refused.at("format"), "ellpack");
  for (const char* name :
       {"inspect_seconds", "seconds", "gflops", "bytes", "bytes_per_nonzero", "csr_equivalent_gbs",
        "stream_fraction", "error_ratio", "break_even_multiplies", "predicted_seconds", "streamed_bytes"})
    EXPECT_TRUE(refused.at(name).is_null()) << name;
  EXPECT_EQ(run.document.at("results").at(1).at("status"), "ok");
  EXPECT_THAT(run.done.out, HasSubstr("ellpack         refused: "));
}

TEST(cli_bench, inspects_the_requested_number_of_times) {
  const bench_run run = bench({"diagonal(1000)", "--format", "packed", "--inspections", "3"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& r = run.document.at("results").at(0);
  EXPECT_GT(r.at("inspect_seconds"), 0);
  EXPECT_TRUE(r.at("device_inspect_seconds").is_null()) << "of a matrix in a GPU's memory";
  EXPECT_EQ(cli({"bench", "diagonal(10)", "--inspections", "0"}).status, 2);
}

/// Beside what the choice is by name: the same plan.
TEST(cli_bench, times_what_inspect_chooses) {
  const bench_run run = bench({"stencil(nx=40,ny=40,points=5)", "--format", "auto,csr"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 2u);
  const json& chosen = run.document.at("results").at(0);
  EXPECT_EQ(chosen.at("format"), "auto");
  EXPECT_EQ(chosen.at("status"), "ok");
  EXPECT_EQ(chosen.at("default"), true);
  EXPECT_THAT(chosen.at("options").get<std::string>(), testing::StartsWith("format="));
  EXPECT_GT(chosen.at("seconds").at("median"), 0);
  EXPECT_TRUE(chosen.at("break_even_multiplies").is_null() || chosen.at("break_even_multiplies") >= 0);
  const outcome refused = cli({"bench", "diagonal(10)", "--format", "auto", "--all-options"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--format auto"));
}

TEST(cli_bench, times_inspecting_a_matrix_that_is_on_the_device_cuda) {
  // Whatever else keeps a product from being made is a failure.
  if (cli({"multiply", "diagonal(10)", "--device", "cuda:0"}).err.find("has 0 usable CUDA devices") !=
          std::string::npos ||
      cli({"multiply", "diagonal(10)", "--device", "cuda:0"}).err.find("has no CUDA") != std::string::npos)
    GTEST_SKIP() << "no usable CUDA device on this machine";
  const bench_run run =
      bench({"diagonal(1000)", "--format", "packed", "--inspections", "3", "--device", "cuda:0"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  EXPECT_GT(run.document.at("results").at(0).at("device_inspect_seconds"), 0);
}

TEST(cli_bench, times_updates_of_values) {
  const bench_run run = bench({"diagonal(1000)", "--format", "csr,packed", "--values-change"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  for (const json& r : run.document.at("results")) {
    EXPECT_GT(r.at("update_seconds"), 0) << r.at("format");
    EXPECT_FALSE(r.contains("device_update_seconds")) << "there is no device";
  }
  EXPECT_EQ(run.document.at("machine").at("values_change"), true);
}

TEST(cli_bench, times_reordered_plans) {
  const bench_run run = bench({"shuffled_mesh(nx=30,ny=20)", "--format", "csr", "--reorder", "rcm"});
  const json& only = run.document.at("results").at(0);
  if (only.at("reason").get<std::string>().find("Boost") != std::string::npos)
    GTEST_SKIP() << only.at("reason");
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  EXPECT_EQ(only.at("status"), "ok");
  EXPECT_EQ(run.document.at("machine").at("reorder"), "rcm");
  // The plan that is timed has a permutation too: at least a number for each of the 600 rows.
  const bench_run plain = bench({"shuffled_mesh(nx=30,ny=20)", "--format", "csr"});
  EXPECT_FALSE(plain.document.at("machine").contains("reorder"));
  EXPECT_GE(only.at("bytes"), plain.document.at("results").at(0).at("bytes").get<std::int64_t>() +
                                  600 * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

TEST(cli_bench, options_of_one_format) {
  const bench_run run = bench({"diagonal(10)", "--format", "csr", "--option", "kernel=balanced"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 1u);
  EXPECT_EQ(run.document.at("results").at(0).at("options"), "kernel=balanced");
}

TEST(cli_bench, all_options_of_one_format) {
  const bench_run run = bench({"diagonal(10)", "--format", "csr", "--all-options"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  std::vector<std::string> options;
  int defaults = 0;
  for (const json& r : run.document.at("results")) {
    options.push_back(r.at("options"));
    EXPECT_EQ(r.at("requested"), "all");
    defaults += r.at("default") == true ? 1 : 0;
  }
  EXPECT_THAT(options, testing::UnorderedElementsAre("kernel=thread", "kernel=balanced"));
  EXPECT_EQ(defaults, 1);
  EXPECT_EQ(run.document.at("results").at(0).at("default"), true);
}

TEST(cli_bench, all_options_of_several_formats) {
  const bench_run run = bench({"diagonal(10)", "--format", "csr,coo", "--all-options"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  std::map<std::string, int> settings;
  for (const json& r : run.document.at("results")) ++settings[r.at("format")];
  EXPECT_EQ(settings.size(), 2u);
  for (const auto& [format, count] : settings) EXPECT_GE(count, 2) << format;
}

TEST(cli_bench, a_matrix_without_entries) {
  const bench_run run = bench({"uniform(rows=4,per_row=0)"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  for (const json& r : run.document.at("results")) {
    EXPECT_EQ(r.at("status"), "ok");
    EXPECT_TRUE(r.at("bytes_per_nonzero").is_null());
    EXPECT_EQ(r.at("gflops"), 0.0);
  }
}

TEST(cli_bench, what_was_measured_before_a_bad_matrix_is_kept) {
  const scratch_folder scratch;
  const bench_run run = bench({"diagonal(10)", scratch.file("bad.mtx", "nonsense\n"), "--format", "csr"});
  EXPECT_EQ(run.done.status, 2);
  EXPECT_THAT(run.done.err, HasSubstr("bad.mtx:1"));
  EXPECT_EQ(run.document.at("results").size(), 1u);
}

TEST(cli_bench, duplicate_names_are_measured_once) {
  const bench_run run =
      bench({"diagonal(10)", "diagonal(10)", "--format", "csr,coo,csr", "--value", "f64,f64"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 2u);
  EXPECT_EQ(run.document.at("results").at(0).at("format"), "csr");
  EXPECT_EQ(run.document.at("results").at(1).at("format"), "coo");
}

TEST(cli_bench, hot_solver_and_cold_are_rows_of_their_own) {
  const bench_run run = bench(
      {"uniform(rows=2000,per_row=8)", "--format", "csr,coo", "--cache", "all", "--llc-bytes", "8000000"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& rows = run.document.at("results");
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const json& r = rows.at(i);
    EXPECT_EQ(r.at("cache"), (std::array{"hot", "solver", "cold"}.at(i / 2)));
    EXPECT_EQ(r.at("format"), i % 2 == 0 ? "csr" : "coo");
    expect_measured(r, run.document.at("machine").at("copy_gbs"));
    if (r.at("cache") == "solver") {
      EXPECT_GT(r.at("vector_seconds"), 0);
    } else {
      EXPECT_TRUE(r.at("vector_seconds").is_null());
    }
  }
  EXPECT_EQ(run.document.at("machine").at("llc_bytes"), 8000000);
}

TEST(cli_bench, break_even_counts_from_csr_that_was_not_requested) {
#if defined(GOSSAMER_SLOW_PRODUCT)
  const bench_run run = bench(
      {"diagonal(1000)", "--format", "coo"},
      {.environment = {"LD_PRELOAD=" GOSSAMER_SLOW_PRODUCT, "GOSSAMER_TEST_SLOWED=csr"}, .out_file = {}});
  ASSERT_EQ(run.document.at("results").size(), 1u) << run.done.err;
  const json& hot = run.document.at("results").at(0);
  EXPECT_EQ(hot.at("format"), "coo");
  EXPECT_TRUE(hot.at("break_even_multiplies").is_number()) << hot;
#else
  GTEST_SKIP() << "a slow product can replace the library's only where it is a shared library "
                  "without sanitizers";
#endif
}

TEST(cli_bench, an_unresolved_product_fails_in_state_solver_alone) {
#if defined(GOSSAMER_SLOW_PRODUCT)
  const bench_run run =
      bench({"diagonal(10)", "--value", "f64,f32", "--format", "csr", "--cache", "solver,cold"},
            {.environment = {"LD_PRELOAD=" GOSSAMER_SLOW_PRODUCT}, .out_file = {}});
  EXPECT_EQ(run.done.status, 1) << run.done.err;
  const json& rows = run.document.at("results");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.at(0).at("status"), "failed");
  EXPECT_THAT(rows.at(0).at("reason").get<std::string>(), HasSubstr("11 of 11 samples"));
  EXPECT_TRUE(rows.at(0).at("seconds").is_null());
  EXPECT_TRUE(rows.at(0).at("vector_seconds").is_null());
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(rows.at(i).at("status"), "ok");
  EXPECT_GT(rows.at(2).at("vector_seconds"), 0);
#else
  GTEST_SKIP() << "a slow product can replace the library's only where it is a shared library "
                  "without sanitizers";
#endif
}

TEST(cli_bench, cache_states_are_measured_once_in_the_order_given) {
  const bench_run run = bench({"diagonal(10)", "--format", "csr", "--cache", "cold,hot,cold"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 2u);
  EXPECT_EQ(run.document.at("results").at(0).at("cache"), "cold");
  EXPECT_EQ(run.document.at("results").at(1).at("cache"), "hot");
  EXPECT_EQ(cli({"bench", "diagonal(10)", "--cache", "both"}).status, 2);
}

TEST(cli_bench, matrices_beyond_two_caches_are_marked) {
  for (const std::int64_t cache : {1000, 100000}) {
    const bench_run run = bench({"diagonal(100)", "--format", "csr", "--llc-bytes", std::to_string(cache)});
    const json& r = run.document.at("results").at(0);
    EXPECT_EQ(r.at("exceeds_llc"), cache == 1000);
    EXPECT_EQ(r.at("exceeds_llc"), r.at("bytes").get<std::int64_t>() + 200 * 8 > 2 * cache);
  }
}

TEST(cli_bench, values_and_source_of_a_matrix) {
  const scratch_folder scratch;
  const std::string small = scratch.file("small.mtx", small_matrix);
  const bench_run run = bench({small, "file(" + small + ",values=distinct)", "diagonal(10,values=few(3))",
                               "diagonal(10)", "like(scircuit)", "--format", "csr"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  std::vector<std::array<std::string, 3>> seen;
  for (const json& r : run.document.at("results"))
    seen.push_back({r.at("matrix"), r.at("values"), r.at("source")});
  using row = std::array<std::string, 3>;
  // Two matrices of one name and other values are two rows.
  EXPECT_THAT(seen, ElementsAre(row{"small", "file", "file"}, row{"small", "distinct", "file"},
                                row{"diagonal(10,values=few(3))", "few(3)", "generated"},
                                row{"diagonal(10)", "distinct", "generated"},
                                row{"like(scircuit)", "distinct", "like"}));
  EXPECT_THAT(run.done.out, HasSubstr("small: 4 x 5, 6 nonzeros, f64, cpu, hot cache\n"));
  EXPECT_THAT(run.done.out, HasSubstr("\nsmall values=distinct: 4 x 5, 6 nonzeros, f64, cpu, hot cache\n"));
  EXPECT_THAT(run.done.out, HasSubstr("\nlike(scircuit): 170998 x 170998, "));
  EXPECT_EQ(run.document.at("results").at(4).at("class"), "circuit");
}

TEST(cli_bench, a_set_lists_its_members_and_reports_absent_ones) {
  const scratch_folder scratch;
  const bench_run run =
      bench({"@headline", "--format", "csr", "--shard", "15/1000", "--matrices", scratch.path("")});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  ASSERT_EQ(run.document.at("absent").size(), 1u) << run.document;
  EXPECT_EQ(run.document.at("results").size(), 0u);
  const json& absent = run.document.at("absent").at(0);
  EXPECT_THAT(members(absent), ElementsAre("matrix", "values", "class", "reason"));
  EXPECT_THAT(run.done.err, HasSubstr(absent.at("matrix").get<std::string>() + " is absent: "));
  EXPECT_THAT(absent.at("reason").get<std::string>(), HasSubstr("the folder of matrices has no "));
  // A record is read on other machines, and kept.
  EXPECT_THAT(run.document.dump(), Not(HasSubstr(scratch.path(""))));
}

TEST(cli_bench, threads_are_those_that_products_run_on) {
  const auto threads = [](const std::vector<std::string>& more, const std::string& environment) {
    std::vector<std::string> arguments{"diagonal(10)", "--format", "csr"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments, {.environment = {environment}, .out_file = {}})
        .document.at("machine")
        .at("threads");
  };
  EXPECT_EQ(threads({"--threads", "3"}, "OMP_NUM_THREADS=2"), 3);
  // OpenMP reads a list, one number a level of nesting.
  EXPECT_EQ(threads({}, "OMP_NUM_THREADS=2,4"), 2);
}

TEST(cli_bench, resume_runs_only_missing_results) {
  const scratch_folder scratch;
  const std::string file = scratch.path("bench.json");
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--seconds", "0.002", "--peer", "none", "--llc-bytes", "1000000",
                                       "--json", file, "--resume"});
    const outcome done = cli(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    return done;
  };
  const auto rows = [&] { return json::parse(read_file(file)).at("results"); };
  run({"diagonal(10)", "--format", "csr"});  // nothing there yet
  const json first = rows();
  ASSERT_EQ(first.size(), 1u);

  const outcome again = run({"diagonal(10)", "--format", "csr"});
  EXPECT_EQ(rows(), first);
  EXPECT_THAT(unwrapped(again.out), testing::MatchesRegex("\nNext: [^\n]*bench.json[^\n]*\n"));
  EXPECT_THAT(again.err, HasSubstr("1 of 1 runs are in the document already"));

  run({"diagonal(10)", "diagonal(20)", "--format", "csr"});
  const json second = rows();
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second.at(0), first.at(0));

  run({"diagonal(10)", "--format", "csr", "--value", "f64,f32", "--cache", "hot,cold"});
  EXPECT_EQ(rows().size(), 5u);

  // A format more: the matrix is measured whole, the row that was there is replaced.
  run({"diagonal(20)", "--format", "csr,coo"});
  const json third = rows();
  EXPECT_EQ(third.size(), 6u);
  int rows_of_20 = 0;
  for (const json& r : third) {
    rows_of_20 += r.at("matrix") == "diagonal(20)" ? 1 : 0;
    EXPECT_NE(r, second.at(1));
  }
  EXPECT_EQ(rows_of_20, 2);

  // The default setting is among all settings, so it is not run again; the others are not there yet.
  run({"diagonal(20)", "--format", "csr", "--all-options"});
  EXPECT_EQ(rows().size(), 7u);
  const json all = rows();
  run({"diagonal(20)", "--format", "csr"});
  run({"diagonal(20)", "--format", "csr", "--all-options"});
  EXPECT_EQ(rows(), all);
}

TEST(cli_bench, resuming_needs_the_same_commit_and_machine) {
  const scratch_folder scratch;
  const bench_run good = bench({"diagonal(10)", "--format", "csr"});
  const auto refused = [&](const json& document, const std::string& word) {
    const std::string file = scratch.file("bench.json", document.dump());
    const outcome done = cli({"bench", "diagonal(20)", "--format", "csr", "--peer", "none", "--json", file,
                              "--resume", "--llc-bytes", good.document.at("machine").at("llc_bytes").dump()});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, testing::AllOf(HasSubstr("bench.json"), HasSubstr(word)));
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
    EXPECT_EQ(read_file(file), document.dump());
  };
  json other = good.document;
  other["commit"] = "0000000";
  refused(other, "commit \"0000000\"");
  for (const char* member : {"cpu", "gpu", "isa"}) {
    other = good.document;
    other["machine"][member] = "another";
    refused(other, std::string(member) + " was \"another\"");
  }
  other = good.document;
  other["machine"]["threads"] = 12345;
  refused(other, "threads was 12345");
  other = good.document;
  other["machine"].erase("copy_gbs");
  refused(other, "bandwidths");
  other = good.document;
  for (const json& unknown : {json(3), json("2"), json()}) {
    other["schema"] = unknown;
    refused(other, "not a document of gossamer bench (schema 2)");
  }
  refused("no document", "(schema 2)");
  refused(json::array(), "(schema 2)");
  other["schema"] = 1;
  refused(other,
          "schema 1, in which csr on a CPU means pattern_csr; --resume needs schema 2: give another file to "
          "--json");
}

TEST(cli_bench, shards_share_the_matrices_out) {
  const std::vector<std::string> matrices{"diagonal(10)", "diagonal(20)", "diagonal(30)"};
  std::vector<std::string> seen;
  for (const char* shard : {"1/2", "2/2"}) {
    std::vector<std::string> arguments = matrices;
    arguments.insert(arguments.end(), {"--format", "csr", "--shard", shard});
    const bench_run run = bench(arguments);
    EXPECT_EQ(run.done.status, 0) << run.done.err;
    for (const json& r : run.document.at("results")) seen.push_back(r.at("matrix"));
  }
  EXPECT_THAT(seen, ElementsAre("diagonal(10)", "diagonal(30)", "diagonal(20)"));
}

TEST(cli_bench, a_time_limit_leaves_the_rest_for_the_next_call) {
  const scratch_folder scratch;
  const std::string file = scratch.path("bench.json");
  const std::vector<std::string> command{
      "bench", "diagonal(10)", "diagonal(20)", "--format", "csr", "--peer",   "none",         "--seconds",
      "0.002", "--llc-bytes",  "1000000",      "--json",   file,  "--resume", "--time-limit", "1e-9"};
  const outcome first = cli(command);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("1 of 2 runs are left, from diagonal(20) f64 on"));
  EXPECT_EQ(json::parse(read_file(file)).at("results").size(), 1u);
  const outcome second = cli(command);
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("left")));
  EXPECT_EQ(json::parse(read_file(file)).at("results").size(), 2u);
}

TEST(cli_bench, missing_memory_is_a_failed_result_and_the_run_continues) {
  // Padded to the longest row it would be 12 TB.
  const bench_run run = bench({"heavy_row(rows=1M,heavy=1M,per_row=1)", "diagonal(10)", "--format", "ellpack",
                               "--option", "max_padding=1000000"});
  EXPECT_EQ(run.done.status, 1);
  ASSERT_EQ(run.document.at("results").size(), 2u);
  const json& failed = run.document.at("results").at(0);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_THAT(failed.at("reason").get<std::string>(), HasSubstr("memory"));
  EXPECT_EQ(run.document.at("results").at(1).at("status"), "ok");
}

TEST(cli_bench, a_matrix_that_does_not_fit_in_memory_is_left_out_and_the_run_goes_on) {
  // More than an address space holds.
  const bench_run run = bench({"dense(rows=1M,cols=2G)", "diagonal(10)", "--format", "csr"},
                              {.environment = {"ASAN_OPTIONS=allocator_may_return_null=1"}, .out_file = {}});
  EXPECT_EQ(run.done.status, 1);
  ASSERT_EQ(run.document.at("results").size(), 1u);
  EXPECT_EQ(run.document.at("results").at(0).at("matrix"), "diagonal(10)");
  ASSERT_EQ(run.document.at("absent").size(), 1u);
  EXPECT_EQ(run.document.at("absent").at(0).at("matrix"), "dense(rows=1M,cols=2G)");
  EXPECT_THAT(run.document.at("absent").at(0).at("reason").get<std::string>(), HasSubstr("memory"));
}

TEST(cli_bench, peers_are_listed_with_formats) {
  const bench_run run =
      bench({"uniform(rows=3000,per_row=9)", "--format", "csr,coo", "--peer", "all", "--verbose"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& peers = run.document.at("machine").at("peers");
  if (peers.empty()) GTEST_SKIP() << "none of cuSPARSE, MKL, Eigen and librsb is installed here";
  std::map<std::string, double> medians;
  for (const json& r : run.document.at("results")) {
    if (r.at("peer") == false || r.at("status") != "ok") continue;
    SCOPED_TRACE(r.dump());
    EXPECT_TRUE(peers.contains(r.at("format").get<std::string>()));
    EXPECT_TRUE(r.at("vs_best_peer").is_null());
    EXPECT_LE(r.at("error_ratio"), 1.0);
    EXPECT_EQ(r.at("default"), false);
    medians[r.at("format")] = r.at("seconds").at("median");
  }
  EXPECT_EQ(medians.size(), peers.size());
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::string best = std::min_element(medians.begin(), medians.end(), less)->first;
  for (const json& r : run.document.at("results")) {
    if (r.at("peer") == true) continue;
    const json& against = r.at("vs_best_peer");
    EXPECT_THAT(members(against), ElementsAre("peer", "ratio", "low", "high"));
    EXPECT_EQ(against.at("peer"), best);
    EXPECT_LE(against.at("low"), against.at("ratio"));
    EXPECT_LE(against.at("ratio"), against.at("high"));
    ASSERT_EQ(r.at("vs_peers").size(), medians.size());
    for (const auto& [peer, each] : r.at("vs_peers").items()) EXPECT_EQ(medians.count(peer), 1u);
    EXPECT_EQ(r.at("vs_peers").at(best).at("ratio"), against.at("ratio"));
  }
  EXPECT_THAT(run.done.out, HasSubstr("csr f64 hot against the best peer, 1 matrices: "));
}

TEST(cli_bench, an_absent_peer_is_one_line) {
  const std::string nowhere = "GOSSAMER_MKL=/nonexistent";
  const bench_run run =
      bench({"diagonal(10)", "--format", "csr", "--peer", "mkl"}, {.environment = {nowhere}, .out_file = {}});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  EXPECT_EQ(run.document.at("results").size(), 1u);
  EXPECT_THAT(run.done.err, HasSubstr("peer mkl is absent: "));
  for (const std::string& line : lines(run.done.err)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(cli_bench, a_wrong_peer_is_a_failed_result_and_no_failed_run) {
  const bench_run run = bench({"diagonal(10)", "--value", "f64,f32", "--format", "csr", "--peer", "eigen"},
                              {.environment = {}, .out_file = {}, .program = GOSSAMER_WITH_WRONG_PEER});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  if (run.document.at("machine").at("peers").empty())
    GTEST_SKIP() << "built without Eigen, whose product is what is made wrong here";
  const json& rows = run.document.at("results");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows.at(0).at("vs_best_peer").is_null());
  EXPECT_EQ(rows.at(1).at("format"), "eigen");
  EXPECT_EQ(rows.at(1).at("status"), "failed");
  EXPECT_GT(rows.at(1).at("error_ratio"), 1.0);
  EXPECT_THAT(run.done.err, HasSubstr("diagonal(10) f64: peer eigen: wrong in row"));
  EXPECT_EQ(rows.at(2).at("vs_best_peer").at("peer"), "eigen");
  EXPECT_EQ(rows.at(3).at("status"), "ok");
}

TEST(cli_bench, a_wrong_product_is_a_failed_result_and_status_1) {
#if defined(GOSSAMER_WRONG_PRODUCT)
  const bench_run run = bench({"diagonal(10)", "--value", "f64,f32", "--format", "csr"},
                              {.environment = {"LD_PRELOAD=" GOSSAMER_WRONG_PRODUCT}, .out_file = {}});
  EXPECT_EQ(run.done.status, 1) << run.done.err;
  ASSERT_EQ(run.document.at("results").size(), 2u);
  const json& wrong = run.document.at("results").at(0);
  EXPECT_EQ(wrong.at("status"), "failed");
  EXPECT_THAT(wrong.at("reason").get<std::string>(), HasSubstr("wrong in row"));
  EXPECT_GT(wrong.at("error_ratio"), 1.0);
  EXPECT_TRUE(wrong.at("seconds").is_null());
  EXPECT_EQ(run.document.at("results").at(1).at("status"), "ok");
#else
  GTEST_SKIP() << "a wrong product can replace the library's only where it is a shared library without "
                  "sanitizers";
#endif
}

}  // namespace
}  // namespace gossamer::test
