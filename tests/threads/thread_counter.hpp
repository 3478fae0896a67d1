// SPDX-License-Identifier: BSD-3-Clause
// How many threads this process has started that still run. thread_counter.cpp replaces pthread_create to
// know.
#pragma once

namespace gossamer_test {

int threads_alive() noexcept;
/// The most that were alive at once since the last reset_most_threads_alive(), or since the start.
int most_threads_alive() noexcept;
void reset_most_threads_alive() noexcept;

}  // namespace gossamer_test
