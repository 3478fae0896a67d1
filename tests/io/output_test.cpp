// SPDX-License-Identifier: BSD-3-Clause
// What writing does to the file that is there, to links, to descriptors and where little is allowed.
#include "gossamer/io.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <csignal>
#include <functional>
#include <memory>
#include <thread>

#include "io/output_file.hpp"
#include "io_support.hpp"
#include "support/child.hpp"

namespace gossamer::io_test {
namespace {

namespace fs = std::filesystem;
using testing_support::become_ordinary;

constexpr const char* new_text = "new\n";

struct stat status_of(const fs::path& file) {
  struct stat info {};
  EXPECT_EQ(::lstat(file.c_str(), &info), 0) << file;
  return info;
}

/// Runs the body in a child process; its exit status, where 77 is what the body returns to skip.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int cannot_try = 77;

class output : public testing::Test {
 protected:
  fs::path old_file(std::string_view text = "old and longer\n") const {
    spill(folder_ / "old", text);
    return folder_ / "old";
  }
  /// For a child that is not root.
  void open_to_all() const { fs::permissions(folder_.path(), fs::perms(0777)); }

  scratch_folder folder_;
};

class writing_descriptor : public output {
 protected:
  /// What a shell has in the file after printf begin; write_file NAME; printf end, with the file opened so.
  std::string written_by(int flags, const std::function<fs::path(int)>& name) {
    const fs::path file = folder_ / "log";
    spill(file, (flags & O_APPEND) != 0 ? "Monday\n" : "");
    const int number = ::open(file.c_str(), O_WRONLY | flags);
    EXPECT_EQ(::write(number, "begin\n", 6), 6);
    write_file(name(number), new_text);
    write_file(name(number), new_text);
    EXPECT_EQ(::write(number, "end\n", 4), 4);
    ::close(number);
    return slurp(file);
  }
};

TEST_F(writing_descriptor, continues_at_the_current_offset) {
  const std::string wanted = "begin\nnew\nnew\nend\n";
  const fs::path link = folder_ / "link";
  const auto by_link = [&](int number) {
    fs::remove(link);
    fs::create_symlink("/dev/fd/" + std::to_string(number), link);
    return link;
  };
  const auto by_process = [](int number) {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(number);
  };
  for (const int flags : {0, O_APPEND}) {
    const std::string before = flags == 0 ? "" : "Monday\n";
    EXPECT_EQ(written_by(flags, [](int n) { return "/dev/fd/" + std::to_string(n); }), before + wanted);
    EXPECT_EQ(written_by(flags, [](int n) { return "/proc/self/fd/" + std::to_string(n); }), before + wanted);
    EXPECT_EQ(written_by(flags, by_process), before + wanted);
    EXPECT_EQ(written_by(flags, by_link), before + wanted);
  }
}

TEST_F(writing_descriptor, of_another_process_appends) {
  const fs::path file = old_file("theirs\n");
  const int number = ::open(file.c_str(), O_RDWR | O_APPEND);
  const std::string name = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(number);
  EXPECT_EQ(in_child([&] {
              write_file(name, new_text);
              return 0;
            }),
            0);
  ::close(number);
  EXPECT_EQ(slurp(file), "theirs\nnew\n");
}

TEST_F(writing_descriptor, that_cannot_be_written_is_refused) {
  const fs::path file = old_file();
  const int number = ::open(file.c_str(), O_RDONLY);
  const std::string name = "/dev/fd/" + std::to_string(number);
  const caught_error wanted{errc::io_error, name + ": cannot write: Bad file descriptor"};
  EXPECT_EQ(error_of([&] { check_output(name); }), wanted);
  EXPECT_EQ(error_of([&] { write_file(name, new_text); }), wanted);
  ::close(number);
  EXPECT_EQ(error_of([&] { check_output(name); }), wanted);
}

TEST_F(writing_descriptor, number_with_something_behind_it_is_no_descriptor) {
  const fs::path file = old_file("");
  const int number = ::open(file.c_str(), O_WRONLY);
  for (const char* more : {"abc", ".5", " "}) {
    const std::string name = "/dev/fd/" + std::to_string(number) + more;
    const caught_error wanted{errc::io_error, name + ": cannot write: No such file or directory"};
    EXPECT_EQ(error_of([&] { check_output(name); }), wanted);
    EXPECT_EQ(error_of([&] { write_file(name, new_text); }), wanted);
  }
  ::close(number);
  EXPECT_EQ(slurp(file), "");
}

TEST_F(writing_descriptor, nonblocking_pipe_waits_for_the_reader) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string text(std::size_t{1} << 20, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    std::string room(1 << 16, '\0');
    while (got.size() < text.size()) {
      const ssize_t size = ::read(ends[0], room.data(), room.size());
      if (size > 0) got.append(room, 0, static_cast<std::size_t>(size));
    }
  });
  write_file("/dev/fd/" + std::to_string(ends[1]), text);
  reader.join();
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(got, text);
}

