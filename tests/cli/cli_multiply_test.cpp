// SPDX-License-Identifier: BSD-3-Clause
// gossamer multiply, against vectors computed by hand. Their numbers are exact in f32, so they are compared
// with ==.
#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

using testing::ContainsRegex;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class cli_multiply : public testing::Test {
 protected:
  [[nodiscard]] outcome multiply(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"multiply", matrix};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome done = cli(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    return done;
  }

  scratch_folder scratch;
  std::string matrix = scratch.file("small.mtx", small_matrix);
  std::string x = scratch.file("x.mtx", small_x);
  std::string y = scratch.file("y.mtx", "%%MatrixMarket matrix array real general\n4 1\n2\n4\n6\n8\n");
};

TEST_F(cli_multiply, default_x_is_the_ramp) {
  const outcome done = multiply({});
  EXPECT_EQ(done.err, "");
  const double step = 1.0 / 97.0;
  EXPECT_THAT(vector_of(done.out),
              ElementsAre(DoubleNear(1 - 3 * step, 1e-14), 0.0, DoubleNear(6.5 + 20.5 * step, 1e-14),
                          DoubleNear(-1 - 3 * step, 1e-14)));
  EXPECT_EQ(multiply({"--x", "ramp"}).out, done.out);
}

TEST_F(cli_multiply, ones) {
  for (const char* value : {"f32", "f64"})
    EXPECT_THAT(vector_of(multiply({"--x", "ones", "--value", value}).out), ElementsAre(1, 0, 6.5, -1));
}

TEST_F(cli_multiply, transposed_adds_up_columns) {
  for (const char* format : {"csr", "packed", "auto"}) {
    const outcome done = multiply({"--transposed", "--x", "ones", "--format", format, "--check"});
    EXPECT_THAT(vector_of(done.out), ElementsAre(2, 0.5, 2, -2, 4));
    EXPECT_THAT(done.err, HasSubstr("error ratio 0, right"));
  }
  // y has four elements, as x of a transposed product.
  EXPECT_THAT(vector_of(multiply({"--transposed", "--x", y, "--alpha", "2"}).out),
              ElementsAre(8, 6, 24, -20, 48));
  EXPECT_THAT(vector_of(multiply({"--transposed", "--x", "ones", "--y", x, "--beta", "1"}).out),
              ElementsAre(3, 2.5, 5, 2, 9));
  EXPECT_THAT(vector_of(multiply({"--transposed", "--x", "ones", "--device", "hybrid", "--parts",
                                  "cpu:1,cpu:1", "--powers", "1,1", "--check"})
                            .out),
              ElementsAre(2, 0.5, 2, -2, 4));
}

TEST_F(cli_multiply, reorder_keeps_x_and_y_in_their_order) {
  const std::string path = scratch.file(
      "path.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 3 2\n3 1 2\n3 2 5\n2 3 7\n");
  const outcome done = cli({"multiply", path, "--x", "ones", "--reorder", "rcm", "--check"});
  if (done.err.find("no Boost Graph Library") != std::string::npos) GTEST_SKIP() << done.err;
  EXPECT_THAT(vector_of(done.out), ElementsAre(2, 7, 7));
  EXPECT_THAT(done.err, HasSubstr("error ratio 0, right"));
  const outcome wide = cli({"multiply", matrix, "--reorder", "rcm"});
  EXPECT_EQ(wide.status, 2);
  EXPECT_THAT(wide.err, HasSubstr("reorder = rcm: a matrix of 4 rows and 5 columns is not square"));
  EXPECT_EQ(cli({"multiply", path, "--reorder", "metis"}).status, 2);
}

TEST_F(cli_multiply, transposed_takes_x_of_as_many_elements_as_there_are_rows) {
  const outcome done = cli({"multiply", matrix, "--transposed", "--x", x});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("a vector of 5 elements, but the matrix has 4 rows"));
  const outcome other = cli({"multiply", matrix, "--transposed", "--beta", "1", "--y", y});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("a vector of 4 elements, but the matrix has 5 columns"));
}

