// SPDX-License-Identifier: BSD-3-Clause
#include "signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "gossamer/io.hpp"

namespace gossamer::cli {
namespace {

/// Stored before the library is asked: whichever of handler and write comes last ends the program.
std::atomic<int> signal_to_end_by{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void end_by_signal(int number) {
  signal_to_end_by = number;
  if (!remove_unfinished_files()) return;
  // By the default action, so that the exit status says which signal it was.
  static_cast<void>(std::signal(number, SIG_DFL));
  static_cast<void>(::raise(number));
}

}  // namespace

void end_if_signalled() {
  if (const int number = signal_to_end_by) static_cast<void>(::raise(number));
}

void set_up_signals() {
  // A reader that goes away (gossamer ... | head) ends the run at once and in silence, also where the caller
  // ignores it.
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  // Past a size limit a write then fails, with a message.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  struct sigaction ending {};
  ending.sa_handler = end_by_signal;
  ending.sa_flags = SA_NODEFER;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(number, &ending, nullptr);
  }
}

void occupy_standard_streams() {
  for (int number = 0; number < 3; ++number) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // Opened the wrong way round, so that reads and writes still fail as on a closed descriptor.
    const int got = ::open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
    if (got >= 0 && got != number) ::close(got);
  }
}

}  // namespace gossamer::cli
