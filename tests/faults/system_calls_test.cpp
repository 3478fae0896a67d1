// SPDX-License-Identifier: BSD-3-Clause
// System calls that public functions make through libc made to fail, one after the other: those that this
// program defines below. The caller sees gossamer's error or the result that it would have had.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <set>

#include "support/public_calls.hpp"
#include "support/variable.hpp"

namespace {

/// How calls fail, while one is armed.
struct fault {
  std::int64_t allowed = 0;  ///< calls before the first that fails
  int code = 0;              ///< its errno; 0: nothing fails
  bool all_after = false;    ///< the calls after it fail too
};
fault armed;
std::atomic<std::int64_t> calls{0};
std::size_t most_bytes = 0;  ///< that read and write move at once; 0: all
bool no_threads = false;     ///< the system starts none
bool unlink_failed = false;  ///< one that was made to; a temporary file may be left
bool close_failed = false;   ///< one that was made to; the output may be complete

bool refused() noexcept {
  if (armed.code == 0 || !gossamer::testing_support::library_runs) return false;
  const std::int64_t number = calls++;
  if (number < armed.allowed || (number > armed.allowed && !armed.all_after)) return false;
  errno = armed.code;
  return true;
}

std::size_t shortened(std::size_t bytes) noexcept {
  return most_bytes == 0 || bytes < most_bytes ? bytes : most_bytes;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_real(const char* name, const char* file, int flags, mode_t mode) {
  if (refused()) return -1;
  return real<int(const char*, int, ...)>(name)(file, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* file, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_real("open", file, flags, mode);
}
int open64(const char* file, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_real("open64", file, flags, mode);
}
FILE* fopen(const char* file, const char* mode) {
  return refused() ? nullptr : real<FILE*(const char*, const char*)>("fopen")(file, mode);
}
FILE* fopen64(const char* file, const char* mode) {
  return refused() ? nullptr : real<FILE*(const char*, const char*)>("fopen64")(file, mode);
}
ssize_t read(int number, void* to, std::size_t bytes) {
  return refused() ? -1 : real<ssize_t(int, void*, std::size_t)>("read")(number, to, shortened(bytes));
}
ssize_t pread(int number, void* to, std::size_t bytes, off_t at) {
  if (refused()) return -1;
  return real<ssize_t(int, void*, std::size_t, off_t)>("pread")(number, to, shortened(bytes), at);
}
ssize_t write(int number, const void* from, std::size_t bytes) {
  return refused() ? -1
                   : real<ssize_t(int, const void*, std::size_t)>("write")(number, from, shortened(bytes));
}
int close(int number) {
  // As the system does: the descriptor is gone, whatever close() reports.
  const bool fails = refused();
  const int code = errno;
  close_failed |= fails;
  const int result = real<int(int)>("close")(number);
  if (!fails) return result;
  errno = code;
  return -1;
}
ssize_t pwrite(int number, const void* from, std::size_t bytes, off_t at) {
  if (refused()) return -1;
  return real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite")(number, from, shortened(bytes), at);
}
int fstat(int number, struct stat* info) noexcept {
  return refused() ? -1 : real<int(int, struct stat*)>("fstat")(number, info);
}
int stat(const char* file, struct stat* info) noexcept {
  return refused() ? -1 : real<int(const char*, struct stat*)>("stat")(file, info);
}
int lstat(const char* file, struct stat* info) noexcept {
  return refused() ? -1 : real<int(const char*, struct stat*)>("lstat")(file, info);
}
int fchmod(int number, mode_t mode) noexcept {
  return refused() ? -1 : real<int(int, mode_t)>("fchmod")(number, mode);
}
int fchown(int number, uid_t owner, gid_t group) noexcept {
  return refused() ? -1 : real<int(int, uid_t, gid_t)>("fchown")(number, owner, group);
}
ssize_t fgetxattr(int number, const char* name, void* to, std::size_t bytes) noexcept {
  if (refused()) return -1;
  return real<ssize_t(int, const char*, void*, std::size_t)>("fgetxattr")(number, name, to, bytes);
}
ssize_t flistxattr(int number, char* to, std::size_t bytes) noexcept {
  return refused() ? -1 : real<ssize_t(int, char*, std::size_t)>("flistxattr")(number, to, bytes);
}
int fsync(int number) {
  return refused() ? -1 : real<int(int)>("fsync")(number);
}
int ftruncate(int number, off_t bytes) noexcept {
  return refused() ? -1 : real<int(int, off_t)>("ftruncate")(number, bytes);
}
int fallocate(int number, int mode, off_t at, off_t bytes) {
  return refused() ? -1 : real<int(int, int, off_t, off_t)>("fallocate")(number, mode, at, bytes);
}
off_t lseek(int number, off_t offset, int from) noexcept {
  return refused() ? -1 : real<off_t(int, off_t, int)>("lseek")(number, offset, from);
}
int fcntl(int number, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);  // a number or a pointer, as the command has it
  va_end(rest);
  return refused() ? -1 : real<int(int, int, ...)>("fcntl")(number, command, argument);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return refused() ? -1 : real<int(const char*, unsigned)>("memfd_create")(name, flags);
}
ssize_t readlink(const char* file, char* to, std::size_t bytes) noexcept {
  return refused() ? -1 : real<ssize_t(const char*, char*, std::size_t)>("readlink")(file, to, bytes);
}
int faccessat(int folder, const char* file, int mode, int flags) noexcept {
  return refused() ? -1 : real<int(int, const char*, int, int)>("faccessat")(folder, file, mode, flags);
}
int poll(pollfd* all, nfds_t count, int timeout) {
  return refused() ? -1 : real<int(pollfd*, nfds_t, int)>("poll")(all, count, timeout);
}
void* mmap(void* at, std::size_t bytes, int protection, int flags, int number, off_t offset) noexcept {
  if (refused()) return MAP_FAILED;
  return real<void*(void*, std::size_t, int, int, int, off_t)>("mmap")(at, bytes, protection, flags, number,
                                                                       offset);
}
int madvise(void* at, std::size_t bytes, int advice) noexcept {
  return refused() ? -1 : real<int(void*, std::size_t, int)>("madvise")(at, bytes, advice);
}
int rename(const char* from, const char* to) noexcept {
  return refused() ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}
int unlink(const char* file) noexcept {
  const bool fails = refused();
  unlink_failed |= fails;
  return fails ? -1 : real<int(const char*)>("unlink")(file);
}
int mkdir(const char* file, mode_t mode) noexcept {
  return refused() ? -1 : real<int(const char*, mode_t)>("mkdir")(file, mode);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (no_threads) return EAGAIN;
  return real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(
      thread, attributes, start, argument);
}
int sched_getaffinity(pid_t process, std::size_t bytes, cpu_set_t* set) noexcept {
  return refused() ? -1 : real<int(pid_t, std::size_t, cpu_set_t*)>("sched_getaffinity")(process, bytes, set);
}
}

namespace gossamer {
namespace {

namespace fs = std::filesystem;
using testing_support::public_call;
using testing_support::variable;

struct outcome {
  std::string text;     ///< of a call that returned
  std::string message;  ///< of gossamer's error
  std::string foreign;  ///< of any other exception
};

outcome outcome_of(const public_call& one, const fault& how) {
  outcome result;
  calls = 0;
  close_failed = false;
  unlink_failed = false;
  armed = how;
  try {
    result.text = one.call();
    armed = {};
  } catch (const error& problem) {
    armed = {};
    result.message = problem.what();
    if (result.message.empty()) result.foreign = "an error without a message";
    if (result.message.find('\n') != std::string::npos) result.foreign = "a message of several lines";
  } catch (const std::exception& problem) {
    armed = {};
    result.foreign = problem.what();
  }
  return result;
}

constexpr int codes[] = {EIO, ESTALE, ENOSPC, EACCES, EINTR, EMFILE, ELOOP, ENOMEM, EDQUOT};

/// Calls f(outcome, fault) for each call that fails of one function.
template <class F>
void fail_each_call(const public_call& one, F&& f) {
  for (const bool all_after : {false, true}) {
    for (const int code : codes) {
      if (code == EINTR && all_after) continue;  // retried for ever, as it should be
      for (std::int64_t k = 0;; ++k) {
        const fault how{.allowed = k, .code = code, .all_after = all_after};
        const outcome found = outcome_of(one, how);
        if (calls <= k) break;
        f(found, how);
        ASSERT_LT(k, 1000) << one.function;
      }
    }
  }
}

class system_calls : public testing::Test {
 protected:
  system_calls() {
    std::string name = (fs::temp_directory_path() / "gossamer_faults_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder = name;
    fs::create_directory(folder / "cache");
  }
  ~system_calls() override { fs::remove_all(folder); }

  [[nodiscard]] std::vector<public_call> all_calls() const { return testing_support::public_calls(folder); }
  [[nodiscard]] public_call call_of(std::string_view function) const {
    for (public_call& each : all_calls())
      if (each.function == function) return std::move(each);
    throw std::invalid_argument("not in the list: " + std::string(function));
  }
  [[nodiscard]] std::vector<std::string> cache_files() const {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(folder / "cache")) names.push_back(each.path().filename());
    return names;
  }

