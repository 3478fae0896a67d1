// SPDX-License-Identifier: BSD-3-Clause
// What a plan promises beside the product: the matrix back, its size, its bits, new values, and itself from
// describe().
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <nlohmann/json.hpp>

#include "property/property.hpp"
#include "support/variable.hpp"

namespace gossamer::testing_support {
namespace {

class plan_contract : public property_test {
 protected:
  /// With values that the plan says it rounds as it says, and others as they were.
  template <value V, offset O>
  void expect_back(const csr_matrix<V, O>& a, const inspect_options& how, const kept& keeps) const;
};
/// Of what has a choice on a CPU alone.
class plan_contract_of_cpus : public property_test {};

/// The entries by row and, where a format does not keep their order, by column; those of one column in their
/// order.
template <class A>
std::vector<std::size_t> order_of_entries(const A& a, const kept& keeps) {
  std::vector<std::size_t> order(a.col.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (keeps.order) return order;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i)
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(a.row_ptr[i]),
                     order.begin() + static_cast<std::ptrdiff_t>(a.row_ptr[i + 1]),
                     [&](std::size_t k, std::size_t l) { return a.col[k] < a.col[l]; });
  return order;
}

template <class A, class B>
void expect_same_matrix(const A& a, const B& b, const kept& keeps) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.cols, b.cols);
  // The formats of this version keep these; one that does not needs a comparison of added-up entries here.
  ASSERT_TRUE(keeps.explicit_zeros && keeps.duplicates);
  ASSERT_EQ(a.row_ptr.size(), b.row_ptr.size());
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i)
    ASSERT_EQ(static_cast<std::int64_t>(a.row_ptr[i]), static_cast<std::int64_t>(b.row_ptr[i]))
        << "row_ptr " << i;
  ASSERT_EQ(a.col.size(), b.col.size());
  const std::vector<std::size_t> of_a = order_of_entries(a, keeps);
  const std::vector<std::size_t> of_b = order_of_entries(b, keeps);
  for (std::size_t e = 0; e < of_a.size(); ++e) {
    const std::size_t k = of_a[e];
    const std::size_t l = of_b[e];
    ASSERT_EQ(a.col[k], b.col[l]) << "entry " << k;
    ASSERT_EQ(std::memcmp(&a.val[k], &b.val[l], sizeof(a.val[k])), 0) << "entry " << k;
  }
}

template <value V, offset O>
void plan_contract::expect_back(const csr_matrix<V, O>& a, const inspect_options& how,
                                const kept& keeps) const {
  const auto plan = inspect(a.view(), where(), how);
  const stored_matrix stored(a.view(), plan);
  expect_same_matrix(stored.view(), plan.to_csr(), keeps);
  const nlohmann::json described = nlohmann::json::parse(plan.describe());
  const std::optional<rounding_error> rounding = plan.rounding();
  ASSERT_EQ(described.contains("rounding"), rounding.has_value());
  if (!rounding) {
    EXPECT_EQ(stored.view().val.data(), a.val.data());
    return;
  }
  rounding_error found;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
    double of_row = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]);
         ++k) {
      const double given = a.val[k];
      const double off = std::abs(given - static_cast<double>(stored.view().val[k]));
      if (!(off > 0)) continue;
      of_row += off;
      found.add({.changed = 1,
                 .to_zero = stored.view().val[k] == V{0} ? 1 : 0,
                 .largest_relative = off / std::abs(given),
                 .largest_absolute = off});
    }
    found.add({.largest_row_sum = of_row});
  }
  EXPECT_EQ(rounding->changed, found.changed);
  EXPECT_EQ(rounding->to_zero, found.to_zero);
  EXPECT_EQ(rounding->largest_relative, found.largest_relative);
  EXPECT_EQ(rounding->largest_absolute, found.largest_absolute);
  EXPECT_EQ(rounding->largest_row_sum, found.largest_row_sum);
  EXPECT_EQ(described.at("rounding").at("to"), std::string(rounding->to));
  EXPECT_EQ(described.at("rounding").at("largest_row_sum"), rounding->largest_row_sum);
}

