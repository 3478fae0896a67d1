// SPDX-License-Identifier: BSD-3-Clause
// Arguments without meaning, given to every public function that takes some: it works, or gossamer's error is
// one line.
#include <gtest/gtest.h>

#include <limits>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/catalog/matrix_sets.hpp"
#include "bench_support/compare/time_inspections.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/peers.hpp"
#include "support/public_calls.hpp"
#include "support/variable.hpp"

namespace gossamer {
namespace {

using testing_support::small_matrix;
using testing_support::variable;

template <class Call>
void expect_no_foreign_exception(std::string_view function, Call&& call) {
  try {
    call();
  } catch (const error& problem) {
    const std::string message = problem.what();
    EXPECT_NE(message, "") << function;
    EXPECT_LT(message.size(), 20000U) << function;
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), ' ') << function << ": " << message;
  } catch (const std::exception& problem) {
    ADD_FAILURE() << function << " let another exception out: " << problem.what();
  }
}

std::vector<std::string> odd_texts() {
  using namespace std::string_literals;
  const std::size_t long_text = 1'000'000;
  return {"",
          "\0"s,
          "a\0b"s,
          "\xff\xfe\x80",
          "a\nb\r\t\x7f",
          "{}{0}%s%n",
          "1e999",
          "nan",
          "-1",
          "cpu:-1,cuda:",
          "/",
          std::string(long_text, 'a'),
          "\"\\",
          ",,,,",
          "uniform(rows=",
          "csr ",
          "cuda:99999999999999999999",
          std::string(long_text, '['),
          std::string(long_text / 10, ','),
          "uniform(" + std::string(1000, '(')};
}

TEST(arguments, of_odd_texts_give_an_error_of_one_line) {
  const variable no_cache("GOSSAMER_CACHE", "");
  const auto a = small_matrix().view();
  const row_statistics statistics = measure_rows(a);
  const cpu one{.threads = 1};
  auto own = copy<double, std::int64_t>(a);
  for (const std::string& text : odd_texts()) {
    SCOPED_TRACE(text.substr(0, 40));
    const auto expect_for = expect_no_foreign_exception<std::function<void()>>;
    const option_texts as_name{{text, "auto"}};
    const option_texts as_value{{"kernel", text}};
    expect_for("parse_resource", [&] { parse_resource(text); });
    expect_for("parse_isa", [&] { parse_isa(text); });
    expect_for("parse_hybrid", [&] { parse_hybrid(text); });
    expect_for("find_format", [&] { find_format(text); });
    expect_for("find_peer", [&] { bench_support::find_peer(text); });
    expect_for("find_peer_here", [&] { bench_support::find_peer_here(text); });
    expect_for("find_known_matrix", [&] { bench_support::find_known_matrix(text.substr(0, 1000)); });
    expect_for("find_matrix_set", [&] { bench_support::find_matrix_set(text); });
    expect_for("is_specification", [&] { bench_support::is_specification(text); });
    expect_for("parse_specification", [&] { bench_support::parse_specification(text); });
    expect_for("generate", [&] { bench_support::generate<double>(text); });
    expect_for("generate", [&] { bench_support::generate<double>("uniform(rows=" + text + ")"); });
    expect_for("generate", [&] { bench_support::generate<double>("uniform(" + text + "=1)"); });
    expect_for("assign_values", [&] { bench_support::assign_values(own, text); });
    expect_for("parse_matrix_market", [&] { parse_matrix_market<double>(text, text); });
    expect_for("read_matrix_market", [&] { read_matrix_market<double>(text); });
    expect_for("read_vector", [&] { read_vector<double>(text); });
    if (text.size() != 0 && text.find('\0') == text.npos && text.find('/') == text.npos) {
      expect_for("write_matrix_market", [&] { write_matrix_market("/dev/null/" + text, a); });
      expect_for("write_vector", [&] { write_vector<double>("/dev/null/" + text, a.val); });
    }
    expect_for("forecast", [&] { forecast(a, statistics, text, {}, one); });
    expect_for("forecast", [&] { forecast(a, statistics, "csr", as_name, one); });
    expect_for("forecast", [&] { forecast(a, statistics, "csr", as_value, one); });
    expect_for("candidates", [&] { candidates(text, statistics, one); });
    expect_for("variants", [&] { variants(text, one); });
    expect_for("inspect", [&] { inspect(a, one, {.format = text}); });
    expect_for("inspect", [&] { inspect(a, one, {.format = "csr", .options = as_name}); });
    expect_for("inspect", [&] { inspect(a, one, {.format = "auto", .options = as_value}); });
    expect_for("inspect", [&] { inspect(a, description{text}); });
    expect_for("inspect", [&] {
      inspect(a, hybrid{.parts = {{.where = one, .format = text, .options = as_value}}, .sharing = {}});
    });
    expect_for("inspect_peer", [&] { bench_support::inspect_peer(text, a, one); });
  }
  const hybrid part_with_odd_option{
      .parts = {{.where = one, .format = "csr", .options = {{"kernel", "\xff"}}}}, .sharing = {}};
  expect_no_foreign_exception("measure_powers", [&] { measure_powers<double>(part_with_odd_option); });
}

