// SPDX-License-Identifier: BSD-3-Clause
// The values of generated matrices, and the numbers they are made from.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/random.hpp"
#include "bench_support/generate/zipf.hpp"
#include "gossamer/statistics.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer_test::to_vector;

template <class V>
class generate_values : public testing::Test {
 protected:
  static std::vector<V> values(const std::string& specification) {
    return to_vector(gossamer::bench_support::generate<V>(specification).val);
  }
  static std::size_t distinct(std::vector<V> v) {
    std::sort(v.begin(), v.end());
    return static_cast<std::size_t>(std::unique(v.begin(), v.end()) - v.begin());
  }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(generate_values, value_types);

TYPED_TEST(generate_values, all_entries_differ) {
  for (const char* spec : {"dense(rows=1500)", "dense(rows=300,seed=2)", "uniform(rows=1000,seed=0)"}) {
    const auto v = this->values(spec);
    EXPECT_EQ(this->distinct(v), v.size()) << spec;
  }
}

TYPED_TEST(generate_values, f32_exact_differ_too_and_are_f32) {
  const auto v = this->values("dense(rows=1500,values=f32_exact)");
  EXPECT_EQ(this->distinct(v), v.size());
  for (const auto x : v) ASSERT_EQ(static_cast<TypeParam>(static_cast<float>(x)), x);
  EXPECT_TRUE(std::equal(v.begin(), v.end(),
                         gossamer::bench_support::generate<float>("dense(rows=1500)").val.data()));
}

TYPED_TEST(generate_values, magnitudes_and_signs) {
  for (const char* kind : {"distinct", "f32_exact", "few(500)"}) {
    const auto v = this->values("dense(rows=300,values=" + std::string(kind) + ")");
    std::int64_t negative = 0;
    std::int64_t below_one = 0;
    for (const auto x : v) {
      ASSERT_GE(std::abs(x), TypeParam{0.5});
      ASSERT_LT(std::abs(x), TypeParam{2});
      negative += x < 0;
      below_one += std::abs(x) < 1;
    }
    EXPECT_NEAR(static_cast<double>(negative) / static_cast<double>(v.size()), 0.5, 0.07) << kind;
    EXPECT_NEAR(static_cast<double>(below_one) / static_cast<double>(v.size()), 0.5, 0.07) << kind;
  }
}

/// A column of x's sums must not cancel or grow: sums of n values stay near sqrt(n).
TYPED_TEST(generate_values, sums_stay_near_the_square_root) {
  const auto v = this->values("dense(rows=1000)");
  double sum = 0;
  for (const auto x : v) sum += static_cast<double>(x);
  EXPECT_LT(std::abs(sum), 6 * 1.2 * 1000);
}

TYPED_TEST(generate_values, few_has_the_requested_number_of_values) {
  for (const std::int64_t k : {1, 2, 3, 100, 256, 257, 1000}) {
    const auto a =
        gossamer::bench_support::generate<TypeParam>("dense(rows=100,values=few(" + std::to_string(k) + "))");
    EXPECT_EQ(gossamer::measure_entries(a.view()).distinct_values, std::min<std::int64_t>(k, 257));
    EXPECT_EQ(this->distinct(to_vector(a.val)), static_cast<std::size_t>(k));
  }
  EXPECT_EQ(this->distinct(this->values("dense(rows=10,values=few( 1k ))")), 100U);
}

TYPED_TEST(generate_values, few_are_equally_likely) {
  const auto v = this->values("dense(rows=400,values=few(4))");
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(static_cast<double>(std::count(v.begin(), v.end(), v[k])), 40'000, 6 * 174);
}

TYPED_TEST(generate_values, constant_is_1) {
  const auto a = gossamer::bench_support::generate<TypeParam>("dense(rows=10,values=constant)");
  EXPECT_THAT(to_vector(a.val), testing::Each(TypeParam{1}));
}

/// New values are those that generate gives, for any number of threads, kind and width of offsets.
TYPED_TEST(generate_values, assigned_ones_are_the_generated_ones) {
  for (const std::string kind : {"distinct", "few(3)", "constant", "f32_exact"}) {
    const auto expected = this->values("uniform(rows=5000,seed=7,values=" + kind + ")");
    for (const int threads : {1, 2, 7}) {
      const gossamer_test::thread_count t(threads);
      auto a = gossamer::bench_support::generate<TypeParam>("uniform(rows=5000,seed=7,values=few(100))");
      gossamer::bench_support::assign_values(a, kind, 7);
      EXPECT_EQ(to_vector(a.val), expected) << kind << " " << threads;
    }
    auto narrow = gossamer::copy<TypeParam, std::int32_t>(
        gossamer::bench_support::generate<TypeParam>("uniform(rows=5000,seed=7)").view());
    gossamer::bench_support::assign_values(narrow, kind, 7);
    EXPECT_EQ(to_vector(narrow.val), expected) << kind;
  }
}

TYPED_TEST(generate_values, assigning_refuses) {
  auto a = gossamer::bench_support::generate<TypeParam>("diagonal(3)");
  gossamer_test::expect_error(
      gossamer::errc::invalid_argument,
      "assign_values: values = \"blue\" is not distinct, few(K), constant or f32_exact",
      [&] { gossamer::bench_support::assign_values(a, "blue"); });
  gossamer_test::expect_error(gossamer::errc::invalid_argument, testing::HasSubstr("from 1 to 33554432"),
                              [&] { gossamer::bench_support::assign_values(a, "few(0)"); });
  const auto before = to_vector(a.val);
  gossamer::csr_matrix<TypeParam> borrowed{.rows = 3, .cols = 3};
  borrowed.val = gossamer::host_buffer<TypeParam>::borrow(before);
  gossamer_test::expect_error(gossamer::errc::invalid_argument,
                              "assign_values: the values belong to the caller",
                              [&] { gossamer::bench_support::assign_values(borrowed, "constant"); });
}

TEST(generate_values_of_both_types, few_are_the_same) {
  const auto d = gossamer::bench_support::generate<double>("dense(rows=50,values=few(7))");
  const auto f = gossamer::bench_support::generate<float>("dense(rows=50,values=few(7))");
  EXPECT_TRUE(std::equal(d.val.span().begin(), d.val.span().end(), f.val.data()));
}

TEST(generate_seed, changes_values_and_structure) {
  const auto one = gossamer::bench_support::generate<double>("uniform(rows=100)");
  const auto same = gossamer::bench_support::generate<double>("uniform(rows=100,seed=1)");
  const auto two = gossamer::bench_support::generate<double>("uniform(rows=100,seed=2)");
  EXPECT_EQ(gossamer_test::checksum(one), gossamer_test::checksum(same));
  EXPECT_NE(to_vector(one.col), to_vector(two.col));
  EXPECT_NE(to_vector(one.val), to_vector(two.val));
}

TEST(bijection, meets_every_number_once) {
  for (const int bits : {1, 2, 3, 7, 12}) {
    for (const std::uint64_t key : {0ULL, 1ULL, 0xdeadbeefcafef00dULL}) {
      const gossamer::bench_support::generation::bijection f(bits, key);
      std::set<std::uint64_t> seen;
      for (std::uint64_t x = 0; x < std::uint64_t{1} << bits; ++x) seen.insert(f(x));
      EXPECT_EQ(seen.size(), std::size_t{1} << bits);
      EXPECT_LT(*seen.rbegin(), std::uint64_t{1} << bits);
    }
  }
}

/// 54 bits are too many to try; that each step can be undone is tried on numbers that differ in few bits.
TEST(bijection, of_54_bits_keeps_close_numbers_apart) {
  const gossamer::bench_support::generation::bijection f(54, 0x123456789abcdef);
  std::vector<std::uint64_t> images;
  for (std::uint64_t x = 0; x < 200'000; ++x) {
    images.push_back(f(x));
    images.push_back(f(x << 36));
  }
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  EXPECT_EQ(images.size(), 2 * 200'000U - 1) << "0 is in both";
  EXPECT_LT(images.back(), std::uint64_t{1} << 54);
}

TEST(permutation, meets_every_number_once) {
  for (const std::int64_t size : {1, 2, 3, 5, 64, 65, 1000}) {
    const gossamer::bench_support::generation::permutation p(size, 99);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size; ++i) seen.insert(p(i));
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), size - 1);
  }
}

