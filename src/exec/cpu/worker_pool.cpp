// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/worker_pool.hpp"

#include <utility>

namespace gossamer::inline v0::exec {

worker_pool::~worker_pool() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  called_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

/// Without a thread that the system does not give, the others do its work.
void worker_pool::grow(std::size_t wanted) noexcept {
  try {
    threads_.reserve(wanted);
    while (threads_.size() < wanted)
      threads_.emplace_back([this, number = threads_.size() + 1] { attend(number); });
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

void worker_pool::keep_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
}

void worker_pool::attend(std::size_t number) {
  std::uint64_t last = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    called_.wait(lock, [&] { return stopped_ || (body_ != nullptr && call_ != last && number <= wanted_); });
    if (stopped_) return;
    last = call_;
    const function_ref<void(std::size_t)> body = *body_;
    ++working_;
    lock.unlock();
    try {
      body(number);
    } catch (...) {
      keep_failure();
    }
    lock.lock();
    if (--working_ == 0) done_.notify_one();
  }
}

void worker_pool::run(std::size_t wanted, function_ref<void(std::size_t)> body) {
  if (wanted > threads_.size()) grow(wanted);
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    wanted_ = wanted;
    ++call_;
  }
  if (wanted > 0) called_.notify_all();
  try {
    body(0);
  } catch (...) {
    keep_failure();
  }
  std::unique_lock lock(mutex_);
  body_ = nullptr;
  done_.wait(lock, [this] { return working_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace gossamer::inline v0::exec
