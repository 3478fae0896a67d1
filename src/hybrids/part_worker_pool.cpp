// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/part_worker_pool.hpp"

#include <algorithm>
#include <system_error>

#include "core/fail.hpp"

namespace gossamer::inline v0::hybrids {

// A list of what was thrown. NOLINTNEXTLINE(bugprone-throw-keyword-missing)
part_worker_pool::part_worker_pool(std::size_t jobs) : failures_(std::max<std::size_t>(jobs, 1)) {
  try {
    threads_.reserve(failures_.size());
    for (std::size_t k = 1; k < jobs; ++k) threads_.emplace_back([this, k] { attend(k); });
  } catch (const std::system_error& problem) {
    stop();
    fail(errc::unsupported, "hybrid: {} parts need {} threads: {}", jobs, jobs - 1, problem.what());
  } catch (...) {
    stop();
    throw;
  }
}

part_worker_pool::~part_worker_pool() {
  stop();
}

void part_worker_pool::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  called_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void part_worker_pool::attend(std::size_t number) {
  std::uint64_t last = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    called_.wait(lock, [&] { return stopped_ || call_ != last; });
    if (stopped_) return;
    last = call_;
    const function_ref<void(std::size_t)> job = *job_;
    const core::float_environment environment = environment_;
    lock.unlock();
    try {
      const core::float_environment_scope scope(environment);
      job(number);
    } catch (...) {
      failures_[number] = std::current_exception();
    }
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void part_worker_pool::run(function_ref<void(std::size_t)> job) {
  std::fill(failures_.begin(), failures_.end(), nullptr);
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    environment_ = core::float_environment::of_this_thread();
    busy_ = threads_.size();
    ++call_;
  }
  called_.notify_all();
  try {
    job(0);
  } catch (...) {
    failures_[0] = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace gossamer::inline v0::hybrids
