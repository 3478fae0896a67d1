// SPDX-License-Identifier: BSD-3-Clause
// What the program does to files that are there: where it writes, what it refuses, and when something fails
// on the way.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <set>

#include "run_cli.hpp"
#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* two_by_two = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n";
constexpr const char* product_of_it = "%%MatrixMarket matrix array real general\n2 1\n1\n1\n";

class cli_output : public testing::Test {
 protected:
  /// In the scratch folder, where a.mtx is a matrix; $G is the program.
  outcome shell(const std::string& script) const {
    return run({"/bin/sh", "-c", "cd '" + scratch.path("") + "' && " + script},
               {.environment = {"G=" GOSSAMER_CLI}, .out_file = {}});
  }

  void refused(const std::string& script, const std::vector<std::string>& words) const {
    SCOPED_TRACE(script);
    const outcome done = shell(script);
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
    for (const std::string& word : words) EXPECT_THAT(done.err, HasSubstr(word));
  }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& each : fs::directory_iterator(scratch.path(""))) all.insert(each.path().filename());
    return all;
  }

  scratch_folder scratch;
  std::string a = scratch.file("a.mtx", two_by_two);
};

TEST_F(cli_output, appended_stdout_keeps_what_the_file_has) {
  EXPECT_EQ(shell("echo Monday > log; $G multiply a.mtx --x ones -o /dev/stdout >> log").status, 0);
  EXPECT_EQ(read_file(scratch.path("log")), std::string("Monday\n") + product_of_it);
}

TEST_F(cli_output, one_of_several_commands_writes_between_the_others) {
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"}) {
    EXPECT_EQ(shell(std::string("{ echo begin; $G convert a.mtx -o ") + name + "; echo end; } > all").status,
              0);
    EXPECT_EQ(read_file(scratch.path("all")), std::string("begin\n") + two_by_two + "end\n") << name;
  }
  EXPECT_EQ(shell("{ echo begin; $G convert a.mtx -o /dev/fd/3; echo end >&3; } 3> three > one").status, 0);
  EXPECT_EQ(read_file(scratch.path("three")), std::string(two_by_two) + "end\n");
}

TEST_F(cli_output, dash_is_stdin_and_stdout) {
  EXPECT_EQ(shell("$G convert - -o - < a.mtx").out, two_by_two);
  EXPECT_EQ(shell("cat a.mtx | $G convert - -o -").out, two_by_two);
  EXPECT_EQ(shell("gzip -c a.mtx | $G convert - -o -").out, two_by_two);
  EXPECT_EQ(shell("gzip -c a.mtx > b.gz; $G convert - -o - < b.gz").out, two_by_two);
  EXPECT_EQ(shell("$G generate 'diagonal(2,values=constant)' -o -").out, two_by_two);
  EXPECT_EQ(shell("$G multiply - --x ones < a.mtx").out, product_of_it);
  EXPECT_EQ(shell("$G multiply - --x ones -o - < a.mtx").out, product_of_it);
  EXPECT_EQ(shell("$G multiply a.mtx --x ones | $G multiply a.mtx --x -").out, product_of_it);
  EXPECT_EQ(shell("$G multiply a.mtx --x ones | $G multiply a.mtx --alpha 0 --beta 1 --y -").out,
            product_of_it);
  EXPECT_EQ(names(), (std::set<std::string>{"a.mtx", "b.gz"}));
}

TEST_F(cli_output, a_document_on_stdout_is_the_only_output) {
  const outcome spy = shell("$G info - --spy - < a.mtx");
  EXPECT_THAT(spy.out, AllOf(StartsWith("<?xml"), EndsWith("</svg>\n")));
  EXPECT_THAT(spy.err, HasSubstr("stdin: 2 x 2"));
  for (const char* command : {"tune a.mtx --budget 0 --json -", "tune a.mtx --budget 0 --json /dev/fd/1",
                              "bench a.mtx --format csr --peer none --seconds 0 --json -"}) {
    const outcome done = shell(std::string("$G ") + command);
    EXPECT_TRUE(nlohmann::json::accept(done.out)) << command << "\n" << done.out;
    EXPECT_THAT(done.err, HasSubstr("csr")) << command;
  }
  EXPECT_EQ(shell("$G tune a.mtx --budget 0 --json - 2>&-").status, 0);
}

TEST_F(cli_output, stdin_can_be_read_once) {
  refused("$G multiply - --x - < a.mtx", {"stdin", "once"});
  refused("$G info - - < a.mtx", {"stdin", "once"});
  refused("$G bench - --value f32,f64 < a.mtx", {"stdin", "once"});
  refused("$G bench /dev/fd/0 --value f32,f64 < a.mtx", {"/dev/fd/0", "once"});
  refused("$G multiply - --x /dev/fd/0 < a.mtx", {"/dev/fd/0", "once"});
  refused("$G multiply /dev/stdin --x /proc/self/fd/0 < a.mtx", {"/proc/self/fd/0", "once"});
  refused("ln -s /dev/stdin link; $G info link - < a.mtx", {"/dev/stdin", "once"});
  refused("$G info - < /dev/null", {"/dev/stdin", "empty"});
}

