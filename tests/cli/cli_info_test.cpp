// SPDX-License-Identifier: BSD-3-Clause
// gossamer info
#include <gmock/gmock.h>

#include <algorithm>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

json format_entry(const json& info, const std::string& name) {
  for (const json& each : info.at("formats")) {
    if (each.at("format") == name) return each;
  }
  ADD_FAILURE() << "no entry for " << name;
  return {};
}

TEST(cli_info, json_has_these_members) {
  const json info = cli_json({"info", "diagonal(3)", "--json"});
  EXPECT_THAT(members(info),
              ElementsAre("matrix", "rows", "cols", "nnz", "symmetry", "field", "values", "row_length", "pmf",
                          "distinct_values", "bandwidth", "x_sectors_per_32_rows", "formats"));
  EXPECT_THAT(members(info.at("row_length")), ElementsAre("mean", "sd", "min", "max", "empty"));
  for (const json& format : info.at("formats"))
    EXPECT_THAT(members(format), ElementsAre("format", "options", "bytes", "status", "reason"));
}

TEST(cli_info, transposed_has_each_formats_bytes_for_the_transpose) {
  const scratch_folder scratch;
  const std::string small = scratch.file("small.mtx", small_matrix);
  const json info = cli_json({"info", small, "--transposed", "--json"});
  const json csr = format_entry(info, "csr");
  EXPECT_THAT(members(csr), ElementsAre("format", "options", "bytes", "status", "reason", "transposed"));
  EXPECT_THAT(members(csr.at("transposed")), ElementsAre("options", "bytes", "status", "reason"));
  // One row more, whose offset has 4 bytes.
  EXPECT_EQ(csr.at("transposed").at("bytes"), csr.at("bytes").get<int>() + 4);
  const outcome text = cli({"info", small, "--transposed"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("of transpose"));
}

TEST(cli_info, every_format_has_an_entry) {
  const json info = cli_json({"info", "diagonal(3)", "--json"});
  const json formats = cli_json({"formats", "--json"});
  ASSERT_EQ(info.at("formats").size(), formats.size());
  for (std::size_t i = 0; i < formats.size(); ++i)
    EXPECT_EQ(info.at("formats").at(i).at("format"), formats.at(i).at("name"));
}

TEST(cli_info, small_matrix_by_hand) {
  const scratch_folder scratch;
  const json info = cli_json({"info", scratch.file("small.mtx", small_matrix), "--json"});
  EXPECT_EQ(info.at("matrix"), "small");
  EXPECT_EQ(info.at("rows"), 4);
  EXPECT_EQ(info.at("cols"), 5);
  EXPECT_EQ(info.at("nnz"), 6);
  EXPECT_EQ(info.at("symmetry"), "general");
  EXPECT_EQ(info.at("field"), "real");
  EXPECT_EQ(info.at("row_length").at("mean"), 1.5);
  EXPECT_DOUBLE_EQ(info.at("row_length").at("sd").get<double>(), 1.1180339887498949);  // sqrt(14/4 - 1.5^2)
  EXPECT_EQ(info.at("row_length").at("min"), 0);
  EXPECT_EQ(info.at("row_length").at("max"), 3);
  EXPECT_EQ(info.at("row_length").at("empty"), 1);
  EXPECT_EQ(info.at("pmf"), json::parse("[[0,1],[1,1],[2,1],[3,1]]"));
  EXPECT_EQ(info.at("distinct_values"), 4);  // 2, -1, 0.5, 4
  EXPECT_EQ(info.at("bandwidth"), 3);        // row 0, column 3
  EXPECT_EQ(info.at("x_sectors_per_32_rows"), 2.0);
  // 6 entries of 12 bytes, 5 offsets of 4, and what the cuts between threads take.
  const json csr = format_entry(info, "csr");
  EXPECT_GE(csr.at("bytes"), 92);
  EXPECT_LE(csr.at("bytes"), 92 + 64);
  EXPECT_EQ(csr.at("status"), "ok");
  EXPECT_EQ(csr.at("reason"), "");
  EXPECT_THAT(csr.at("options").get<std::string>(), HasSubstr("kernel="));
  EXPECT_THAT(csr.at("options").get<std::string>(), Not(HasSubstr("auto")));
}

TEST(cli_info, value_type_counts) {
  const scratch_folder scratch;
  const std::string file = scratch.file("small.mtx", small_matrix);
  const json f64 = cli_json({"info", file, "--json", "--value", "f64"});
  const json f32 = cli_json({"info", file, "--json", "--value", "f32"});
  EXPECT_EQ(format_entry(f64, "csr").at("bytes").get<int>() - format_entry(f32, "csr").at("bytes").get<int>(),
            6 * 4);
  EXPECT_EQ(f32.at("x_sectors_per_32_rows"), 1.0);
}

TEST(cli_info, header_words_of_a_symmetric_pattern) {
  const scratch_folder scratch;
  const std::string file =
      scratch.file("loop.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n");
  const json info = cli_json({"info", file, "--json"});
  EXPECT_EQ(info.at("symmetry"), "symmetric");
  EXPECT_EQ(info.at("field"), "pattern");
  EXPECT_EQ(info.at("values"), "file");
  EXPECT_EQ(info.at("nnz"), 5);
  EXPECT_EQ(info.at("distinct_values"), 1);
  EXPECT_EQ(info.at("pmf"), json::parse("[[1,1],[2,2]]"));
}

TEST(cli_info, generated_stencil) {
  const json info = cli_json({"info", "stencil(nx=10,ny=7,points=5,values=few(3))", "--json"});
  EXPECT_EQ(info.at("matrix"), "stencil(nx=10,ny=7,points=5,values=few(3))");
  EXPECT_EQ(info.at("nnz"), 5 * 70 - 2 * 10 - 2 * 7);
  EXPECT_EQ(info.at("pmf"), json::parse("[[3,4],[4,26],[5,40]]"));
  EXPECT_EQ(info.at("distinct_values"), 3);
  EXPECT_EQ(info.at("values"), "few(3)");
  EXPECT_EQ(info.at("bandwidth"), 10);
  EXPECT_EQ(info.at("field"), "real");
}

TEST(cli_info, a_refusal_is_an_entry_with_its_reason) {
  const json info = cli_json({"info", "heavy_row(rows=5k,heavy=5k,per_row=1)", "--json"});
  const json ellpack = format_entry(info, "ellpack");
  EXPECT_EQ(ellpack.at("status"), "unsupported");
  EXPECT_THAT(ellpack.at("reason").get<std::string>(), HasSubstr("5000"));
  EXPECT_THAT(ellpack.at("reason").get<std::string>(), Not(HasSubstr("unsupported:")));
  EXPECT_EQ(format_entry(info, "csr").at("status"), "ok");
}

TEST(cli_info, predicts_for_a_missing_device) {
  const json info = cli_json({"info", "diagonal(100)", "--json", "--device", "cuda:0"});
  EXPECT_EQ(format_entry(info, "csr").at("status"), "ok");
}

TEST(cli_info, text_matches_json) {
  const scratch_folder scratch;
  const outcome text = cli({"info", scratch.file("small.mtx", small_matrix)});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("small: 4 x 5, 6 nonzeros, general real"));
  EXPECT_THAT(text.out, HasSubstr("min 0, max 3, 1 empty rows"));
  EXPECT_THAT(text.out, HasSubstr("ellpack"));
}