TEST(arguments, of_odd_descriptions_give_an_error_of_one_line) {
  const auto a = small_matrix().view();
  const std::string whole = inspect(a, cpu{.threads = 1}).describe();
  const auto with = [&](std::string_view member, const std::string& value) {
    std::string text = whole;
    const std::size_t at = text.find(member) + member.size() + 2;
    std::size_t end = text.find_first_of(",}", at);
    if (text[at] == '{') end = text.find('}', at) + 1;
    return text.replace(at, end - at, value);
  };
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const char* member :
       {"format", "options", "device", "isa", "threads", "value", "offset", "values_change", "copy"}) {
    for (const std::string& value :
         {std::string("null"), std::string("1e999"), std::string("-1"), std::string("1e300"),
          std::string("[]"), std::string("{\"a\":1}"), std::string("\"\\u0000\\n\""),
          std::string("18446744073709551615"), deep}) {
      SCOPED_TRACE(std::string(member) + ": " + value.substr(0, 40));
      expect_no_foreign_exception("inspect", [&] { inspect(a, description{with(member, value)}); });
    }
  }
  for (const char* limit : {"-1", "1e30", "\"1\"", "[[1]]"})
    expect_no_foreign_exception("inspect", [&] {
      inspect(a, description{"{\"memory_limit\":" + std::string(limit) + "," + whole.substr(1)});
    });
}

TEST(arguments, of_odd_numbers_give_an_error_of_one_line) {
  const variable no_cache("GOSSAMER_CACHE", "");
  const auto a = small_matrix().view();
  const row_statistics statistics = measure_rows(a);
  const cpu one{.threads = 1};
  const auto made = inspect(a, one);
  const hybrid cores = parse_hybrid("cpu:1,cpu:1");
  const auto expect_for = expect_no_foreign_exception<std::function<void()>>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -1.0, -0.0, 1e308, 5e-324}) {
    SCOPED_TRACE(odd);
    const std::vector<double> odd_powers{odd, odd};
    std::vector<double> one_odd_sample(100, 1.0);
    one_odd_sample[40] = odd;
    expect_for("tune", [&] { tune(a, one, {.calls = odd, .budget_seconds = 0, .use_cache = false}); });
    if (!(odd > 1)) expect_for("tune", [&] { tune(a, one, {.budget_seconds = odd, .use_cache = false}); });
    expect_for("forecast", [&] { forecast(a, statistics, "packed", {}, one, odd); });
    expect_for("partition_rows", [&] { partition_rows(a, odd_powers); });
    expect_for("inspect", [&] { inspect(a, parse_hybrid("cpu:1,cpu:1", odd_powers)); });
    expect_for("transfer_seconds", [&] { transfer_seconds({}, 8, odd); });
    expect_for("least_block_density", [&] { least_block_density(odd); });
    if (!(odd > 1)) {
      expect_for("time_repeatedly", [&] { time_repeatedly([] {}, odd); });
      expect_for("time_product", [&] { time_product([](cuda_stream) {}, cpu{}, odd); });
      expect_for("measure_powers", [&] { measure_powers<double>({}, {}, {.seconds = odd}); });
    }
    if (!(odd == 0))
      expect_for("rebalance", [&] {
        rebalance(a, cores, {}, {.rounds = 1, .products = 1, .tolerance = odd, .pairs = 6});
      });
    expect_for("ratio_of", [&] { ratio_of(one_odd_sample, one_odd_sample); });
    expect_for("summarise", [&] { summarise(one_odd_sample); });
  }
  for (const std::int64_t odd : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                 std::numeric_limits<std::int64_t>::max()}) {
    SCOPED_TRACE(odd);
    const int narrow = static_cast<int>(std::clamp<std::int64_t>(odd, INT32_MIN, INT32_MAX));
    expect_for("ramp", [&] { ramp<double>(odd); });
    expect_for("host_buffer", [&] { host_buffer<double>(static_cast<std::size_t>(odd)); });
    expect_for("product_vectors", [&] { product_vectors<double>(odd, 1, one); });
    expect_for("product_vectors", [&] { product_vectors<double>(1, odd, one); });
    expect_for("split_diagonal_blocks", [&] { split_diagonal_blocks(a, odd); });
    expect_for("rank_formats", [&] { rank_formats(a, statistics, one, {.memory_bytes = odd}); });
    expect_for("tune", [&] { tune(a, one, {.budget_seconds = 0, .memory_bytes = odd, .use_cache = false}); });
    expect_for("inspect", [&] { inspect(a, one, {.memory_limit = odd}); });
    expect_for("inspect", [&] { inspect(a, one, {.vectors = narrow}); });
    expect_for("inspect", [&] { inspect(a, cpu{.threads = narrow}); });
    expect_for("inspect", [&] { inspect(a, cuda{narrow}); });
    expect_for("thread_count", [&] { thread_count({.threads = narrow}); });
    expect_for("cuda_properties", [&] { cuda_properties(narrow); });
    expect_for("available_memory", [&] { available_memory(cuda{narrow}); });
    expect_for("last_level_cache_bytes", [&] { last_level_cache_bytes(cuda{narrow}); });
    expect_for("device_shares", [&] { device_shares(made, odd); });
    expect_for("distributed_vector", [&] {
      const std::vector<device_share> shares{{.device = narrow, .size = odd}};
      distributed_vector<double>{shares};
    });
    expect_for("least_block_density", [&] { least_block_density(0.9, narrow); });
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 0\n";
    expect_for("parse_matrix_market", [&] { parse_matrix_market<double>(text, "t", {.threads = narrow}); });
    expect_for("parse_matrix_market", [&] { parse_matrix_market<double>(text, "t", {.chunk_bytes = odd}); });
    const product_call nothing = [](cuda_stream) {};
    expect_for("time_interleaved", [&] {
      time_interleaved({&nothing, 1}, one, {.seconds = 0, .rounds = odd > 0 ? 1 : odd, .flush_bytes = odd});
    });
    expect_for("call_latency", [&] { call_latency(nothing, one, odd); });
    expect_for("inspect_peer", [&] { bench_support::inspect_peer("eigen", a, one, odd); });
    if (odd <= 0) {
      expect_for("time_inspections",
                 [&] { bench_support::time_inspections(a, one, inspect_options{}, narrow); });
      expect_for("rebalance",
                 [&] { rebalance(a, cores, {}, {.rounds = narrow, .products = narrow, .pairs = narrow}); });
    }
    for (const auto& [rows, cols] : {std::pair{odd, std::int64_t{1}}, std::pair{std::int64_t{1}, odd}}) {
      const csr_view<double, std::int64_t> bad{.rows = rows, .cols = cols};
      const coo_view<double> bad_coo{.rows = rows, .cols = cols};
      expect_for("validate", [&] { validate(bad); });
      expect_for("validate", [&] { validate(bad_coo); });
      expect_for("csr_from_coo", [&] { csr_from_coo(bad_coo); });
      expect_for("inspect", [&] { inspect(bad, one); });
      expect_for("inspect", [&] { inspect(bad, cores); });
      expect_for("tune", [&] { tune(bad, one, {.budget_seconds = 0, .use_cache = false}); });
      expect_for("write_matrix_market", [&] { write_matrix_market("/dev/null", bad); });
      expect_for("inspect_peer", [&] { bench_support::inspect_peer("eigen", bad, one); });
    }
  }
}