TEST_F(cli_output, file_that_is_also_an_input_is_refused) {
  ASSERT_EQ(shell("ln -s a.mtx soft.mtx; ln a.mtx hard.mtx; $G multiply a.mtx --x ones > x.mtx").status, 0);
  for (const char* name : {"a.mtx", "./a.mtx", "soft.mtx", "hard.mtx"})
    refused(std::string("$G convert a.mtx -o ") + name, {name, "also an input"});
  refused("$G convert soft.mtx -o a.mtx", {"also an input"});
  refused("$G multiply a.mtx --x x.mtx -o x.mtx", {"x.mtx", "also an input"});
  refused("$G multiply a.mtx --beta 1 --y x.mtx -o x.mtx", {"x.mtx", "also an input"});
  refused("$G info a.mtx --spy a.mtx", {"also an input"});
  refused("$G bench a.mtx --json a.mtx", {"also an input"});
  refused("$G tune a.mtx --json a.mtx", {"also an input"});
  refused("$G convert - -o a.mtx < a.mtx", {"also an input"});
  refused("$G convert a.mtx -o - >> a.mtx", {"also an input"});
  refused("$G info a.mtx >> a.mtx", {"also an input"});
  EXPECT_EQ(read_file(a), two_by_two);
}

TEST_F(cli_output, one_socket_may_be_both_stdin_and_stdout) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string text = two_by_two;
  ASSERT_EQ(::write(ends[0], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ASSERT_EQ(::shutdown(ends[0], SHUT_WR), 0);
  const std::string number = std::to_string(ends[1]);
  const outcome done = shell("$G multiply - --x ones -o - <&" + number + " >&" + number);
  ::close(ends[1]);
  EXPECT_EQ(done.status, 0) << done.err;
  std::string got(1000, '\0');
  const ssize_t size = ::read(ends[0], got.data(), got.size());
  got.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  ::close(ends[0]);
  EXPECT_EQ(got, product_of_it);
}

TEST_F(cli_output, duplicate_outputs_are_rejected) {
  refused("$G experiment csr_m/fig12 --json new --svg ./new", {"new", "given for two outputs"});
  refused("$G experiment csr_m/fig12 --json - --svg /dev/fd/1", {"/dev/fd/1", "given for two outputs"});
  refused("$G experiment csr_m/fig12 --json - --svg both > both", {"both", "given for two outputs"});
  refused("$G experiment csr_m/fig12 --json both --svg - > both", {"/dev/stdout", "given for two outputs"});
}

TEST_F(cli_output, dangling_link_is_followed) {
  EXPECT_EQ(shell("mkdir later; ln -s later/b.mtx link; $G convert a.mtx -o link && test -h link").status, 0);
  EXPECT_EQ(read_file(scratch.path("later/b.mtx")), two_by_two);
}

TEST_F(cli_output, file_that_the_user_may_not_write_is_refused_before_the_work) {
  // The user's copy of the program, since the build may lie where that user cannot look.
  const std::string as_user = ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  if (shell(as_user + "true").status != 0 || shell("chmod 777 . && " + as_user + "$G --version").status != 0)
    GTEST_SKIP() << "cannot run the program as an ordinary user here";
  // The matrix is none, which is seen as soon as it is read.
  ASSERT_EQ(
      shell("echo nonsense > bad.mtx; echo precious > readonly; chmod 444 readonly; chmod 644 *.mtx").status,
      0);
  for (const char* command : {"convert bad.mtx -o", "multiply bad.mtx -o", "info bad.mtx --spy",
                              "tune bad.mtx --json", "bench bad.mtx --json", "generate 'stencil(nx=0)' -o"})
    refused(as_user + "$G " + command + " readonly", {"readonly", "Permission denied"});
  EXPECT_EQ(read_file(scratch.path("readonly")), "precious\n");
}

TEST_F(cli_output, size_limit_is_one_line_and_keeps_the_old_file) {
  const outcome done = shell("echo old > b.mtx; ulimit -f 1; $G generate 'diagonal(100k)' -o b.mtx");
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.err, "gossamer: b.mtx: cannot write: File too large\n");
  EXPECT_EQ(read_file(scratch.path("b.mtx")), "old\n");
  EXPECT_EQ(names(), (std::set<std::string>{"a.mtx", "b.mtx"}));
}

TEST_F(cli_output, full_device_is_a_failed_run) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const char* script : {"$G convert a.mtx -o /dev/full", "$G convert a.mtx -o - > /dev/full",
                             "$G multiply a.mtx > /dev/full", "$G info a.mtx > /dev/full"}) {
    const outcome done = shell(script);
    EXPECT_EQ(done.status, 1) << script;
    EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
    EXPECT_THAT(done.err, HasSubstr("No space left on device"));
  }
}

