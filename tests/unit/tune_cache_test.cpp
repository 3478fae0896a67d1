// SPDX-License-Identifier: BSD-3-Clause
// What searches leave on disk: by what it is found again, and what becomes of files that are broken or meant
// for others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "helpers.hpp"
#include "support/child.hpp"
#include "support/variable.hpp"
#include "tuning/cache.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/store.hpp"

namespace gossamer {
namespace {

namespace fs = std::filesystem;
using testing_support::become_ordinary;
using testing_support::status_of_child;
using testing_support::variable;
using tuning::cache_entry;
using tuning::cache_text;
using tuning::parse_cache;
using tuning::read_cache;
using tuning::write_cache;

class tune_cache : public testing::Test {
 protected:
  tune_cache() {
    std::string name = (fs::temp_directory_path() / "gossamer_cache_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder = name;
  }
  ~tune_cache() override { fs::remove_all(folder); }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& each : fs::directory_iterator(folder)) all.push_back(each.path());
    return all;
  }
  [[nodiscard]] std::string only_text() const {
    std::ostringstream text;
    text << std::ifstream(files().at(0)).rdbuf();
    return text.str();
  }
  void replace_only(const std::string& text) const { std::ofstream(files().at(0)) << text; }

  fs::path folder;
};

cache_entry entry_of(const std::string& format, double calls = 10) {
  measurement plain{.expected = {.setting = {std::string(plain_format()), {{"kernel", "thread"}}},
                                 .bytes = 12,
                                 .seconds = 3e-6},
                    .inspect_seconds = 0.25,
                    .multiply_seconds = 1e-5};
  measurement other{.expected = {.setting = {format, {}}, .by_default = false, .bytes = 7, .seconds = 1e-6},
                    .inspect_seconds = 0.5,
                    .multiply_seconds = 2e-6};
  measurement refused{.expected = {.setting = {"dia", {}}, .refusal = "\"too\" many\ndiagonals"},
                      .note = "refused"};
  return {.calls = calls,
          .budget_seconds = 2,
          .result = {.measurements = {plain, other, refused}, .chosen = 1, .complete = true}};
}

TEST_F(tune_cache, gives_back_what_was_written) {
  const fs::path below = folder / "a" / "b";  // made where it is missing
  EXPECT_FALSE(read_cache(below, "key").has_value());
  write_cache(below, "key", entry_of("jds"));
  const auto found = read_cache(below, "key");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->calls, 10);
  EXPECT_EQ(found->budget_seconds, 2);
  EXPECT_EQ(found->result.chosen, 1U);
  EXPECT_TRUE(found->result.complete);
  EXPECT_TRUE(found->result.from_cache);
  const cache_entry expected = entry_of("jds");
  ASSERT_EQ(found->result.measurements.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const measurement& a = found->result.measurements[i];
    const measurement& b = expected.result.measurements[i];
    EXPECT_EQ(a.expected.setting, b.expected.setting);
    EXPECT_EQ(a.expected.by_default, b.expected.by_default);
    EXPECT_EQ(a.expected.bytes, b.expected.bytes);
    EXPECT_EQ(a.expected.seconds, b.expected.seconds);
    EXPECT_EQ(a.expected.refusal, b.expected.refusal);
    EXPECT_EQ(a.note, b.note);
    EXPECT_EQ(a.measured(), b.measured());
    if (!a.measured()) continue;
    EXPECT_EQ(a.inspect_seconds, b.inspect_seconds);
    EXPECT_EQ(a.multiply_seconds, b.multiply_seconds);
  }
  EXPECT_FALSE(read_cache(below, "other key").has_value());
}

TEST_F(tune_cache, takes_no_file_of_another_key) {
  write_cache(folder, "key", entry_of("jds"));
  std::string text = only_text();
  text.replace(text.find("\"key\": \"key\""), 12, "\"key\": \"kez\"");
  replace_only(text);
  EXPECT_FALSE(read_cache(folder, "key").has_value());
}

