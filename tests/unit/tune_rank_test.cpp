// SPDX-License-Identifier: BSD-3-Clause
// The model's order of the formats on machines that are given, and what "auto" makes of it on this one.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/timer.hpp"
#include "helpers.hpp"
#include "plans/forecast.hpp"
#include "support/battery.hpp"
#include "support/machines.hpp"
#include "support/variable.hpp"
#include "support/vectors.hpp"
#include "tuning/choose.hpp"
#include "tuning/machine.hpp"
#include "tuning/settings.hpp"

namespace gossamer {
namespace {

using gossamer_test::expect_error;
using gossamer_test::small_csr;
using testing::HasSubstr;
using testing_support::battery;
using testing_support::h200;
using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::variable;
using testing_support::with_level;
using testing_support::with_threads;
using testing_support::xeon;
using testing_support::zen4;

template <value V>
std::vector<candidate> rank(const csr_matrix<V, std::int64_t>& a, const machine_description& machine,
                            const rank_options& options = {}) {
  return rank_formats(a.view(), measure_rows(a.view()), machine, options);
}

const candidate& of(const std::vector<candidate>& ranked, std::string_view format) {
  const auto found = std::find_if(ranked.begin(), ranked.end(),
                                  [&](const candidate& p) { return p.setting.format == format; });
  if (found == ranked.end()) throw std::runtime_error("no such format was ranked");
  return *found;
}

std::int64_t refused(const std::vector<candidate>& ranked) {
  return std::count_if(ranked.begin(), ranked.end(), [](const candidate& p) { return !p.refusal.empty(); });
}

TEST(rank_formats, the_first_is_the_least_of_the_forecasts) {
  for (const auto& entry : battery()) {
    SCOPED_TRACE(entry.name);
    const auto a = entry.matrix.view();
    const row_statistics statistics = measure_rows(a);
    double least = std::numeric_limits<double>::infinity();
    for (const format_info& format : list_formats()) {
      const format_forecast predicted = plans::forecast_on(
          a, statistics, format.name, {}, tuning::target_of(zen4), tuning::speed_of(zen4, a));
      if (predicted.refusal.empty()) least = std::min(least, predicted.seconds);
    }
    EXPECT_EQ(rank(entry.matrix, zen4).front().seconds, least);
  }
}

TEST(rank_formats, of_a_resource_is_that_of_its_description) {
  const auto a = bench_support::generate<double>("stencil(nx=20,ny=20,points=5,values=few(3))");
  const row_statistics statistics = measure_rows(a.view());
  const auto absent = cuda{cuda_device_count()};
  for (const resource& where :
       {resource(cpu{}), resource(cpu{.threads = 3, .level = isa::baseline}), resource(absent)}) {
    const auto of_resource = rank_formats(a.view(), statistics, where);
    const auto of_description = rank_formats(a.view(), statistics, describe_machine(where));
    ASSERT_EQ(of_resource.size(), of_description.size());
    for (std::size_t i = 0; i < of_resource.size(); ++i) {
      EXPECT_EQ(of_resource[i].setting, of_description[i].setting);
      EXPECT_EQ(of_resource[i].seconds, of_description[i].seconds);
    }
  }
}

/// Threads, instruction set, gathers and sweeps of this machine are changed; its caches and memory a test
/// cannot change.
TEST(rank_formats, is_independent_of_the_host) {
  const auto a = bench_support::generate<double>("stencil(nx=40,ny=40,points=5,values=few(3))");
  const auto on_two = [&](const machine_description& machine, int threads, const char* level,
                          const char* gathers, const char* sweeps) {
    const gossamer_test::thread_count some(threads);
    const variable forced("GOSSAMER_ISA", level);
    const variable gathered("GOSSAMER_GATHERS", gathers);
    const variable swept("GOSSAMER_SWEEPS", sweeps);
    return rank(a, machine, {.every_setting = true});
  };
  for (const machine_description& machine : {zen4, with_level(with_threads(xeon, 500), isa::avx2), h200}) {
    const auto one = on_two(machine, 1, "baseline", "fast", "alternating");
    const auto other = on_two(machine, 5, nullptr, "slow", "forward");
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].setting, other[i].setting);
      EXPECT_EQ(one[i].seconds, other[i].seconds);
      EXPECT_EQ(one[i].bytes, other[i].bytes);
    }
  }
}

