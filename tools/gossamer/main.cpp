// SPDX-License-Identifier: BSD-3-Clause
// The program `gossamer`: finds the subcommand, runs it, and turns whatever is thrown into one line and a
// status.
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "arguments/usage_error.hpp"
#include "commands/commands.hpp"
#include "commit.hpp"
#include "gossamer/error.hpp"
#include "gossamer/io.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/version.hpp"
#include "output/output.hpp"
#include "signals.hpp"

namespace gossamer::cli {
namespace {

constexpr int failed_run = 1;
constexpr int bad_usage = 2;

int fail_with(int status, std::string message) {
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  note("gossamer: " + message);
  return status;
}

int status_of(errc code) {
  switch (code) {
    case errc::out_of_memory:
    case errc::device_error:
    case errc::overlap:
    case errc::cancelled:
    case errc::busy:
      return failed_run;
    default:
      return bad_usage;
  }
}

/// CLI11 calls an unknown subcommand an unexpected argument, or misses another one first.
void check_subcommand(const command_line& line, int argc, const char* const* argv) {
  std::string known;
  for (const subcommand& each : line.get_subcommands()) {
    if (argc > 1 && each.get_name() == argv[1]) return;
    known.append(known.empty() ? "" : ", ").append(each.get_name());
  }
  if (argc < 2 || *argv[1] == '\0') fail_usage("no subcommand; give one of {}", known);
  if (*argv[1] != '-') fail_usage("unknown subcommand \"{}\"; give one of {}", argv[1], known);
}

/// One bound for all that a command does: reading, generating, inspecting, multiplying and writing.
void add_threads_to_all(command_line& line, int& threads) {
  for (subcommand& each : line.get_subcommands()) {
    each.add_option("--threads", threads,
                    "Most CPU threads to use, for all steps of the command (default: all)")
        .check(range(1, 65536))
        .type_name("N");
  }
}

int run(int argc, const char* const* argv) {
  command_line line("Multiply sparse matrices by vectors, on CPUs and GPUs", "gossamer");
  line.set_version_flag("--version",
                        fmt::format("gossamer {}.{}.{} ({}), gzip files read with {}", version_major,
                                    version_minor, version_patch, commit(), gzip_library()));
  action chosen;
  add_formats(line, chosen);
  add_info(line, chosen);
  add_multiply(line, chosen);
  add_bench(line, chosen);
  add_tune(line, chosen);
  add_partition(line, chosen);
#if defined(GOSSAMER_HAVE_EXPERIMENTS)
  add_experiment(line, chosen);
#endif
  add_generate(line, chosen);
  add_convert(line, chosen);
  int threads = 0;
  add_threads_to_all(line, threads);
  line.set_footer("gossamer SUBCOMMAND --help lists the options of a subcommand.");
  check_subcommand(line, argc, argv);
  if (const std::optional<std::string> text = line.parse(argc, argv)) {
    print(*text);
    flush_output();
    return 0;
  }
  const thread_limit limit(threads);
  const int status = chosen();
  flush_output();
  return status;
}

/// What was printed before something failed is shown.
int run_and_print(int argc, const char* const* argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    try {
      flush_output();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first failure is the one to report
    }
    throw;
  }
}

int guarded(int argc, const char* const* argv) {
  try {
    return run_and_print(argc, argv);
  } catch (const usage_error& problem) {
    return fail_with(bad_usage, problem.what());
  } catch (const error& problem) {
    return fail_with(status_of(problem.code()), problem.what());
  } catch (const std::bad_alloc&) {
    return fail_with(failed_run, "out of memory");
  } catch (const std::exception& problem) {
    return fail_with(failed_run, problem.what());
  } catch (...) {
    return fail_with(failed_run, "an unknown exception");
  }
}

}  // namespace
}  // namespace gossamer::cli

int main(int argc, char** argv) {
  gossamer::cli::occupy_standard_streams();
  gossamer::cli::set_up_signals();
  return gossamer::cli::guarded(argc, argv);
}
