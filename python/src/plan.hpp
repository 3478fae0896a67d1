// SPDX-License-Identifier: BSD-3-Clause
// A gossamer_plan that several Python threads may use at once.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gossamer/gossamer.h"

namespace gossamer::python {

struct destroy_workspace {
  void operator()(gossamer_workspace* scratch) const noexcept { gossamer_workspace_destroy(scratch); }
};
using workspace = std::unique_ptr<gossamer_workspace, destroy_workspace>;

/// y = alpha op(A) x + beta y. A vector is a dense matrix with one column and leading dimension 1.
struct product {
  gossamer_operation op = GOSSAMER_FORWARD;
  double alpha = 1;
  double beta = 0;
  gossamer_dense x{};
  gossamer_dense y{};
  bool vectors = false;                         ///< x and y are contiguous vectors
  void* stream = nullptr;                       ///< for device memory
  const gossamer_epilogue* epilogue = nullptr;  ///< of products by contiguous vectors; may be null
};

class plan {
 public:
  /// `owner` keeps the arrays alive that the plan refers to.
  plan(gossamer_plan* handle, nanobind::object owner);
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;
  ~plan();  // also without the GIL: XLA's threads keep plans while they multiply

  /// The caller holds the GIL. It is released except in small products, which take less time than a thread
  /// that wants the GIL back may have to wait.
  void multiply(const product& p) const;
  /// The same for callers that do not hold the GIL.
  [[nodiscard]] gossamer_status multiply_without_gil(const product& p) const;
  /// Waits for products of other threads.
  void update(std::uintptr_t values, bool on_device, std::uintptr_t stream);
  [[nodiscard]] gossamer_plan_info info() const;
  [[nodiscard]] const char* describe() const;
  /// The stored matrix, in arrays of its own.
  [[nodiscard]] arrays matrix() const;
  /// The order of a reordered plan; null for others. It has as many elements as there are rows.
  [[nodiscard]] const std::int32_t* permutation() const;
  /// Calls `call(const gossamer_plan&)`, while update() waits. The caller does not hold the GIL.
  template <class Call>
  decltype(auto) with_handle(Call&& call) const {
    const std::shared_lock shared(lock_);
    return std::forward<Call>(call)(*handle_);
  }
  /// For a forked child: threads of the parent that held the locks are not there.
  void renew_locks() noexcept;

 private:
  [[nodiscard]] gossamer_status multiply_unlocked(const product& p) const;
  [[nodiscard]] gossamer_status multiply_with_epilogue(const product& p, gossamer_workspace* scratch) const;
  [[nodiscard]] gossamer_status multiply_on_host(const product& p) const;
  [[nodiscard]] gossamer_status multiply_on_device(const product& p) const;
  /// A workspace that no other product uses now.
  [[nodiscard]] gossamer_status take_workspace(workspace& taken) const;
  /// The workspace of the stream's products, or of the graph that the stream is captured in.
  [[nodiscard]] gossamer_status find_workspace(void* stream, gossamer_workspace*& found) const;

  gossamer_plan* handle_ = nullptr;
  nanobind::object owner_;
  std::int64_t nnz_ = 0;
  bool on_cpu_ = true;
  mutable std::shared_mutex lock_;  // products share it, update() has it alone
  mutable std::atomic_flag own_workspace_is_taken_;
  mutable std::mutex spare_lock_;
  mutable std::vector<workspace> spare_;  // for host vectors, while the plan's own workspace is taken
  mutable std::mutex streams_lock_;       // of the members below, by the numbers of gossamer_stream_id()
  mutable std::map<std::uint64_t, workspace> streams_;
  // A graph may be replayed at any time, and its streams run concurrently.
  mutable std::map<std::pair<std::uint64_t, void*>, workspace> graphs_;
};

void bind_plan(nanobind::module_& module);

}  // namespace gossamer::python