TEST(arguments, of_functions_that_are_empty_give_an_error) {
  const auto expect_error = [](const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::invalid_argument) << problem.what();
    }
  };
  const product_call none;
  expect_error([&] { time_repeatedly({}, 0); });
  expect_error([&] { time_interleaved({&none, 1}, cpu{}); });
  expect_error([&] { call_latency(none, cpu{}); });
}

TEST(arguments, of_odd_environments_give_an_error_of_one_line) {
  const auto a = small_matrix().view();
  for (const char* name :
       {"GOSSAMER_CACHE", "XDG_CACHE_HOME", "HOME", "GOSSAMER_ISA", "GOSSAMER_GATHERS", "GOSSAMER_SWEEPS"}) {
    const variable no_cache("GOSSAMER_CACHE", nullptr);
    const variable no_other("XDG_CACHE_HOME", nullptr);
    const std::string longest(1'000'000, 'x');
    for (const char* text : {"", "/dev/null", "/dev/null/x", "/proc/self/fd", "\xff\n", longest.c_str()}) {
      if (std::string_view(name) == "GOSSAMER_CACHE" && std::string_view(text) == "\xff\n")
        continue;  // a folder here
      SCOPED_TRACE(std::string(name) + " = " + std::string(text).substr(0, 40));
      const variable odd(name, text);
      expect_no_foreign_exception("inspect", [&] { inspect(a, cpu{.threads = 1}, {.format = "auto"}); });
      expect_no_foreign_exception("inspect", [&] { inspect(a, cpu{.threads = 1}, {.format = "packed"}); });
      expect_no_foreign_exception("tune", [&] { tune(a, cpu{.threads = 1}, {.budget_seconds = 0}); });
    }
  }
}

}  // namespace
}  // namespace gossamer
