// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a CPU share the passes of a product. Knows no format: a pass is bound to its view, so
// that this code is compiled once per value type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exec/cpu/adaptive_partition.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "exec/product.hpp"
#include "exec/reduction/carries.hpp"
#include "exec/target.hpp"
#include "formats/contract/format.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Columns of X that are multiplied while a unit of the matrix is in the cache. With more than about eight,
/// one more read of the matrix adds little time.
inline constexpr std::int64_t cpu_columns_at_once = 8;

/// formats::cpu_pass on one view.
template <class S>
struct bound_pass {
  std::function<void(const product<S>& p, std::int64_t first_unit, std::int64_t last_unit, sum_t<S>* scratch)>
      run;
  std::int64_t units = 0;
  exec::carry_view carries;
  const std::int64_t* cost = nullptr;
  std::int64_t units_together = 1;
  std::int64_t min_units_per_thread = 2;
  exec::thread_counts stealing_threads{};
  bool writes_rows = true;
  const std::int32_t* first_row = nullptr;
  std::int64_t scratch = 0;
};

/// The view must stay where it is.
template <class View, class S>
std::vector<bound_pass<S>> bind_passes(const View& view, formats::cpu_passes<View, S>&& passes) {
  std::vector<bound_pass<S>> bound;
  for (formats::cpu_pass<View, S>& each : passes)
    bound.push_back(
        {.run = [&view, run = std::move(each.run)](const product<S>& p, std::int64_t first, std::int64_t last,
                                                   sum_t<S>* scratch) { run(view, p, first, last, scratch); },
         .units = each.units,
         .carries = each.carries,
         .cost = each.cost,
         .units_together = each.units_together,
         .min_units_per_thread = each.min_units_per_thread,
         .stealing_threads = each.stealing_threads,
         .writes_rows = each.writes_rows,
         .first_row = each.first_row,
         .scratch = each.scratch});
  return bound;
}

template <class S>
class cpu_workspace final : public workspace_base {
 public:
  cpu_workspace(std::uint64_t owner, std::int64_t slots, std::size_t passes, bool steals_units)
      : workspace_base(owner),
        slots_(static_cast<std::size_t>(slots)),
        learned_(passes),
        shares_(steals_units ? std::make_unique<exec::work_stealing_units>() : nullptr) {}
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    std::int64_t of_packs = 0;
    for (const auto& each : of_packs_)
      if (each != nullptr) of_packs += each->bytes();
    return of_packs + static_cast<std::int64_t>((slots_.size() + column_slots_.size()) * sizeof(sum_t<S>) +
                                                learned_.size() * sizeof(exec::adaptive_partition) +
                                                (shares_ != nullptr ? sizeof(exec::work_stealing_units) : 0));
  }
  [[nodiscard]] sum_t<S>* slots() noexcept { return slots_.data(); }
  /// Room for so many sums of several columns. Allocates if it has less.
  [[nodiscard]] sum_t<S>* column_slots(std::int64_t sums) {
    if (static_cast<std::int64_t>(column_slots_.size()) < sums)
      column_slots_ = host_buffer<sum_t<S>>(static_cast<std::size_t>(sums));
    return column_slots_.data();
  }
  /// Of products by packs of so many columns, 4, 8 or 16; null before the first.
  [[nodiscard]] std::unique_ptr<workspace_base>& of_packs(int columns) noexcept {
    return of_packs_[static_cast<std::size_t>(columns / 8)];
  }
  /// Of that pass of the plan; null where the plan had fewer, or one thread for each, when the workspace was
  /// made.
  [[nodiscard]] exec::adaptive_partition* learned(std::size_t pass) noexcept {
    return pass < learned_.size() ? &learned_[pass] : nullptr;
  }
  /// For passes with work stealing; null where there are none.
  [[nodiscard]] exec::work_stealing_units* shares() noexcept { return shares_.get(); }
  /// Called once a product: whether this one goes backwards where products alternate
  /// (exec/cpu/sweep_direction.hpp).
  [[nodiscard]] bool turn() noexcept { return std::exchange(backwards_, !backwards_); }

 private:
  alignas(64) host_buffer<sum_t<S>> slots_;  // the line before is written in each product
  host_buffer<sum_t<S>> column_slots_;
  std::unique_ptr<workspace_base> of_packs_[3];
  std::vector<exec::adaptive_partition> learned_;
  std::unique_ptr<exec::work_stealing_units> shares_;
  bool backwards_ = false;
};

