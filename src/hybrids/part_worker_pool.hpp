// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for jobs, so that a product starts none. Each leads one part: OpenMP keeps a team of
// workers for each.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/float_environment.hpp"
#include "core/function_ref.hpp"

namespace gossamer::inline v0::hybrids {

class part_worker_pool {
 public:
  /// For `jobs` jobs at a time. Throws unsupported where the system starts no more threads.
  explicit part_worker_pool(std::size_t jobs);
  ~part_worker_pool();
  part_worker_pool(const part_worker_pool&) = delete;
  part_worker_pool& operator=(const part_worker_pool&) = delete;

  /// job(k) for each k at once, job(0) on the calling thread and all in its floating-point environment; waits
  /// for all. Throws what the lowest k threw. One call at a time.
  void run(function_ref<void(std::size_t)> job);

 private:
  void attend(std::size_t number);
  void stop() noexcept;

  std::mutex mutex_;
  std::condition_variable called_;
  std::condition_variable done_;
  const function_ref<void(std::size_t)>* job_ = nullptr;
  core::float_environment environment_{};  ///< of the thread that calls
  std::uint64_t call_ = 0;
  std::size_t busy_ = 0;
  bool stopped_ = false;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace gossamer::inline v0::hybrids