TEST_F(output, is_stream_for_devices_and_descriptors) {
  EXPECT_TRUE(is_stream("/dev/stdout"));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream(old_file()));
  EXPECT_FALSE(is_stream(folder_ / "none"));
}

TEST_F(output, makes_the_target_of_a_dangling_link) {
  fs::create_directory(folder_ / "scratch");
  fs::create_symlink("scratch/later", folder_ / "one");
  fs::create_symlink(folder_ / "one", folder_ / "two");
  check_output(folder_ / "two");
  EXPECT_FALSE(fs::exists(folder_ / "scratch/later"));
  write_file(folder_ / "two", new_text);
  EXPECT_EQ(slurp(folder_ / "scratch/later"), new_text);
  EXPECT_TRUE(fs::is_symlink(folder_ / "one"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "two"));
}

TEST_F(output, link_to_missing_directory_or_link_loop_is_refused) {
  fs::create_symlink("missing/later", folder_ / "link");
  fs::create_symlink("circle", folder_ / "circle");
  const auto refused = [&](const char* name, const char* reason) {
    const fs::path file = folder_ / name;
    const caught_error wanted{errc::io_error, file.string() + ": cannot write: " + reason};
    EXPECT_EQ(error_of([&] { check_output(file); }), wanted);
    EXPECT_EQ(error_of([&] { write_file(file, new_text); }), wanted);
  };
  refused("link", "No such file or directory");
  refused("circle", "Too many levels of symbolic links");
  EXPECT_EQ(names_in(folder_.path()), (std::set<std::string>{"link", "circle"}));
}

TEST_F(output, hard_links_share_the_new_content) {
  const fs::path file = old_file();
  fs::create_hard_link(file, folder_ / "other");
  write_file(file, new_text);
  EXPECT_EQ(slurp(folder_ / "other"), new_text);
  EXPECT_EQ(status_of(file).st_ino, status_of(folder_ / "other").st_ino);
  write_file(file, "longer than before\n");
  EXPECT_EQ(slurp(folder_ / "other"), "longer than before\n");
  EXPECT_EQ(names_in(folder_.path()), (std::set<std::string>{"old", "other"}));
}

TEST_F(output, overwriting_a_longer_file_copies_no_more_than_is_written) {
  const fs::path file = old_file();
  fs::resize_file(file, std::uintmax_t{1} << 30);
  fs::create_hard_link(file, folder_ / "other");
  ASSERT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit little{.rlim_cur = 4096, .rlim_max = 4096};
              if (::setrlimit(RLIMIT_FSIZE, &little) != 0) return 1;
              return error_of([&] { write_file(file, new_text); }) ? 2 : 0;
            }),
            0);
  EXPECT_EQ(slurp(file), new_text);
}

TEST_F(output, file_without_other_hard_links_is_replaced) {
  const fs::path file = old_file();
  const int reader = ::open(file.c_str(), O_RDONLY);
  write_file(file, new_text);
  char first = 0;
  EXPECT_EQ(::read(reader, &first, 1), 1);
  EXPECT_EQ(first, 'o');  // who reads the old file goes on reading it
  ::close(reader);
  EXPECT_EQ(slurp(file), new_text);
}

