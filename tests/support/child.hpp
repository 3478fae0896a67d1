// SPDX-License-Identifier: BSD-3-Clause
// What happens in a child made by fork().
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace gossamer::testing_support {

/// Begins work() in a child, which ends with status 0 where it returns true. A child that waits for ever is
/// killed.
template <class Work>
pid_t begin_child(Work&& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  constexpr unsigned generous = 100;  // seconds
  ::alarm(generous);
  int status = 2;
  try {
    status = work() ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "in a child: %s\n", problem.what());
  }
  ::_exit(status);
}

/// Waits for a child; its status, or 128 and the number of the signal that ended it.
inline int end_of(pid_t child) {
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  constexpr int by_signal = 128;
  return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Both: 0 where work() returned true in a child.
template <class Work>
int status_of_child(Work&& work) {
  return end_of(begin_child(work));
}

/// For a child: root, whom no permission stops, becomes a user without rights. False where that is not
/// allowed.
inline bool become_ordinary() {
  if (::geteuid() != 0) return true;
  constexpr unsigned nobody = 65534;
  return ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
}

}  // namespace gossamer::testing_support