TEST(negative_power, is_the_power) {
  for (const double x : {1.0, 1.5, 2.0, 3.0, 1000.0, 2147483647.0}) {
    for (const double s : {0.11, 0.5, 0.909, 1.0, 2.0, 10.0})
      EXPECT_NEAR(gossamer::bench_support::generation::negative_power(x, s) / std::pow(x, -s), 1, 1e-9)
          << x << " " << s;
  }
}

TEST(zipf_steps, cover_the_ranks_and_find_them_again) {
  for (const std::int64_t size : {0, 1, 255, 256, 257, 1000, 70'000}) {
    const gossamer::bench_support::generation::zipf_steps steps(size, 1);
    std::int64_t at = 0;
    for (std::size_t k = 0; k < steps.all().size(); ++k) {
      const auto& s = steps.all()[k];
      EXPECT_EQ(s.first, at);
      EXPECT_EQ(steps.index_of(s.first), k);
      EXPECT_EQ(steps.index_of(s.first + s.count - 1), k);
      const double middle = static_cast<double>(s.first) + static_cast<double>(s.count + 1) / 2;
      EXPECT_NEAR(s.height * middle, 1, 1e-9);
      at += s.count;
    }
    EXPECT_EQ(at, size);
  }
  EXPECT_LT(gossamer::bench_support::generation::zipf_steps(0x7fffffff, 1).all().size(), 4000U);
}

}  // namespace
