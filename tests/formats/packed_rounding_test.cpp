// SPDX-License-Identifier: BSD-3-Clause
// packed: rounded values (the option `precision`).
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;

/// f16, bf16 and f32 keep 10, 7 and 23 bits of a significand after the point.
TEST(packed_rounding, is_to_nearest_even) {
  using limits = std::numeric_limits<double>;
  const double infinity = limits::infinity();
  struct example {
    double from;
    double f16;
    double bf16;
    double f32;
  };
  const example examples[] = {
      {1.0, 1.0, 1.0, 1.0},
      {-0.0, -0.0, -0.0, -0.0},
      {0x1.002p0, 0x1p0, 0x1p0, 0x1.002p0},                // halfway in f16, to the even one below
      {0x1.006p0, 0x1.008p0, 0x1p0, 0x1.006p0},            // to the even one above
      {0x1.0020000000001p0, 0x1.004p0, 0x1p0, 0x1.002p0},  // beyond halfway by a double's last bit
      {0x1.01p0, 0x1.01p0, 0x1p0, 0x1.01p0},               // halfway in bf16
      {-0x1.03p0, -0x1.03p0, -0x1.04p0, -0x1.03p0},
      {0x1.000001p0, 0x1p0, 0x1p0, 0x1p0},  // halfway in f32
      {0x1.000003p0, 0x1p0, 0x1p0, 0x1.000004p0},
      {0x1.ffep0, 0x2p0, 0x2p0, 0x1.ffep0},  // carried into the exponent
      {65504, 65504, 65536, 65504},          // the largest of f16
      {65519.999, 65504, 65536, 65520},
      {65520, infinity, 65536, 65520},
      {0x1.fep127, infinity, 0x1.fep127, 0x1.fep127},  // the largest of bf16
      {0x1.ffp127, infinity, infinity, 0x1.ffp127},
      {0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14},              // the smallest normal one of f16
      {0x1.ff8p-15, 0x1.ff8p-15, 0x1p-14, 0x1.ff8p-15},  // the largest subnormal one
      {0x1.ffcp-15, 0x1p-14, 0x1p-14, 0x1.ffcp-15},      // halfway to the normal one
      {0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24},              // the smallest
      {0x1.8p-24, 0x1p-23, 0x1.8p-24, 0x1.8p-24},        // halfway between its first and second multiple
      {0x1p-25, 0.0, 0x1p-25, 0x1p-25},                  // half of it
      {-0x1p-25, -0.0, -0x1p-25, -0x1p-25},
      {0x1.0000000000001p-25, 0x1p-24, 0x1p-25, 0x1p-25},
      {0x1p-126, 0.0, 0x1p-126, 0x1p-126},
      {0x1p-133, 0.0, 0x1p-133, 0x1p-133},  // the smallest of bf16
      {0x1p-134, 0.0, 0.0, 0x1p-134},
      {0x1p-149, 0.0, 0.0, 0x1p-149},  // the smallest of f32
      {0x1p-150, 0.0, 0.0, 0.0},
      {limits::denorm_min(), 0.0, 0.0, 0.0},
      {-infinity, -infinity, -infinity, -infinity},
  };
  const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  for (const example& each : examples) {
    SCOPED_TRACE(each.from);
    EXPECT_EQ(bits(rounded(each.from, float_f16)), bits(each.f16));
    EXPECT_EQ(bits(rounded(each.from, float_bf16)), bits(each.bf16));
    EXPECT_EQ(bits(rounded(each.from, float_f32)), bits(each.f32));
    if (std::isfinite(each.f32)) {
      EXPECT_EQ(bits(each.f32), bits(static_cast<double>(static_cast<float>(each.from))));
    }
    EXPECT_EQ(bits(rounded(-each.from, float_f16)), bits(-each.f16));
    EXPECT_EQ(is_exactly(each.from, float_f16),
              std::isfinite(each.from) && bits(each.f16) == bits(each.from));
    EXPECT_EQ(is_exactly(each.from, float_bf16),
              std::isfinite(each.from) && bits(each.bf16) == bits(each.from));
    EXPECT_EQ(is_exactly(each.from, float_f32),
              std::isfinite(each.from) && bits(each.f32) == bits(each.from));
  }
  EXPECT_FALSE(is_exactly(0x1p16, float_f16));
  EXPECT_FALSE(is_exactly(0x1p128, float_bf16));
  // A NaN keeps its sign and the upper bits of its payload. A signaling NaN becomes quiet.
  EXPECT_EQ(bits(rounded(std::bit_cast<double>(std::uint64_t{0xfff4'1234'5678'9abc}), float_f16)),
            0xfffc'1000'0000'0000u);
  EXPECT_EQ(bits(rounded(std::bit_cast<double>(std::uint64_t{0x7ff0'0000'0000'0001}), float_bf16)),
            0x7ff8'0000'0000'0000u);
}

/// All finite numbers of 16 bits, read by every kernel: a diagonal matrix of them is multiplied by ones.
void expect_halves_to_be_exact(const exec::target& target, const std::vector<resource>& where) {
  for (const bool bf16 : {false, true}) {
    const short_float& kind = bf16 ? float_bf16 : float_f16;
    std::vector<double> all;
    for (std::uint32_t stored = 0; stored < 1u << 16; ++stored) {
      const auto magnitude = static_cast<std::uint32_t>(stored & 0x7fffu);
      if (magnitude >= 0x7fffu >> kind.mantissa_bits << kind.mantissa_bits) continue;  // not finite
      const double v = from_16_bits(static_cast<std::uint16_t>(stored), kind);
      ASSERT_EQ(to_16_bits(v, kind), stored);
      ASSERT_TRUE(is_exactly(v, kind));
      all.push_back(v);
    }
    EXPECT_EQ(all.size(), bf16 ? 65280u : 63488u);
    const auto expect_it = [&]<class V>(V) {
      // Rows of seven entries on diagonals, and the same rows with scattered columns.
      for (const bool diagonals : {true, false}) {
        for (const char* const short_rows : {"padded", "entries"}) {
          const std::int64_t rows = static_cast<std::int64_t>(all.size());
          const auto a = matrix_from_rows<V>(
              rows, rows,
              [&](std::int64_t i) { return std::vector<std::int64_t>{diagonals ? i : (i * 7919) % rows}; },
              [&](std::int64_t i, std::size_t, std::int64_t) { return all[static_cast<std::size_t>(i)]; });
          const auto s =
              stored(a, target,
                     {.short_rows = short_rows == std::string("padded") ? packed_short_rows::padded
                                                                        : packed_short_rows::entries,
                      .precision = bf16 ? packed_precision::bf16 : packed_precision::f16});
          std::int64_t halves = 0;
          for (std::size_t i = 0; i < s.slice.size(); ++i)
            halves += s.slice[i].values() == packed_values::half ? 1 : 0;
          EXPECT_GT(halves, 200);
          expect_back(a, s);
          for (const resource& each : where) {
            const auto plan =
                inspect(a.view(), each,
                        {.format = "packed",
                         .options = {{"short_rows", short_rows}, {"precision", bf16 ? "bf16" : "f16"}}});
            ASSERT_TRUE(plan.rounding().has_value());
            EXPECT_EQ(plan.rounding()->changed, 0);
            const std::vector<V> x(all.size(), V{1});
            auto y = poisoned<V>(rows);
            plan.multiply(V{1}, x, V{0}, y);
            for (std::size_t i = 0; i < y.size(); ++i)
              ASSERT_EQ(static_cast<double>(y[i]), all[i]) << "row " << i;
          }
        }
      }
    };
    expect_it(0.0);
    expect_it(0.0f);
  }
}

TEST(packed_rounding, leaves_numbers_of_two_bytes_exact_cpu) {
  expect_halves_to_be_exact(on_cpu, cpus());
}
TEST(packed_rounding, of_a_device_leaves_numbers_of_two_bytes_exact) {
  expect_halves_to_be_exact(on_cuda, {});
}
TEST(packed_rounding, leaves_numbers_of_two_bytes_exact_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_halves_to_be_exact(on_cuda, {cuda{0}});
}

template <value V>
matrix<V> column_of(const std::vector<double>& values) {
  return matrix_from_rows<V>(
      static_cast<std::int64_t>(values.size()), 5, [](std::int64_t) { return std::vector<std::int64_t>{3}; },
      [&](std::int64_t i, std::size_t, std::int64_t) { return values[static_cast<std::size_t>(i)]; });
}

inspect_options with_precision(const char* precision) {
  return {.format = "packed", .options = {{"precision", precision}}, .values_change = true};
}

TEST(packed_rounding, refuses_what_would_become_infinite) {
  const auto a = column_of<double>({1, -65519, -65520, 1e300});
  const auto refused = [](const char* text) {
    return testing::Throws<error>(testing::AllOf(testing::Property(&error::code, errc::unsupported),
                                                 testing::Property(&error::what, testing::StrEq(text))));
  };
  const char* const in_f16 =
      "unsupported: packed: row 2, column 3 (both counted from 0): -65520 is too large for f16";
  EXPECT_THAT([&] { inspect(a.view(), cpu{}, with_precision("f16")); }, refused(in_f16));
  EXPECT_THAT(
      [&] { inspect(a.view(), cpu{}, with_precision("bf16")); },
      refused("unsupported: packed: row 3, column 3 (both counted from 0): 1e+300 is too large for bf16"));
  EXPECT_THAT(
      [&] { inspect(a.view(), cpu{}, with_precision("f32")); },
      refused("unsupported: packed: row 3, column 3 (both counted from 0): 1e+300 is too large for f32"));
  EXPECT_EQ(forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{}).refusal,
            std::string(in_f16).substr(std::string("unsupported: packed: ").size()));
  EXPECT_TRUE(forecast(a.view(), measure_rows(a.view()), "packed", {}, cpu{}).refusal.empty());
  // An infinity that is given is one.
  const double infinity = std::numeric_limits<double>::infinity();
  const auto given = column_of<double>({1, -infinity, std::nan(""), 2});
  auto plan = inspect(given.view(), cpu{}, with_precision("f16"));
  EXPECT_EQ(plan.rounding()->changed, 0);
  EXPECT_EQ(plan.to_csr().val[1], -infinity);
  // New values are refused as well, and the plan stays as it was.
  EXPECT_THAT([&] { plan.update_values(a.val.span()); }, refused(in_f16));
  EXPECT_EQ(plan.to_csr().val[3], 2.0);
}

TEST(packed_rounding, is_stated) {
  const auto a = matrix_from_rows(
      2, 4,
      [](std::int64_t) {
        return std::vector<std::int64_t>{0, 1, 3};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[2][3] = {{1 + 0x1p-12, 2048.75, 0x1p-26}, {1, -3, 0x1p-24}};
        return values[i][k];
      });
  const auto plan = inspect(a.view(), cpu{}, with_precision("f16"));
  const rounding_error found = plan.rounding().value();
  EXPECT_EQ(found.to, "f16");
  EXPECT_EQ(found.changed, 3);
  EXPECT_EQ(found.to_zero, 1);
  EXPECT_EQ(found.largest_relative, 1.0);
  EXPECT_EQ(found.largest_absolute, 0.75);
  EXPECT_EQ(found.largest_row_sum, 0x1p-12 + 0.75 + 0x1p-26);
  EXPECT_THAT(plan.describe(),
              testing::HasSubstr(R"("rounding":{"to":"f16","changed":3,"to_zero":1,"largest_relative":1.0,)"
                                 R"("largest_absolute":0.75,"largest_row_sum":0.75024)"));
  EXPECT_FALSE(inspect(a.view(), cpu{}, with_precision("full")).rounding().has_value());
  EXPECT_THAT(inspect(a.view(), cpu{}, with_precision("full")).describe(),
              testing::Not(testing::HasSubstr("rounding")));
  // f32 is what values of f32 have.
  const auto narrow = column_of<float>({0.1, 0.2});
  EXPECT_FALSE(inspect(narrow.view(), cpu{}, with_precision("f32")).rounding().has_value());
}

TEST(packed_rounding, is_done_again_for_new_values) {
  std::vector<double> few;
  std::vector<double> other;
  for (int i = 0; i < 3000; ++i) {
    few.push_back(i % 3);
    other.push_back(std::sin(i));
  }
  const auto a = column_of<double>(few);
  const auto changed = column_of<double>(other);
  for (const char* const precision : {"f32", "f16", "bf16"}) {
    SCOPED_TRACE(precision);
    auto plan = inspect(a.view(), cpu{}, with_precision(precision));
    EXPECT_EQ(plan.rounding()->changed, 0);
    plan.update_values(changed.val.span());
    const auto fresh = inspect(changed.view(), cpu{}, with_precision(precision));
    EXPECT_GT(plan.rounding()->changed, 2000);
    EXPECT_EQ(plan.rounding()->changed, fresh.rounding()->changed);
    EXPECT_EQ(plan.rounding()->largest_relative, fresh.rounding()->largest_relative);
    EXPECT_EQ(plan.bytes(), fresh.bytes());
  }
}

TEST(packed_rounding, is_never_chosen) {
  const auto a = column_of<double>(std::vector<double>(3000, 0.1));
  for (const auto& target : {on_cpu, on_cuda})
    for (const packed::options& each : packed::candidates(measure_rows(a.view()), target))
      EXPECT_EQ(each.precision, packed_precision::full);
  EXPECT_EQ(packed::options{}.precision, packed_precision::full);
}

TEST(packed_rounding, has_the_same_bits_on_any_threads) {
  const auto a = matrix_from_rows(
      20000, 20000, [](std::int64_t i) { return uneven_row(i, i % 40, 20000); }, any_value);
  const auto x = random_vector<double>(a.cols, 1);
  for (const char* const precision : {"f16", "bf16"}) {
    std::vector<double> first;
    std::optional<rounding_error> stated;
    for (const int threads : {1, 2, 7}) {
      const auto plan = inspect(a.view(), cpu{.threads = threads}, with_precision(precision));
      auto y = poisoned<double>(a.rows);
      plan.multiply(1.0, x, 0.0, y);
      if (first.empty()) first = y;
      if (!stated) stated = plan.rounding();
      EXPECT_TRUE(same_bits(first, y));
      const auto stored = plan.to_csr();
      std::int64_t changed = 0;
      for (std::size_t k = 0; k < a.val.size(); ++k) changed += stored.val[k] != a.val[k] ? 1 : 0;
      EXPECT_EQ(plan.rounding()->changed, changed);
      EXPECT_EQ(plan.rounding()->to_zero, stated->to_zero);
      EXPECT_EQ(plan.rounding()->largest_relative, stated->largest_relative);
      EXPECT_EQ(plan.rounding()->largest_absolute, stated->largest_absolute);
      EXPECT_EQ(plan.rounding()->largest_row_sum, stated->largest_row_sum);
    }
  }
}

TEST(packed_rounding, reports_the_first_unrepresentable_value) {
  std::vector<double> values(100'000, 1.0);
  for (const std::size_t at : {15'000, 49'999, 50'000, 99'999}) values[at] = 65520;
  const auto a = column_of<double>(values);
  const std::string refusal =
      forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{.threads = 1}).refusal;
  EXPECT_THAT(refusal, testing::StartsWith("row 15000, "));
  for (const int threads : {2, 7, 64})
    EXPECT_EQ(
        forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{.threads = threads})
            .refusal,
        refusal);
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
