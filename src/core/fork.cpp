// SPDX-License-Identifier: BSD-3-Clause
#include "core/fork.hpp"

#include <sys/stat.h>

namespace gossamer::inline v0::core {
namespace {

std::atomic<int> forks_so_far{0};
constinit thread_local bool forks_alone = false;
constinit thread_local bool team_is_lost = false;

/// False where the system does not say.
bool is_only_thread() noexcept {
  struct stat tasks {};
  constexpr unsigned of_the_folder = 2;  // links: its name, and its own "."; then one a thread
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == of_the_folder + 1;
}

void before_fork() noexcept {
  forks_alone = is_only_thread();
}

/// On the thread that called fork(), the only one. A team that was lost is not found again in a child of the
/// child.
void in_child() noexcept {
  forks_so_far.fetch_add(1, std::memory_order_relaxed);
  if (!forks_alone) team_is_lost = true;
}

[[maybe_unused]] const int registered = pthread_atfork(before_fork, nullptr, in_child);

}  // namespace

int forks() noexcept {
  return forks_so_far.load(std::memory_order_relaxed);
}

bool lost_team() noexcept {
  return team_is_lost;
}

}  // namespace gossamer::inline v0::core
