// SPDX-License-Identifier: BSD-3-Clause
// pthread_create instead of the system's: counts, then calls it. Linked into a test program, or loaded
// before a program, which then writes the count to the file that GOSSAMER_TEST_THREADS names.
#include "threads/thread_counter.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int> alive{0};
std::atomic<int> most{0};

void note_started() noexcept {
  const int now = ++alive;
  int before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
}

struct start {
  void* (*routine)(void*);
  void* argument;
};

/// Also where the routine ends in pthread_exit.
struct count_while_running {
  ~count_while_running() { --alive; }
};

void* run(void* given) {
  const start own = *static_cast<start*>(given);
  delete static_cast<start*>(given);
  const count_while_running counted;
  return own.routine(own.argument);
}

/// At the end of a program that this was loaded into.
struct report {
  ~report() {
    const char* const file = std::getenv("GOSSAMER_TEST_THREADS");
    if (file == nullptr) return;
    if (std::FILE* const out = std::fopen(file, "w")) {
      std::fprintf(out, "%d\n", most.load());
      std::fclose(out);
    }
  }
} at_exit;

}  // namespace

namespace gossamer_test {

int threads_alive() noexcept {
  return alive;
}
int most_threads_alive() noexcept {
  return most;
}
void reset_most_threads_alive() noexcept {
  most = alive.load();
}

}  // namespace gossamer_test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
  auto* const own = new (std::nothrow) start{routine, argument};
  if (next == nullptr || own == nullptr) return EAGAIN;
  note_started();
  const int status = next(thread, attributes, run, own);
  if (status != 0) {
    --alive;
    delete own;
  }
  return status;
}
