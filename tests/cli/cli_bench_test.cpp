// SPDX-License-Identifier: BSD-3-Clause
// gossamer bench: the document that scripts read, and the table.
#include <gmock/gmock.h>

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
  bench_run result{.done = cli(arguments, settings)};
  result.document = json::parse(read_file(file), nullptr, false);
  EXPECT_FALSE(result.document.is_discarded());
  return result;
}

void expect_measured(const json& r, double copy_gbs) {
  EXPECT_THAT(members(r.at("seconds")), ElementsAre("median", "min", "max", "count"));
  const double median = r.at("seconds").at("median");
  EXPECT_GT(median, 0);
  EXPECT_LE(r.at("seconds").at("min"), median);
  EXPECT_GE(r.at("seconds").at("max"), median);
  EXPECT_GE(r.at("seconds").at("count"), 3);
  EXPECT_GT(r.at("inspect_seconds"), 0);
  EXPECT_GT(r.at("predicted_seconds"), 0);
  const double rows = r.at("rows");
  const double cols = r.at("cols");
  const double nnz = r.at("nnz");
  const double bytes = r.at("bytes");
  const double value = r.at("value") == "f32" ? 4 : 8;
  EXPECT_DOUBLE_EQ(r.at("gflops").get<double>(), 2 * nnz / median * 1e-9);
  EXPECT_DOUBLE_EQ(r.at("bytes_per_nonzero").get<double>(), bytes / nnz);
  EXPECT_DOUBLE_EQ(r.at("csr_equivalent_gbs").get<double>(),
                   (nnz * (value + 4) + (rows + 1) * 4 + (rows + cols) * value) / median * 1e-9);
  EXPECT_DOUBLE_EQ(r.at("stream_fraction").get<double>(),
                   (bytes + (rows + cols) * value) / median * 1e-9 / copy_gbs);
  EXPECT_LE(r.at("error_ratio"), 1.0);
  const json& pays = r.at("break_even_multiplies");
  EXPECT_TRUE(pays.is_null() || pays >= 0) << pays;
}

TEST(cli_bench, document_has_these_members) {
  const bench_run run = bench({"stencil(nx=20,ny=15,points=5)", "--value", "f32,f64"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const json& document = run.document;
  EXPECT_THAT(members(document), ElementsAre("schema", "commit", "machine", "results"));
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_NE(document.at("commit"), "");
  const json& machine = document.at("machine");
  EXPECT_THAT(members(machine), ElementsAre("cpu", "threads", "stream_gbs", "gpu", "copy_gbs"));
  EXPECT_GE(machine.at("threads"), 1);
  EXPECT_GT(machine.at("stream_gbs"), 0);
  EXPECT_GT(machine.at("copy_gbs"), 0);
  EXPECT_TRUE(machine.at("gpu").is_null());

  const json formats = cli_json({"formats", "--json"});
  ASSERT_EQ(document.at("results").size(), 2 * formats.size());
  std::size_t i = 0;
  for (const json& r : document.at("results")) {
    SCOPED_TRACE(r.dump());
    EXPECT_THAT(members(r),
                ElementsAre("matrix", "class", "rows", "cols", "nnz", "value", "device", "format", "options",
                            "peer", "status", "reason", "inspect_seconds", "seconds", "gflops", "bytes",
                            "bytes_per_nonzero", "csr_equivalent_gbs", "stream_fraction", "vs_best_peer",
                            "error_ratio", "break_even_multiplies", "cache", "predicted_seconds"));
    EXPECT_EQ(r.at("matrix"), "stencil(nx=20,ny=15,points=5)");
    EXPECT_EQ(r.at("class"), "stencil");
    EXPECT_EQ(r.at("rows"), 300);
    EXPECT_EQ(r.at("nnz"), 1430);
    EXPECT_EQ(r.at("value"), i < formats.size() ? "f32" : "f64");
    EXPECT_EQ(r.at("device"), "cpu");
    EXPECT_EQ(r.at("format"), formats.at(i % formats.size()).at("name"));
    EXPECT_EQ(r.at("peer"), false);
    EXPECT_EQ(r.at("status"), "ok");
    EXPECT_EQ(r.at("reason"), "");
    EXPECT_TRUE(r.at("vs_best_peer").is_null());
    EXPECT_EQ(r.at("cache"), "hot");
    expect_measured(r, machine.at("copy_gbs"));
    ++i;
  }
}

TEST(cli_bench, table_alone_is_on_stdout) {
  const scratch_folder scratch;
  const bench_run run = bench({scratch.file("small.mtx", small_matrix), "--format", "csr,coo"});
  EXPECT_EQ(run.done.status, 0) << run.done.err;
  const auto table = lines(run.done.out);
  ASSERT_EQ(table.size(), 3u);
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
        "stream_fraction", "error_ratio", "break_even_multiplies", "predicted_seconds"})
    EXPECT_TRUE(refused.at(name).is_null()) << name;
  EXPECT_EQ(run.document.at("results").at(1).at("status"), "ok");
  EXPECT_THAT(run.done.out, HasSubstr("unsupported: "));
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
  for (const json& r : run.document.at("results")) options.push_back(r.at("options"));
  EXPECT_THAT(options, testing::IsSupersetOf({"kernel=thread", "kernel=balanced"}));
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
  GTEST_SKIP() << "needs the shared library without sanitizers";
#endif
}

}  // namespace
}  // namespace gossamer::test
