// SPDX-License-Identifier: BSD-3-Clause
// Threads that sleep until a job is called and help with it, beside OpenMP's teams: none of them spins when
// it is done.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/function_ref.hpp"

namespace gossamer::inline v0::exec {

class worker_pool {
 public:
  worker_pool() = default;
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// body(0) on the calling thread and beside it body(k), k from 1 to at most `wanted`, each on a thread of
  /// its own. One that has not begun when body(0) ends stays away, and the system may give fewer threads, so
  /// that body(0) alone has to do all that is left. Waits for those that began, and throws what the first to
  /// fail threw. One call at a time.
  void run(std::size_t wanted, function_ref<void(std::size_t)> body);

 private:
  void attend(std::size_t number);
  void grow(std::size_t wanted) noexcept;
  void keep_failure();

  std::mutex mutex_;
  std::condition_variable called_;
  std::condition_variable done_;
  const function_ref<void(std::size_t)>* body_ = nullptr;  ///< null: the job is closed
  std::uint64_t call_ = 0;
  std::size_t wanted_ = 0;
  std::size_t working_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;  ///< thread k - 1 runs body(k)
};

}  // namespace gossamer::inline v0::exec