template <class S>
class cpu_schedule {
 public:
  /// `bytes` of the matrix are read in a product; `scratch` sums are needed. `threads` as in a resource.
  cpu_schedule(std::vector<bound_pass<S>>&& passes, std::int64_t bytes, std::int64_t scratch, int threads);

  /// The passes of new values. Changes nothing if it throws.
  void replace(std::vector<bound_pass<S>>&& passes, std::int64_t bytes);

  /// y = alpha A x + beta y, alpha not 0.
  void multiply(const product<S>& p, cpu_workspace<S>& workspace) const;
  /// The same for at most cpu_columns_at_once contiguous columns. A thread multiplies a unit by all of them,
  /// one after another, so that the matrix is read from memory once and each column has the bits of a single
  /// product.
  void multiply(const columns_product<S>& p, cpu_workspace<S>& workspace) const;

  /// Whether the next function works: an epilogue needs to know which rows a unit writes.
  [[nodiscard]] bool finishes_rows() const noexcept {
    return passes_.size() == 1 && passes_.front().pass.first_row != nullptr;
  }
  /// `step` and then, while the rows of a unit are in the cache, the epilogue of `finished`. The step's y is
  /// what the epilogue takes for alpha A x. alpha not 0.
  void multiply(const product<S>& step, const product<S>& finished, const exec::row_epilogue<S>& e,
                cpu_workspace<S>& workspace) const requires(!is_pack<sum_t<S>>);

  [[nodiscard]] std::unique_ptr<cpu_workspace<S>> make_workspace(std::uint64_t owner) const;

 private:
  /// A pass and its partition among the planned threads. A product partitions it again if OpenMP has fewer.
  struct planned_pass {
    bound_pass<S> pass;
    std::size_t number;  ///< of the plan
    int most_threads;    ///< that its work is worth
    /// The first unit of each thread, then their number: finding them takes as long as 100 entries
    std::vector<std::int64_t> first_units;
    std::int64_t backward_chunk;  ///< exec::backward_chunk of these threads
  };
  /// Which units a thread multiplies.
  enum class shares : std::uint16_t { planned, learned, adaptive_and_timed, work_stealing };
  struct division;
  struct pass_on_threads;

  [[nodiscard]] int threads_of(const planned_pass& planned) const;
  /// bytes: that the pass reads; 0 where it always goes forwards.
  [[nodiscard]] planned_pass planned(bound_pass<S>&& pass, std::size_t number, std::int64_t bytes) const;
  [[nodiscard]] std::vector<planned_pass> all_planned(std::vector<bound_pass<S>>&& passes,
                                                      std::int64_t bytes) const;
  /// The shares of a pass without work stealing; null where there is nothing to learn.
  [[nodiscard]] exec::adaptive_partition* learned(const planned_pass& planned, int threads,
                                                  cpu_workspace<S>& workspace) const;
  [[nodiscard]] division divided(const planned_pass& planned, int threads, cpu_workspace<S>& workspace,
                                 bool backwards) const;
  void run(const planned_pass& planned, const product<S>& p, cpu_workspace<S>& workspace,
           bool backwards) const;

  int threads_;
  std::int64_t scratch_;
  std::vector<planned_pass> passes_;
  std::uint64_t units_id_ = 1;                 ///< changes when new values change the units
  exec::thread_counts work_stealing_threads_;  ///< of how many threads units are stolen in every pass
};

GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_CLASS_INSTANCE, extern template class cpu_schedule)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_CLASS_INSTANCE, extern template class cpu_schedule)

}  // namespace gossamer::inline v0::plans