TEST(rank_formats, refuses_descriptions_without_meaning) {
  const auto a = bench_support::generate<double>("diagonal(5)");
  const auto refused = [&](const char* text, machine_description base, auto&& change) {
    change(base);
    expect_error(errc::invalid_argument, HasSubstr(std::string("rank_formats: machine.") + text),
                 [&] { rank(a, base); });
  };
  refused("kind = 3", zen4, [](machine_description& m) { m.kind = device_set::both; });
  refused("level = auto", zen4, [](machine_description& m) { m.level = isa::automatic; });
  refused("threads = 0", zen4, [](machine_description& m) { m.threads = 0; });
  refused("cache_bytes = -1", zen4, [](machine_description& m) { m.cache_bytes = -1; });
  refused("available_host_bytes = -1", zen4, [](machine_description& m) { m.available_host_bytes = -1; });
  refused("compute_capability = 0", h200, [](machine_description& m) { m.compute_capability = 0; });
  refused("available_device_bytes = -1", h200, [](machine_description& m) { m.available_device_bytes = -1; });
  EXPECT_FALSE(rank(a, {}).front().setting.format.empty()) << "the least machine there is";
}

TEST(describe_machine, matches_this_machine) {
  const machine_description usual = describe_machine();
  EXPECT_EQ(usual.kind, device_set::cpu);
  EXPECT_EQ(usual.level, automatic_isa());
  EXPECT_EQ(usual.threads, gossamer::thread_count({}));
  EXPECT_EQ(usual.cache_bytes, last_level_cache_bytes(cpu{}));
  EXPECT_GT(usual.available_host_bytes, 0);
  const machine_description three = describe_machine(cpu{.threads = 3, .level = isa::baseline});
  EXPECT_EQ(three.level, isa::baseline);
  EXPECT_EQ(three.threads, 3);
  const machine_description absent = describe_machine(cuda{cuda_device_count()});
  EXPECT_EQ(absent.kind, device_set::cuda);
  EXPECT_EQ(absent.compute_capability, 90);
  EXPECT_EQ(absent.available_device_bytes, unknown_memory);
  if (!runs_here(isa::avx512))
    expect_error(errc::unsupported, HasSubstr("avx512"),
                 [] { static_cast<void>(describe_machine(cpu{.level = isa::avx512})); });
}

/// Larger than samples, of all kinds: values that are few, many, both, none at all; diagonals, blocks,
/// nothing of the sort. f is called with views of both value types and both offsets.
template <class F>
void for_large_and_small(F&& f) {
  const auto with_both_offsets = [&](const auto& a) {
    f(a.view());
    const std::vector<std::int32_t> row_ptr(a.row_ptr.span().begin(), a.row_ptr.span().end());
    using value_type = std::remove_cvref_t<decltype(a.val[0])>;
    f(csr_view<value_type, std::int32_t>{
        .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr, .col = a.view().col, .val = a.view().val});
  };
  for (const char* const made :
       {"stencil(nx=40,ny=40,nz=30,points=7)", "stencil(nx=200,ny=200,points=5,values=few(3))",
        "fem(nx=9,dof=3)", "fem(nx=9,dof=3,values=few(300))", "rmat(scale=13)",
        "rmat(scale=13,values=constant)", "uniform(rows=20k,per_row=8)", "banded(n=20k,lower=4,upper=4)",
        "diagonal(50k)", "diagonal(50k,values=few(2))", "empty_rows(rows=10k,every=3)", "nlpkkt(n=12)"})
    with_both_offsets(bench_support::generate<double>(made));
  with_both_offsets(bench_support::generate<float>("fem(nx=9,dof=3)"));
  with_both_offsets(bench_support::generate<float>("stencil(nx=200,ny=200,points=5,values=few(3))"));
  for (const auto& [from, every, value] : {std::tuple{0, 1, 1.0}, std::tuple{1, 2, 1.0},
                                           std::tuple{2, 3, std::numeric_limits<double>::quiet_NaN()}}) {
    auto a = bench_support::generate<double>("uniform(rows=20k,per_row=8)");
    for (auto k = static_cast<std::size_t>(from); k < a.val.size(); k += static_cast<std::size_t>(every))
      a.val[k] = value;
    with_both_offsets(a);
  }
  for (const auto& entry : battery()) with_both_offsets(entry.matrix);
  // On diagonals in two of five rows, and nothing in the others.
  const auto grid = bench_support::generate<double>("stencil(nx=200,ny=200,points=5,values=few(3))");
  std::vector<std::int64_t> row_ptr(grid.row_ptr.span().begin(), grid.row_ptr.span().end());
  const auto kept = static_cast<std::size_t>(grid.rows * 2 / 5);
  std::fill(row_ptr.begin() + static_cast<std::ptrdiff_t>(kept), row_ptr.end(), row_ptr[kept]);
  const auto entries = static_cast<std::size_t>(row_ptr[kept]);
  f(csr_view<double, std::int64_t>{.rows = grid.rows,
                                   .cols = grid.cols,
                                   .row_ptr = row_ptr,
                                   .col = grid.view().col.first(entries),
                                   .val = grid.view().val.first(entries)});
}

std::vector<machine_description> several_machines() {
  return {with_threads(zen4, 1), zen4, with_level(with_threads(zen4, 16), isa::avx2), with_threads(xeon, 64),
          h200};
}

std::string name_of(const machine_description& machine) {
  if (machine.kind == device_set::cuda) return "a GPU";
  return std::to_string(machine.threads) + " threads with " + std::string(name(machine.level));
}