TEST_F(tune_cache, takes_no_broken_file_and_replaces_it) {
  write_cache(folder, "key", entry_of("jds"));
  const std::string whole = only_text();
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
    replace_only(whole.substr(0, size));
    EXPECT_FALSE(read_cache(folder, "key").has_value()) << size;
  }
  std::string far = whole;
  far.replace(far.find("\"chosen\": 1"), 11, "\"chosen\": 9");
  std::string refused = whole;
  refused.replace(refused.find("\"chosen\": 1"), 11, "\"chosen\": 2");
  for (const std::string& text :
       {std::string("[]"), std::string("null"), std::string(200, '['), std::string("{\"layout\":{}}"),
        std::string("\0\xff\xfe", 3), far, refused}) {
    replace_only(text);
    EXPECT_FALSE(read_cache(folder, "key").has_value()) << text;
  }
  write_cache(folder, "key", entry_of("coo"));
  EXPECT_EQ(read_cache(folder, "key")->result.best().format, "coo");
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(tune_cache, number_out_of_range_is_ignored) {
  write_cache(folder, "key", entry_of("jds"));
  const std::string whole = only_text();
  const auto with = [&](const std::string& member, const std::string& value) {
    std::string text = whole;
    const std::size_t at = text.rfind("\"" + member + "\": ") + member.size() + 4;
    return text.replace(at, text.find_first_of(",}\n", at) - at, value);
  };
  replace_only(with("calls", "11.5"));
  ASSERT_TRUE(read_cache(folder, "key").has_value());
  for (const char* member : {"calls", "budget_seconds", "chosen", "bytes", "predicted_seconds",
                             "inspect_seconds", "multiply_seconds"}) {
    for (const char* value : {"-1", "-1e300", "1e999", "NaN", "null", "\"1\"", "[1]", "true"}) {
      replace_only(with(member, value));
      EXPECT_FALSE(read_cache(folder, "key").has_value()) << member << " = " << value;
    }
  }
  for (const char* member : {"chosen", "bytes"}) {
    for (const char* value : {"0.5", "1e300", "18446744073709551615"}) {
      replace_only(with(member, value));
      EXPECT_FALSE(read_cache(folder, "key").has_value()) << member << " = " << value;
    }
  }
  for (const char* value : {"1", "null", "\"yes\""}) {
    replace_only(with("complete", value));
    EXPECT_FALSE(read_cache(folder, "key").has_value()) << value;
  }
}

