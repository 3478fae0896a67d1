// SPDX-License-Identifier: BSD-3-Clause
#include "signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "gossamer/output.hpp"

namespace gossamer::cli {
namespace {

extern "C" void end_by_signal(int number) {
  remove_unfinished_files();
  // The default is set again by now, so that the exit status says which signal it was.
  static_cast<void>(::raise(number));
}

}  // namespace

void set_up_signals() {
  // A reader that goes away (gossamer ... | head) ends the run at once and in silence, also where the caller
  // ignores it.
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  // Past a size limit a write then fails, with a message.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  struct sigaction ending {};
  ending.sa_handler = end_by_signal;
  ending.sa_flags = SA_RESETHAND | SA_NODEFER;
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
