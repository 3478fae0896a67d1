// SPDX-License-Identifier: BSD-3-Clause
// gossamer generate and gossamer convert
#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using testing::HasSubstr;

/// All that info says, without the name and where the words come from.
nlohmann::ordered_json shape(const std::string& matrix) {
  auto info = cli_json({"info", matrix, "--json"});
  for (const char* name : {"matrix", "symmetry", "field", "values"}) info.erase(name);
  return info;
}

void expect_silent_success(const outcome& done) {
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, "");
}

TEST(cli_generate, file_holds_the_matrix) {
  const scratch_folder scratch;
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    const std::string file = scratch.path(name);
    expect_silent_success(cli({"generate", "stencil(nx=6,ny=5,points=9)", "-o", file}));
    EXPECT_EQ(shape(file), shape("stencil(nx=6,ny=5,points=9)"));
    EXPECT_EQ(cli({"multiply", file}).out, cli({"multiply", "stencil(nx=6,ny=5,points=9)"}).out);
  }
}

TEST(cli_generate, gz_is_compressed) {
  const scratch_folder scratch;
  const std::string file = scratch.path("a.mtx.gz");
  expect_silent_success(cli({"generate", "diagonal(100)", "-o", file}));
  EXPECT_EQ(read_file(file).substr(0, 2), "\x1f\x8b");
}

TEST(cli_generate, list_names_generators_and_parameters) {
  const outcome done = cli({"generate", "--list"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err, "");
  for (const char* word : {"stencil\n", "nx (must be given): ", "points=auto: ", "diagonal\n", "seed=1: "})
    EXPECT_THAT(done.out, HasSubstr(word));
}

TEST(cli_convert, symmetric_pattern_becomes_general_real) {
  const scratch_folder scratch;
  const std::string from =
      scratch.file("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n");
  const std::string to = scratch.path("t.mtx");
  expect_silent_success(cli({"convert", from, "-o", to}));
  EXPECT_EQ(read_file(to), "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 1\n3 2 1\n");
}

TEST(cli_convert, round_trip_through_gzip) {
  const scratch_folder scratch;
  const std::string from = scratch.file("small.mtx", small_matrix);
  const std::string packed = scratch.path("b.mtx.gz");
  const std::string back = scratch.path("c.mtx");
  expect_silent_success(cli({"convert", from, "-o", packed}));
  expect_silent_success(cli({"convert", packed, "-o", back}));
  EXPECT_EQ(read_file(packed).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_file(back), small_matrix);
}

TEST(cli_convert, takes_a_specification) {
  const scratch_folder scratch;
  const std::string file = scratch.path("d.mtx");
  expect_silent_success(cli({"convert", "diagonal(2,values=constant)", "-o", file}));
  EXPECT_EQ(read_file(file), "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
}

}  // namespace
}  // namespace gossamer::test