template <value V, offset O>
std::string trace_of(const csr_view<V, O>& a, const machine_description& machine) {
  return name_of(machine) + ", " + std::to_string(a.rows) + " rows, " + std::to_string(a.nnz()) +
         " nonzeros, " + std::to_string(sizeof(V)) + " and " + std::to_string(sizeof(O)) + " bytes";
}

TEST(least_seconds, are_not_above_what_is_forecast) {
  std::map<std::string_view, int> sharp;  // of the formats whose bounds are samples
  for_large_and_small([&]<value V, offset O>(const csr_view<V, O>& a) {
    const row_statistics statistics = measure_rows(a);
    for (const machine_description& machine : several_machines()) {
      SCOPED_TRACE(trace_of(a, machine));
      const exec::target target = tuning::target_of(machine);
      const formats::machine speed = tuning::speed_of(machine, a);
      for (const format_info& format : list_formats()) {
        const format_forecast predicted = plans::forecast_on(a, statistics, format.name, {}, target, speed);
        if (!predicted.refusal.empty()) continue;
        const plans::least_time least = plans::least_seconds(a, statistics, format.name, target, speed);
        EXPECT_LE(least.seconds, predicted.seconds * (1 + 1e-12)) << format.name;
        if (least.reads_all && a.nnz() > 10'000 && least.seconds > 0.8 * predicted.seconds)
          ++sharp[format.name];
      }
    }
  });
  // A bound that is far below leaves nothing out.
  EXPECT_GE(sharp.size(), 3u);
  for (const auto& [format, times] : sharp) EXPECT_GT(times, 20) << format;
}

TEST(automatic_gpu_format, is_packed_unless_the_matrix_is_huge) {
  const auto chosen = [](std::int64_t cols, std::int64_t nnz, bool few_products = false) {
    return std::string(tuning::automatic_gpu_format(1000, cols, nnz, sizeof(double), few_products));
  };
  EXPECT_EQ(chosen(1000, 10'000), "packed");
  EXPECT_EQ(chosen(0, 0), "packed");
  EXPECT_EQ(chosen(1000, 10'000, true), "csr");
  EXPECT_TRUE(tuning::are_few_products(device_set::cuda, 23));
  EXPECT_FALSE(tuning::are_few_products(device_set::cuda, 24));
  constexpr std::int64_t three_billion = std::int64_t{3} << 30;
  EXPECT_EQ(chosen(1000, three_billion), "packed") << "at most 48 GiB";
  EXPECT_EQ(chosen(2'000'000'000, three_billion), "csr") << "the transpose may have more";
  EXPECT_EQ(chosen(1000, std::int64_t{5} << 30), "csr") << "more than packed can address";
}

/// On a fixed machine of 16 threads, since this one's instruction set changes the choice.
TEST(automatic_cpu_format, is_cached_x_for_long_rows_of_a_wide_matrix_alone) {
  constexpr machine_description machine{
      .kind = device_set::cpu, .level = isa::avx512, .threads = 16, .cache_bytes = std::int64_t{64} << 20};
  const auto chosen = [&](const char* text, bool values_change = false) {
    const auto a = bench_support::generate<double>(text);
    return tuning::automatic_cpu_format(a.view(), measure_rows(a.view()), machine, values_change, 1)
        .value()
        .format;
  };
  for (const char* const wide :
       {"uniform(rows=300,cols=10M,per_row=10k)", "uniform(rows=100,cols=1M,per_row=20k)",
        "uniform(rows=1k,cols=200k,per_row=2k)"})
    EXPECT_EQ(chosen(wide), "cached_x") << wide;
  EXPECT_NE(chosen("uniform(rows=1k,cols=200k,per_row=2k)", true), "cached_x")
      << "new values are encoded again";
  for (const char* const other :
       {"uniform(rows=300k,per_row=6)", "uniform(rows=900k,per_row=2)", "fem(nx=30,dof=3)",
        "stencil(nx=60,ny=60,nz=60,points=27)", "uniform(rows=20k,cols=20k,per_row=200)"})
    EXPECT_NE(chosen(other), "cached_x") << other;
}

TEST(first_of_ranking, multiplies_several_vectors_at_once) {
  int others = 0;
  for (const char* const made : {"stencil(nx=300,ny=300,points=9,values=few(3))", "circuit(rows=100k)",
                                 "uniform(rows=100k,per_row=8)", "diagonal(n=300000)"}) {
    SCOPED_TRACE(made);
    const auto a = bench_support::generate<double>(made);
    const row_statistics statistics = measure_rows(a.view());
    for (const machine_description& machine : {zen4, h200}) {
      const auto chosen = tuning::first_of_ranking(a.view(), statistics, machine, {}, 4);
      ASSERT_TRUE(chosen.has_value());
      EXPECT_TRUE(plans::multiplies_at_once(chosen->setting.format, machine.kind, 4))
          << chosen->setting.format;
      const auto of_one = tuning::first_of_ranking(a.view(), statistics, machine, {});
      others += of_one->setting.format != chosen->setting.format ? 1 : 0;
    }
    EXPECT_FALSE(tuning::first_of_ranking(a.view(), statistics, zen4, {}, 2).has_value());
  }
  EXPECT_GT(others, 0);
}

TEST(least_seconds, give_the_first_of_the_ranking) {
  std::int64_t left_out = 0;
  for_large_and_small([&]<value V, offset O>(const csr_view<V, O>& a) {
    const row_statistics statistics = measure_rows(a);
    const std::int64_t limit = a.nnz() * static_cast<std::int64_t>(sizeof(V));
    for (const machine_description& machine : several_machines())
      for (const rank_options& options :
           {rank_options{}, rank_options{.values_change = true}, rank_options{.memory_bytes = limit},
            rank_options{.memory_limit = limit / 2}}) {
        if (sizeof(O) == sizeof(std::int32_t) && options.memory_bytes + options.memory_limit.value_or(0) > 0)
          continue;  // the same as of the other offsets
        SCOPED_TRACE(trace_of(a, machine));
        const auto first = tuning::first_of_ranking(a, statistics, machine, options);
        const candidate expected = rank_formats(a, statistics, machine, options).front();
        ASSERT_EQ(first.has_value(), expected.refusal.empty());
        if (!first) continue;
        EXPECT_EQ(first->setting, expected.setting);
        EXPECT_EQ(first->seconds, expected.seconds);
        EXPECT_EQ(first->bytes, expected.bytes);
        if (a.nnz() < 10'000) continue;
        for (const format_info& format : list_formats()) {
          const plans::least_time least = plans::least_seconds(
              a, statistics, format.name, tuning::target_of(machine), tuning::speed_of(machine, a));
          left_out += least.reads_all && least.seconds > first->seconds ? 1 : 0;
        }
      }
  });
  EXPECT_GT(left_out, 500) << "of those that read all";
}

TEST(forecast_by_sample, is_nearly_what_is_forecast) {
  std::map<std::string_view, int> sampled;
  for (const char* const made : {"circuit(rows=100k)", "rmat(scale=16)", "fem(nx=31,dof=3,values=few(300))",
                                 "stencil(nx=45,ny=45,nz=45,points=7,values=few(3))"}) {
    const auto a = bench_support::generate<double>(made);
    const row_statistics statistics = measure_rows(a.view());
    for (const machine_description& machine : {zen4, h200}) {
      const exec::target target = tuning::target_of(machine);
      const formats::machine speed = tuning::speed_of(machine, a.view());
      for (const format_info& format : list_formats()) {
        SCOPED_TRACE(std::string(made) + ", " + std::string(format.name) + " on " + name_of(machine));
        const auto predicted = plans::forecast_on(a.view(), statistics, format.name, {}, target, speed);
        const auto guessed = plans::forecast_on(a.view(), statistics, format.name, {}, target, speed,
                                                plans::sizing::estimated);
        EXPECT_EQ(guessed.refusal, predicted.refusal);
        EXPECT_EQ(guessed.options, predicted.options);
        EXPECT_NEAR(static_cast<double>(guessed.bytes), static_cast<double>(predicted.bytes),
                    0.05 * static_cast<double>(predicted.bytes));
        EXPECT_NEAR(guessed.seconds, predicted.seconds, 0.05 * predicted.seconds);
        sampled[format.name] += predicted.exact && !guessed.exact ? 1 : 0;
      }
    }
  }
  for (const char* format : {"packed", "bccoo"}) EXPECT_GE(sampled[format], 4) << format;
}

TEST(forecast_by_sample, is_what_a_choice_goes_by) {
  std::int64_t other_bytes = 0;
  for (const char* const made :
       {"circuit(rows=100k)", "rmat(scale=17,edge_factor=4)", "uniform(rows=100k,per_row=8)"}) {
    SCOPED_TRACE(made);
    const auto a = bench_support::generate<double>(made);
    const row_statistics statistics = measure_rows(a.view());
    for (const machine_description& machine : {zen4, h200}) {
      const auto chosen = tuning::first_of_ranking(a.view(), statistics, machine, {});
      ASSERT_TRUE(chosen.has_value());
      const auto ranked = rank_formats(a.view(), statistics, machine);
      const candidate& measured = of(ranked, chosen->setting.format);
      EXPECT_LE(measured.seconds, 1.05 * ranked.front().seconds) << chosen->setting.format;
      EXPECT_NEAR(chosen->seconds, measured.seconds, 0.05 * measured.seconds);
      other_bytes += chosen->bytes != measured.bytes ? 1 : 0;
    }
  }
  EXPECT_GT(other_bytes, 0) << "all was measured";
}

/// A core that decodes takes longer than one that waits for the bytes which the decoding saves.
TEST(rank_formats, knows_on_a_cpu_that_decoding_takes_time) {
  for (const machine_description& machine : {zen4, xeon, with_level(zen4, isa::avx2)}) {
    SCOPED_TRACE(name_of(machine));
    for (const char* text :
         {"like(scircuit)", "fem(nx=12,mesh=unstructured)", "rmat(scale=13)", "circuit(rows=10k)"}) {
      const auto ranked = rank(bench_support::generate<double>(text), machine);
      EXPECT_EQ(ranked.front().setting.format, "pattern_csr") << text;
      EXPECT_GT(of(ranked, "bccoo").seconds, 1.5 * of(ranked, "pattern_csr").seconds) << text;
    }
  }
}

/// 7 points of 20^3 take 6.2 us packed and 10.5 by pattern_csr on two threads of a Zen 4, whose registers
/// hold 16 values.
TEST(rank_formats, predicts_dictionary_encoded_diagonals_on_a_cpu) {
  const auto is_faster = [](const char* values, isa level) {
    const std::string text = std::string("stencil(nx=20,ny=20,nz=20,points=7,values=") + values + ")";
    const auto ranking = rank(bench_support::generate<double>(text), with_level(zen4, level));
    return of(ranking, "packed").seconds < of(ranking, "pattern_csr").seconds;
  };
  EXPECT_FALSE(is_faster("few(3)", isa::baseline)) << "each value is loaded";
  EXPECT_TRUE(is_faster("few(3)", isa::avx512));
  EXPECT_TRUE(is_faster("few(16)", isa::avx512));
  EXPECT_FALSE(is_faster("few(17)", isa::avx512)) << "one more than registers hold";
  EXPECT_FALSE(is_faster("distinct", isa::avx512));
}

/// Loading each value takes longer than pattern_csr does, unless that waits for memory: its 135 MB fit into
/// the Xeon's caches alone.
TEST(rank_formats, knows_on_a_cpu_what_few_bytes_are_worth_out_of_the_caches) {
  const auto a = bench_support::generate<double>("stencil(nx=108,ny=108,nz=108,points=7,values=few(3))");
  const auto packed_over_pattern_csr = [&](const machine_description& machine) {
    const auto ranked = rank(a, with_level(machine, isa::avx2));
    return of(ranked, "packed").seconds / of(ranked, "pattern_csr").seconds;
  };
  EXPECT_LT(packed_over_pattern_csr(zen4), 1);
  EXPECT_GT(packed_over_pattern_csr(xeon), 1);
}

TEST(rank_formats, shares_the_work_of_a_cpu_among_its_threads) {
  const auto a = bench_support::generate<double>("stencil(nx=20,ny=20,nz=20,points=7)");
  const double one = of(rank(a, with_threads(zen4, 1)), "sliced_ell").seconds;
  const double four = of(rank(a, with_threads(zen4, 4)), "sliced_ell").seconds;
  EXPECT_LT(four, one / 2);
  EXPECT_GT(four, one / 8);
}

/// dia reads no columns, which pays where a matrix comes from memory and its diagonals are few: 27 points of
/// 70^3 take 1.7 (f64) and 1.5 (f32) of pattern_csr's time as dia on two threads of a Zen 4, 7 points of
/// 108^3 0.63. The latter fit into the Xeon's caches, from where reading columns costs next to nothing.
template <value V>
void expect_dia_for_few_diagonals_from_memory() {
  const auto first = [](const char* matrix, const machine_description& machine) {
    return rank(bench_support::generate<V>(matrix), machine).front().setting.format;
  };
  const char* const many = "stencil(nx=70,ny=70,nz=70,points=27)";
  const char* const few = "stencil(nx=108,ny=108,nz=108,points=7)";
  EXPECT_EQ(first(many, zen4), "pattern_csr");
  EXPECT_EQ(first(few, zen4), "dia");
  EXPECT_EQ(first(many, xeon), "pattern_csr");
  EXPECT_EQ(first(few, xeon), "pattern_csr");
}
TEST(rank_formats, knows_that_a_core_does_not_follow_many_diagonals) {
  expect_dia_for_few_diagonals_from_memory<float>();
  expect_dia_for_few_diagonals_from_memory<double>();
}

TEST(rank_formats, knows_on_a_gpu_that_small_matrices_wait_and_do_not_move_bytes) {
  // For 17 times the bytes of csr and 16 of dia an H200 takes 4.5 us instead of 2.7, and 4.2 instead of 3.7
  // (device_work.csv).
  const auto small = rank(bench_support::generate<double>("stencil(nx=30,ny=30,nz=30,points=27)"), h200);
  const auto smaller = rank(bench_support::generate<double>("stencil(nx=12,ny=12,nz=12,points=27)"), h200);
  for (const std::string_view format :
       {plain_format(), std::string_view("packed"), std::string_view("dia")}) {
    EXPECT_GT(of(small, format).bytes, 14 * of(smaller, format).bytes) << format;
    EXPECT_LT(of(small, format).seconds, 2 * of(smaller, format).seconds) << format;
  }
  EXPECT_LT(small.front().seconds, 6e-6);
  // 8.3 us; csr takes 25.
  const auto few =
      rank(bench_support::generate<double>("stencil(nx=1000,ny=1000,points=5,values=few(3))"), h200);
  EXPECT_EQ(few.front().setting.format, "packed");
  EXPECT_GT(of(few, plain_format()).seconds, 2 * few.front().seconds);
}

/// On an H200 dia takes 1.09 times packed's time on like(ecology1), which has as many points, and 1.43 times
/// in f32.
template <value V>
void expect_packed_before_dia() {
  const auto a = bench_support::generate<V>("stencil(nx=1000,ny=1000,points=5)");
  const auto ranked = rank(a, h200);
  EXPECT_EQ(ranked.front().setting.format, "packed");
  EXPECT_GT(of(ranked, "dia").seconds, 1.02 * of(ranked, "packed").seconds);
  EXPECT_GT(of(ranked, plain_format()).seconds, 1.5 * of(ranked, "packed").seconds);
}
TEST(rank_formats, knows_on_a_gpu_that_rows_on_diagonals_gather_nothing) {
  expect_packed_before_dia<double>();
  expect_packed_before_dia<float>();
}

TEST(rank_formats, knows_on_a_gpu_that_all_wait_for_the_longest_row) {
  const auto ranked = rank(bench_support::generate<double>("power_law(rows=30k,mean=5,max=6000)"), h200);
  EXPECT_GT(of(ranked, "jds").seconds, 10 * of(ranked, plain_format()).seconds);
  EXPECT_GT(of(ranked, "row_grouped_csr").seconds, 10 * of(ranked, plain_format()).seconds);
  EXPECT_LT(ranked.front().seconds, 12e-6);
}

TEST(rank_formats, predicts_a_time_for_matrices_of_next_to_nothing) {
  using sizes = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [rows, cols] : {sizes{0, 0}, {0, 7}, {7, 0}, {5, 3}, {1, 1}}) {
    for (const std::int64_t entries : {0, 1}) {
      if (entries > rows || entries > cols) continue;
      small_csr<double, std::int32_t> a{
          .rows = rows,
          .cols = cols,
          .row_ptr = std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1)};
      if (entries == 1) {
        a.row_ptr.back() = 1;
        a.col = {0};
        a.val = {2.0};
      }
      for (const machine_description& machine : {zen4, h200}) {
        const auto ranked = rank_formats(a.view(), measure_rows(a.view()), machine, {.every_setting = true});
        for (const format_info& format : list_formats()) {
          if (!contains(format.devices, machine.kind)) continue;
          const candidate& p = of(ranked, format.name);
          EXPECT_TRUE(p.refusal.empty()) << format.name << ": " << p.refusal;
        }
        for (const candidate& p : ranked) {
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ", " + std::to_string(entries) +
                       " entries, " + name_of(machine) + ", " + p.setting.format);
          EXPECT_TRUE(std::isfinite(p.seconds)) << p.seconds;
          EXPECT_GT(p.seconds, 0);
          EXPECT_LT(p.seconds, 1e-4);
        }
      }
    }
  }
}

TEST(rank_formats, has_every_format_once_and_refused_ones_behind) {
  const auto ranked = rank(bench_support::generate<double>("arrow(n=2000,width=1)"), zen4);
  ASSERT_EQ(ranked.size(), list_formats().size());
  const auto usable = static_cast<std::int64_t>(ranked.size()) - refused(ranked);
  ASSERT_GT(usable, 0);
  ASSERT_GT(refused(ranked), 0);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_EQ(ranked[i].refusal.empty(), static_cast<std::int64_t>(i) < usable) << i;
    if (i > 0 && ranked[i].refusal.empty()) {
      EXPECT_LE(ranked[i - 1].seconds, ranked[i].seconds);
    }
  }
  EXPECT_THAT(of(ranked, "ellpack").refusal, HasSubstr("slots"));
}

TEST(rank_formats, every_setting_holds_each_candidate_once) {
  const auto a = bench_support::generate<double>("uniform(rows=2000,per_row=5)");
  const auto all = rank(a, zen4, {.every_setting = true});
  EXPECT_GT(all.size(), rank(a, zen4).size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j)
      EXPECT_FALSE(all[i].setting == all[j].setting) << i << ' ' << j;
  }
  for (const option_texts& texts :
       plans::candidates_on("brc", measure_rows(a.view()), tuning::target_of(zen4), false)) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const candidate& p) {
      return p.setting == format_setting{"brc", texts};
    }));
  }
}

