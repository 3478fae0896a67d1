// SPDX-License-Identifier: BSD-3-Clause
// A format's storage on the host, multiplied pass by pass on all cores.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "exec/elementwise.hpp"
#include "exec/unit_shares.hpp"
#include "formats/rounding.hpp"
#include "plan/plan_base.hpp"
#include "plan/storage.hpp"

namespace gossamer::inline v0::detail {

template <class V>
class cpu_workspace final : public workspace_base {
 public:
  cpu_workspace(std::uint64_t owner, std::int64_t slots, bool with_shares)
      : workspace_base(owner),
        slots_(static_cast<std::size_t>(slots)),
        shares_(with_shares ? std::make_unique<exec::unit_shares>() : nullptr) {}
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(slots_.size() * sizeof(V) +
                                     (shares_ != nullptr ? sizeof(exec::unit_shares) : 0));
  }
  [[nodiscard]] V* slots() noexcept { return slots_.data(); }
  /// For passes whose units change hands; null where there are none.
  [[nodiscard]] exec::unit_shares* shares() noexcept { return shares_.get(); }

 private:
  host_buffer<V> slots_;
  std::unique_ptr<exec::unit_shares> shares_;
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
        passes_(F::passes(view_, target.level)),
        first_units_(first_units(passes_)),
        long_shares_(exec::long_shares(streamed_bytes())),
        scratch_(F::scratch(view_)) {
    if constexpr (formats::has_gather_step<F>()) gather_ = F::gather_pass(view_, target.level);
  }

  void multiply_host(const product<V>& p, workspace_base& workspace) const override {
    if (p.alpha != V{0}) gather_host(p.x, workspace);
    multiply_gathered_host(p, workspace);
  }

  void gather_host(const V* x, workspace_base& workspace) const override {
    product<V> from;
    from.x = x;
    if constexpr (formats::has_gather_step<F>())
      run(gather_, {}, from, static_cast<cpu_workspace<V>&>(workspace));
  }

