// SPDX-License-Identifier: BSD-3-Clause
// Writing: the text itself, and that a file appears whole or not at all.
#include <sys/resource.h>
#include <sys/stat.h>
#include <csignal>

#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

csr_matrix<double> small_matrix() {
  return make_matrix<double>(3, 4, {{0, 3, 0.1}, {0, 0, -2}, {2, 1, 1e-7}, {2, 1, 123456789.125}});
}

const std::string small_text =
    "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 4 0.1\n1 1 -2\n3 2 1e-07\n3 2 123456789.125\n";

/// Makes writes past `bytes` fail, as on a full disk.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

class writer : public testing::Test {
 protected:
  scratch_folder folder_;
};

TEST_F(writer, gives_the_shortest_decimals) {
  write_matrix_market(folder_ / "a.mtx", small_matrix().view());
  EXPECT_EQ(slurp(folder_ / "a.mtx"), small_text);
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"a.mtx"});
}

TEST_F(writer, compresses_where_the_name_ends_in_gz) {
  write_matrix_market(folder_ / "a.mtx.gz", small_matrix().view());
  EXPECT_EQ(slurp(folder_ / "a.mtx.gz").substr(0, 2), "\x1f\x8b");
  gzFile in = gzopen((folder_ / "a.mtx.gz").c_str(), "rb");
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(gzread(in, text.data(), 1000)));
  gzclose(in);
  EXPECT_EQ(text, small_text);
}

TEST_F(writer, replaces_a_file_and_keeps_its_mode) {
  spill(folder_ / "a.mtx", "old");
  std::filesystem::permissions(folder_ / "a.mtx", std::filesystem::perms(0640));
  write_matrix_market(folder_ / "a.mtx", small_matrix().view());
  EXPECT_EQ(slurp(folder_ / "a.mtx"), small_text);
  EXPECT_EQ(std::filesystem::status(folder_ / "a.mtx").permissions(), std::filesystem::perms(0640));
}

TEST_F(writer, new_files_follow_the_umask) {
  const mode_t before = ::umask(027);
  write_matrix_market(folder_ / "a.mtx", small_matrix().view());
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(folder_ / "a.mtx").permissions(), std::filesystem::perms(0640));
}

TEST_F(writer, writes_through_a_symbolic_link) {
  std::filesystem::create_directory(folder_ / "real");
  spill(folder_ / "real/a.mtx", "old");
  std::filesystem::create_symlink("real/a.mtx", folder_ / "link.mtx");
  write_matrix_market(folder_ / "link.mtx", small_matrix().view());
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.mtx"));
  EXPECT_EQ(slurp(folder_ / "real/a.mtx"), small_text);
}

TEST_F(writer, leaves_nothing_behind_where_the_disk_is_full) {
  std::vector<triple<double>> entries;
  for (int k = 0; k < 100000; ++k) entries.push_back({0, k % 4, 1.0 / (k + 1)});
  const auto a = make_matrix<double>(1, 4, entries);
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    spill(folder_ / name, "old");
    const auto got = [&] {
      const file_size_limit limit(200000);
      return error_of([&] { write_matrix_market(folder_ / name, a.view()); });
    }();
    EXPECT_EQ(got,
              (caught_error{errc::io_error, (folder_ / name).string() + ": cannot write: File too large"}));
    EXPECT_EQ(slurp(folder_ / name), "old");
  }
  EXPECT_EQ(names_in(folder_.path()), (std::set<std::string>{"a.mtx", "a.mtx.gz"}));
}

TEST_F(writer, writes_straight_to_a_device) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  write_matrix_market("/dev/null", small_matrix().view());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(error_of([&] { write_matrix_market("/dev/full", small_matrix().view()); }),
            (caught_error{errc::io_error, "/dev/full: cannot write: No space left on device"}));
}

TEST_F(writer, names_a_place_where_it_cannot_write) {
  const auto missing = folder_ / "no/such/a.mtx";
  EXPECT_EQ(error_of([&] { write_matrix_market(missing, small_matrix().view()); }),
            (caught_error{errc::io_error, missing.string() + ": cannot write: No such file or directory"}));
  EXPECT_EQ(error_of([&] { write_matrix_market(folder_.path(), small_matrix().view()); }),
            (caught_error{errc::io_error, folder_.path().string() + ": cannot write: Is a directory"}));
}

TEST_F(writer, leaves_nothing_behind_where_it_may_not_write) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0500));
  const auto got = error_of([&] { write_matrix_market(folder_ / "a.mtx", small_matrix().view()); });
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0700));
  if (!got) GTEST_SKIP() << "this user may write everywhere";
  EXPECT_EQ(*got, (caught_error{errc::io_error,
                                (folder_ / "a.mtx").string() + ": cannot write: Permission denied"}));
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(writer, refuses_what_is_no_matrix) {
  auto broken = small_matrix();
  broken.col[0] = 4;
  EXPECT_EQ(error_of([&] { write_matrix_market(folder_ / "a.mtx", broken.view()); })->code,
            errc::invalid_matrix);
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(writer, writes_a_matrix_without_entries) {
  write_matrix_market(folder_ / "a.mtx", make_matrix<double>(5, 6, {}).view());
  EXPECT_EQ(slurp(folder_ / "a.mtx"), "%%MatrixMarket matrix coordinate real general\n5 6 0\n");
}

}  // namespace
}  // namespace gossamer::io_test
