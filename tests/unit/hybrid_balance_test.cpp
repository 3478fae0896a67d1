// SPDX-License-Identifier: BSD-3-Clause
// Shares by times: the arithmetic with given times, and what of powers is kept.
#include "hybrids/balance.hpp"
#include "hybrids/power_matrices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "core/parallel.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "helpers.hpp"
#include "hybrids/groups.hpp"
#include "support/variable.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using gossamer_test::expect_error;
namespace fs = std::filesystem;
using hybrids::part_work;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(hybrid_balance, powers_are_nonzeros_over_seconds) {
  EXPECT_THAT(hybrids::corrected_powers({{1, 9'000'000, 0.009}, {9, 1'000'000, 0.0005}}),
              ElementsAre(1000, 2000));
}

/// Times that follow from powers 3 : 1 and an overhead of the first part: each correction comes nearer, and
/// the sets end even.
TEST(hybrid_balance, corrections_even_the_times_out) {
  std::vector<double> powers{1, 9};
  constexpr double nnz = 1e8;
  std::vector<part_work> parts;
  for (int round = 0; round < 8; ++round) {
    const double first = nnz * powers[0] / (powers[0] + powers[1]);
    parts = {{powers[0], std::llround(first), 2e-3 + first / 3e9},
             {powers[1], std::llround(nnz - first), (nnz - first) / 1e9}};
    powers = hybrids::corrected_powers(parts);
  }
  EXPECT_LT(hybrids::unevenness(parts), 0.01);
  // t = 0.002 + f / 3e9 = (1e8 - f) / 1e9
  EXPECT_NEAR(static_cast<double>(parts[0].nnz), 7.35e7, 1e5);
}

TEST(hybrid_balance, a_part_without_nonzeros_keeps_its_share) {
  EXPECT_THAT(hybrids::corrected_powers({{2, 4'000'000, 0.002}, {1, 0, 0}, {0, 0, 0}}),
              ElementsAre(2000, 1000, 0));
  EXPECT_EQ(hybrids::unevenness({{2, 4'000'000, 0.002}, {1, 0, 0}}), 0);
  EXPECT_NEAR(hybrids::unevenness({{1, 10, 3}, {1, 10, 1}}), 0.5, 1e-12);
}

TEST(hybrid_balance, powers_have_four_digits) {
  EXPECT_EQ(hybrids::power_of(1234567890), 1235);
  EXPECT_EQ(hybrids::power_of(98765.4321), 0.09877);
  EXPECT_EQ(hybrids::power_of(123456789012), 123500);
  EXPECT_EQ(hybrids::power_of(0), 0);
}

/// Sharing has to be faster by more than the tolerance in the median, and no interval may leave a doubt
/// whether it is faster at all.
TEST(hybrid_balance, a_gain_is_above_the_tolerance_and_beyond_doubt) {
  const std::vector<double> ten(10, 1.0);
  const auto times = [&](double factor) { return std::vector<double>(10, factor); };
  EXPECT_TRUE(hybrids::is_gain(times(1.06), ten, 0.05));
  EXPECT_FALSE(hybrids::is_gain(times(1.04), ten, 0.05));
  EXPECT_FALSE(hybrids::is_gain(times(0.8), ten, 0.05));
  EXPECT_FALSE(hybrids::is_gain(ten, times(1.3), 0.05)) << "together is slower";
  // Three of ten pairs are lost, so that the interval of the median reaches below 1.
  EXPECT_FALSE(
      hybrids::is_gain(std::vector<double>{1.5, 0.9, 1.5, 1.5, 0.9, 1.5, 1.5, 0.9, 1.5, 1.5}, ten, 0.05));
  // The same where it reaches below the tolerance alone.
  const std::vector<double> some{1.5, 1.02, 1.5, 1.5, 1.02, 1.5, 1.5, 1.02, 1.5, 1.5};
  EXPECT_FALSE(hybrids::is_gain(some, ten, 0.05));
  EXPECT_TRUE(hybrids::is_gain(some, ten, 0.01));
}