TEST_F(tune_cache, takes_no_large_and_no_deeply_nested_file) {
  write_cache(folder, "key", entry_of("jds"));
  const std::string whole = only_text();
  replace_only(std::string(1000, ' ') + whole);
  EXPECT_TRUE(read_cache(folder, "key").has_value());
  replace_only(std::string(2'000'000, ' ') + whole);
  EXPECT_FALSE(read_cache(folder, "key").has_value());
  for (const std::string& deep :
       {std::string(500'000, '[') + std::string(500'000, ']'), std::string(900'000, '[')}) {
    replace_only("{\"x\": " + deep + "," + whole.substr(1));
    EXPECT_FALSE(read_cache(folder, "key").has_value());
  }
}

/// Something in the place of the only entry: read, and written to, as if there were none.
class tune_cache_entry : public tune_cache {
 protected:
  tune_cache_entry() {
    write_cache(folder, "key", entry_of("jds"));
    entry = files().at(0);
    fs::remove(entry);
  }
  void expect_none() const {
    EXPECT_FALSE(read_cache(folder, "key").has_value());
    write_cache(folder, "key", entry_of("coo"));
    for (const fs::path& each : files()) EXPECT_NE(each.extension(), ".part") << each;
  }
  void expect_replaced() const {
    expect_none();
    EXPECT_TRUE(read_cache(folder, "key").has_value());
  }
  fs::path entry;
};

TEST_F(tune_cache_entry, directory_is_ignored) {
  fs::create_directory(entry);
  std::ofstream(entry / "inside") << "x";
  expect_none();
}

TEST_F(tune_cache_entry, that_is_a_pipe_does_not_block) {
  ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  expect_replaced();
}

TEST_F(tune_cache_entry, that_is_a_device_is_not_read) {
  for (const char* device : {"/dev/zero", "/dev/null", "/dev/full"}) {
    fs::create_symlink(device, entry);
    expect_replaced();
    EXPECT_TRUE(fs::exists(device));
    fs::remove(entry);
  }
}

TEST_F(tune_cache_entry, that_is_a_loop_of_links_is_replaced) {
  fs::create_symlink(entry, entry);
  expect_replaced();
}

TEST_F(tune_cache_entry, that_is_empty_is_replaced) {
  std::ofstream{entry};
  expect_replaced();
}

TEST_F(tune_cache_entry, unreadable_file_is_ignored) {
  if (status_of_child(become_ordinary) != 0) GTEST_SKIP() << "cannot become an ordinary user here";
  std::ofstream(entry) << "x";
  fs::permissions(entry, fs::perms::none);
  fs::permissions(folder, fs::perms::all);
  const int status = status_of_child([&] {
    if (!become_ordinary()) return false;
    expect_replaced();
    return !HasFailure();
  });
  EXPECT_EQ(status, 0);
}

TEST_F(tune_cache, is_not_written_where_the_folder_is_read_only) {
  if (status_of_child(become_ordinary) != 0) GTEST_SKIP() << "cannot become an ordinary user here";
  write_cache(folder, "key", entry_of("coo"));
  fs::permissions(folder, fs::perms(0555));
  const int status = status_of_child([&] {
    if (!become_ordinary()) return false;
    write_cache(folder, "key", entry_of("jds"));
    return read_cache(folder, "key")->result.best().format == "coo" && files().size() == 1;
  });
  fs::permissions(folder, fs::perms::owner_all);
  EXPECT_EQ(status, 0);
}

TEST_F(tune_cache_entry, is_written_despite_leftover_temporary_files) {
  for (int counter = 0; counter < 100; ++counter)
    std::ofstream(fmt::format("{}.{}.{}.part", entry.native(), ::getpid(), counter)) << "x";
  write_cache(folder, "key", entry_of("coo"));
  EXPECT_TRUE(read_cache(folder, "key").has_value());
}

TEST_F(tune_cache, is_not_written_beyond_the_limit_on_file_sizes) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small { .rlim_cur = 100, .rlim_max = before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  write_cache(folder, "key", entry_of("jds"));  // SIGXFSZ would end the process
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(files().empty());
}

TEST_F(tune_cache, works_in_a_relative_folder_and_without_any) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write_cache("relative", "key", entry_of("jds"));
  EXPECT_TRUE(read_cache("relative", "key").has_value());
  fs::current_path(before);
  std::ofstream(folder / "file") << "x";
  fs::create_symlink("loop", folder / "loop");
  for (const fs::path& nowhere : {folder / "file" / "below", folder / "loop" / "below",
                                  fs::path("/proc/self/fd"), fs::path("/dev/null")}) {
    write_cache(nowhere, "key", entry_of("jds"));
    EXPECT_FALSE(read_cache(nowhere, "key").has_value()) << nowhere;
  }
}

TEST_F(tune_cache, readers_see_complete_files_during_writes) {
  write_cache(folder, "key", entry_of("coo"));
  const auto write = [&](const char* format) {
    for (int i = 0; i < 200; ++i) write_cache(folder, "key", entry_of(format));
  };
  std::thread first(write, "jds");
  std::thread second(write, "coo");
  int whole = 0;
  for (int i = 0; i < 200; ++i) whole += read_cache(folder, "key").has_value() ? 1 : 0;
  first.join();
  second.join();
  EXPECT_EQ(whole, 200);
  EXPECT_EQ(files().size(), 1U);  // nothing half written is left
}

TEST_F(tune_cache, is_silent_where_nothing_can_be_written) {
  std::ofstream(folder / "file") << "x";
  EXPECT_NO_THROW(write_cache(folder / "file", "key", entry_of("jds")));
  EXPECT_FALSE(read_cache(folder / "file", "key").has_value());
  EXPECT_NO_THROW(write_cache({}, "key", entry_of("jds")));
  EXPECT_FALSE(read_cache({}, "key").has_value());
}

TEST_F(tune_cache, follows_the_environment_variables) {
  const variable home("HOME", "/h");
  const variable told("GOSSAMER_CACHE", nullptr);
  {
    const variable caches("XDG_CACHE_HOME", "/c");
    EXPECT_EQ(tuning::cache_folder(), fs::path("/c/gossamer"));
    const variable here("GOSSAMER_CACHE", "/g");
    EXPECT_EQ(tuning::cache_folder(), fs::path("/g"));
    const variable off("GOSSAMER_CACHE", "");
    EXPECT_EQ(tuning::cache_folder(), fs::path());
  }
  const variable caches("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(tuning::cache_folder(), fs::path("/h/.cache/gossamer"));
  const variable nowhere("HOME", nullptr);
  EXPECT_EQ(tuning::cache_folder(), fs::path());
}

template <value V, offset O>
std::string key_of(const csr_matrix<V, O>& a, const cpu& where = {.threads = 1}, bool values_change = false) {
  return tuning::fingerprint(a.view(), measure_rows(a.view()), where, values_change);
}

TEST(fingerprint, distinguishes_structures_machines_and_types) {
  const auto a = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  const std::string key = key_of(a);
  EXPECT_EQ(key, key_of(bench_support::generate<double>("uniform(rows=3000,per_row=8)")));

  EXPECT_NE(key, key_of(a, {.threads = 2}));
  EXPECT_NE(key, key_of(a, {.threads = 1}, true));
  if (automatic_isa() != isa::baseline) {
    EXPECT_NE(key, key_of(a, {.threads = 1, .level = isa::baseline}));
  }
  EXPECT_NE(key, key_of(bench_support::generate<float>("uniform(rows=3000,per_row=8)")));
  {
    const variable slow("GOSSAMER_GATHERS", "slow");
    const std::string with_slow = key_of(a);
    const variable fast("GOSSAMER_GATHERS", "fast");
    EXPECT_NE(with_slow, key_of(a));
  }
  {
    const variable forward("GOSSAMER_SWEEPS", "forward");
    const std::string with_forward = key_of(a);
    const variable alternating("GOSSAMER_SWEEPS", "alternating");
    EXPECT_NE(with_forward, key_of(a));
  }

  auto other_column = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  other_column.col[0] = other_column.col[0] == 0 ? 1 : 0;
  EXPECT_NE(key, key_of(other_column));
  auto other_rows = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  other_rows.row_ptr[1500] -= 1;
  EXPECT_NE(key, key_of(other_rows));
  auto one_value = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  std::fill(one_value.val.data(), one_value.val.data() + one_value.val.size(), 1.0);
  EXPECT_NE(key, key_of(one_value));
  auto scaled = bench_support::generate<double>("uniform(rows=3000,per_row=8)");
  for (double& v : scaled.val.span()) v *= 3;
  EXPECT_EQ(key, key_of(scaled));
}

TEST(fingerprint, does_not_depend_on_the_threads_that_compute_it) {
  const auto a = bench_support::generate<double>("diagonal(100k)");
  std::string with_one;
  {
    const gossamer_test::thread_count one(1);
    with_one = key_of(a);
  }
  const gossamer_test::thread_count three(3);
  EXPECT_EQ(key_of(a), with_one);
}

TEST_F(tune_cache, answers_a_second_search_and_inspect) {
  const variable here("GOSSAMER_CACHE", folder.c_str());
  const auto a = bench_support::generate<double>("uniform(rows=500,per_row=8)");
  const cpu where{.threads = 1};
  const auto first = tune(a.view(), where, {.calls = 1000, .budget_seconds = 0.1});
  EXPECT_FALSE(first.from_cache);
  ASSERT_EQ(files().size(), 1U);
  const auto second = tune(a.view(), where, {.calls = 0, .budget_seconds = 0.1});
  EXPECT_TRUE(second.from_cache);
  // Other calls, another choice of the same measurements: the least inspect.
  for (const measurement& t : second.measurements) {
    if (t.measured()) {
      EXPECT_LE(second.measurements[second.chosen].inspect_seconds, t.inspect_seconds);
    }
  }
  EXPECT_FALSE(tune(a.view(), cpu{.threads = 2}, {.budget_seconds = 0}).from_cache);
  EXPECT_FALSE(tune(a.view(), where, {.budget_seconds = 0, .use_cache = false}).from_cache);
  if (!first.complete) {
    EXPECT_FALSE(tune(a.view(), where, {.budget_seconds = 0.2}).from_cache);
  }

  // inspect takes what stands there, and what it cannot use does not disturb it.
  const std::string key = tuning::fingerprint(a.view(), measure_rows(a.view()), where, false);
  const auto chosen = [&](bool values_change = false) {
    return std::string(
        inspect(a.view(), where, {.format = "tuned", .values_change = values_change}).format());
  };
  const auto by_the_model = [&](bool values_change = false) {
    const variable off("GOSSAMER_CACHE", "");
    return chosen(values_change);
  };
  const std::string model = by_the_model();
  const std::string other = model == "jds" ? "coo" : "jds";
  write_cache(folder, key, entry_of(model));
  EXPECT_EQ(chosen(), model);
  write_cache(folder, key, entry_of(other));
  EXPECT_EQ(chosen(), other);
  EXPECT_EQ(inspect(a.view(), where, {.format = "auto"}).format(), model) << "auto depends on no file";
  EXPECT_EQ(chosen(true), by_the_model(true)) << "another question";
  for (const std::int64_t vectors : {2, 4}) {
    const auto made = inspect(a.view(), where, {.format = "tuned", .vectors = vectors});
    // No format multiplies two vectors at once on a CPU. jds and coo do not multiply four.
    EXPECT_EQ(made.format() == other, vectors == 2) << made.format();
  }
  EXPECT_EQ(by_the_model(), model);
  const auto with_option = [&](const char* name, const char* value) {
    cache_entry entry = entry_of(other);
    entry.result.measurements[1].expected.setting.options = {{name, value}};
    return entry;
  };
  for (const cache_entry& unusable :
       {entry_of("no_such_format"), entry_of("auto"), with_option("no_such_option", "1"),
        with_option("accumulate", "no_such_value")}) {
    write_cache(folder, key, unusable);
    EXPECT_EQ(chosen(), model);
    EXPECT_FALSE(tune(a.view(), where, {.calls = 1e6, .budget_seconds = 0}).from_cache);
  }
}

}  // namespace
}  // namespace gossamer