/// The two multiply a matrix without patterns alike, and csr holds fewer bytes. Where there are some,
/// pattern_csr is as fast as csr of 0.1 was.
TEST(rank_formats, takes_csr_for_a_matrix_without_patterns) {
  for (const machine_description& machine : {zen4, xeon}) {
    const auto scattered = rank(bench_support::generate<double>("uniform(rows=40k,per_row=60)"), machine);
    EXPECT_EQ(of(scattered, "csr").seconds, of(scattered, "pattern_csr").seconds);
    EXPECT_EQ(scattered.front().setting.format, "csr");
    for (const char* const text :
         {"stencil(nx=60,ny=60,points=5)", "fem(nx=12,dof=3)", "circuit(rows=10k)"}) {
      const auto ranked = rank(bench_support::generate<double>(text), machine);
      EXPECT_LT(of(ranked, "pattern_csr").seconds, of(ranked, "csr").seconds) << text;
    }
  }
}

TEST(rank_formats, refuses_what_finds_no_room) {
  const auto a = bench_support::generate<double>("diagonal(500)");
  const auto ranked = rank(a, zen4, {.memory_bytes = 1});
  EXPECT_EQ(ranked.front().setting.format, plain_format());
  EXPECT_EQ(refused(ranked), static_cast<std::int64_t>(ranked.size()) - 1);
  EXPECT_THAT(of(ranked, "coo").refusal, HasSubstr("the limit is 1"));
  EXPECT_LT(refused(rank(a, zen4, {.memory_bytes = 1 << 20})), refused(ranked));
  expect_error(errc::invalid_argument, HasSubstr("memory_bytes = -1"),
               [&] { rank(a, zen4, {.memory_bytes = -1}); });
}