TEST(cli_info, matrices_without_rows_columns_or_entries) {
  for (const char* matrix : {"dense(rows=0,cols=5)", "dense(rows=5,cols=0)", "uniform(rows=4,per_row=0)"}) {
    SCOPED_TRACE(matrix);
    const scratch_folder scratch;
    const std::string svg = scratch.path("spy.svg");
    const json info = cli_json({"info", matrix, "--json", "--spy", svg});
    EXPECT_EQ(info.at("nnz"), 0);
    EXPECT_EQ(cli({"info", matrix}).status, 0);
    EXPECT_THAT(read_file(svg), HasSubstr("no entries"));
  }
}

TEST(cli_info, spy_draws_every_entry_of_a_small_matrix) {
  const scratch_folder scratch;
  const std::string svg = scratch.path("spy.svg");
  const outcome done = cli({"info", scratch.file("a<&b.mtx", small_matrix), "--spy", svg});
  EXPECT_EQ(done.status, 0) << done.err;
  const std::string picture = read_file(svg);
  EXPECT_EQ(picture.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 0), 0u);
  EXPECT_THAT(picture, HasSubstr("a&lt;&amp;b"));
  EXPECT_THAT(picture, HasSubstr("4 x 5, 6 nonzeros"));
  EXPECT_THAT(picture, HasSubstr("d=\"M0 0h1v1h-1zM3 0h1v1h-1zM1 2h2v1h-2zM4 2h1v1h-1zM3 3h1v1h-1z\""));
  EXPECT_EQ(picture.substr(picture.size() - 7), "</svg>\n");
}

TEST(cli_info, spy_of_a_large_matrix_stays_small) {
  const scratch_folder scratch;
  const std::string svg = scratch.path("spy.svg");
  EXPECT_EQ(cli({"info", "uniform(rows=3000,per_row=20)", "--spy", svg}).status, 0);
  const std::string picture = read_file(svg);
  EXPECT_LT(picture.size(), 1'000'000u);
  EXPECT_THAT(picture, HasSubstr("entries in a cell of 15 x 15"));
}

}  // namespace
}  // namespace gossamer::test