  void multiply_gathered_host(const product<V>& p, workspace_base& workspace) const override {
    auto& scratch = static_cast<cpu_workspace<V>&>(workspace);
    if (p.alpha == V{0}) return exec::scale(p.y, this->facts().rows, p.beta, target_.threads);
    product<V> step = p;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const auto& pass = passes_[i];
      run(pass, first_units_[i], step, scratch);
      exec::combine(pass.carries, scratch.slots() + pass.scratch, step, target_.threads);
      step.beta = V{1};  // the first pass wrote every row
    }
  }

  void multiply_device(const product<V>&, cuda_stream, workspace_base&) const override {
    fail(errc::unsupported, "multiply: device vectors given to a plan on the cpu");
  }
  void gather_device(const V*, cuda_stream, workspace_base&) const override {
    fail(errc::unsupported, "gather: device vectors given to a plan on the cpu");
  }
  void multiply_gathered_device(const product<V>&, cuda_stream, workspace_base&) const override {
    fail(errc::unsupported, "multiply_gathered: device vectors given to a plan on the cpu");
  }

  void update_host(const V* values) override {
    const exec::thread_limit limit(target_.threads);
    if constexpr (formats::recodes_values<F>())
      recode(values);
    else
      refresh(values);
  }

  void update_device(const V*, cuda_stream) override {
    fail(errc::unsupported, "update_values: device values given to a plan on the cpu");
  }

  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const override { return F::to_csr(storage_); }

  void stored_values(const std::int64_t*, const V* values, V* to) const override {
    formats::round_values<F>(formats::parse_options<F>(this->facts().options, device_set::cpu), values, to,
                             this->facts().nnz);
  }

  [[nodiscard]] std::unique_ptr<workspace_base> make_workspace() const override {
    const bool change_hands =
        long_shares_.any() ||
        std::any_of(passes_.begin(), passes_.end(), [](const auto& pass) { return pass.change_hands.any(); });
    return std::make_unique<cpu_workspace<V>>(this->id(), scratch_, change_hands);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override {
    std::int64_t bytes = bytes_of(storage_);
    for (const auto& map : maps_) bytes += static_cast<std::int64_t>(map.entry.size() * sizeof(std::int64_t));
    return bytes;
  }

  [[nodiscard]] std::int64_t slots() const noexcept override {
    if constexpr (formats::recodes_values<F>()) return this->facts().nnz;  // one for each code
    return slots_of<V>(storage_) - formats::values_held_twice<F>(storage_);
  }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override {
    return bytes_of(storage_) -
           formats::values_held_twice<F>(storage_) * static_cast<std::int64_t>(sizeof(V)) -
           formats::columns_held_twice<F>(storage_) * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

 private:
  /// Every value to its slots.
  void refresh(const V* values) {
    std::size_t next = 0;
    storage::arrays(storage_, [&]<class T>(const char*, host_buffer<T>& array) {
      if constexpr (std::is_same_v<T, V>) {
        const host_buffer<std::int64_t>& map = maps_[next++].entry;
        if (map.empty())
          exec::parallel_for(
              static_cast<std::int64_t>(array.size()), exec::default_grain,
              [&](std::int64_t b, std::int64_t e) { std::copy(values + b, values + e, array.data() + b); });
        else
          exec::gather_values(array.data(), map.data(), static_cast<std::int64_t>(array.size()), values);
      }
    });
  }

  /// What the threads of a pass get of the calling one, by value.
  struct alignas(64) pass_on_threads {
    const view_type* view;
    const formats::cpu_pass<view_type, V>* pass;
    std::span<const std::int64_t>
        first_unit;  ///< of each thread of a team of the expected size, and behind the last; or empty
    V* slots;
    exec::unit_shares* shares;  ///< null where units do not change hands
    std::uint32_t number;       ///< of the pass
    product<V> p;

    void operator()(int thread, int team) const {
      const auto share = [&](int of) -> exec::range {
        const auto at = static_cast<std::size_t>(of);
        if (first_unit.size() == static_cast<std::size_t>(team) + 1)
          return {first_unit[at], first_unit[at + 1]};
        return share_of(*pass, of, team);
      };
      const auto multiply = [&](exec::range units) {
        if (units.begin < units.end) pass->run(*view, p, units.begin, units.end, slots);
      };
      if (shares != nullptr)
        shares->take(number, thread, team, share, multiply);
      else
        multiply(share(thread));
    }
  };

  static exec::range share_of(const formats::cpu_pass<view_type, V>& pass, int thread, int team) {
    return pass.cost != nullptr ? exec::share_by_cost(pass.cost, pass.units, thread, team)
                                : exec::share(pass.units, thread, team);
  }

  [[nodiscard]] int threads_of(const formats::cpu_pass<view_type, V>& pass) const {
    const int wanted = target_.threads > 0 ? target_.threads : exec::default_threads();
    return static_cast<int>(
        std::min<std::int64_t>(wanted, std::max<std::int64_t>(1, pass.units / pass.worth_a_thread)));
  }

  /// Of each pass the first units of all threads of the team that a product will have unless it gets a smaller one, and how many there are: to
  /// find them in each product takes as long as a hundred entries.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> first_units(
      const formats::cpu_passes<view_type, V>& passes) const {
    std::vector<std::vector<std::int64_t>> all;
    for (const auto& pass : passes) {
      const int team = threads_of(pass);
      std::vector<std::int64_t>& first = all.emplace_back();
      for (int thread = 0; thread < team; ++thread) first.push_back(share_of(pass, thread, team).begin);
      first.push_back(pass.units);
    }
    return all;
  }

  void run(const formats::cpu_pass<view_type, V>& pass, std::span<const std::int64_t> first_unit,
           const product<V>& p, cpu_workspace<V>& scratch) const {
    const int threads = threads_of(pass);
    exec::unit_shares* const shares =
        pass.change_hands.has(threads) || long_shares_.has(threads) ? scratch.shares() : nullptr;
    exec::parallel_by_copy(threads, pass_on_threads{.view = &view_,
                                                    .pass = &pass,
                                                    .first_unit = first_unit,
                                                    .slots = scratch.slots() + pass.scratch,
                                                    .shares = shares,
                                                    .number = shares != nullptr ? shares->begin() : 0,
                                                    .p = p});
  }

  /// The new values are coded from the start. The plan stays as it was where that fails.
  void recode(const V* values) {
    formats::rounding_outcome rounding;
    storage stored = [&] {
      const csr_matrix<V, std::int64_t> a = formats::with_values<F>(to_csr(), values);
      const auto options = formats::options_again<F>(this->facts().options, a.view(), target_);
      rounding = formats::rounding_of<F>(a.view(), options);
      if (!rounding.refusal.empty())
        fail(errc::unsupported, "unsupported: {}: {}", F::name, rounding.refusal);
      return F::build(a.view(), options, target_);
    }();
    const view_type view = stored.view();
    auto passes = F::passes(view, target_.level);
    auto first = first_units(passes);
    storage_ = std::move(stored);
    view_ = view;
    passes_ = std::move(passes);
    first_units_ = std::move(first);
    this->note_rounding(rounding.error);
    long_shares_ = exec::long_shares(streamed_bytes());
  }

  exec::target target_;
  storage storage_;
  std::vector<value_map<host_buffer>> maps_;
  view_type view_;
  formats::cpu_passes<view_type, V> passes_;
  std::vector<std::vector<std::int64_t>> first_units_;  ///< of each pass
  exec::thread_counts long_shares_;         ///< of how many threads units change hands in every pass
  formats::cpu_pass<view_type, V> gather_;  ///< of a format that gathers
  std::int64_t scratch_;
};

}  // namespace gossamer::inline v0::detail