/// Building takes as much again as what is kept.
TEST(rank_formats, refuses_what_half_of_the_free_memory_does_not_hold) {
  const auto a = bench_support::generate<double>("diagonal(500)");
  machine_description small = zen4;
  small.available_host_bytes = 2 * of(rank(a, zen4), "coo").bytes;
  EXPECT_EQ(of(rank(a, small), "coo").refusal, "");
  --small.available_host_bytes;
  EXPECT_THAT(of(rank(a, small), "coo").refusal,
              HasSubstr(std::to_string(small.available_host_bytes) + " are free"));
  EXPECT_EQ(of(rank(a, small, {.memory_bytes = 1 << 20}), "coo").refusal, "") << "the caller knows better";
  EXPECT_EQ(of(rank(a, small), plain_format()).refusal, "");
}

TEST(rank_formats, refuses_formats_that_reencode_if_values_change) {
  const auto a = bench_support::generate<double>("stencil(nx=20,ny=20,points=5,values=few(3))");
  const auto fixed = rank(a, zen4);
  const auto changing = rank(a, zen4, {.values_change = true});
  for (const format_info& format : list_formats()) {
    if (!contains(format.reencodes, device_set::cpu) || !of(fixed, format.name).refusal.empty()) continue;
    EXPECT_THAT(of(changing, format.name).refusal, HasSubstr("encoded again")) << format.name;
  }
  const auto on_gpu = rank(a, h200, {.values_change = true});
  EXPECT_THAT(of(on_gpu, "bccoo").refusal, HasSubstr("encoded again"));
  const candidate& packed = of(on_gpu, "packed");
  EXPECT_EQ(packed.refusal, "") << "a kernel replaces its values";
  EXPECT_THAT(packed.setting.options, testing::Contains(testing::Pair("values", "whole")));
  EXPECT_GT(packed.bytes, 3 * of(rank(a, h200), "packed").bytes) << "its values are not encoded";
  auto plan = inspect(a.view(), cpu{}, {.format = "auto", .values_change = true});
  EXPECT_FALSE(plan.reencodes());
}

