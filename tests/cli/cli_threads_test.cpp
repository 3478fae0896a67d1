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
      {"multiply", plain, "--device", "hybrid", "--parts", "cpu,cpu", "--powers", "1,2", "-o",
       scratch.path("z.mtx")},
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
      const int used = threads_of(arguments, scratch.path("count"));
      // The second part of a hybrid has a thread that leads it, while that which read with the first one waits.
      const bool hybrid = each.size() > 3 && each[3] == "hybrid";
      EXPECT_LE(used, hybrid ? threads + 1 : threads) << each.front() << " --threads " << threads;
    }
  }
}

TEST(cli_threads, default_is_all_threads) {
  const scratch_folder scratch;
  EXPECT_EQ(threads_of({"generate", generated, "-o", scratch.path("a.mtx")}, scratch.path("count")), 5);
}

#endif

}  // namespace
}  // namespace gossamer::test