TEST_F(cli_multiply, columns_are_products_of_each) {
  const std::string two = scratch.file(
      "two.mtx", "%%MatrixMarket matrix array real general\n5 2\n1\n2\n3\n4\n5\n1\n1\n1\n1\n1\n");
  for (const char* format : {"csr", "packed"}) {
    const outcome done = multiply({"--columns", "2", "--x", two, "--format", format, "--check"});
    EXPECT_THAT(columns_of(done.out, 2), ElementsAre(-2, 0, 27, -4, 1, 0, 6.5, -1));
    EXPECT_THAT(done.err, HasSubstr("error ratio 0, right"));
  }
  const outcome hybrid = multiply({"--columns", "2", "--x", two, "--device", "hybrid", "--parts",
                                   "cpu:1,cpu:1", "--powers", "1,1", "--check"});
  EXPECT_THAT(columns_of(hybrid.out, 2), ElementsAre(-2, 0, 27, -4, 1, 0, 6.5, -1));

  const std::string file = scratch.path("y2.mtx");
  EXPECT_EQ(multiply({"--columns", "2", "--x", two, "-o", file}).out, "");
  EXPECT_THAT(columns_of(multiply({"--columns", "2", "--x", two, "--y", file, "--beta", "2", "--alpha", "-1",
                                   "--check"})
                             .out,
                         2),
              ElementsAre(-2, 0, 27, -4, 1, 0, 6.5, -1));
}

TEST_F(cli_multiply, columns_of_the_transpose) {
  const std::string two =
      scratch.file("two.mtx", "%%MatrixMarket matrix array real general\n4 2\n1\n1\n1\n1\n2\n4\n6\n8\n");
  const outcome done = multiply({"--transposed", "--columns", "2", "--x", two, "--check"});
  EXPECT_THAT(columns_of(done.out, 2), ElementsAre(2, 0.5, 2, -2, 4, 4, 3, 12, -10, 24));
  EXPECT_THAT(done.err, HasSubstr("error ratio 0, right"));
}

TEST_F(cli_multiply, columns_may_come_from_coordinates) {
  const std::string file = scratch.file("coordinates.mtx",
                                        "%%MatrixMarket matrix coordinate real general\n5 2 6\n1 2 1\n2 2 "
                                        "1\n3 2 1\n4 2 1\n5 2 0.5\n5 2 0.5\n");
  EXPECT_THAT(columns_of(multiply({"--columns", "2", "--x", file}).out, 2),
              ElementsAre(0, 0, 0, 0, 1, 0, 6.5, -1));
}

TEST_F(cli_multiply, the_ramp_goes_on_through_the_columns) {
  const auto product = columns_of(cli({"multiply", "diagonal(60,values=constant)", "--columns", "2"}).out, 2);
  ASSERT_EQ(product.size(), 120u);
  for (int k = 0; k < 120; ++k) EXPECT_DOUBLE_EQ(product[static_cast<std::size_t>(k)], 1 + k % 97 / 97.0);
  EXPECT_THAT(columns_of(multiply({"--columns", "3", "--x", "ones"}).out, 3),
              ElementsAre(1, 0, 6.5, -1, 1, 0, 6.5, -1, 1, 0, 6.5, -1));
  EXPECT_EQ(multiply({"--columns", "1"}).out, multiply({}).out);
  EXPECT_EQ(cli({"multiply", "dense(rows=0,cols=5)", "--columns", "3"}).out,
            "%%MatrixMarket matrix array real general\n0 3\n");
}