TEST(rank_formats, ranks_for_a_missing_device) {
  const auto a = bench_support::generate<double>("stencil(nx=1000,ny=1000,points=5,values=few(3))");
  const auto ranked = rank_formats(a.view(), measure_rows(a.view()), cuda{cuda_device_count()});
  EXPECT_EQ(ranked.front().setting.format, "packed");
  for (const candidate& p : ranked)
    EXPECT_TRUE(contains(find_format(p.setting.format).devices, device_set::cuda));
}

TEST(rank_formats, expects_what_a_device_does_not_hold_through_the_bus) {
  const auto a = bench_support::generate<double>("stencil(nx=300,ny=300,points=5)");
  const auto free = rank(a, h200);
  const std::int64_t limit = 1 << 20;
  const auto limited = rank(a, h200, {.memory_limit = limit});
  ASSERT_EQ(limited.size(), free.size());
  machine_description small = h200;
  small.available_device_bytes = limit;
  const auto full = rank(a, small);
  for (const candidate& p : limited) {
    EXPECT_EQ(of(full, p.setting.format).seconds, p.seconds) << p.setting.format;
    if (!p.refusal.empty()) continue;
    const double more = p.seconds - of(free, p.setting.format).seconds;
    EXPECT_NEAR(more * 50e9, static_cast<double>(std::max<std::int64_t>(0, p.bytes - limit)), 1.0)
        << p.setting.format;
  }
  const auto on_cpu = rank(a, zen4, {.memory_limit = limit});
  EXPECT_EQ(on_cpu.front().seconds, rank(a, zen4).front().seconds);
}

