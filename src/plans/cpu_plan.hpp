// SPDX-License-Identifier: BSD-3-Clause
// A format's storage on the host, multiplied pass by pass on all cores.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exec/cpu/adaptive_partition.hpp"
#include "exec/cpu/cpu_cache.hpp"
#include "exec/cpu/sweep_direction.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "exec/elementwise.hpp"
#include "formats/contract/rounding.hpp"
#include "plans/plan_base.hpp"
#include "plans/recoded.hpp"
#include "plans/storage.hpp"

namespace gossamer::inline v0::plans {

template <class V>
class cpu_workspace final : public workspace_base {
 public:
  cpu_workspace(std::uint64_t owner, std::int64_t slots, std::size_t passes, bool units_change_hands)
      : workspace_base(owner),
        slots_(static_cast<std::size_t>(slots)),
        learned_(passes),
        shares_(units_change_hands ? std::make_unique<exec::work_stealing_units>() : nullptr) {}
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(slots_.size() * sizeof(V) +
                                     learned_.size() * sizeof(exec::adaptive_partition) +
                                     (shares_ != nullptr ? sizeof(exec::work_stealing_units) : 0));
  }
  [[nodiscard]] V* slots() noexcept { return slots_.data(); }
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
  alignas(64) host_buffer<V> slots_;  // the line before is written in each product
  std::vector<exec::adaptive_partition> learned_;
  std::unique_ptr<exec::work_stealing_units> shares_;
  bool backwards_ = false;
};

template <formats::format F, value V, offset O>
class cpu_plan final : public plan_base<V> {
 public:
  using storage = typename F::template storage<V, O, host_buffer>;
  using view_type = formats::view_of<F, V, O>;

  cpu_plan(plan_facts facts, const exec::target& target, storage&& stored,
           std::vector<value_map<host_buffer>>&& maps)
      : plan_base<V>(std::move(facts)),
        target_(target),
        storage_(std::move(stored)),
        maps_(std::move(maps)),
        view_(storage_.view()),
        passes_(all_planned(F::passes(view_, target.level), streamed_bytes())),
        work_stealing_threads_(exec::work_stealing_threads(streamed_bytes())),
        scratch_(F::scratch(view_)) {}

