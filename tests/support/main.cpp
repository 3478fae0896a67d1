// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>

namespace {

/// The tests say themselves how many threads there are. OpenMP has read the environment before main().
void begin_again_without_openmp_limits(char** argv) {
  bool limited = false;
  for (const char* name : {"OMP_THREAD_LIMIT", "OMP_DYNAMIC"}) {
    limited = limited || getenv(name) != nullptr;
    unsetenv(name);
  }
  if (limited) execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  begin_again_without_openmp_limits(argv);
  // What someone tuned on this machine is none of the tests' business, nor what they tune of theirs.
  setenv("GOSSAMER_CACHE", "", 1);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