TEST_F(cli_output, closed_stdout_number_is_not_reused) {
  const outcome done = shell("$G info a.mtx --spy b.svg >&-");
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("stdout"));
  EXPECT_THAT(read_file(scratch.path("b.svg")), EndsWith("</svg>\n"));
}

#ifdef GOSSAMER_FAILING_CALLS

/// Ends the program, or fails, at each call in turn that it makes on the file that it writes.
class cli_faults : public cli_output {
 protected:
  struct place {
    const char* file;  ///< -o
    const char* set_up;
    bool can_create = true;
  };
  static std::vector<place> places() {
    return {{"new", "true"},
            {"old", "echo old content > old"},
            {"link", "echo old content > old; ln -s old link"},
            {"hard", "seq 100 > old; ln old hard"},  // longer than what is written
            {"old", "seq 100 > old", false}};
  }

  /// Returns whether the call came.
  bool run_with_fault(const place& p, int call, const std::string& kind) {
    const std::string folder = scratch.path("out");
    const std::string mark = scratch.path("mark");
    fs::remove_all(folder);
    fs::remove(mark);
    fs::create_directory(folder);
    EXPECT_EQ(shell(std::string("cd out && ") + p.set_up).status, 0);
    const std::set<std::string> before = names_in_out();
    const std::string old_content = before.count("old") > 0 ? read_file(folder + "/old") : "";
    done =
        cli({"convert", a, "-o", folder + "/" + p.file},
            {.environment = {"LD_PRELOAD=" GOSSAMER_FAILING_CALLS, "FAULT_FOLDER=" + folder,
                             "FAULT_MARK=" + mark, "FAULT_CALL=" + std::to_string(call), "FAULT_KIND=" + kind,
                             std::string("FAULT_NO_CREATE=") + (p.can_create ? "" : "1")},
             .out_file = {}});
    std::set<std::string> wanted = before;
    const bool came = fs::exists(mark);
    is_new = fs::exists(folder + "/" + p.file) && read_file(folder + "/" + p.file) == two_by_two;
    if (is_new) wanted.insert(p.file);
    EXPECT_EQ(names_in_out(), wanted);
    if (!is_new && before.count("old") > 0) {
      EXPECT_EQ(read_file(folder + "/old"), old_content);
    }
    if (!came) {
      EXPECT_EQ(done.status, 0) << done.err;
      EXPECT_TRUE(is_new);
    }
    return came;
  }

  std::set<std::string> names_in_out() const {
    std::set<std::string> all;
    for (const auto& each : fs::directory_iterator(scratch.path("out"))) all.insert(each.path().filename());
    return all;
  }

  outcome done;
  bool is_new = false;
};

TEST_F(cli_faults, failing_call_is_one_line_and_leaves_the_old_file_or_the_new_one) {
  for (const place& p : places()) {
    int call = 1;
    for (; run_with_fault(p, call, std::to_string(call % 2 == 0 ? EIO : ENOSPC)); ++call) {
      SCOPED_TRACE(std::string(p.file) + ", call " + std::to_string(call));
      if (done.status == 0) {
        EXPECT_TRUE(is_new);
        continue;
      }
      EXPECT_EQ(lines(done.err).size(), 1u) << done.err;
      EXPECT_THAT(done.err, HasSubstr(std::string("out/") + p.file + ": cannot write: "));
      EXPECT_THAT(done.err, HasSubstr(call % 2 == 0 ? "Input/output error" : "No space left on device"));
    }
    EXPECT_GE(call, 5) << p.file;
  }
}

TEST_F(cli_faults, quota_is_named) {
  ASSERT_TRUE(run_with_fault(places()[0], 2, std::to_string(EDQUOT)));
  EXPECT_THAT(done.err, HasSubstr("Disk quota exceeded"));
}

TEST_F(cli_faults, short_write_goes_on) {
  for (const place& p : {places()[1], places()[3]}) {
    for (int call = 1; run_with_fault(p, call, "short"); ++call) {
      EXPECT_EQ(done.status, 0) << p.file << ", call " << call << ": " << done.err;
      EXPECT_TRUE(is_new);
    }
  }
}

TEST_F(cli_faults, signal_removes_what_was_begun_and_is_the_exit_status) {
  for (const place& p : places()) {
    for (int call = 1; run_with_fault(p, call, "signal"); ++call) {
      EXPECT_EQ(done.status, 128 + SIGTERM) << p.file << ", call " << call << ": " << done.err;
      EXPECT_EQ(done.err, "");
    }
  }
}

#endif

TEST_F(cli_output, signals_that_the_caller_ignores_stay_ignored) {
  // The FIFO has no reader before the signals have come.
  const outcome done = shell(
      "mkfifo pipe; trap '' INT HUP; $G convert a.mtx -o pipe & p=$!; sleep 0.3; kill -INT $p; kill -HUP $p; "
      "cat pipe; wait $p");
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, two_by_two);
}

}  // namespace
}  // namespace gossamer::test