TEST(inspect_auto, takes_the_first_of_some_formats) {
  const std::set<std::string> considered{"csr", "pattern_csr", "packed",  "sliced_ell",
                                         "dia", "brc",         "cached_x"};
  for (const auto& entry : battery()) {
    SCOPED_TRACE(entry.name);
    const auto a = entry.matrix.view();
    const auto plan = inspect(a, cpu{.threads = 2}, {.format = "auto"});
    const auto ranked = rank_formats(a, measure_rows(a), tuning::usual_machine({}));
    const auto first = std::find_if(ranked.begin(), ranked.end(), [&](const candidate& each) {
      return considered.contains(each.setting.format);
    });
    ASSERT_NE(first, ranked.end());
    EXPECT_EQ(plan.format(), first->setting.format);
    EXPECT_EQ(plan.options(), first->setting.options);
  }
}

TEST(inspect_auto, agrees_with_the_oracle_and_gives_the_matrix_back) {
  for (const auto& entry : battery()) {
    SCOPED_TRACE(entry.name);
    const auto a = entry.matrix.view();
    {
      const auto plan = inspect(a, cpu{.threads = 2}, {.format = "auto"});
      SCOPED_TRACE(plan.describe());
      EXPECT_THAT(plan.describe(), HasSubstr("\"format\":\"" + std::string(plan.format()) + '"'));
      const auto x = random_vector<double>(a.cols, 3);
      auto y = poisoned<double>(a.rows);
      plan.multiply(2.0, x, 0.0, y);
      EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a, 2.0, x, 0.0, {}, y).passed()));
      const auto back = plan.to_csr();
      EXPECT_EQ(back.rows, a.rows);
      EXPECT_EQ(back.cols, a.cols);
      // The same plan from what it says of itself, without choosing.
      const auto again = inspect(a, description{plan.describe()});
      EXPECT_EQ(again.format(), plan.format());
      EXPECT_EQ(again.options(), plan.options());
      auto same = poisoned<double>(a.rows);
      again.multiply(2.0, x, 0.0, same);
      EXPECT_TRUE(testing_support::same_bits(y, same));
    }
  }
}

