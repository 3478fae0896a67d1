// SPDX-License-Identifier: BSD-3-Clause
// One matrix over several parts: what every plan promises, for every way of sharing out. Names end in _cpu,
// or in _cuda where a part is a device.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "core/fail.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "hybrids/hybrid_plan.hpp"
#include "support/battery.hpp"
#include "support/stored_matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::hybrid_products {
namespace {

/// `powers` of 0 leave a set empty; more parts than rows do too.
struct layout {
  const char* name;
  const char* parts;
  std::vector<double> powers;
  int devices = 0;
};

void PrintTo(const layout& l, std::ostream* out) {
  *out << l.name;
}

const std::vector<layout> layouts{
    {"one_cpu", "cpu:2", {1}},
    {"all_and_nothing_cpu", "cpu:1,cpu:2", {0, 1}},
    {"odd_cuts_cpu", "cpu:1,cpu:2,cpu:1", {0.31, 7.77, 0.2}},
    {"many_cpu", "cpu:1,cpu:1,cpu:1,cpu:1,cpu:1,cpu:1,cpu:1", {1, 1, 0, 2, 3, 5, 8}},
    {"one_cuda", "cuda:0", {1}, 1},
    {"device_and_cores_cuda", "cuda:0,cpu:1,cpu:2", {75, 1, 2}, 1},
    {"idle_device_cuda", "cuda:0,cpu:2", {0, 1}, 1},
    {"one_device_twice_cuda", "cuda:0,cuda:0,cpu:1", {1, 1, 1}, 1},
    {"two_devices_cuda", "cuda:0,cuda:1", {1, 1.7}, 2},
    {"two_devices_and_cores_cuda", "cpu:1,cuda:0,cuda:1", {1, 9, 7}, 2}};

constexpr std::array sharings{partition_options{.algorithm = partition_algorithm::rows},
                              partition_options{.algorithm = partition_algorithm::nonzeros, .carry = true},
                              partition_options{.algorithm = partition_algorithm::pmf}};

class hybrid_test : public testing::TestWithParam<layout> {
 protected:
  void SetUp() override {
    if (GetParam().devices > cuda_device_count())
      GTEST_SKIP() << "needs " << GetParam().devices << " CUDA devices, there are " << cuda_device_count();
  }

