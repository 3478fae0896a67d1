// SPDX-License-Identifier: BSD-3-Clause
// A bound on the CPU threads that library calls use.
#pragma once

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// During its lifetime, library calls from the thread that created it use at most `threads` CPU threads. A
/// nonzero cpu::threads or read_options::threads overrides it for that call. 0 leaves the current limit. If
/// limits are nested, the innermost applies. Other threads are unaffected. Results do not depend on the
/// limit.
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
