// SPDX-License-Identifier: BSD-3-Clause
// --threads bounds a whole command: reading, generating, inspecting, multiplying and writing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

#ifdef GOSSAMER_THREAD_COUNTER

const std::string generated = "stencil(nx=200,ny=200,points=9)";

/// Threads that the command has at once, its first one included.
int threads_of(const std::vector<std::string>& arguments, const std::string& count_file) {
  const outcome done = cli(arguments, {.environment = {"LD_PRELOAD=" GOSSAMER_THREAD_COUNTER,
                                                       "GOSSAMER_TEST_THREADS=" + count_file,
                                                       "OMP_NUM_THREADS=5", "GOSSAMER_CACHE="},
                                       .out_file = {}});
  EXPECT_EQ(done.status, 0) << done.err;
  const std::string count = read_file(count_file);
  EXPECT_NE(count, "") << "nothing was counted";
  return count.empty() ? -1 : std::stoi(count) + 1;
}

TEST(cli_threads, option_limits_every_command) {
  const scratch_folder scratch;
  const std::string plain = scratch.path("a.mtx");
  const std::string zipped = scratch.path("a.mtx.gz");
  ASSERT_EQ(cli({"generate", generated, "-o", plain}).status, 0);
  ASSERT_EQ(cli({"convert", plain, "-o", zipped}).status, 0);
  const std::vector<std::vector<std::string>> commands{
      {"formats"},
      {"info", plain},
      {"multiply", zipped, "--check", "-o", scratch.path("y.mtx.gz")},
      {"multiply", plain, "--format", "auto", "-o", scratch.path("y.mtx")},
      {"bench", generated, "--format", "csr", "--peer", "none", "--seconds", "0.001", "--llc-bytes",
       "1000000"},
      {"tune", plain, "--budget", "0.01"},
      {"partition", zipped, "--algorithm", "pmf", "--powers", "1,2"},
      {"generate", generated, "-o", scratch.path("b.mtx")},
      {"convert", plain, "-o", scratch.path("b.mtx.gz")},
  };
  for (const std::vector<std::string>& each : commands) {
    for (const int threads : {1, 2}) {
      std::vector<std::string> arguments = each;
      arguments.insert(arguments.end(), {"--threads", std::to_string(threads)});
      EXPECT_LE(threads_of(arguments, scratch.path("count")), threads)
          << each.front() << " --threads " << threads;
    }
  }
}

TEST(cli_threads, hybrid_has_one_more_which_waits) {
  const scratch_folder scratch;
  const std::string matrix = scratch.path("a.mtx");
  ASSERT_EQ(cli({"generate", generated, "-o", matrix}).status, 0);
  // The thread that read the file with the first one waits, while another leads the second part.
  EXPECT_LE(threads_of({"multiply", matrix, "--device", "hybrid", "--parts", "cpu,cpu", "--powers", "1,2",
                        "--threads", "2", "-o", scratch.path("y.mtx")},
                       scratch.path("count")),
            3);
}

TEST(cli_threads, default_is_all_threads) {
  const scratch_folder scratch;
  EXPECT_EQ(threads_of({"generate", generated, "-o", scratch.path("a.mtx")}, scratch.path("count")), 5);
}

#endif

TEST(cli_threads, less_than_the_parts_of_a_hybrid_need_is_refused) {
  const auto hybrid = [](const char* parts, const char* powers, const char* threads) {
    return cli({"multiply", "stencil(nx=4,ny=4,points=5)", "--device", "hybrid", "--parts", parts, "--powers",
                powers, "--threads", threads});
  };
  const outcome refused = hybrid("cpu,cpu", "1,1", "1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "gossamer: --threads 1: --parts cpu,cpu needs at least 2 threads\n");
  EXPECT_EQ(hybrid("cpu:3,cpu", "1,1", "3").status, 2);
  EXPECT_EQ(hybrid("cpu:3,cpu", "1,1", "4").status, 0);
  EXPECT_EQ(hybrid("cpu,cpu", "1,0", "1").status, 0);
}

}  // namespace
}  // namespace gossamer::test
