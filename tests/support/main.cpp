// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <cstdlib>

int main(int argc, char** argv) {
  // What someone tuned on this machine is none of the tests' business, nor what they tune of theirs.
  setenv("GOSSAMER_CACHE", "", 1);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
