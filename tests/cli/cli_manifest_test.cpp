// SPDX-License-Identifier: BSD-3-Clause
// gossamer info against the manifest of a folder of real matrices, named by GOSSAMER_MATRICES.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    all.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::vector<row> read_table(const std::string& file) {
  std::vector<row> rows;
  std::vector<std::string> titles;
  for (const std::string& line : lines(read_file(file))) {
    const auto values = cells(line);
    if (titles.empty()) {
      titles = values;
      continue;
    }
    row each;
    for (std::size_t i = 0; i < std::min(titles.size(), values.size()); ++i) each[titles[i]] = values[i];
    rows.push_back(each);
  }
  return rows;
}

void expect_agreement(const std::string& file, const row& expected) {
  const auto info = cli_json({"info", file, "--json"});
  if (!info.is_object()) return;
  const auto number = [&](const char* column) { return std::stoll(expected.at(column)); };
  EXPECT_EQ(info.at("matrix"), expected.at("name"));
  EXPECT_EQ(info.at("rows"), number("rows"));
  EXPECT_EQ(info.at("cols"), number("cols"));
  EXPECT_EQ(info.at("nnz"), number("nnz_expanded"));
  EXPECT_EQ(info.at("symmetry"), expected.at("symmetry"));
  EXPECT_EQ(info.at("field"), expected.at("field"));
  EXPECT_EQ(info.at("row_length").at("max"), number("max_row"));
  EXPECT_EQ(info.at("row_length").at("empty"), number("empty_rows"));
}

TEST(cli_manifest, info_agrees) {
  const char* folder = std::getenv("GOSSAMER_MATRICES");
  const std::string manifest = std::string(folder == nullptr ? "" : folder) + "/MANIFEST.tsv";
  if (folder == nullptr || !std::filesystem::exists(manifest))
    GTEST_SKIP() << "no real matrices: GOSSAMER_MATRICES does not name a folder with MANIFEST.tsv";
  const char* all = std::getenv("GOSSAMER_MATRICES_ALL");
  const bool large_too = all != nullptr && std::string(all) == "1";
  constexpr long long large = 1'000'000;

  int compared = 0;
  for (const row& each : read_table(manifest)) {
    const std::string file = std::string(folder) + "/" + each.at("name") + ".mtx.gz";
    SCOPED_TRACE(file);
    if (!large_too && std::stoll(each.at("gz_bytes")) > large) continue;
    ++compared;
    if (each.at("field") != "complex") {
      expect_agreement(file, each);
      continue;
    }
    const outcome refused = cli({"info", file, "--json"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(lines(refused.err).size(), 1u);
    EXPECT_THAT(refused.err, testing::HasSubstr("complex"));
  }
  std::cout << compared << " matrices compared\n";
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace gossamer::test