TEST_P(plan_contract, gives_the_matrix_back) {
  const kept keeps = find_format(format()).keeps;
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const inspect_options how{.format = format(), .options = options};
    expect_back(entry.matrix, how, keeps);
    expect_back(converted<float, std::int32_t>(entry.matrix), how, keeps);
  });
}

TEST_P(plan_contract, holds_the_bytes_that_were_forecast) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto a = converted<float, std::int32_t>(entry.matrix);
    const format_forecast expected = forecast(a.view(), measure_rows(a.view()), format(), options, where());
    const auto plan = inspect(a.view(), where(), {.format = format(), .options = options});
    if (expected.exact)
      EXPECT_EQ(plan.bytes(), expected.bytes);
    else
      EXPECT_LE(plan.bytes(), expected.bytes);
    EXPECT_EQ(plan.options(), expected.options);
  });
}

TEST_P(plan_contract, gives_the_same_bits_for_any_threads_and_alignment) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    for (std::size_t level = 0; level < isa_count(); ++level) {
      const auto& a = entry.matrix;
      const auto x = random_vector<double>(a.cols, 41);
      const auto y0 = random_vector<double>(a.rows, 42);
      std::vector<double> first;
      for (const int threads : {1, 2, 7}) {
        const auto plan = inspect(a.view(), where(level, threads), {.format = format(), .options = options});
        if (!nlohmann::json::parse(plan.describe()).at("deterministic").get<bool>()) return;
        for (const std::size_t shift : {0, 1, 3}) {
          std::vector<double> x_room(x.size() + shift);
          std::vector<double> y_room(y0.size() + shift);
          std::copy(x.begin(), x.end(), x_room.begin() + static_cast<std::ptrdiff_t>(shift));
          std::copy(y0.begin(), y0.end(), y_room.begin() + static_cast<std::ptrdiff_t>(shift));
          plan.multiply(1.5, std::span<const double>(x_room).subspan(shift), -0.25,
                        std::span<double>(y_room).subspan(shift));
          const std::vector<double> y(y_room.begin() + static_cast<std::ptrdiff_t>(shift), y_room.end());
          if (first.empty()) first = y;
          ASSERT_TRUE(same_bits(first, y))
              << threads << " threads, shift " << shift << " " << plan.describe();
        }
      }
    }
  });
}

TEST_P(plan_contract_of_cpus, gives_the_same_bits_forwards_and_backwards) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto x = random_vector<double>(a.cols, 41);
    const auto y0 = random_vector<double>(a.rows, 42);
    const auto plan_of = [&](const char* sweeps, int threads) {
      const variable set("GOSSAMER_SWEEPS", sweeps);
      return inspect(a.view(), where(0, threads), {.format = format(), .options = options});
    };
    const auto forwards = plan_of("forward", 2);
    if (!nlohmann::json::parse(forwards.describe()).at("deterministic").get<bool>()) return;
    auto expected = y0;
    forwards.multiply(1.5, x, -0.25, expected);
    for (const int threads : {1, 2, 7}) {
      const auto plan = plan_of("alternating", threads);
      auto room = plan.make_workspace();
      for (int times = 0; times < 4; ++times) {
        auto y = y0;
        plan.multiply(1.5, x, -0.25, y, room);
        ASSERT_TRUE(same_bits(expected, y)) << "product " << times << " on " << threads << " threads";
      }
    }
  });
}

TEST_P(plan_contract_of_cpus, gives_the_same_bits_however_x_is_gathered) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto any = inspect(a.view(), where(), {.format = format(), .options = options});
    if (!nlohmann::json::parse(any.describe()).at("deterministic").get<bool>()) return;
    for (std::size_t level = 0; level < isa_count(); ++level) {
      const auto x = random_vector<double>(a.cols, 41);
      const auto multiply = [&](const char* gathers) {
        const variable set("GOSSAMER_GATHERS", gathers);
        const auto plan = inspect(a.view(), where(level, 2), {.format = format(), .options = options});
        auto y = poisoned<double>(a.rows);
        plan.multiply(1.0, x, 0.0, y);
        return y;
      };
      ASSERT_TRUE(same_bits(multiply("fast"), multiply("slow")));
    }
  });
}

