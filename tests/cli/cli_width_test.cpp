// SPDX-License-Identifier: BSD-3-Clause
// Default output fits 100 columns, and gossamer bench ends with the next step.
#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

void expect_narrow(const std::string& text) {
  for (const std::string& line : lines(text)) {
    EXPECT_LE(line.size(), 100U) << line;
    EXPECT_FALSE(!line.empty() && line.back() == ' ') << "\"" << line << "\"";
  }
}

outcome narrow(const std::vector<std::string>& arguments, const run_settings& settings = {}) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  outcome done = cli(arguments, settings);
  expect_narrow(done.out);
  expect_narrow(done.err);
  return done;
}

outcome narrow_bench(std::vector<std::string> arguments, const run_settings& settings = {}) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--seconds", "0.002", "--llc-bytes", "1000000"});
  return narrow(arguments, settings);
}

/// The text from "Next: " on, without the line breaks that wrapping adds to it.
std::string next_step(const outcome& done) {
  const std::size_t begin = done.out.rfind("\nNext: ");
  return begin == std::string::npos ? "" : unwrapped(done.out.substr(begin + 1));
}

// Longer than a line.
constexpr const char* long_matrix =
    "power_law(rows=1000,cols=1000,mean=10,exponent=2.5000000,max=1000,seed=1234567890123456,values=few(200)"
    ")";

