// SPDX-License-Identifier: BSD-3-Clause
// What a child made by fork() has lost: the threads of its parent, and whatever they held or had begun.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "gossamer/export.hpp"

namespace gossamer::inline v0::exec {

/// How many fork()s lie between the process that loaded the library and this one.
GOSSAMER_API int forks() noexcept;

/// Whether OpenMP's pool of this thread may be without its threads: it called fork() in a process of several
/// threads.
GOSSAMER_API bool lost_team() noexcept;

/// An object with threads of its own. A child makes another one: threads of the old one cannot be joined
/// there, and its mutexes and condition variables may wait for them, even to be destroyed. So the old one is
/// left as it is.
template <class T>
class per_process {
 public:
  per_process() = default;
  per_process(const per_process&) = delete;
  per_process& operator=(const per_process&) = delete;
  ~per_process() { leave_if_forked(); }

  /// Made from the arguments where this process has none yet.
  template <class... Args>
  T& get(Args&&... args) {
    leave_if_forked();
    if (!object_) {
      object_ = std::make_unique<T>(std::forward<Args>(args)...);
      forks_ = forks();
    }
    return *object_;
  }

 private:
  void leave_if_forked() noexcept {
    if (object_ && forks_ != forks()) static_cast<void>(object_.release());
  }

  std::unique_ptr<T> object_;
  int forks_ = 0;
};

/// A constant that is found when it is first asked for. A static variable's guard would stay closed in a
/// child whose parent had another thread in its initialization. Here threads may find it at the same time,
/// and one's value is kept for good.
template <class T>
class found_once {
 public:
  template <class Find>
  const T& get(Find&& find) {
    if (const T* const known = known_.load(std::memory_order_acquire)) return *known;
    auto found = std::make_unique<const T>(find());
    const T* first = nullptr;
    if (known_.compare_exchange_strong(first, found.get(), std::memory_order_acq_rel))
      return *found.release();
    return *first;
  }

 private:
  std::atomic<const T*> known_{nullptr};
};

/// No other thread holds the mutex in a child. Returns what pthread_atfork does.
template <std::mutex& Mutex>
int keep_free_in_children() noexcept {
  return pthread_atfork([] { Mutex.lock(); }, [] { Mutex.unlock(); }, [] { Mutex.unlock(); });
}

}  // namespace gossamer::inline v0::exec
