// SPDX-License-Identifier: BSD-3-Clause
// What "auto" chooses on a CUDA device, for a matrix in host memory, in device memory, and of triples. Plans
// of csr that refer to arrays in device memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/device_matrix.hpp"
#include "support/device_vectors.hpp"
#include "support/variable.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using testing::ElementsAre;

class automatic_format : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

/// Rows of one entry up to 300, so that packed has lane slices and COO slices.
csr_matrix<double, std::int32_t> rows_of_several_lengths() {
  const auto a = bench_support::generate<double>("power_law(rows=3000,mean=8,max=300)");
  csr_matrix<double, std::int32_t> narrow{
      .rows = a.rows, .cols = a.cols, .row_ptr = host_buffer<std::int32_t>(a.row_ptr.size())};
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i)
    narrow.row_ptr[i] = static_cast<std::int32_t>(a.row_ptr[i]);
  narrow.col = host_buffer<std::int32_t>(a.col.size());
  narrow.val = host_buffer<double>(a.val.size());
  for (std::size_t k = 0; k < a.col.size(); ++k) {
    narrow.col[k] = a.col[k];
    narrow.val[k] = a.val[k];
  }
  return narrow;
}

/// The description without the time of inspection.
std::string described(const plan<double>& made) {
  const std::string all = made.describe();
  return all.substr(0, all.find(",\"inspect_seconds\""));
}

TEST_F(automatic_format, is_packed_wherever_the_matrix_is_cuda) {
  const auto a = rows_of_several_lengths();
  const device_matrix<double, std::int32_t> on_device(a.view());
  const auto there = on_device.view();
  std::vector<std::int32_t> rows;
  for (std::int32_t i = 0; i < a.rows; ++i)
    for (std::int32_t k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      rows.push_back(i);
  const coo_view<double> triples{
      .rows = a.rows, .cols = a.cols, .row = rows, .col = a.col.span(), .val = a.val.span()};

  const auto named = inspect(a.view(), cuda{0}, {.format = "packed"});
  std::vector<std::string> stages;
  const auto of_device = inspect(there, cuda{0}, {.format = "auto", .progress = [&](const progress& p) {
                                                    stages.emplace_back(p.stage);
                                                    return true;
                                                  }});
  EXPECT_THAT(stages, ElementsAre("validate", "statistics", "build")) << "all on the device";
  EXPECT_EQ(described(of_device), described(named));
  EXPECT_EQ(described(inspect(a.view(), cuda{0}, {.format = "auto"})), described(named));
  EXPECT_EQ(inspect(triples, cuda{0}, {.format = "auto"}).format(), "packed");
}

TEST_F(automatic_format, is_csr_for_few_products_by_a_matrix_on_the_device_cuda) {
  const auto a = rows_of_several_lengths();
  const device_matrix<double, std::int32_t> on_device(a.view());
  const auto there = on_device.view();
  EXPECT_EQ(inspect(there, cuda{0}, {.calls = 23}).format(), "csr");
  EXPECT_EQ(inspect(there, cuda{0}, {.calls = 24}).format(), "packed");
  EXPECT_EQ(inspect(there, cuda{0}, {.calls = 23, .values_change = true}).format(), "packed");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.calls = 23}).format(), "packed") << "csr has to be copied too";
  constexpr matrix_memory forbidden = matrix_memory::caller_arrays;
  EXPECT_EQ(inspect(there, cuda{0}, {.memory = forbidden}).format(), "csr");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.memory = forbidden}).format(), "packed") << "there is no copy yet";
}

TEST_F(automatic_format, takes_new_values_on_the_device_cuda) {
  const auto a = rows_of_several_lengths();
  const auto made = inspect(a.view(), cuda{0}, {.format = "auto", .values_change = true});
  EXPECT_EQ(made.format(), "packed");
  EXPECT_FALSE(made.reencodes());
}

/// A search that has time for csr only.
TEST_F(automatic_format, is_what_a_search_found_if_tuned_cuda) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("gossamer_choice_" + std::to_string(::getpid()));
  const variable here("GOSSAMER_CACHE", folder.c_str());
  const auto a = rows_of_several_lengths();
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.format = "tuned"}).format(), "packed") << "nothing was searched";
  EXPECT_EQ(tune(a.view(), cuda{0}, {.budget_seconds = 0}).best().format, "csr");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.format = "tuned"}).format(), "csr");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.format = "tuned", .memory_limit = 1 << 30}).format(), "packed");
  EXPECT_EQ(inspect(a.view(), cuda{0}, {.format = "auto"}).format(), "packed");
  std::filesystem::remove_all(folder);
}

/// The caller's arrays are not copied: new values there change the product.
TEST_F(automatic_format, csr_refers_to_the_arrays_on_the_device_cuda) {
  const auto a = rows_of_several_lengths();
  const device_vector<std::int32_t> row_ptr(a.row_ptr.span());
  const device_vector<std::int32_t> col(a.col.span());
  device_vector<double> val(a.val.span());
  const csr_view<double, std::int32_t, device_space> there{
      .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  const device_vector<double> x(std::span<const double>(random_vector<double>(a.cols, 1)));
  const stream s;
  const auto product_of = [&](const plan<double>& made) {
    device_vector<double> y(std::span<const double>(poisoned<double>(a.rows)));
    made.multiply(1.5, x.span(), 0.0, y.span(), s.handle);
    return y.fetch();
  };
  for (const char* kernel : {"auto", "balanced", "warp", "thread"}) {
    SCOPED_TRACE(kernel);
    const option_texts options{{"kernel", kernel}};
    val.fill(a.val.span());
    std::vector<std::string> stages;
    const auto made =
        inspect(there, cuda{0}, {.format = "csr", .options = options, .progress = [&](const progress& p) {
                                   stages.emplace_back(p.stage);
                                   return true;
                                 }});
    EXPECT_THAT(stages, ElementsAre("validate", "statistics", "build", "upload"));
    const auto of_host = inspect(a.view(), cuda{0}, {.format = "csr", .options = options});
    EXPECT_EQ(described(made), described(of_host));
    EXPECT_TRUE(same_bits(product_of(made), product_of(of_host)));
    const std::vector<double> zeros(a.val.size(), 0.0);
    val.fill(std::span<const double>(zeros));
    EXPECT_EQ(product_of(made), std::vector<double>(static_cast<std::size_t>(a.rows), 0.0));
  }
}

TEST_F(automatic_format, bad_columns_on_the_device_are_named_for_csr_cuda) {
  auto a = rows_of_several_lengths();
  a.col[5] = static_cast<std::int32_t>(a.cols);
  const device_matrix<double, std::int32_t> on_device(a.view());
  const auto there = on_device.view();
  try {
    inspect(there, cuda{0}, {.format = "csr"});
    ADD_FAILURE() << "no error";
  } catch (const error& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("col[5] = 3000"));
  }
}

TEST_F(automatic_format, has_no_options_of_its_own_cuda) {
  const auto a = rows_of_several_lengths();
  for (const char* format : {"auto", "tuned"}) {
    try {
      inspect(a.view(), cuda{0}, {.format = format, .options = {{"kernel", "thread"}}});
      ADD_FAILURE() << "no error";
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::invalid_argument);
      EXPECT_THAT(problem.what(), testing::HasSubstr("option \"kernel\" needs a format"));
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