/// Formats that look for equal values or structure must not be rated by matrices that have them everywhere.
TEST(power_matrices, are_valid_and_have_different_values) {
  ASSERT_EQ(hybrids::power_matrices().size(), 9U);
  for (const hybrids::power_matrix& each : hybrids::power_matrices()) {
    const auto a = hybrids::build<double>(each);
    validate(a.view());
    EXPECT_EQ(a.rows, each.rows) << each.name;
    EXPECT_GT(a.nnz(), 300'000) << each.name;
    EXPECT_LT(a.nnz(), 4'000'000) << each.name;
    std::set<double> values(a.val.data(), a.val.data() + 1000);
    EXPECT_EQ(values.size(), 1000U) << each.name;
  }
}

class kept_powers : public testing::Test {
 protected:
  kept_powers() {
    std::string name = (fs::temp_directory_path() / "gossamer_kept_powers_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    cache_.emplace("GOSSAMER_CACHE", folder_.c_str());
  }
  ~kept_powers() override { fs::remove_all(folder_); }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& each : fs::directory_iterator(folder_)) all.push_back(each.path());
    return all;
  }
  fs::path folder_;
  std::optional<variable> cache_;
};

TEST_F(kept_powers, are_measured_once) {
  const hybrid two = parse_hybrid("cpu:1,cpu:1");
  const hybrid first = measure_powers<double>(two, {.format = "coo"}, {.seconds = 0});
  ASSERT_EQ(files().size(), 1U);  // both parts are of one kind
  EXPECT_GT(first.parts[0].power, 0);
  EXPECT_EQ(first.parts[0].power, first.parts[1].power);
  // What the file says is believed, so that nothing was measured again.
  nlohmann::json kept;
  std::ifstream(files().front()) >> kept;
  for (nlohmann::json& rate : kept.at("rates")) rate = 77e6;
  std::ofstream(files().front()) << kept;
  EXPECT_EQ(measure_powers<double>(two, {.format = "coo"}, {.seconds = 0}).parts[1].power, 77);
}

/// Else a later call that asks for nothing wrong would find no power either.
TEST_F(kept_powers, refusals_of_all_are_not_kept) {
  const hybrid one = parse_hybrid("cpu:1");
  const inspect_options of_a_gpu{.format = "csr", .options = {{"kernel", "warp"}}};
  expect_error(errc::unsupported, HasSubstr("kernel = warp"),
               [&] { static_cast<void>(measure_powers<double>(one, of_a_gpu, {.seconds = 0})); });
  EXPECT_TRUE(!fs::exists(folder_) || files().empty());
  EXPECT_GT(measure_powers<double>(one, {}, {.seconds = 0}).parts[0].power, 0);
}

TEST_F(kept_powers, are_of_at_least_one_vector) {
  expect_error(errc::invalid_argument, HasSubstr("vectors = 0"), [&] {
    static_cast<void>(measure_powers<double>(parse_hybrid("cpu:1"), {.vectors = 0}, {.seconds = 0}));
  });
}

TEST(hybrid_groups, copy_vectors_by_the_threads_that_the_cores_leave) {
  const thread_limit limit(16);
  EXPECT_EQ(hybrids::copying_threads({cuda{0}}), 8) << "more do not copy together";
  EXPECT_EQ(hybrids::copying_threads({cuda{0}, cpu{.threads = 10}}), 6);
  EXPECT_EQ(hybrids::copying_threads({cuda{0}, cpu{.threads = 9}, cuda{1}}), 3);
  EXPECT_EQ(hybrids::copying_threads({cpu{.threads = 16}, cuda{0}}), 1) << "its leader";
}

TEST(rebalance, gives_shares_that_are_right) {
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=60,points=5)");
  const hybrid where = rebalance(a.view(), parse_hybrid("cpu:1,cpu:1", std::vector<double>{1, 30}),
                                 {.format = "csr"}, {.rounds = 2, .products = 3, .pairs = 6});
  const auto plan = inspect(a.view(), where, {.format = "csr"});
  EXPECT_EQ(plan.parts().size(), 2U);
  EXPECT_EQ(plan.parts()[0].nnz + plan.parts()[1].nnz, a.nnz());
  const auto x = random_vector<double>(a.cols, 1);
  auto y = poisoned<double>(a.rows);
  plan.multiply(1.0, x, 0.0, y);
  EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, y).passed()));
  double seconds = 0;
  for (const plan_part& each : plan.parts()) seconds += each.seconds;
  EXPECT_GT(seconds, 0);
}

