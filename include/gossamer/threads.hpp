// SPDX-License-Identifier: BSD-3-Clause
// A bound on the CPU threads that library calls use.
#pragma once

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// While it lives, library calls made by the thread that created it use at most `threads` CPU threads, unless
/// they are given a number of their own (cpu::threads, read_options::threads). 0 changes nothing. The innermost
/// limit counts. Other threads keep theirs. The number never changes a result.
class GOSSAMER_API thread_limit {
 public:
  explicit thread_limit(int threads) noexcept;
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  ~thread_limit();

 private:
  int before_;
};

}  // namespace gossamer::inline v0
