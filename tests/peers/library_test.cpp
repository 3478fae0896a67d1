// SPDX-License-Identifier: BSD-3-Clause
// Libraries that are absent, broken or incomplete are one line of text, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench_support/peers/library.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"

namespace gossamer::testing_support {
namespace {

using bench_support::peers::load;
using bench_support::peers::loaded_library;
using testing::HasSubstr;

/// A folder of its own for each test, and an environment variable that is put back.
class library : public testing::Test {
 protected:
  static constexpr const char* variable = "GOSSAMER_TEST_LIBRARY";
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("library_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    unsetenv(variable);
  }
  void TearDown() override {
    unsetenv(variable);
    std::filesystem::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(library, report_the_search_path_if_missing) {
  const loaded_library none = load({.variable = variable,
                                    .names = {"libnowhere.so.1", "libnowhere.so"},
                                    .folders = {folder_},
                                    .companions = {}});
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_THAT(none.reason, HasSubstr("libnowhere.so.1, libnowhere.so: not found by the loader nor in " +
                                     folder_.string()));
  EXPECT_THAT(none.reason, HasSubstr("set GOSSAMER_TEST_LIBRARY to the file or its folder"));
}

TEST_F(library, report_the_loader_error_if_invalid) {
  const std::string file = write("libtext.so", "text");
  const loaded_library none =
      load({.variable = variable, .names = {"libtext.so"}, .folders = {folder_}, .companions = {}});
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_THAT(none.reason, HasSubstr(file));
}

TEST_F(library, is_looked_for_nowhere_else_where_the_variable_is_set) {
  setenv(variable, folder_.c_str(), 1);
  const bench_support::peers::library_search search{
      .variable = variable, .names = {"libm.so.6"}, .folders = {}, .companions = {}};
  EXPECT_EQ(load(search).reason,
            "GOSSAMER_TEST_LIBRARY = \"" + folder_.string() + "\": the folder has none of libm.so.6");
  const std::string file = folder_ / "libm.so.6";
  setenv(variable, file.c_str(), 1);
  EXPECT_EQ(load(search).reason, "GOSSAMER_TEST_LIBRARY = \"" + file + "\": there is no such file");
  unsetenv(variable);
  EXPECT_NE(load(search).handle, nullptr);
}

TEST_F(library, is_found_in_a_folder_or_as_a_file) {
  const loaded_library system =
      load({.variable = variable, .names = {"libm.so.6"}, .folders = {}, .companions = {}});
  ASSERT_NE(system.handle, nullptr) << system.reason;
  std::filesystem::copy_file(system.path, folder_ / "libours.so.7");
  const bench_support::peers::library_search search{.variable = variable,
                                                    .names = {"libabsent.so", "libours.so.7"},
                                                    .folders = {folder_},
                                                    .companions = {"libnone.so"}};
  EXPECT_EQ(load(search).path, folder_ / "libours.so.7");
  setenv(variable, folder_.c_str(), 1);
  EXPECT_EQ(load(search).path, folder_ / "libours.so.7");
  setenv(variable, (folder_ / "libours.so.7").c_str(), 1);
  EXPECT_EQ(load({.variable = variable, .names = {"libabsent.so"}, .folders = {}, .companions = {}}).path,
            folder_ / "libours.so.7");
}

TEST_F(library, that_lacks_functions_names_them) {
  const loaded_library system =
      load({.variable = variable, .names = {"libm.so.6"}, .folders = {}, .companions = {}});
  bench_support::peers::symbols all(system);
  double (*cosine)(double) = nullptr;
  void (*first)() = nullptr;
  void (*second)(int) = nullptr;
  all.bind(cosine, "cos");
  EXPECT_EQ(all.reason(), "");
  EXPECT_EQ(cosine(0.0), 1.0);
  all.bind_optional(first, "gossamer_optional");
  EXPECT_EQ(all.reason(), "");
  all.bind(first, "gossamer_first");
  all.bind(second, "gossamer_second");
  EXPECT_EQ(all.reason(), system.path + " lacks gossamer_first, gossamer_second");
  EXPECT_EQ(first, nullptr);
}

TEST_F(library, is_retried_until_found) {
  bench_support::peers::looked_up<int> number;
  int calls = 0;
  const auto fails = [&](int&) { return ++calls, std::string("not yet"); };
  const auto works = [&](int& n) { return n = 5, ++calls, std::string(); };
  EXPECT_EQ(number.find(fails).reason, "not yet");
  EXPECT_EQ(number.find(fails).api, nullptr);
  EXPECT_EQ(*number.find(works).api, 5);
  EXPECT_EQ(*number.find(fails).api, 5);
  EXPECT_EQ(calls, 3);
}

/// In a process of its own each, because a library that was loaded once stays.
class peer_environment : public library {
 protected:
  void SetUp() override {
    library::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  /// Ends with 0 where the peer is absent, its reason on standard error.
  [[noreturn]] static void look(const char* peer, const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    const bench_support::peer_presence here = bench_support::find_peer_here(peer);
    std::fputs((here.reason + "\n").c_str(), stderr);
    std::_Exit(here.present ? 1 : 0);
  }
};

TEST_F(peer_environment, without_the_library_is_an_absent_peer) {
  EXPECT_EXIT(look("mkl", "GOSSAMER_MKL", "/nonexistent"), testing::ExitedWithCode(0),
              "GOSSAMER_MKL = \"/nonexistent\": there is no such file");
  EXPECT_EXIT(look("librsb", "GOSSAMER_LIBRSB", "/nonexistent"), testing::ExitedWithCode(0),
              "GOSSAMER_LIBRSB = \"/nonexistent\": there is no such file");
}

TEST_F(peer_environment, with_another_library_is_an_absent_peer) {
  const loaded_library system =
      load({.variable = variable, .names = {"libm.so.6"}, .folders = {}, .companions = {}});
  EXPECT_EXIT(look("mkl", "GOSSAMER_MKL", system.path), testing::ExitedWithCode(0),
              "lacks mkl_sparse_s_create_csr, mkl_sparse_d_create_csr, .*MKL_Get_Version_String");
  EXPECT_EXIT(look("librsb", "GOSSAMER_LIBRSB", system.path), testing::ExitedWithCode(0),
              "lacks rsb_lib_init, .*rsb_spmv");
}

/// MKL itself would end the process.
TEST_F(peer_environment, with_a_part_of_mkl_is_an_absent_peer) {
  const loaded_library system =
      load({.variable = variable, .names = {"libm.so.6"}, .folders = {}, .companions = {}});
  std::filesystem::copy_file(system.path, folder_ / "libmkl_rt.so.2");
  write("libmkl_core.so.2", "");
  EXPECT_EXIT(look("mkl", "GOSSAMER_MKL", folder_), testing::ExitedWithCode(0),
              "libmkl_rt.so.2 needs .*libmkl_intel_lp64.so.2, which is not there");
}

#if defined(GOSSAMER_CUSPARSE_STUBS)
TEST_F(peer_environment, with_a_cusparse_without_spmvop_lacks_the_peers_of_spmvop) {
  const std::string stubs = GOSSAMER_CUSPARSE_STUBS;
  for (const char* peer : {"cusparse_spmvop_alg1", "cusparse_spmvop_alg2"}) {
    EXPECT_EXIT(look(peer, "GOSSAMER_CUSPARSE", stubs + "12.6.3.so"), testing::ExitedWithCode(0),
                "^cuSPARSE 12.6.3 has no SpMVOp\n$");
    EXPECT_EXIT(look(peer, "GOSSAMER_CUSPARSE", stubs + "12.7.10.so"), testing::ExitedWithCode(0),
                "^SpMVOp of cuSPARSE 12.7.10 has another interface; 12.8 or newer is needed\n$");
  }
}

/// Of a library with SpMVOp, only the device may be missing.
TEST_F(peer_environment, with_a_new_cusparse_has_the_peers_of_spmvop) {
  const std::string file = std::string(GOSSAMER_CUSPARSE_STUBS) + "12.9.4.so";
  const bool device = cuda_device_count() > 0;
  for (const char* peer : {"cusparse_csr_alg1", "cusparse_spmvop_alg1", "cusparse_spmvop_alg2"})
    EXPECT_EXIT(look(peer, "GOSSAMER_CUSPARSE", file), testing::ExitedWithCode(device ? 1 : 0),
                device ? "^\n$" : "^this machine has no usable CUDA device\n$");
}
#endif

}  // namespace
}  // namespace gossamer::testing_support
