// SPDX-License-Identifier: BSD-3-Clause
// Bad usage and bad input: status 2 and one line that says what and where. And what every run owes its
// caller.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* header = "%%MatrixMarket matrix coordinate real general\n";

class cli_usage : public testing::Test {
 protected:
  void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
               const run_settings& settings = {}) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const outcome done = cli(arguments, settings);
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
    EXPECT_THAT(done.err, StartsWith("gossamer: "));
    for (const std::string& word : words) EXPECT_THAT(done.err, HasSubstr(word));
  }

  scratch_folder scratch;
  std::string small = scratch.file("small.mtx", small_matrix);
};

TEST_F(cli_usage, subcommands) {
  refused({}, {"no subcommand", "multiply"});
  refused({"frobnicate"}, {"unknown subcommand \"frobnicate\"",
                           "formats, info, multiply, bench, tune, partition, experiment, generate, convert"});
  refused({"--frobnicate"}, {});
}

TEST_F(cli_usage, arguments) {
  refused({"info"}, {"info: ", "MATRIX"});
  refused({"info", small, "more"}, {"more"});
  refused({"info", "--frobnicate", small}, {"--frobnicate"});
  refused({"multiply", small, "--value", "f16"}, {"--value", "f16"});
  refused({"multiply", small, "--alpha", "two"}, {"--alpha", "two"});
  refused({"multiply", small, "--threads", "0"}, {"--threads", "0"});
  refused({"multiply", small, "--alpha", "1e300", "--value", "f32"}, {"--alpha", "f32"});
  refused({"bench", small, "--value", "f64,f16"}, {"f16"});
  refused({"bench", small, "--option", "a=1"}, {"--option", "--format"});
  refused({"bench", small, "--all-options", "--format", "csr", "--option", "kernel=thread"},
          {"--all-options", "--option"});
  refused({"bench", small, "--seconds", "nan"}, {"--seconds", "nan"});
  refused({"bench", small, "--time-limit", "nan"}, {"--time-limit", "nan"});
  refused({"bench", small, "--seconds", "-1"}, {"--seconds", "-1"});
  refused({"bench", small, "--cache", "warm"}, {"--cache", "warm"});
  refused({"bench", small, "--resume"}, {"--resume", "--json"});
  refused({"bench", small, "--peer", "frob"}, {"frob", "eigen"});
  refused({"bench", small, "--peer", "cusparse_coo"}, {"cusparse_coo", "cpu"});
  refused({"bench", small, "--format", "none", "--peer", "none"}, {"neither"});
  refused({"bench", small, scratch.file("small.mtx.gz", small_matrix)},
          {"small.mtx", "both are called small"});
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "1/0", "1/2x", "-1/2"})
    refused({"bench", small, "--shard", shard}, {"--shard", shard});
  for (const char* scalar : {"--alpha", "--beta"}) {
    refused({"multiply", small, scalar, "1e400"}, {scalar, "1e400", "f64"});
    refused({"multiply", small, scalar, "-1e400"}, {scalar, "-1e400", "f64"});
  }
  refused({"generate", "diagonal(3)"}, {"-o"});
  refused({"generate"}, {"SPEC"});
  refused({"convert", small}, {"--output"});
}

TEST_F(cli_usage, files_that_are_no_matrix) {
  for (const char* command : {"info", "multiply", "bench"}) {
    refused({command, scratch.path("missing.mtx")}, {"missing.mtx", "No such file"});
    refused({command, scratch.path("")}, {"Is a directory"});
  }
  refused({"info", scratch.file("empty.mtx", "")}, {"empty.mtx"});
  refused(
      {"info", scratch.file("banner.mtx", "%%MatrixMarket tensor coordinate real general\n1 1 1\n1 1 1\n")},
      {"banner.mtx:1"});
  refused({"multiply", scratch.file("short.mtx", std::string(header) + "2 2 2\n1 1 1\n")}, {"short.mtx"});
  refused({"info", scratch.file("column.mtx", std::string(header) + "2 2 2\n1 1 1\n1 3 1\n")},
          {"column.mtx:4"});
  refused({"info",
           scratch.file("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n")},
          {"complex.mtx:1", "complex"});
  refused({"info", scratch.file("not.gz", "\x1f\x8b nonsense")}, {"not.gz"});
}

