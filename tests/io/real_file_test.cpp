// SPDX-License-Identifier: BSD-3-Clause
// Real matrices against a table of what they are, where GOSSAMER_MATRICES names a folder that has
// MANIFEST.tsv.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "gossamer/statistics.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

using row_of_table = std::map<std::string, std::string>;

std::vector<row_of_table> read_table(const std::filesystem::path& file) {
  std::istringstream in(slurp(file));
  std::vector<std::string> names;
  std::vector<row_of_table> rows;
  for (std::string line; std::getline(in, line);) {
    row_of_table row;
    std::istringstream cells(line);
    std::size_t k = 0;
    for (std::string cell; std::getline(cells, cell, '\t'); ++k) {
      if (rows.empty() && names.size() == k)
        names.push_back(cell);
      else
        row[names.at(k)] = cell;
    }
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

TEST(real_files, match_the_manifest) {
  const char* const folder = std::getenv("GOSSAMER_MATRICES");
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "MANIFEST.tsv"))
    GTEST_SKIP() << "GOSSAMER_MATRICES does not name a folder with MANIFEST.tsv, so no real files were read";
  const auto table = read_table(std::filesystem::path(folder) / "MANIFEST.tsv");
  ASSERT_FALSE(table.empty());
  int read = 0;
  int refused = 0;
  for (const row_of_table& expected : table) {
    SCOPED_TRACE(expected.at("name"));
    const auto file = std::filesystem::path(folder) / (expected.at("name") + ".mtx.gz");
    if (expected.at("field") == "complex") {
      const auto got = error_of([&] { read_matrix_market<double>(file); });
      ASSERT_TRUE(got);
      EXPECT_EQ(got->code, errc::unsupported) << *got;
      ++refused;
      continue;
    }
    const auto got = read_matrix_market<double>(file);
    const auto rows = measure_rows(got.matrix.view());
    EXPECT_EQ(got.header.field, expected.at("field"));
    EXPECT_EQ(got.header.symmetry, expected.at("symmetry"));
    EXPECT_EQ(std::to_string(got.header.entries), expected.at("entries_in_file"));
    EXPECT_EQ(std::to_string(rows.rows), expected.at("rows"));
    EXPECT_EQ(std::to_string(rows.cols), expected.at("cols"));
    EXPECT_EQ(std::to_string(rows.nnz), expected.at("nnz_expanded"));
    EXPECT_EQ(std::to_string(rows.max), expected.at("max_row"));
    EXPECT_EQ(std::to_string(rows.empty), expected.at("empty_rows"));
    for (const int threads : {1, 4}) {
      const auto again =
          read_matrix_market<double>(file, {.threads = threads, .chunk_bytes = 4096, .progress = {}});
      EXPECT_TRUE(same_matrix(got.matrix.view(), again.matrix.view())) << "threads " << threads;
    }
    ++read;
  }
  std::printf("%d files read, %d refused as unsupported\n", read, refused);
}

}  // namespace
}  // namespace gossamer::io_test
