// SPDX-License-Identifier: BSD-3-Clause
// gossamer partition
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

/// The 20 x 20 example of paper 004, section 4: rows of these lengths.
std::string papers_example() {
  std::string entries;
  int i = 0;
  for (const int length : {2, 5, 3, 7, 1, 5, 2, 6, 13, 5, 7, 9, 3, 10, 7, 1, 6, 13, 2, 10}) {
    ++i;
    for (int j = 1; j <= length; ++j) entries += fmt::format("{} {} 1\n", i, j);
  }
  return "%%MatrixMarket matrix coordinate real general\n20 20 117\n" + entries;
}

class cli_partition : public testing::Test {
 protected:
  json partition(const std::vector<std::string>& more) const {
    std::vector<std::string> command{"partition", matrix, "--json"};
    command.insert(command.end(), more.begin(), more.end());
    return cli_json(command);
  }

  scratch_folder scratch;
  std::string matrix = scratch.file("example.mtx", papers_example());
};

TEST_F(cli_partition, json_has_these_members) {
  const json found = partition({"--powers", "1,2,6"});
  EXPECT_THAT(members(found), ElementsAre("matrix", "rows", "cols", "nnz", "algorithm", "powers", "sets",
                                          "mean_density", "padded_zeros", "relative_difference"));
  for (const json& set : found.at("sets"))
    EXPECT_THAT(members(set),
                ElementsAre("rows", "nnz", "width", "density", "target_nnz", "relative_difference"));
  EXPECT_EQ(found.at("matrix"), "example");
  EXPECT_EQ(found.at("nnz"), 117);
  EXPECT_EQ(found.at("powers"), json::parse("[1.0, 2.0, 6.0]"));
}

TEST_F(cli_partition, has_the_papers_sets) {
  const json rows = partition({"--powers", "1,2,6", "--algorithm", "rows", "--rows"});
  EXPECT_EQ(rows.at("algorithm"), "rows");
  EXPECT_EQ(rows.at("padded_zeros"), 103);
  EXPECT_EQ(rows.at("sets").at(1).at("row_ids"), json::parse("[3, 4, 5, 6]"));
  const json nonzeros = partition({"--powers", "1,2,6", "--algorithm", "nnz", "--rows"});
  EXPECT_EQ(nonzeros.at("algorithm"), "nnz");
  EXPECT_EQ(nonzeros.at("padded_zeros"), 89);
  EXPECT_EQ(nonzeros.at("sets").at(0).at("row_ids"), json::parse("[1, 2, 3]"));
  EXPECT_EQ(nonzeros, partition({"--powers", "1,2,6", "--algorithm", "nonzeros", "--rows"}));
  const json pmf = partition({"--powers", "1,2,6", "--rows"});
  EXPECT_EQ(pmf.at("algorithm"), "pmf");
  EXPECT_EQ(pmf.at("padded_zeros"), 38);
  EXPECT_DOUBLE_EQ(pmf.at("mean_density").get<double>(), 117.0 / 155);
  EXPECT_DOUBLE_EQ(pmf.at("relative_difference").get<double>(), 1.0 / 13 + 1.0 / 26 + 2.0 / 78);
  const json& set = pmf.at("sets").at(0);
  EXPECT_EQ(set.at("rows"), 7);
  EXPECT_EQ(set.at("nnz"), 14);
  EXPECT_EQ(set.at("width"), 3);
  EXPECT_DOUBLE_EQ(set.at("density").get<double>(), 14.0 / 21);
  EXPECT_EQ(set.at("target_nnz"), 13);
  EXPECT_DOUBLE_EQ(set.at("relative_difference").get<double>(), 1.0 / 13);
  EXPECT_EQ(set.at("row_ids"), json::parse("[5, 16, 1, 7, 19, 3, 13]"));
}

TEST_F(cli_partition, carries) {
  const json found = partition({"--powers", "1,1,1,1,1,1,1,1", "--algorithm", "nnz", "--carry"});
  double off = 0;
  for (const json& set : found.at("sets")) {
    off += set.at("nnz").get<double>() - set.at("target_nnz").get<double>();
    EXPECT_GT(off, -13);
    EXPECT_LT(off, 1e-9);
  }
  EXPECT_NE(found, partition({"--powers", "1,1,1,1,1,1,1,1", "--algorithm", "nnz"}));
}