  void multiply_host(const product<V>& p, workspace_base& workspace) const override {
    auto& scratch = static_cast<cpu_workspace<V>&>(workspace);
    if (p.alpha == V{0}) return exec::scale(p.y, this->facts().rows, p.beta, target_.threads);
    product<V> step = p;
    const bool backwards = scratch.turn();
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const auto& pass = passes_[i].pass;
      run(passes_[i], step, scratch, backwards);
      exec::combine(pass.carries, scratch.slots() + pass.scratch, step, target_.threads);
      if (pass.writes_rows) step.beta = V{1};  // every row is written now
    }
  }

  void multiply_device(const product<V>&, cuda_stream, workspace_base&) const override {
    fail(errc::unsupported, "multiply: device vectors given to a plan on the cpu");
  }

  void update_host(const V* values) override {
    const thread_limit limit(target_.threads);
    if constexpr (formats::reencodes_values<F>())
      recode(values);
    else
      refresh(values);
  }

  void update_device(const V*, cuda_stream) override {
    fail(errc::unsupported, "update_values: device values given to a plan on the cpu");
  }

  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const override {
    const thread_limit limit(target_.threads);
    return F::to_csr(storage_);
  }

  void stored_values(const std::int64_t*, const V* values, V* to) const override {
    const thread_limit limit(target_.threads);
    formats::round_values<F>(formats::parse_options<F>(this->facts().options, device_set::cpu), values, to,
                             this->facts().nnz);
  }

  [[nodiscard]] std::unique_ptr<workspace_base> make_workspace() const override {
    const bool stealing_threads = work_stealing_threads_.any() ||
                                  std::any_of(passes_.begin(), passes_.end(),
                                              [](const auto& p) { return p.pass.stealing_threads.any(); });
    const bool shared = std::any_of(passes_.begin(), passes_.end(), is_shared);
    return std::make_unique<cpu_workspace<V>>(this->id(), scratch_, shared ? passes_.size() : 0,
                                              stealing_threads);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override { return bytes_of(storage_, maps_); }

  [[nodiscard]] std::int64_t slots() const noexcept override {
    if constexpr (formats::reencodes_values<F>()) return this->facts().nnz;  // one for each code
    return slots_of<V>(storage_) - formats::count_duplicated_values<F>(storage_);
  }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return streamed_bytes_of(storage_); }

 private:
  static std::int64_t streamed_bytes_of(const storage& stored) noexcept {
    return bytes_of(stored) -
           formats::count_duplicated_values<F>(stored) * static_cast<std::int64_t>(sizeof(V)) -
           formats::duplicated_columns<F>(stored) * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

  /// Every value to its slots.
  void refresh(const V* values) {
    std::size_t next = 0;
    storage::arrays(storage_, [&]<class T>(const char*, host_buffer<T>& array) {
      if constexpr (std::is_same_v<T, V>) {
        const host_buffer<std::int64_t>& map = maps_[next++].entry;
        if (map.empty())
          core::parallel_for(
              static_cast<std::int64_t>(array.size()), core::default_grain,
              [&](std::int64_t b, std::int64_t e) { std::copy(values + b, values + e, array.data() + b); });
        else
          exec::gather_values(array.data(), map.data(), static_cast<std::int64_t>(array.size()), values);
      }
    });
  }

  /// A pass, and how the threads share it that a product has unless OpenMP gives it fewer.
  struct planned_pass {
    const view_type* view;
    formats::cpu_pass<view_type, V> pass;
    std::size_t number;  ///< of the plan
    int most_threads;    ///< that its work is worth
    /// Of each thread, and how many there are: finding them takes as long as a hundred entries
    std::vector<std::int64_t> first_units;
    std::int64_t backward_chunk;  ///< exec::backward_chunk of these threads
  };

  /// Which units a thread multiplies.
  enum class shares : std::uint16_t { planned, learned, adaptive_and_timed, work_stealing };

  /// What the threads of a pass get of the calling one, by value: what differs from product to product alone,
  /// since all wait for it.
  struct pass_on_threads {
    const planned_pass* planned;
    cpu_workspace<V>* scratch;
    shares by;
    bool backwards;
    std::uint32_t taking;  ///< of stolen shares
    V alpha;
    V beta;
    const V* x;
    V* y;

    void operator()(int thread, int team) const {
      const product<V> p{.alpha = alpha, .x = x, .beta = beta, .y = y};
      const auto multiply = [&](core::range units) {
        if (units.begin == units.end) return;
        exec::sweep(units, backwards ? planned->backward_chunk : 0, [&](core::range part) {
          planned->pass.run(*planned->view, p, part.begin, part.end,
                            scratch->slots() + planned->pass.scratch);
        });
      };
      const auto share = [&](int of) { return share_in(planned->first_units, of, team); };
      switch (by) {
        case shares::planned:
          return multiply(share(thread));
        case shares::work_stealing:
          return scratch->shares()->take(taking, thread, team, backwards, share, multiply);
        case shares::learned:
          return multiply(share_in(scratch->learned(planned->number)->first_units(), thread, team));
        case shares::adaptive_and_timed:
          exec::adaptive_partition& learned = *scratch->learned(planned->number);
          const auto begin = exec::adaptive_partition::clock::now();
          multiply(share_in(learned.first_units(), thread, team));
          learned.note(thread, team, begin, exec::adaptive_partition::clock::now());
      }
    }

    [[nodiscard]] core::range share_in(std::span<const std::int64_t> first_unit, int of, int team) const {
      const auto at = static_cast<std::size_t>(of);
      if (first_unit.size() == static_cast<std::size_t>(team) + 1)
        return {first_unit[at], first_unit[at + 1]};
      return share_of(planned->pass, of, team);
    }
  };

  static bool is_shared(const planned_pass& planned) { return planned.first_units.size() > 2; }

  static core::range share_of(const formats::cpu_pass<view_type, V>& pass, int thread, int team) {
    return pass.cost != nullptr ? core::share_by_cost(pass.cost, pass.units, thread, team)
                                : core::share(pass.units, thread, team);
  }

  [[nodiscard]] int threads_of(const planned_pass& planned) const {
    return std::min(core::team_size(target_.threads), planned.most_threads);
  }

  /// bytes: that the pass reads; 0 where it always goes forwards.
  [[nodiscard]] planned_pass planned(formats::cpu_pass<view_type, V>&& pass, std::size_t number,
                                     std::int64_t bytes) const {
    const std::int64_t worth = std::max<std::int64_t>(1, pass.units / pass.min_units_per_thread);
    planned_pass p{
        .view = &view_,
        .pass = std::move(pass),
        .number = number,
        .most_threads = static_cast<int>(std::min<std::int64_t>(worth, std::numeric_limits<int>::max())),
        .first_units = {},
        .backward_chunk = 0};
    const int team = threads_of(p);
    p.backward_chunk = exec::backward_chunk(bytes, p.pass.units, p.pass.units_together, team,
                                            exec::cpu_core_cache_bytes(), exec::detect_sweep_rule());
    for (int thread = 0; thread < team; ++thread)
      p.first_units.push_back(share_of(p.pass, thread, team).begin);
    p.first_units.push_back(p.pass.units);
    return p;
  }

  /// A pass alternates if it alone writes rows. Of several, the end of the last lies far from the beginning
  /// of the first in either direction.
  [[nodiscard]] std::vector<planned_pass> all_planned(formats::cpu_passes<view_type, V>&& passes,
                                                      std::int64_t bytes) const {
    std::vector<planned_pass> all;
    const auto writers =
        std::count_if(passes.begin(), passes.end(), [](const auto& p) { return p.writes_rows; });
    for (auto& pass : passes) {
      const bool alternates = pass.writes_rows && writers == 1;
      all.push_back(planned(std::move(pass), all.size(), alternates ? bytes : 0));
    }
    return all;
  }

  /// The shares of a pass without work stealing; null where there is nothing to learn.
  [[nodiscard]] exec::adaptive_partition* learned(const planned_pass& planned, int threads,
                                                  cpu_workspace<V>& scratch) const {
    if (threads < 2 || threads > exec::adaptive_partition::most_threads || planned.pass.units < threads ||
        planned.first_units.size() != static_cast<std::size_t>(threads) + 1)
      return nullptr;
    exec::adaptive_partition* const learned = scratch.learned(planned.number);
    if (learned != nullptr && !learned->are_of(units_id_, threads))
      learned->start(units_id_, planned.first_units);
    return learned;
  }

  void run(const planned_pass& planned, const product<V>& p, cpu_workspace<V>& scratch,
           bool backwards) const {
    const int threads = threads_of(planned);
    pass_on_threads body{.planned = &planned,
                         .scratch = &scratch,
                         .by = shares::planned,
                         .backwards = backwards && planned.backward_chunk > 0,
                         .taking = 0,
                         .alpha = p.alpha,
                         .beta = p.beta,
                         .x = p.x,
                         .y = p.y};
    exec::adaptive_partition* learning = nullptr;
    if (scratch.shares() != nullptr &&
        (planned.pass.stealing_threads.has(threads) || work_stealing_threads_.has(threads))) {
      body.by = shares::work_stealing;
      body.taking = scratch.shares()->begin();
    } else if (exec::adaptive_partition* const known = learned(planned, threads, scratch)) {
      if (known->is_timed()) learning = known;
      body.by = learning != nullptr ? shares::adaptive_and_timed : shares::learned;
    }
    core::parallel_by_copy(threads, body);
    if (learning != nullptr) learning->learn(planned.pass.cost);
  }

  /// The new values are coded from the start. The plan stays as it was where that fails.
  void recode(const V* values) {
    auto [stored, rounding] = recoded<F>(to_csr(), values, this->facts().options, target_);
    const view_type view = stored.view();
    auto passes = all_planned(F::passes(view, target_.level), streamed_bytes_of(stored));
    storage_ = std::move(stored);
    view_ = view;
    passes_ = std::move(passes);
    ++units_id_;
    this->note_rounding(rounding);
    work_stealing_threads_ = exec::work_stealing_threads(streamed_bytes());
  }

  exec::target target_;
  storage storage_;
  std::vector<value_map<host_buffer>> maps_;
  view_type view_;
  std::vector<planned_pass> passes_;
  std::uint64_t units_id_ = 1;                 ///< others with new values, where they are encoded again
  exec::thread_counts work_stealing_threads_;  ///< of how many threads units are stolen in every pass
  std::int64_t scratch_;
};

}  // namespace gossamer::inline v0::plans