  /// f(where, entry) for the battery, with each sharing in turn.
  template <class F>
  static void for_each_matrix(F&& f) {
    hybrid where = parse_hybrid(GetParam().parts, GetParam().powers);
    for (const battery_entry& entry : battery()) {
      for (const partition_options& sharing : sharings) {
        SCOPED_TRACE(entry.name + ", " + std::string(name(sharing.algorithm)));
        where.sharing = sharing;
        f(where, entry);
        if (HasFatalFailure()) return;
      }
    }
  }
};

template <class V>
void expect_right(const hybrid& where, const battery_entry& entry) {
  const auto a = converted<V, std::int32_t>(entry.matrix);
  const plan<V> made = inspect(a.view(), where, {.copy = true});
  const auto x = random_vector<V>(a.cols, 1);
  const auto y = random_vector<V>(a.rows, 2);
  const std::array scalars{std::pair{V{1}, V{0}}, std::pair{V(-0.7), V(1.3)}, std::pair{V{0}, V{2}}};
  for (const auto& [alpha, beta] : scalars) {
    const std::vector<V> before = beta == V{0} ? poisoned<V>(a.rows) : y;
    std::vector<V> got = before;
    made.multiply(alpha, x, beta, got);
    const bench_support::verification v =
        bench_support::verify<V, std::int32_t>(a.view(), alpha, x, beta, before, got);
    ASSERT_LE(v.error_ratio, 1) << "row " << v.row << ", alpha " << alpha << ", beta " << beta;
    std::vector<V> again = before;
    workspace scratch = made.make_workspace();
    made.multiply(alpha, x, beta, again, scratch);
    ASSERT_TRUE(same_bits(got, again));
  }
}

TEST_P(hybrid_test, is_right_and_has_the_same_bits_again) {
  for_each_matrix([](const hybrid& where, const battery_entry& entry) {
    expect_right<double>(where, entry);
    expect_right<float>(where, entry);
  });
}

/// Formats that read, pad and pack rows each in their way, one part's after another's.
TEST_P(hybrid_test, is_right_in_other_formats) {
  constexpr std::array formats{"sliced_ell", "coo", "packed", "brc", "auto"};
  std::size_t next = 0;
  for_each_matrix([&](hybrid where, const battery_entry& entry) {
    if (entry.name != "rows_257" && entry.name != "numbers_of_every_width") return;
    for (hybrid_part& each : where.parts) each.format = formats[next++ % formats.size()];
    expect_right<double>(where, entry);
  });
}

template <class T>
bool same(const host_buffer<T>& a, const host_buffer<T>& b) {
  return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
}

TEST_P(hybrid_test, gives_the_matrix_back) {
  for_each_matrix([](const hybrid& where, const battery_entry& entry) {
    const plan<double> made = inspect(entry.matrix.view(), where, {.format = "csr"});
    const auto back = made.to_csr();
    ASSERT_EQ(back.rows, entry.matrix.rows);
    ASSERT_EQ(back.cols, entry.matrix.cols);
    ASSERT_TRUE(same(back.row_ptr, entry.matrix.row_ptr));
    ASSERT_TRUE(same(back.col, entry.matrix.col));
    ASSERT_TRUE(same(back.val, entry.matrix.val));
    ASSERT_EQ(made.nnz(), entry.matrix.nnz());
    ASSERT_GE(made.bytes(), made.nnz() * 12);
    ASSERT_GE(made.slots(), made.nnz());
  });
}

TEST_P(hybrid_test, new_values_are_as_good_as_a_new_plan) {
  for_each_matrix([](const hybrid& where, const battery_entry& entry) {
    const auto& a = entry.matrix;
    const auto values = random_vector<double>(a.nnz(), 3);
    plan<double> made = inspect(a.view(), where, {.values_change = true});
    made.update_values(values);
    const csr_view<double, std::int64_t> renewed{.rows = a.rows,
                                                 .cols = a.cols,
                                                 .row_ptr = a.row_ptr.span(),
                                                 .col = a.col.span(),
                                                 .val = std::span(values)};
    const plan<double> fresh = inspect(renewed, where, {.values_change = true});
    const auto x = random_vector<double>(a.cols, 4);
    std::vector<double> got = poisoned<double>(a.rows);
    std::vector<double> expected = poisoned<double>(a.rows);
    made.multiply(1, x, 0, got);
    fresh.multiply(1, x, 0, expected);
    ASSERT_TRUE(same_bits(got, expected));
  });
}

INSTANTIATE_TEST_SUITE_P(each, hybrid_test, testing::ValuesIn(layouts),
                         [](const auto& each) { return std::string(each.param.name); });

using matrix = csr_matrix<double, std::int64_t>;

/// Rows of 1, 2, 1, 2, ... entries, so that Algorithm 3 leaves no set adjacent.
matrix alternating(std::int64_t rows) {
  std::vector<std::int32_t> row, col;
  std::vector<double> val;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j <= i % 2; ++j) {
      row.push_back(static_cast<std::int32_t>(i));
      col.push_back(static_cast<std::int32_t>((i + j) % rows));
      val.push_back(static_cast<double>(1 + i + j));
    }
  }
  return csr_from_coo<double>({.rows = rows, .cols = rows, .row = row, .col = col, .val = val});
}

TEST(hybrid, reports_its_parts) {
  hybrid where = parse_hybrid("cpu:1,cpu:2,cpu:3", std::vector<double>{1, 0, 3});
  where.sharing.algorithm = partition_algorithm::rows;
  where.parts[2].format = "coo";
  const matrix a = alternating(8);
  const plan<double> made = inspect(a.view(), where, {.format = "pattern_csr"});
  EXPECT_EQ(made.format(), "hybrid");
  EXPECT_EQ(made.options(), (option_texts{{"parts", "cpu:1,cpu:2,cpu:3"},
                                          {"powers", "1,0,3"},
                                          {"algorithm", "rows"},
                                          {"carry", "no"},
                                          {"rows", "2,0,6"},
                                          {"formats", "pattern_csr,none,coo"}}));
  EXPECT_THAT(made.describe(), testing::HasSubstr("\"rows\":\"2,0,6\""));
}

template <class Call>
std::pair<errc, std::string> failure_of(Call&& call) {
  try {
    call();
  } catch (const error& problem) {
    return {problem.code(), problem.what()};
  }
  return {errc{}, "no error"};
}

