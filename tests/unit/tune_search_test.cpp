// SPDX-License-Identifier: BSD-3-Clause
// The search of tune() with a clock and measurements of our own, and tune() itself on small matrices.
#include <gmock/gmock.h>

#include <map>

#include "bench_support/generate/generate.hpp"
#include "core/fail.hpp"
#include "gossamer/gossamer.hpp"
#include "helpers.hpp"
#include "tuning/search.hpp"

namespace gossamer {
namespace {

using gossamer_test::expect_error;
using testing::ElementsAre;
using testing::HasSubstr;

/// Prospects and what measuring each would say; a trial lasts as long as its inspect and one product.
struct machine {
  std::vector<candidate> ranked;
  std::map<std::string, tuning::measured_times> truth;
  std::map<std::string, std::vector<candidate>> others;  ///< of a format, whose names here are not its own
  double asking = 0;                                     ///< seconds that asking for them takes
  std::vector<std::string> tried;
  double now = 0;

  void add(const std::string& format, double predicted, tuning::measured_times measured) {
    ranked.push_back({.setting = {format, {}}, .bytes = 100, .seconds = predicted});
    truth[format] = measured;
  }
  tuning_result search(double calls, double budget) {
    tried.clear();
    now = 0;
    const auto measure = [&](const candidate& p) {
      tried.push_back(p.setting.format);
      const tuning::measured_times m = truth.at(p.setting.format);
      now += m.inspect_seconds + m.multiply_seconds;
      if (m.multiply_seconds < 0) fail(errc::out_of_memory, "no room for {}", p.setting.format);
      return m;
    };
    const auto elapsed = [&] { return now; };
    const auto more = [&](const candidate& p) {
      now += asking;
      return others[p.setting.format];
    };
    return tuning::search(ranked, calls, budget, {.measure = measure, .others = more, .elapsed = elapsed});
  }
};

machine three() {
  machine m;
  m.add("packed", 1e-3, {.inspect_seconds = 4.0, .multiply_seconds = 1e-3});
  m.add("brc", 2e-3, {.inspect_seconds = 1.0, .multiply_seconds = 4e-3});
  m.add(std::string(plain_format()), 3e-3, {.inspect_seconds = 0.1, .multiply_seconds = 5e-3});
  return m;
}

TEST(search, tries_plain_first_then_by_prediction) {
  machine m = three();
  const auto found = m.search(10, 1e9);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "brc"));
  EXPECT_TRUE(found.complete);
  EXPECT_DOUBLE_EQ(found.spent_seconds, 5.11);
}

TEST(search, minimises_inspect_and_all_products_together) {
  machine m = three();
  EXPECT_EQ(m.search(1, 1e9).best().format, plain_format());
  EXPECT_EQ(m.search(1e6, 1e9).best().format, "packed");
  // brc never: 1 + n 4e-3 is more than 0.1 + n 5e-3 up to n = 900, and more than packed's from 1000 on.
  EXPECT_EQ(m.search(950, 1e9).best().format, "brc");
  EXPECT_EQ(m.search(1100, 1e9).best().format, "packed");
}

TEST(search, begins_nothing_that_may_end_behind_the_budget) {
  machine m = three();
  const auto none = m.search(1e6, 0);
  EXPECT_THAT(m.tried, ElementsAre(plain_format()));
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.best().format, plain_format());
  EXPECT_THAT(none.measurements[1].note, HasSubstr("budget"));
  EXPECT_FALSE(none.measurements[1].measured());

  // packed begins at 0.105 and takes 4; brc might take as long.
  const auto two = m.search(1e6, 8);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed"));
  EXPECT_FALSE(two.complete);
  // All have been tried at 5.11; whether there are other settings is asked while something might still begin.
  EXPECT_FALSE(m.search(1e6, 8.2).complete);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "brc"));
  EXPECT_TRUE(m.search(1e6, 9.2).complete);
}

TEST(search, tries_other_settings_of_the_fastest_format_first) {
  machine m = three();
  const auto other = [&](const std::string& of, const std::string& name, double seconds) {
    m.others[of].push_back({.setting = {name, {}}, .by_default = false, .bytes = 100, .seconds = seconds});
    m.truth[name] = {.inspect_seconds = 1.0, .multiply_seconds = seconds};
  };
  other(std::string(plain_format()), "plain, otherwise", 4.5e-3);
  other("packed", "packed, shorter", 2e-3);
  other("packed", "packed, longer", 5e-4);
  m.asking = 0.5;
  const auto all = m.search(1e6, 1e9);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "brc", "packed, shorter", "packed, longer",
                                   "plain, otherwise"));
  EXPECT_EQ(all.best().format, "packed, longer");
  EXPECT_TRUE(all.complete);

  // After all formats 5.11 are spent. Asking for settings counts too: the second of packed's would begin at
  // 6.612 and might take 4.001.
  const auto some = m.search(1e6, 10);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "brc", "packed, shorter"));
  EXPECT_FALSE(some.complete);
  EXPECT_THAT(some.measurements.back().note, HasSubstr("budget"));
  // Asking that took 6 seconds, until 11.11, is the slowest thing so far: nothing begins that might take as
  // long.
  m.asking = 6;
  const auto slow = m.search(1e6, 16);
  EXPECT_FALSE(slow.complete);
  EXPECT_THAT(slow.measurements.back().expected.setting.format, "packed, longer");
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "brc"));
  m.asking = 0.5;
  // Nobody is asked where nothing may begin.
  EXPECT_EQ(m.search(1e6, 8).measurements.size(), 3U);
}