/// ELLPACK refuses the transpose of this matrix alone, for its one long row.
TEST(rebalance, balances_the_transpose_where_that_is_multiplied_by) {
  std::vector<std::int32_t> row, col;
  for (std::int32_t i = 0; i < 3000; ++i) {
    row.insert(row.end(), {i, i});
    col.insert(col.end(), {i, 3000});
  }
  const std::vector<double> val(row.size(), 1.0);
  const auto a = csr_from_coo<double>({.rows = 3000, .cols = 3001, .row = row, .col = col, .val = val});
  const hybrid where = parse_hybrid("cpu:1,cpu:1", std::vector<double>{1, 1});
  const rebalance_options how{.rounds = 1, .products = 1, .pairs = 6};
  EXPECT_NO_THROW(rebalance(a.view(), where, {.format = "ellpack"}, how));
  EXPECT_THAT(
      [&] {
        rebalance(a.view(), where, {.format = "ellpack", .operations = operation_set::transposed}, how);
      },
      testing::Throws<error>(testing::Property(&error::code, errc::unsupported)));
}

/// What one part alone cannot store, or shares that came later, is passed over.
TEST(rebalance, passes_over_what_a_format_refuses) {
  const auto a =
      bench_support::generate<double>("power_law(rows=20000,cols=20000,mean=8,exponent=2.5,max=200)");
  const inspect_options padded{.format = "ellpack", .options = {{"max_padding", "8"}}};
  ASSERT_FALSE(forecast(a.view(), measure_rows(a.view()), "ellpack", padded.options, cpu{}).refusal.empty());
  hybrid where = parse_hybrid("cpu:1,cpu:1", std::vector<double>{3, 1});
  where.sharing.algorithm = partition_algorithm::pmf;
  const hybrid shares = rebalance(a.view(), where, padded, {.rounds = 3, .products = 1});
  EXPECT_GT(shares.parts[0].power, 0);
  EXPECT_GT(shares.parts[1].power, 0);
  const inspect_options refused{.format = "ellpack", .options = {{"max_padding", "1"}}};
  expect_error(errc::unsupported, HasSubstr("ellpack"),
               [&] { rebalance(a.view(), where, refused, {.rounds = 3, .products = 1}); });
}

/// Two parts never gain a factor of a billion.
TEST(rebalance, leaves_what_does_not_gain_to_one_part) {
  const auto a = bench_support::generate<double>("diagonal(64)");
  const hybrid shares =
      rebalance(a.view(), parse_hybrid("cpu:1,cpu:1"), {.format = "csr"}, {.tolerance = 1e9});
  EXPECT_EQ((shares.parts[0].power > 0) + (shares.parts[1].power > 0), 1);
}

TEST(rebalance, leaves_a_part_without_power_without_rows) {
  const auto a = bench_support::generate<double>("stencil(nx=60,ny=60,points=5)");
  const hybrid idle = rebalance(a.view(), parse_hybrid("cpu:1,cpu:1", std::vector<double>{1, 0}),
                                {.format = "csr"}, {.rounds = 2, .products = 1});
  EXPECT_EQ(idle.parts[1].power, 0);
}

TEST(rebalance, refuses_options_without_meaning) {
  const auto a = bench_support::generate<double>("diagonal(9)");
  const hybrid two = parse_hybrid("cpu:1,cpu:1");
  expect_error(errc::invalid_argument, HasSubstr("rounds = 0"),
               [&] { rebalance(a.view(), two, {}, {.rounds = 0}); });
  expect_error(errc::invalid_argument, HasSubstr("products = 0"),
               [&] { rebalance(a.view(), two, {}, {.products = 0}); });
  expect_error(errc::invalid_argument, HasSubstr("pairs = 5 is not from 6"),
               [&] { rebalance(a.view(), two, {}, {.pairs = 5}); });
  expect_error(errc::invalid_argument, HasSubstr("pairs = 10001"),
               [&] { rebalance(a.view(), two, {}, {.pairs = 10'001}); });
  expect_error(errc::invalid_argument, HasSubstr("tolerance"),
               [&] { rebalance(a.view(), two, {}, {.tolerance = std::nan("")}); });
}

}  // namespace
}  // namespace gossamer::testing_support