TEST_P(plan_contract, takes_new_values_as_a_fresh_inspect_would) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto a = converted<float, std::int64_t>(entry.matrix);
    auto changed = converted<float, std::int64_t>(entry.matrix);
    const auto values = random_vector<float>(a.nnz(), 51);
    std::copy(values.begin(), values.end(), changed.val.data());
    const inspect_options how{.format = format(), .options = options, .values_change = true};
    auto plan = inspect(a.view(), where(), how);
    const auto fresh = inspect(changed.view(), where(), how);
    const auto old_values = std::vector<float>(a.val.data(), a.val.data() + a.val.size());
    plan.update_values(values);
    EXPECT_EQ(plan.bytes(), fresh.bytes());
    EXPECT_TRUE(same_bits(old_values, std::vector<float>(a.val.data(), a.val.data() + a.val.size())))
        << "the caller's own values were overwritten";
    const stored_matrix stored(changed.view(), plan);
    expect_same_matrix(stored.view(), plan.to_csr(), find_format(format()).keeps);
    EXPECT_EQ(plan.rounding().has_value(), fresh.rounding().has_value());
    if (plan.rounding()) {
      EXPECT_EQ(plan.rounding()->largest_row_sum, fresh.rounding()->largest_row_sum);
    }
    if (!nlohmann::json::parse(plan.describe()).at("deterministic").get<bool>()) return;
    const auto x = random_vector<float>(a.cols, 52);
    auto y = poisoned<float>(a.rows);
    auto expected = y;
    plan.multiply(1.0f, x, 0.0f, y);
    fresh.multiply(1.0f, x, 0.0f, expected);
    EXPECT_TRUE(same_bits(y, expected));
  });
}

TEST_P(plan_contract, is_made_again_from_its_description) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto plan = inspect(a.view(), where(isa_count() - 1), {.format = format(), .options = options});
    const auto again = inspect(a.view(), description{plan.describe()});
    EXPECT_EQ(plan.format(), again.format());
    EXPECT_EQ(plan.options(), again.options());
    EXPECT_EQ(name(plan.where()), name(again.where()));
    EXPECT_EQ(plan.bytes(), again.bytes());
    if (!nlohmann::json::parse(plan.describe()).at("deterministic").get<bool>()) return;
    const auto x = random_vector<double>(a.cols, 61);
    auto y = poisoned<double>(a.rows);
    auto expected = y;
    again.multiply(1.0, x, 0.0, y);
    plan.multiply(1.0, x, 0.0, expected);
    EXPECT_TRUE(same_bits(y, expected));
  });
}

TEST_P(plan_contract, owns_its_arrays_where_copy_is_asked) {
  for (const battery_entry& entry : battery()) {
    auto a = converted<double, std::int32_t>(entry.matrix);
    if (!forecast(a.view(), measure_rows(a.view()), format(), {}, where()).refusal.empty()) continue;
    const auto plan = inspect(a.view(), where(), {.format = format(), .copy = true});
    const auto x = random_vector<double>(a.cols, 71);
    auto expected = poisoned<double>(a.rows);
    inspect(a.view(), where(), {.format = format()}).multiply(1.0, x, 0.0, expected);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = -77.0;
    for (std::size_t k = 0; k < a.col.size(); ++k) a.col[k] = 0;
    auto y = poisoned<double>(a.rows);
    plan.multiply(1.0, x, 0.0, y);
    EXPECT_TRUE(same_bits(y, expected)) << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(formats, plan_contract, testing::ValuesIn(subjects()), subject_name);
INSTANTIATE_TEST_SUITE_P(formats, plan_contract_of_cpus, testing::ValuesIn(cpu_subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support