TEST_F(cli_partition, table_has_a_line_for_each_set) {
  const outcome done = cli({"partition", matrix, "--powers", "1,2,6", "--rows"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto text = lines(done.out);
  ASSERT_EQ(text.size(), 6u) << done.out;
  EXPECT_EQ(text[0], "example: 20 x 20, 117 nonzeros");
  for (const char* title : {"set", "power", "rows", "nonzeros", "target", "difference", "width", "density"})
    EXPECT_THAT(text[1], HasSubstr(title));
  EXPECT_THAT(text[2],
              testing::MatchesRegex(" +1 +1.00 +7 +14 +13.0 +.7.6923 % +3 +66.7 % +5 16 1 7 19 3 13"));
  EXPECT_THAT(cli({"partition", matrix, "--powers", "1,2,6"}).out, testing::Not(HasSubstr("row numbers")));
  EXPECT_EQ(text[5], "mean density 75.5 %, 38 padded zeros, sum of the absolute differences 14.1026 %");
}

TEST_F(cli_partition, cuts_diagonal_blocks) {
  const json found = partition({"--algorithm", "diagonal", "--block", "4"});
  EXPECT_THAT(members(found), ElementsAre("matrix", "rows", "cols", "nnz", "algorithm", "block", "sets",
                                          "mean_density", "padded_zeros", "relative_difference"));
  EXPECT_EQ(found.at("algorithm"), "diagonal");
  EXPECT_EQ(found.at("block"), 4);
  ASSERT_EQ(found.at("sets").size(), 2u);
  const json& blocks = found.at("sets").at(0);
  const json& rest = found.at("sets").at(1);
  // Rows 1 to 4: 2 + 4 + 3 + 4; 5 to 8: 0 + 1 + 0 + 2; 9 to 12: 4 + 0 + 0 + 1; then none.
  EXPECT_EQ(blocks.at("nnz"), 21);
  EXPECT_EQ(rest.at("nnz"), 96);
  EXPECT_EQ(rest.at("density"), 1);
  EXPECT_EQ(blocks.at("width"), 7);
  EXPECT_EQ(found.at("padded_zeros"), 20 * 7 - 21);
  EXPECT_DOUBLE_EQ(blocks.at("density").get<double>(), 21.0 / 140);
  EXPECT_DOUBLE_EQ(found.at("mean_density").get<double>(), 117.0 / (140 + 96));
  EXPECT_TRUE(blocks.at("target_nnz").is_null());
  EXPECT_EQ(cli_json({"partition", "diagonal(n=70)", "--algorithm", "diagonal", "--json"}).at("block"), 32);
  const outcome table = cli({"partition", matrix, "--algorithm", "diagonal"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(lines(table.out).size(), 5u);
}

TEST_F(cli_partition, takes_matrices_of_any_shape) {
  for (const char* shape : {"1 1 0\n", "5 1 0\n", "1 9 0\n", "1 1 1\n1 1 1\n", "3 9 1\n2 8 1\n"}) {
    const std::string file =
        scratch.file("shape.mtx", std::string("%%MatrixMarket matrix coordinate real general\n") + shape);
    for (const char* algorithm : {"rows", "nnz", "pmf"}) {
      const json found =
          cli_json({"partition", file, "--powers", "3,1,1,1", "--algorithm", algorithm, "--json"});
      std::int64_t rows = 0;
      for (const json& set : found.at("sets")) rows += set.at("rows").get<std::int64_t>();
      EXPECT_EQ(rows, found.at("rows").get<std::int64_t>());
      EXPECT_EQ(found.at("sets").size(), 4u);
    }
    EXPECT_EQ(cli({"partition", file, "--algorithm", "diagonal"}).status, 0);
  }
}

TEST_F(cli_partition, takes_several_matrices) {
  const outcome done =
      cli({"partition", "diagonal(n=5)", matrix, "--powers", "1,1", "--json", "--algorithm", "rows"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto objects = lines(done.out);
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(json::parse(objects[0]).at("rows"), 5);
  EXPECT_EQ(json::parse(objects[1]).at("matrix"), "example");
}

TEST_F(cli_partition, refuses_what_makes_no_sense) {
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& words) {
    std::vector<std::string> command{"partition", matrix};
    command.insert(command.end(), more.begin(), more.end());
    const outcome done = cli(command);
    EXPECT_EQ(done.status, 2) << testing::PrintToString(command);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
    for (const std::string& word : words) EXPECT_THAT(done.err, HasSubstr(word));
  };
  refused({}, {"--algorithm pmf needs --powers"});
  for (const char* bad : {"0", "-1", "inf", "nan", "1e400", "two", "1 2"})
    refused({"--powers", std::string("1,") + bad}, {"--powers", bad, "not a positive finite number"});
  for (const char* bad : {"1,,2", "1,", ",1", ","})
    refused({"--powers", bad}, {"--powers", bad, "\"\" is not a positive finite number"});
  refused({"--powers", "1,2", "--algorithm", "best"}, {"--algorithm", "best"});
  refused({"--powers", "1,2", "--algorithm", "diagonal"}, {"--powers"});
  refused({"--powers", "1,2", "--block", "16"}, {"--block", "diagonal"});
  refused({"--algorithm", "diagonal", "--block", "0"}, {"--block", "0"});
  refused({"--algorithm", "diagonal", "--rows"}, {"--rows"});
  refused({"--algorithm", "diagonal", "--carry"}, {"--carry"});
  EXPECT_EQ(cli({"partition", "--powers", "1"}).status, 2);
  EXPECT_EQ(cli({"partition", "missing.mtx", "--powers", "1"}).status, 2);
}

}  // namespace
}  // namespace gossamer::test