TEST(hybrid, new_values_that_a_part_refuses_leave_all_parts_as_they_were) {
  const matrix a = alternating(300);
  for (const partition_algorithm sharing : {partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    SCOPED_TRACE(sharing == partition_algorithm::pmf ? "scattered" : "adjacent");
    hybrid where = parse_hybrid("cpu:1,cpu:1,cpu:1");
    where.sharing = {.algorithm = sharing};
    where.parts[0].format = where.parts[2].format = "packed";
    where.parts[0].options = where.parts[2].options = {{"precision", "f16"}};
    where.parts[1].format = "csr";
    plan<double> made = inspect(a.view(), where, {.values_change = true});
    const auto x = random_vector<double>(a.cols, 5);
    std::vector<double> before = poisoned<double>(a.rows);
    made.multiply(1, x, 0, before);
    std::vector<double> values(static_cast<std::size_t>(a.nnz()), 2.0);
    values.back() = values.front() = 1.0;
    for (std::size_t k = values.size() - 40; k < values.size(); ++k) values[k] = 1e6;  // more than f16 holds
    const auto refused = failure_of([&] { made.update_values(values); });
    EXPECT_EQ(refused.first, errc::unsupported);
    EXPECT_THAT(refused.second, testing::HasSubstr("hybrid: part "));
    EXPECT_THAT(refused.second, testing::HasSubstr("of the matrix"));
    std::vector<double> after = poisoned<double>(a.rows);
    made.multiply(1, x, 0, after);
    EXPECT_TRUE(same_bits(after, before));
    std::fill(values.begin(), values.end(), 2.0);
    made.update_values(values);
    made.multiply(1, x, 0, after);
    EXPECT_FALSE(same_bits(after, before));
  }
}

TEST(hybrid, names_what_is_wrong_with_the_parts) {
  const matrix a = alternating(4);
  const auto message_of = [&](const hybrid& where, const inspect_options& options = {}) {
    return failure_of([&] { static_cast<void>(inspect(a.view(), where, options)); });
  };
  using testing::Pair;
  EXPECT_THAT(message_of({}), Pair(errc::invalid_argument, "hybrid: there are no parts"));
  EXPECT_THAT(
      message_of(parse_hybrid("cpu,cpu", std::vector<double>{1, -2})),
      Pair(errc::invalid_argument, "hybrid: power[1] = -2 of cpu is not a finite number of at least 0"));
  EXPECT_THAT(message_of(parse_hybrid("cpu,cpu", std::vector<double>{0, 0})),
              Pair(errc::invalid_argument, "hybrid: all 2 powers are 0"));
  EXPECT_EQ(message_of(parse_hybrid("cpu,cuda:99999")).first, errc::no_device);
  EXPECT_THAT(
      message_of(parse_hybrid("cpu:1,cpu:1"), {.format = "csr", .options = {{"kernel", "none"}}}).second,
      testing::StartsWith("hybrid: part 1 (cpu:1): "));
  hybrid nameless = parse_hybrid("cpu,cpu");
  nameless.parts[1].options = {{"kernel", "thread"}};
  EXPECT_THAT(message_of(nameless), Pair(errc::invalid_argument, "hybrid: part 2 has options but no format"));
  hybrid crowd;
  crowd.parts.resize(3, {.where = cpu{.threads = 1 << 20}});
  EXPECT_THAT(message_of(crowd),
              Pair(errc::unsupported, testing::HasSubstr("threads together; most here are")));
  for (hybrid_part& each : crowd.parts) each.power = 0;
  crowd.parts[1].power = 1;
  EXPECT_THAT(message_of(crowd).second, "no error");
  for (const char* text : {"",
                           "cpu,"
                           "cpu:0",
                           "cpu:x", "cpu:1x", "gpu", "cpu:-1", "cpu:99999"})
    EXPECT_THAT(failure_of([&] { static_cast<void>(parse_hybrid(text)); }).second,
                testing::StartsWith("hybrid: part \""))
        << text;
  EXPECT_THAT(failure_of([&] { static_cast<void>(parse_hybrid("cpu,cpu", std::vector<double>{1})); }),
              Pair(errc::invalid_argument, "hybrid: 1 powers for 2 parts"));
}

TEST(hybrid, is_the_plain_plan_where_one_part_has_all) {
  const matrix a = alternating(3000);
  const std::vector<double> x = random_vector<double>(a.cols, 1);
  std::vector<double> expected(3000), got(3000);
  inspect(a.view(), cpu{.threads = 2}).multiply(1, x, 0, expected);
  const plan<double> made = inspect(a.view(), parse_hybrid("cpu:1,cpu:2", std::vector<double>{0, 1}));
  made.multiply(1, x, 0, got);
  EXPECT_TRUE(same_bits(got, expected));
  EXPECT_THAT(made.options(), testing::Contains(testing::Pair("rows", "0,3000")));
}

TEST(hybrid, refuses_device_vectors) {
  const matrix a = alternating(4);
  const plan<double> made = inspect(a.view(), parse_hybrid("cpu:1,cpu:1"));
  const double* const somewhere = a.val.data();
  double* const elsewhere = const_cast<double*>(somewhere) + 1000;
  EXPECT_EQ(failure_of([&] {
              made.multiply(1, device_span<const double>(somewhere, 4), 0, device_span<double>(elsewhere, 4),
                            {});
            }).first,
            errc::unsupported);
}

/// Parts that round, some of whose rows are not adjacent.
TEST(hybrid_rounding, is_that_of_its_parts) {
  for (const battery_entry& entry : battery()) {
    if (entry.name != "rows_257" && entry.name != "numbers_of_every_width") continue;
    SCOPED_TRACE(entry.name);
    hybrid where = parse_hybrid("cpu:1,cpu:1", std::vector<double>{1, 2});
    where.sharing = {.algorithm = partition_algorithm::pmf};
    for (hybrid_part& each : where.parts) each.format = "packed";
    where.parts[0].options = {{"precision", "bf16"}};
    const auto a = converted<double, std::int32_t>(entry.matrix);
    const plan<double> made = inspect(a.view(), where, {});
    EXPECT_EQ(made.rounding().value().to, "bf16");
    const auto x = random_vector<double>(a.cols, 1);
    auto got = poisoned<double>(a.rows);
    made.multiply(1.0, x, 0.0, got);
    const testing_support::stored_matrix stored(a.view(), made);
    EXPECT_TRUE((bench_support::verify<double, std::int32_t>(stored.view(), 1.0, x, 0.0, {}, got).passed()));
    EXPECT_FALSE((bench_support::verify<double, std::int32_t>(a.view(), 1.0, x, 0.0, {}, got).passed()));
  }
}

/// A device that fails in the middle of a product.
class broken_plan final : public plans::plan_base<f64> {
 public:
  using plan_base::plan_base;
  void multiply_host(const product<f64>& p, plans::workspace_base&) const override {
    p.y[0] = -1;
    fail(errc::device_error, "the {} fell off", facts().format);
  }
  void multiply_device(const product<f64>&, cuda_stream, plans::workspace_base&) const override {}
  void update_host(const double*) override {}
  void update_device(const double*, cuda_stream) override {}
  [[nodiscard]] csr_matrix<double, std::int64_t> to_csr() const override { return {}; }
  void stored_values(const std::int64_t*, const double*, double*) const override {}
  struct nothing final : plans::workspace_base {
    using workspace_base::workspace_base;
    [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  };
  [[nodiscard]] std::unique_ptr<plans::workspace_base> make_workspace() const override {
    return std::make_unique<nothing>(id());
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t slots() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return 0; }
};

host_buffer<std::int32_t> numbers(std::initializer_list<std::int32_t> list) {
  host_buffer<std::int32_t> buffer(list.size());
  std::copy(list.begin(), list.end(), buffer.data());
  return buffer;
}

/// Six rows: 0, 2 and 4 of one plan, 1, 3 and 5 of another. Those whose numbers are in `broken` fail.
plan<double> two_parts(const matrix& a, const std::vector<std::size_t>& broken) {
  const auto set = [&](std::span<const std::int32_t> rows) {
    return hybrids::make_part(a.view(), rows, cpu{.threads = 1}, {});
  };
  std::vector<hybrids::part<f64>> parts;
  parts.push_back(set(numbers({0, 2, 4}).span()));
  parts.push_back(set(numbers({1, 3, 5}).span()));
  parts.back().number = 1;
  for (const std::size_t k : broken)
    parts[k].product = plan<double>(std::make_unique<broken_plan>(plans::plan_facts{
        .format = k == 0 ? "first" : "second", .where = cpu{.threads = 1}, .rows = 3, .cols = 6}));
  auto made = std::make_unique<hybrids::hybrid_plan<f64>>(
      plans::plan_facts{.format = "hybrid", .where = cpu{}, .rows = 6, .cols = 6, .nnz = a.nnz()},
      std::move(parts), std::vector<plan_part>(2));
  made->finish(std::chrono::steady_clock::now());
  return plan<double>(std::move(made));
}

TEST(hybrid, leaves_y_as_it_was_where_a_part_of_scattered_rows_fails) {
  const matrix a = alternating(6);
  const std::vector<double> x(6, 1.0);
  const std::vector<double> before{9, 8, 7, 6, 5, 4};
  std::vector<double> y = before;
  const plan<double> whole = two_parts(a, {});
  whole.multiply(1, x, 2, y);
  const bench_support::verification v =
      bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 2.0, before, y);
  EXPECT_TRUE(v.passed());

  y = before;
  for (const std::vector<std::size_t>& which : std::vector<std::vector<std::size_t>>{{1}, {0}, {0, 1}}) {
    const plan<double> broken = two_parts(a, which);
    const std::string lowest = which.front() == 0 ? "the first fell off" : "the second fell off";
    for (int again = 0; again < 3; ++again) {  // the plan stays usable: its threads too
      EXPECT_THAT(failure_of([&] { broken.multiply(1, x, 2, y); }),
                  testing::Pair(errc::device_error, testing::HasSubstr(lowest)));
      EXPECT_EQ(y, before);
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support::hybrid_products