TEST(cli_width, bench_of_all_formats_and_situations) {
  const outcome done = narrow_bench({long_matrix, "--format", "all", "--peer",
                                     "eigen,eigen_transposed,eigen_spmm_row", "--value", "f64,f32", "--cache",
                                     "hot,cold", "--columns", "1,4", "--op", "forward,transposed"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* text :
       {"nonzeros, f64, cpu\n", "nonzeros, f32, cpu\n", "  hot cache, y = A x, 1 column:\n",
        "  cold cache, y = A^T x, 4 columns:\n", "  format or peer ", "B/nonzero", "refused: ", " ...\n"})
    EXPECT_THAT(done.out, HasSubstr(text));
  EXPECT_THAT(next_step(done), AllOf(StartsWith("Next: gossamer multiply MATRIX --format "),
                                     HasSubstr("C++: gossamer::inspect(a, gossamer::cpu{}, {.format = \""),
                                     HasSubstr("Python: gossamer.matrix(A, format=\"")));
}

TEST(cli_width, bench_names_the_fastest_format_and_its_command) {
  const scratch_folder scratch;
  const std::string file = scratch.file("small.mtx", small_matrix);
  const outcome done = narrow_bench({file, "--format", "csr", "--peer", "none", "--value", "f32"});
  EXPECT_THAT(done.out, StartsWith("small: 4 x 5, 6 nonzeros, f32, cpu, hot cache\n  format or peer "));
  EXPECT_THAT(done.out, Not(HasSubstr("speed-up")));
  EXPECT_THAT(next_step(done),
              AllOf(StartsWith("Next: gossamer multiply "), HasSubstr(" --format csr --value f32"),
                    HasSubstr("gossamer.matrix(A, format=\"csr\")\n")));
  const outcome set = narrow_bench({file, "--format", "csr", "--option", "kernel=thread", "--peer", "none",
                                    "--op", "transposed", "--columns", "2"});
  EXPECT_THAT(next_step(set), HasSubstr(" --format csr --option kernel=thread --transposed --columns 2\n"));
}

TEST(cli_width, bench_repeats_the_number_of_threads_in_the_next_step) {
  const outcome two = narrow_bench(
      {"diagonal(100)", "--format", "csr", "--peer", "none", "--threads", "2", "--columns", "3"});
  EXPECT_THAT(next_step(two),
              AllOf(HasSubstr(" --format csr --columns 3 --threads 2 C++: "),
                    HasSubstr("gossamer::inspect(a, gossamer::cpu{.threads = 2}, {.format = \"csr\"}) "),
                    HasSubstr("gossamer.matrix(A, format=\"csr\", threads=2)\n")));
  const outcome all = narrow_bench({"diagonal(100)", "--format", "csr", "--peer", "none"});
  EXPECT_THAT(next_step(all),
              AllOf(Not(HasSubstr("threads")), HasSubstr("gossamer::inspect(a, gossamer::cpu{}, {")));
}

TEST(cli_width, bench_shows_what_auto_chose) {
  const outcome done = narrow_bench({"diagonal(100)", "--format", "auto", "--peer", "none"});
  EXPECT_THAT(done.out, ContainsRegex("\n  auto \\([a-z_]+\\) "));
  EXPECT_THAT(next_step(done), ContainsRegex("Next: gossamer multiply 'diagonal.100.' --format [a-z_]+"));
  EXPECT_THAT(next_step(done), Not(HasSubstr("--format auto")));
}

TEST(cli_width, bench_shows_options_that_were_requested) {
  const outcome done = narrow_bench(
      {"uniform(rows=1000,per_row=9)", "--format", "csr,brc", "--all-options", "--peer", "none"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, ContainsRegex("\n      [a-z_]+=[^\n]+\n"));
}

TEST(cli_width, bench_of_several_matrices_ends_with_documents_to_compare) {
  const scratch_folder scratch;
  const std::vector<std::string> matrices{long_matrix,      "diagonal(100)", "--format",
                                          "csr,coo,packed", "--peer",        "eigen"};
  const outcome done = narrow_bench(matrices);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(next_step(done),
              AllOf(HasSubstr("--json a.json"), HasSubstr("python3 bench/compare.py a.json b.json")));
  if (done.out.find("  eigen ") == std::string::npos) GTEST_SKIP() << "built without Eigen";
  EXPECT_THAT(done.out, HasSubstr("\nSpeed-up over the best peer of each matrix, f64, hot cache:\n"));
  EXPECT_THAT(done.out, HasSubstr("mean of classes"));
  const std::string file = scratch.path("a.json");
  std::vector<std::string> kept = matrices;
  kept.insert(kept.end(), {"--json", file});
  // A long name is not repeated, and one with special characters is quoted.
  EXPECT_THAT(next_step(narrow_bench(kept)), ContainsRegex("python3 bench/compare.py [^\n]+ OTHER.json"));
}

TEST(cli_width, bench_of_one_format_names_lost_matrices) {
#if defined(GOSSAMER_SLOW_PRODUCT)
  const run_settings slow{.environment = {"LD_PRELOAD=" GOSSAMER_SLOW_PRODUCT}, .out_file = {}};
  const outcome one = narrow_bench({"diagonal(100)", "--format", "csr", "--peer", "eigen"}, slow);
  if (one.out.find("  eigen ") == std::string::npos) GTEST_SKIP() << "built without Eigen";
  EXPECT_THAT(one.out, AllOf(ContainsRegex("  csr .*\\] +slower\n"), HasSubstr("  best peer\n"),
                             HasSubstr("No format is as fast as eigen here")));
  const outcome two =
      narrow_bench({long_matrix, "diagonal(100)", "--format", "csr", "--peer", "eigen"}, slow);
  EXPECT_THAT(unwrapped(two.out), HasSubstr("csr, slower: diagonal(100) ("));
  EXPECT_THAT(unwrapped(two.out), HasSubstr("csr, mean (matrices) of each class: diagonal "));
#else
  GTEST_SKIP() << "a slow product can replace the library's only where it is a shared library "
                  "without sanitizers";
#endif
}

TEST(cli_width, bench_shows_wrong_products) {
#if defined(GOSSAMER_WRONG_PRODUCT)
  const outcome done = narrow_bench({long_matrix, "--format", "csr,coo", "--peer", "none"},
                                    {.environment = {"LD_PRELOAD=" GOSSAMER_WRONG_PRODUCT}, .out_file = {}});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.out, HasSubstr("FAILED: wrong in row "));
  EXPECT_THAT(next_step(done), HasSubstr("--json a.json"));
#else
  GTEST_SKIP() << "a wrong product can replace the library's only where it is a shared library without "
                  "sanitizers";
#endif
}

TEST(cli_width, bench_of_several_parts) {
  const outcome done = narrow_bench({long_matrix, "--format", "csr", "--peer", "none", "--device", "hybrid",
                                     "--parts", "cpu:1,cpu:2", "--powers", "1,2"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* text : {"  csr, 2 parts ", "  csr, cpu:1 alone ", "speed-up over cpu:2 alone: "})
    EXPECT_THAT(done.out, HasSubstr(text));
}

TEST(cli_width, verbose_bench_has_options_and_predictions) {
  const outcome done = cli({"bench", "diagonal(100)", "--format", "csr,brc", "--peer", "none", "--seconds",
                            "0.002", "--llc-bytes", "1000000", "--verbose"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* text : {"options", "predicted", "csr-GB/s", "of copy", "error", "block_rows=", "\nNext: "})
    EXPECT_THAT(done.out, HasSubstr(text));
}

TEST(cli_width, help_of_every_subcommand) {
  const outcome all = narrow({"--help"});
  EXPECT_THAT(all.out, HasSubstr("gossamer SUBCOMMAND --help"));
  for (const char* command :
       {"formats", "info", "multiply", "bench", "tune", "partition", "experiment", "generate", "convert"}) {
    const outcome help = cli({command, "--help"});
    if (help.status != 0 && command == std::string("experiment")) continue;  // built without experiments
    EXPECT_THAT(help.out, HasSubstr("--threads N"));
    expect_narrow(help.out);
    if (command == std::string("experiment")) expect_narrow(cli({command, "--list"}).out);
  }
}

TEST(cli_width, tables_of_other_subcommands) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"formats"},
           {"info", long_matrix, "like(EPI)", "--transposed"},
           {"tune", long_matrix, "--budget", "0.05"},
           {"partition", long_matrix, "--powers", "75,75,1,1"},
           {"partition", long_matrix, "--algorithm", "diagonal"},
           {"multiply", long_matrix, "--format", "brc", "--check", "-o", "/dev/null"},
           {"generate", "--list"},
           {"generate", "--list-matrices"}})
    EXPECT_EQ(narrow(arguments).status, 0);
}

}  // namespace
}  // namespace gossamer::test