  fs::path folder;
};

/// Without comments, on one line.
std::string text_of_header(const fs::path& header) {
  std::ifstream in(header);
  std::string text;
  for (std::string line; std::getline(in, line);) text += line.substr(0, line.find("//")) + " ";
  return text;
}

/// Names of functions that the public headers declare: what stands before the first parenthesis behind
/// GOSSAMER_API.
std::set<std::string> declared_functions() {
  std::set<std::string> names;
  for (const auto& header : fs::directory_iterator(GOSSAMER_SOURCE_DIR "/include/gossamer")) {
    if (header.path().filename() == "export.hpp") continue;
    const std::string text = text_of_header(header.path());
    constexpr std::string_view mark = "GOSSAMER_API";
    for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
      at += mark.size();
      const std::size_t end = text.find_first_of("(;{", at);
      if (end == text.npos || text[end] != '(') continue;  // a class
      const std::size_t begin = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", end - 1) + 1;
      names.insert(text.substr(begin, end - begin));
    }
  }
  return names;
}

/// Where the block ends that begins at `at`.
std::size_t end_of_block(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

/// Names of free functions that the text declares in a namespace: of statements outside of all blocks, what
/// stands before their first parenthesis.
std::set<std::string> functions_of_namespace(std::string_view text, std::string_view name) {
  std::set<std::string> names;
  const std::string opening = "namespace " + std::string(name) + " {";
  for (std::size_t at = 0; (at = text.find(opening, at)) != text.npos;) {
    const std::size_t end = end_of_block(text, at);
    std::size_t statement = at + opening.size();
    std::size_t parenthesis = text.npos;  // the first one of the statement
    int open = 0;
    for (std::size_t i = statement; i < end; ++i) {
      if (text[i] == '(' && open++ == 0) parenthesis = std::min(parenthesis, i);
      if (text[i] == ')') --open;
      if (open > 0 || (text[i] != ';' && text[i] != '{')) continue;
      if (parenthesis < i && text.substr(statement, parenthesis - statement).find('=') == text.npos) {
        const std::size_t begin =
            text.find_last_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", parenthesis - 1) + 1;
        names.emplace(text.substr(begin, parenthesis - begin));
      }
      if (text[i] == '{') i = end_of_block(text, i);
      statement = i + 1;
      parenthesis = text.npos;
    }
    at = end;
  }
  return names;
}

/// Those of bench_support that are for its users: its own are in namespaces below.
std::set<std::string> declared_functions_of_bench_support() {
  std::set<std::string> names;
  for (const auto& header : fs::recursive_directory_iterator(GOSSAMER_SOURCE_DIR "/bench_support")) {
    if (header.path().extension() == ".hpp")
      names.merge(functions_of_namespace(text_of_header(header.path()), "gossamer::bench_support"));
  }
  return names;
}

TEST_F(system_calls, every_public_function_is_called) {
  std::set<std::string> called;
  for (const public_call& each : all_calls()) called.emplace(each.function);
  EXPECT_GT(declared_functions().size(), 60U);
  for (const std::string& each : declared_functions()) EXPECT_TRUE(called.contains(each)) << each;
  const std::set<std::string> bench = declared_functions_of_bench_support();
  EXPECT_GT(bench.size(), 15U);
  for (const std::string& each : bench) EXPECT_TRUE(called.contains(each)) << each;
}

TEST(functions_of_namespace, names_free_functions_only) {
  constexpr std::string_view text =
      "#pragma once namespace a::b { struct s { int member(); int zero = 0; }; int first(int k = f()); "
      "template <class T> T second(const T& at, g by = {}); namespace c { void other(); } "
      "inline int third() { return used(); } constexpr int number = f(1); } namespace a::c { void below(); } "
      "namespace a::b { void fourth(); }";
  EXPECT_EQ(functions_of_namespace(text, "a::b"),
            (std::set<std::string>{"first", "second", "third", "fourth"}));
}

TEST_F(system_calls, failing_gives_the_error_of_the_library_or_the_right_result) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "a driver's own calls would fail too";
  const std::string cache = (folder / "cache").string();
  const variable here("GOSSAMER_CACHE", cache.c_str());
  for (const public_call& each : all_calls()) {
    SCOPED_TRACE(each.function);
    const outcome expected = outcome_of(each, {});
    ASSERT_EQ(expected.foreign, "");
    fail_each_call(each, [&](const outcome& found, const fault& how) {
      EXPECT_EQ(found.foreign, "") << "call " << how.allowed << ", errno " << how.code;
      if (found.message.empty()) {
        EXPECT_EQ(found.text, expected.text) << "call " << how.allowed << ", errno " << how.code;
      }
    });
    if (HasFailure()) return;
  }
}

TEST_F(system_calls, short_reads_and_writes_are_continued) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "a driver's own calls would be short too";
  const std::string cache = (folder / "cache").string();
  const variable here("GOSSAMER_CACHE", cache.c_str());
  for (const public_call& each : all_calls()) {
    const outcome expected = outcome_of(each, {});
    most_bytes = 7;
    const outcome found = outcome_of(each, {});
    most_bytes = 0;
    EXPECT_EQ(found.text, expected.text) << each.function;
    EXPECT_EQ(found.message, expected.message) << each.function;
  }
}

/// Covers replacement by rename and overwriting in place (a file with two hard links). The old content may be
/// lost only if restoring it fails too. After a failed close() the new content may be complete.
TEST_F(system_calls, failed_write_preserves_old_content) {
  const std::string old_content = "old content";
  const std::string new_content = "content that is new";
  for (const char* name : {"replaced", "linked"}) {
    const fs::path file = folder / name;
    write_file(file, "");
    if (name == std::string("linked")) fs::create_hard_link(file, folder / "other_link");
    const auto count = std::distance(fs::directory_iterator(folder), {});
    const auto read_back = [&] { return testing_support::read_file(file); };
    const public_call write{"write_file", [&] {
                              write_file(file, old_content);
                              testing_support::in_library([&] { write_file(file, new_content); });
                              return read_back();
                            }};
    fail_each_call(write, [&](const outcome& found, const fault& how) {
      SCOPED_TRACE(std::string(name) + ", call " + std::to_string(how.allowed) + ", errno " +
                   std::to_string(how.code) + (how.all_after ? " and all after it" : ""));
      EXPECT_EQ(found.foreign, "");
      if (found.message.empty()) {
        EXPECT_EQ(found.text, new_content);
      } else if (found.message.find("overwritten in part") != std::string::npos) {
        EXPECT_TRUE(how.all_after) << found.message;
      } else if (!close_failed || read_back() != new_content) {
        EXPECT_EQ(read_back(), old_content) << found.message;
      }
      const auto files = std::distance(fs::directory_iterator(folder), {});
      EXPECT_TRUE(files == count || unlink_failed) << files;
      for (const auto& each : fs::directory_iterator(folder))
        if (each.path().extension() == ".part") fs::remove(each);
    });
  }
}

/// The calls that use the cache: whatever fails there, they work as without one.
TEST_F(system_calls, cache_failures_are_ignored_and_leave_no_partial_file) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "a driver's own calls would fail too";
  const std::string cache = (folder / "cache").string();
  const variable here("GOSSAMER_CACHE", cache.c_str());
  const public_call uses[] = {call_of("tune"), {"inspect", [] {
                                                  const csr_view<double, std::int64_t> a =
                                                      testing_support::small_matrix().view();
                                                  return testing_support::product_of(
                                                      inspect(a, cpu{.threads = 1}, {.format = "tuned"}));
                                                }}};
  for (const public_call& each : uses) {
    const outcome expected = outcome_of(each, {});
    ASSERT_EQ(cache_files().size(), 1U);
    fail_each_call(each, [&](const outcome& found, const fault& how) {
      EXPECT_EQ(found.message + found.foreign, "") << "call " << how.allowed << ", errno " << how.code;
      EXPECT_EQ(found.text, expected.text);
      for (const std::string& name : cache_files())
        EXPECT_TRUE(how.all_after || !name.ends_with(".part")) << name << ", errno " << how.code;
      for (const std::string& name : cache_files()) fs::remove(folder / "cache" / name);
      static_cast<void>(each.call());
    });
  }
}

/// Not of OpenMP's own threads: where GNU's cannot start one, it ends the process.
TEST_F(system_calls, a_hybrid_plan_names_the_threads_that_do_not_start) {
  const hybrid two_groups = parse_hybrid("cpu:1,cpu:1");
  const public_call inspect_both{
      "inspect", [&] {
        return testing_support::product_of(inspect(testing_support::small_matrix().view(), two_groups));
      }};
  no_threads = true;
  const outcome found = outcome_of(inspect_both, {});
  no_threads = false;
  EXPECT_EQ(found.foreign, "");
  EXPECT_THAT(found.message, testing::HasSubstr("2 parts need 1 threads"));
  EXPECT_EQ(outcome_of(inspect_both, {}).message, "");
}

}  // namespace
}  // namespace gossamer