TEST_F(cli_multiply, columns_that_do_not_fit) {
  const auto refused = [&](std::vector<std::string> more, const std::string& text) {
    more.insert(more.begin(), {"multiply", matrix});
    const outcome done = cli(more);
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr(text));
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
  };
  for (const char* bad : {"0", "-1", "two", "1.5", "2147483648"}) {
    refused({"--columns", bad}, "--columns");
    refused({"--columns", bad}, bad);
  }
  refused({"--columns", "3", "--x", x},
          "--x " + x + ": 5 x 1, but --columns 3 and a matrix of 5 columns need 5 x 3");
  refused({"--columns", "3", "--transposed", "--x", x},
          "--x " + x + ": 5 x 1, but --columns 3 and a matrix of 4 rows need 4 x 3");
  refused({"--columns", "2", "--beta", "1", "--y", y},
          "--y " + y + ": 4 x 1, but --columns 2 and a matrix of 4 rows need 4 x 2");
}

TEST_F(cli_multiply, several_parts_give_y) {
  for (const char* algorithm : {"rows", "nnz", "pmf"}) {
    const outcome done = multiply({"--x", x, "--device", "hybrid", "--parts", "cpu:1,cpu:2,cpu", "--powers",
                                   "1,2,6", "--algorithm", algorithm, "--check"});
    EXPECT_THAT(vector_of(done.out), ElementsAre(-2, 0, 27, -4));
    EXPECT_THAT(unwrapped(done.err), HasSubstr("hybrid parts=cpu:1,cpu:2,cpu:"));
    EXPECT_THAT(done.err, HasSubstr(std::string("algorithm=") + algorithm));
    EXPECT_THAT(unwrapped(done.err), HasSubstr(" on hybrid, f64: error ratio 0, right"));
  }
}

TEST_F(cli_multiply, parts_that_do_not_fit) {
  const auto refused = [&](std::vector<std::string> more, const std::string& text) {
    more.insert(more.begin(), {"multiply", matrix});
    const outcome done = cli(more);
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr(text));
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
  };
  refused({"--device", "hybrid"}, "--device hybrid needs --parts");
  refused({"--parts", "cpu,cpu"}, "--parts cpu,cpu needs --device hybrid");
  refused({"--powers", "1"}, "--powers 1 needs --device hybrid");
  const auto hybrid = [&](const std::vector<std::string>& more, const std::string& text) {
    std::vector<std::string> all{"--device", "hybrid", "--parts"};
    all.insert(all.end(), more.begin(), more.end());
    refused(all, text);
  };
  hybrid({"cpu,gpu"}, "part \"gpu\" is neither cpu, cpu:THREADS nor cuda:N");
  hybrid({"cpu,cpu", "--powers", "1"}, "1 powers for 2 parts");
  hybrid({"cpu,cpu", "--powers", "1,-1"}, "--powers 1,-1: \"-1\" is not a non-negative finite number");
  hybrid({"cpu,cpu", "--powers", "0,0"}, "all 2 powers are 0");
  hybrid({"cpu,cuda:9999"}, "cuda:9999");
  hybrid({"cpu", "--format", "none"}, "none");
}

TEST_F(cli_multiply, every_format_gives_y) {
  for (const auto& format : cli_json({"formats", "--json"})) {
    const std::string name = format.at("name");
    for (const char* value : {"f32", "f64"}) {
      SCOPED_TRACE(name + " " + value);
      const outcome plain = multiply({"--x", x, "--format", name, "--value", value, "--check"});
      EXPECT_THAT(vector_of(plain.out), ElementsAre(-2, 0, 27, -4));
      EXPECT_THAT(plain.err, HasSubstr(name));
      EXPECT_THAT(unwrapped(plain.err), HasSubstr(" on cpu"));
      EXPECT_THAT(unwrapped(plain.err), HasSubstr("error ratio 0, right"));
      EXPECT_EQ(lines(unwrapped(plain.err)).size(), 1u);
      const outcome full = multiply({"--x", x, "--format", name, "--value", value, "--alpha", "-2", "--beta",
                                     "0.5", "--y", y, "--check"});
      EXPECT_THAT(vector_of(full.out), ElementsAre(5, 2, -51, 12));
    }
  }
}