TEST_F(output, keeps_owner_and_special_mode_bits) {
  const fs::path file = old_file();
  if (::chown(file.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "this user cannot give files away";
  ASSERT_EQ(::chmod(file.c_str(), 02750), 0);
  write_file(file, new_text);
  EXPECT_EQ(slurp(file), new_text);
  EXPECT_EQ(status_of(file).st_uid, 65534u);
  EXPECT_EQ(status_of(file).st_gid, 65534u);
  EXPECT_EQ(status_of(file).st_mode & 07777, 02750u);
}

TEST_F(output, keeps_extended_attributes) {
  const fs::path file = old_file();
  if (::setxattr(file.c_str(), "user.comment", "mine", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no extended attributes";
  write_file(file, new_text);
  char value[4] = {};
  EXPECT_EQ(::getxattr(file.c_str(), "user.comment", value, 4), 4);
  EXPECT_EQ(std::string(value, 4), "mine");
  EXPECT_EQ(slurp(file), new_text);
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"old"});
}

TEST_F(output, refuses_a_file_that_the_user_may_not_write) {
  const fs::path file = old_file("precious\n");
  fs::permissions(file, fs::perms(0444));
  open_to_all();
  const int status = in_child([&] {
    if (!become_ordinary()) return cannot_try;
    const std::string reason = file.string() + ": cannot write: Permission denied";
    const caught_error wanted{errc::io_error, reason};
    const bool checked = error_of([&] { check_output(file); }) == wanted;
    return checked && error_of([&] { write_file(file, new_text); }) == wanted ? 0 : 1;
  });
  if (status == cannot_try) GTEST_SKIP() << "cannot become an ordinary user here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(file), "precious\n");
}

TEST_F(output, file_in_a_read_only_directory_is_overwritten_in_place) {
  const fs::path file = old_file();
  fs::permissions(file, fs::perms(0666));
  fs::permissions(folder_.path(), fs::perms(0555));
  const auto before = status_of(file);
  const int status = in_child([&] {
    if (!become_ordinary()) return cannot_try;
    check_output(file);
    write_file(file, new_text);
    return error_of([&] { check_output(folder_ / "none"); }) ? 0 : 1;
  });
  fs::permissions(folder_.path(), fs::perms(0700));
  if (status == cannot_try) GTEST_SKIP() << "cannot become an ordinary user here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(file), new_text);
  EXPECT_EQ(status_of(file).st_ino, before.st_ino);
}

TEST_F(output, owner_of_another_users_file_is_kept) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make another user's file";
  const fs::path file = old_file();
  fs::permissions(file, fs::perms(0666));
  open_to_all();
  const int status = in_child([&] {
    if (!become_ordinary()) return cannot_try;
    write_file(file, new_text);
    return 0;
  });
  if (status == cannot_try) GTEST_SKIP() << "cannot become an ordinary user here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(file), new_text);
  EXPECT_EQ(status_of(file).st_uid, 0u);
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"old"});
}

TEST_F(output, mount_point_is_overwritten_in_place) {
  const fs::path file = old_file();
  spill(folder_ / "mounted", "");
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(file.c_str(), (folder_ / "mounted").c_str(), nullptr, MS_BIND, nullptr) != 0)
      return cannot_try;
    check_output(folder_ / "mounted");
    write_file(folder_ / "mounted", new_text);
    return 0;
  });
  if (status == cannot_try) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(file), new_text);
  EXPECT_EQ(names_in(folder_.path()), (std::set<std::string>{"old", "mounted"}));
}

TEST_F(output, to_a_fifo_waits_for_its_reader_and_the_check_does_not) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  check_output(fifo);
  std::string got;
  std::thread reader([&] { got = slurp(fifo); });
  write_file(fifo, new_text);
  reader.join();
  EXPECT_EQ(got, new_text);
}

TEST_F(output, check_changes_nothing) {
  const fs::path file = old_file();
  const auto before = status_of(file);
  check_output(file);
  check_output(folder_ / "none");
  const auto after = status_of(file);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"old"});
}

TEST_F(output, unfinished_files_are_removed_for_a_signal_handler) {
  const fs::path file = old_file();
  io::output_file one(file);
  io::output_file two(folder_ / "new");
  one.write(new_text);
  EXPECT_EQ(names_in(folder_.path()).size(), 3u);
  remove_unfinished_files();
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"old"});
  EXPECT_EQ(slurp(file), "old and longer\n");
}

TEST_F(output, child_process_leaves_its_parents_unfinished_files) {
  // More than a signal handler finds, since the destructor of each is asked too.
  std::vector<std::unique_ptr<io::output_file>> all;
  for (int k = 0; k < 12; ++k) all.push_back(std::make_unique<io::output_file>(folder_ / std::to_string(k)));
  EXPECT_EQ(in_child([&] {
              remove_unfinished_files();
              all.clear();
              return 0;
            }),
            0);
  EXPECT_EQ(names_in(folder_.path()).size(), 12u);
  for (const auto& each : all) each->commit();
  EXPECT_TRUE(fs::exists(folder_ / "11"));
}

TEST_F(output, any_number_of_files_may_be_unfinished) {
  std::vector<std::unique_ptr<io::output_file>> all;
  for (int k = 0; k < 20; ++k) all.push_back(std::make_unique<io::output_file>(folder_ / std::to_string(k)));
  for (const auto& each : all) each->commit();
  EXPECT_EQ(names_in(folder_.path()).size(), 20u);
}

}  // namespace
}  // namespace gossamer::io_test