TEST(search, notes_what_is_refused_and_what_fails) {
  machine m = three();
  m.ranked[1].refusal = "it has no blocks";
  m.truth["packed"].multiply_seconds = -1;
  const auto found = m.search(1e6, 1e9);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed"));
  EXPECT_EQ(found.best().format, plain_format());
  EXPECT_THAT(found.measurements[1].note, HasSubstr("no room for packed"));
  EXPECT_THAT(found.measurements[2].note, HasSubstr("it has no blocks"));
}

TEST(search, is_not_complete_where_a_format_failed_by_default) {
  machine m = three();
  m.ranked[1].refusal = "it has no blocks";
  EXPECT_TRUE(m.search(1e6, 1e9).complete);
  // Of a format that fails by default, for lack of memory it may be, no other setting is asked for.
  m.truth["packed"].multiply_seconds = -1;
  m.others["packed"].push_back({.setting = {"packed, smaller", {}}, .by_default = false, .bytes = 1});
  EXPECT_FALSE(m.search(1e6, 1e9).complete);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed"));
  // One that is among the other settings has been tried, and nothing was left out with it.
  m.truth["packed"].multiply_seconds = 1e-3;
  m.truth["packed, smaller"] = {.inspect_seconds = 1, .multiply_seconds = -1};
  EXPECT_TRUE(m.search(1e6, 1e9).complete);
  EXPECT_THAT(m.tried, ElementsAre(plain_format(), "packed", "packed, smaller"));
}

TEST(search, fails_where_nothing_can_be_tried) {
  machine m;
  m.add(std::string(plain_format()), 1, {.inspect_seconds = 1, .multiply_seconds = -1});
  expect_error(errc::out_of_memory, HasSubstr("no room"), [&] { m.search(1, 1); });
}

TEST(search, does_not_hide_other_errors) {
  machine m = three();
  const auto measure = [](const candidate&) -> tuning::measured_times { fail(errc::device_error, "gone"); };
  const auto elapsed = [] { return 0.0; };
  const auto none = [](const candidate&) { return std::vector<candidate>(); };
  expect_error(errc::device_error, HasSubstr("gone"), [&] {
    tuning::search(m.ranked, 1, 1, {.measure = measure, .others = none, .elapsed = elapsed});
  });
}

TEST(tune, measures_the_choice_and_explains_the_rest) {
  const auto a = bench_support::generate<double>("arrow(n=400,width=1)");
  const auto found = tune(a.view(), cpu{.threads = 2}, {.calls = 100, .budget_seconds = 0.2});
  EXPECT_EQ(found.measurements.front().expected.setting.format, plain_format());
  EXPECT_TRUE(found.measurements.front().measured());
  EXPECT_FALSE(found.from_cache);
  for (const measurement& t : found.measurements) {
    EXPECT_EQ(t.note.empty(), t.measured()) << t.expected.setting.format;
    if (!t.measured()) continue;
    EXPECT_GT(t.multiply_seconds, 0);
    EXPECT_LE(found.measurements[found.chosen].total_seconds(100), t.total_seconds(100));
  }
  const auto plan =
      inspect(a.view(), cpu{.threads = 2}, {.format = found.best().format, .options = found.best().options});
  EXPECT_EQ(plan.options(), found.best().options);
}

TEST(tune, keeps_to_its_budget) {
  const auto a = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  const auto found = tune(a.view(), cpu{.threads = 1}, {.budget_seconds = 0});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.chosen, 0U);
  EXPECT_EQ(std::count_if(found.measurements.begin(), found.measurements.end(),
                          [](const measurement& t) { return t.measured(); }),
            1);
}

TEST(tune, takes_matrices_without_rows_columns_or_entries) {
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 7}, {7, 0}, {5, 3}}) {
    const gossamer_test::small_csr<double, std::int32_t> a{
        .rows = rows, .cols = cols, .row_ptr = std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1)};
    EXPECT_TRUE(tune(a.view(), cpu{.threads = 1}, {.budget_seconds = 0.01}).measurements[0].measured());
  }
}

TEST(tune, refuses_options_without_meaning) {
  const auto a = bench_support::generate<double>("diagonal(5)");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  expect_error(errc::invalid_argument, HasSubstr("calls = -1"),
               [&] { tune(a.view(), cpu{}, {.calls = -1}); });
  expect_error(errc::invalid_argument, HasSubstr("calls"), [&] { tune(a.view(), cpu{}, {.calls = nan}); });
  expect_error(errc::invalid_argument, HasSubstr("budget_seconds"),
               [&] { tune(a.view(), cpu{}, {.budget_seconds = infinite}); });
  expect_error(errc::invalid_argument, HasSubstr("memory_bytes"),
               [&] { tune(a.view(), cpu{}, {.memory_bytes = -1}); });
  expect_error(errc::cancelled, HasSubstr("try"), [&] {
    tune(a.view(), cpu{}, {.progress = [](const progress& p) { return p.stage != "try"; }});
  });
}

}  // namespace
}  // namespace gossamer