TEST_F(cli_multiply, options_and_threads_reach_the_plan) {
  const outcome done =
      multiply({"--x", x, "--format", "csr", "--option", "kernel=balanced", "--threads", "3", "--check"});
  EXPECT_THAT(vector_of(done.out), ElementsAre(-2, 0, 27, -4));
  EXPECT_THAT(done.err, HasSubstr("kernel=balanced"));
}

TEST_F(cli_multiply, y_is_not_read_where_beta_is_zero) {
  const std::string nan =
      scratch.file("nan.mtx", "%%MatrixMarket matrix array real general\n4 1\nnan\nnan\nnan\nnan\n");
  EXPECT_THAT(vector_of(multiply({"--x", x, "--beta", "0", "--y", nan}).out), ElementsAre(-2, 0, 27, -4));
}

TEST_F(cli_multiply, output_file_is_a_vector_that_can_be_read_back) {
  const std::string file = scratch.path("out.mtx");
  const outcome done = multiply({"--x", x, "-o", file});
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(vector_of(read_file(file)), ElementsAre(-2, 0, 27, -4));
  // y + A x
  EXPECT_THAT(vector_of(multiply({"--x", x, "--beta", "1", "--y", file}).out), ElementsAre(-4, 0, 54, -8));
}

TEST_F(cli_multiply, stdout_can_be_used_as_x) {
  const std::string ones = scratch.file("i.mtx", multiply({"--x", "ones"}).out);
  const outcome done = cli({"multiply", "diagonal(4,values=constant)", "--x", ones});
  EXPECT_THAT(vector_of(done.out), ElementsAre(1, 0, 6.5, -1));
}

TEST_F(cli_multiply, printed_numbers_read_back_to_the_same_bits) {
  const std::string file = scratch.path("out.mtx");
  EXPECT_EQ(cli({"multiply", "uniform(rows=500)", "-o", file}).status, 0);
  EXPECT_EQ(vector_of(read_file(file)), vector_of(cli({"multiply", "uniform(rows=500)"}).out));
}

TEST_F(cli_multiply, matrices_without_rows_or_columns) {
  EXPECT_EQ(cli({"multiply", "dense(rows=0,cols=5)"}).out, "%%MatrixMarket matrix array real general\n0 1\n");
  EXPECT_THAT(vector_of(cli({"multiply", "dense(rows=3,cols=0)", "--check"}).out), ElementsAre(0, 0, 0));
}

TEST_F(cli_multiply, an_infinity_that_is_written_is_one) {
  const outcome done = cli({"multiply", "diagonal(2,values=constant)", "--x", "ones", "--alpha", "inf"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(lines(done.out).back(), "inf");
}

TEST_F(cli_multiply, unchecked_rows_are_reported) {
  // Of f32, rows of 5.6 million entries and more: docs of verification::blind_rows.
  const outcome done =
      cli({"multiply", "dense(rows=1,cols=6M,values=constant)", "--value", "f32", "--check"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("1 row is too long for a useful error bound"));
}

TEST_F(cli_multiply, a_wrong_product_has_status_1) {
#if defined(GOSSAMER_WRONG_PRODUCT)
  const run_settings wrong{.environment = {"LD_PRELOAD=" GOSSAMER_WRONG_PRODUCT}, .out_file = {}};
  const outcome checked = cli({"multiply", matrix, "--check"}, wrong);
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.err, HasSubstr("wrong in row"));
  EXPECT_THAT(checked.err, Not(HasSubstr("of column")));
  const outcome columns = cli({"multiply", matrix, "--columns", "3", "--check"}, wrong);
  EXPECT_EQ(columns.status, 1);
  EXPECT_THAT(columns.err, ContainsRegex("wrong in row [1-4] of column 3"));
  EXPECT_EQ(cli({"multiply", matrix}, wrong).status, 0);
#else
  GTEST_SKIP() << "a wrong product can replace the library's only where it is a shared library without "
                  "sanitizers";
#endif
}

}  // namespace
}  // namespace gossamer::test
