// SPDX-License-Identifier: BSD-3-Clause
// Support for fork(): a child process has one thread, and locks held by the parent's other threads stay
// locked.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "gossamer/export.hpp"

namespace gossamer::inline v0::core {

/// Number of fork() calls from the process that loaded the library to this process.
GOSSAMER_API int forks() noexcept;

/// Whether this thread called fork() in a process of several threads, so that its OpenMP pool is lost.
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

/// A lazily initialised constant that is safe after fork(). The guard of a function-local static deadlocks in
/// the child if another thread of the parent was initialising it. Here several threads may compute the value;
/// the first one stored is kept and never freed.
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

/// Registers handlers that lock the mutex before fork() and unlock it in parent and child. Returns
/// pthread_atfork's result.
template <std::mutex& Mutex>
int keep_free_in_children() noexcept {
  return pthread_atfork([] { Mutex.lock(); }, [] { Mutex.unlock(); }, [] { Mutex.unlock(); });
}

}  // namespace gossamer::inline v0::core