TEST(inspect_auto, takes_matrices_without_rows_columns_or_entries) {
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 7}, {7, 0}, {5, 3}}) {
    const small_csr<float, std::int32_t> a{
        .rows = rows, .cols = cols, .row_ptr = std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1)};
    const auto plan = inspect(a.view(), cpu{}, {.format = "auto"});
    const std::vector<float> x(static_cast<std::size_t>(cols), 1.0f);
    auto y = poisoned<float>(rows);
    plan.multiply(1.0f, x, 0.0f, y);
    EXPECT_EQ(y, std::vector<float>(static_cast<std::size_t>(rows)));
    EXPECT_EQ(plan.to_csr().nnz(), 0);
  }
}

TEST(inspect_auto, chooses_for_coordinates_too) {
  const std::vector<std::int32_t> row{2, 0, 2};
  const std::vector<std::int32_t> col{1, 3, 0};
  const std::vector<double> val{5, 7, 11};
  const auto plan = inspect(coo_view<double>{.rows = 3, .cols = 4, .row = row, .col = col, .val = val}, cpu{},
                            {.format = "auto"});
  std::vector<double> y(3);
  plan.multiply(1.0, std::vector<double>{1, 10, 100, 1000}, 0.0, y);
  EXPECT_THAT(y, testing::ElementsAre(7000, 0, 61));
}

TEST(inspect_auto, refuses_options_of_no_format) {
  const auto a = bench_support::generate<double>("diagonal(4)");
  expect_error(errc::invalid_argument, HasSubstr("option \"kernel\" needs a format"), [&] {
    inspect(a.view(), cpu{}, {.format = "auto", .options = {{"kernel", "thread"}}});
  });
}

TEST(inspect_auto, checks_the_matrix_before_it_chooses) {
  auto a = bench_support::generate<double>("diagonal(30)");
  a.col[7] = 30;
  expect_error(errc::invalid_matrix, HasSubstr("col[7] = 30"),
               [&] { inspect(a.view(), cpu{}, {.format = "auto"}); });
}

TEST(inspect_auto, can_be_cancelled_where_it_chooses) {
  const auto a = bench_support::generate<double>("diagonal(30)");
  expect_error(errc::cancelled, HasSubstr("choose"), [&] {
    inspect(a.view(), cpu{},
            {.format = "auto", .progress = [](const progress& p) { return p.stage != "choose"; }});
  });
}

}  // namespace
}  // namespace gossamer