TEST_F(cli_usage, every_kind_of_invalid_file) {
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator(GOSSAMER_SOURCE_DIR "/tests/io/data/invalid")) {
    refused({"info", each.path().string()}, {each.path().filename().string()});
    ++files;
  }
  EXPECT_GT(files, 100u);
}

TEST_F(cli_usage, gzip_file_that_breaks_off) {
  const std::string whole = scratch.path("whole.mtx.gz");
  ASSERT_EQ(cli({"convert", small, "-o", whole}).status, 0);
  EXPECT_EQ(cli({"info", whole}).status, 0);
  std::ifstream in(whole, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  refused({"info", scratch.file("part.mtx.gz", bytes.substr(0, bytes.size() / 2))},
          {"part.mtx.gz", "truncated"});
}

TEST_F(cli_usage, vectors) {
  const std::string three =
      scratch.file("three.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  refused({"multiply", small, "--x", three}, {"three.mtx", "3 elements", "5 columns"});
  refused({"multiply", small, "--beta", "1", "--y", three}, {"three.mtx", "3 elements", "4 rows"});
  refused({"multiply", small, "--x", scratch.path("missing.mtx")}, {"missing.mtx", "No such file"});
  refused({"multiply", small, "--x", small}, {"small.mtx"});
  refused({"multiply", small, "--beta", "1"}, {"--beta", "--y"});
}

TEST_F(cli_usage, formats_and_options) {
  refused({"multiply", small, "--format", "frob"}, {"frob", "csr"});
  refused({"bench", small, "--format", "csr,frob"}, {"frob", "csr"});
  for (const char* command : {"multiply", "bench"}) {
    refused({command, small, "--format", "csr", "--option", "frob=1"}, {"csr", "frob", "kernel"});
    refused({command, small, "--format", "csr", "--option", "kernel"}, {"\"kernel\"", "name=value"});
  }
  refused({"multiply", small, "--format", "csr", "--option", "kernel=frob"},
          {"csr", "kernel", "frob", "balanced"});
  refused({"multiply", small, "--option", "kernel=thread"}, {"--option needs a format"});
  refused({"multiply", small, "--format", "ellpack", "--option", "max_padding=0"}, {"max_padding", "\"0\""});
  refused({"multiply", small, "--option", "kernel=thread", "--option", "kernel=thread"}, {"kernel", "twice"});
  refused({"multiply", small, "--format", "csr", "--option", "kernel=warp"}, {"unsupported: csr: "});
  // Before anything is read.
  const std::string bad = scratch.file("bad.mtx", "nonsense");
  for (const char* command : {"multiply", "bench"})
    refused({command, bad, "--format", "csr", "--option", "kernel=frob"},
            {"csr", "kernel", "frob", "balanced"});
}

TEST_F(cli_usage, a_format_that_refuses_the_matrix) {
  refused({"multiply", "heavy_row(rows=5k,heavy=5k,per_row=1)", "--format", "ellpack"},
          {"unsupported: ellpack: "});
}

TEST_F(cli_usage, generators) {
  refused({"info", "frob(3)"}, {"frob", "stencil"});
  refused({"generate", "diagonal(n=3,frob=1)", "-o", scratch.path("x.mtx")}, {"diagonal", "frob"});
  refused({"multiply", "diagonal(n=three)"}, {"diagonal", "three"});
  refused({"generate", small, "-o", scratch.path("x.mtx")}, {"small.mtx"});
}

TEST_F(cli_usage, devices) {
  for (const char* command : {"info", "multiply", "bench"}) {
    refused({command, small, "--device", "hybrid"}, {"hybrid"});
    refused({command, small, "--device", "tpu"}, {"tpu", "cpu", "cuda:N"});
  }
  refused({"bench", small, "--vectors", "device"}, {"--vectors device needs --device hybrid"});
  const auto on_devices = [&](std::vector<std::string> more, const std::string& text) {
    std::vector<std::string> all{"bench", small, "--vectors", "device", "--device", "hybrid"};
    all.insert(all.end(), more.begin(), more.end());
    refused(all, {text});
  };
  on_devices({"--parts", "cpu,cpu", "--powers", "1,1"}, "on GPUs only, not cpu");
  on_devices({"--parts", "cpu,cpu"}, "needs numbers for --powers");
  on_devices({"--parts", "cpu,cpu", "--powers", "1,1", "--rebalance"}, "needs numbers for --powers");
  on_devices({"--parts", "cpu,cpu", "--powers", "1,1", "--cache", "cold"}, "needs --cache hot");
}

TEST_F(cli_usage, missing_device) {
  if (cli({"multiply", small, "--device", "cuda:0"}).status == 0)
    GTEST_SKIP() << "this machine has a CUDA device, and the error is that of one without";
  refused({"multiply", small, "--device", "cuda:0"}, {"cuda:0"});
  refused({"bench", small, "--device", "cuda:0"}, {"cuda:0"});
}

TEST_F(cli_usage, instruction_set_that_is_none) {
  for (const char* command : {"info", "multiply", "bench"})
    refused({command, small}, {"GOSSAMER_ISA", "nonsense"},
            {.environment = {"GOSSAMER_ISA=nonsense"}, .out_file = {}});
}

TEST_F(cli_usage, outputs_that_cannot_be_written) {
  const std::string nowhere = scratch.path("no/such/folder");
  refused({"multiply", small, "-o", nowhere}, {nowhere});
  refused({"convert", small, "-o", nowhere}, {nowhere});
  refused({"generate", "diagonal(3)", "-o", nowhere}, {nowhere});
  refused({"info", small, "--spy", nowhere}, {nowhere});
  refused({"bench", small, "--json", nowhere}, {nowhere});
  refused({"bench", small, "--json", scratch.path("")}, {"Is a directory"});
}

TEST_F(cli_usage, help_and_version_are_no_errors) {
  const outcome version = cli({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("gossamer "));
  EXPECT_EQ(cli({"--help"}).status, 0);
  for (const char* command : {"formats", "info", "multiply", "bench", "experiment", "generate", "convert"}) {
    const outcome help = cli({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr(std::string("gossamer ") + command));
  }
}

TEST_F(cli_usage, missing_memory_fails_the_run) {
  // More than an address space holds, so that no setting of the system lets it through.
  const outcome done = cli({"info", "dense(rows=1M,cols=2G)"},
                           {.environment = {"ASAN_OPTIONS=allocator_may_return_null=1"}, .out_file = {}});
  EXPECT_EQ(done.status, 1);
  // A sanitizer writes a line of its own before it.
  ASSERT_FALSE(done.err.empty());
  EXPECT_THAT(lines(done.err).back(), AllOf(StartsWith("gossamer: "), HasSubstr("memory")));
}

TEST_F(cli_usage, a_full_disk_is_a_failed_run) {
  const outcome done = cli({"formats"}, {.environment = {}, .out_file = "/dev/full"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, AllOf(StartsWith("gossamer: "), HasSubstr("stdout")));
  EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
}

TEST_F(cli_usage, a_closed_pipe_is_silent) {
  const outcome piped = run({"/bin/sh", "-c", "'" GOSSAMER_CLI "' multiply 'diagonal(200k)' | head -n 1"});
  EXPECT_EQ(piped.status, 0);
  EXPECT_EQ(piped.out, "%%MatrixMarket matrix array real general\n");
  EXPECT_EQ(piped.err, "");
}

}  // namespace
}  // namespace gossamer::test
