// SPDX-License-Identifier: BSD-3-Clause
// A format's storage on the host, multiplied pass by pass on all cores.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "exec/elementwise.hpp"
#include "formats/contract/rounding.hpp"
#include "plans/cpu_schedule.hpp"
#include "plans/pack_schedules.hpp"
#include "plans/plan_base.hpp"
#include "plans/recoded.hpp"
#include "plans/storage.hpp"

namespace gossamer::inline v0::plans {

template <formats::format F, scalar_types S, offset O>
class cpu_plan final : public plan_base<S> {
  using V = matrix_t<S>;

 public:
  using storage = typename F::template storage<V, O, host_buffer>;
  using view_type = formats::view_of<F, V, O>;

  cpu_plan(plan_facts facts, const exec::target& target, storage&& stored,
           std::vector<value_map<host_buffer>>&& maps)
      : plan_base<S>(std::move(facts)),
        target_(target),
        storage_(std::move(stored)),
        maps_(std::move(maps)),
        view_(storage_.view()),
        schedule_(bind_passes(view_, F::template passes<S>(view_, target.level)), streamed_bytes(),
                  F::template scratch<S>(view_), target.threads),
        packs_(view_, target.level, streamed_bytes(), target.threads) {}

  void multiply_host(const product<S>& p, workspace_base& workspace) const override {
    if (p.alpha == sum_t<S>{0}) return exec::scale<S>(p.y, this->facts().rows, p.beta, target_.threads);
    schedule_.multiply(p, static_cast<cpu_workspace<S>&>(workspace));
  }

  void multiply_host(const product<S>& p, const exec::row_epilogue<S>& given,
                     workspace_base& workspace) const override {
    // Factors in memory are read once.
    exec::row_epilogue<S> e = given;
    product<S> finished = p;
    if (const auto* at = std::exchange(e.alpha, nullptr)) finished.alpha = *at;
    if (const auto* at = std::exchange(e.beta, nullptr)) finished.beta = *at;
    constexpr sum_t<S> zero{0};
    if (finished.alpha == zero || !schedule_.finishes_rows() || e.reads(p.y, zero))
      return multiply_then_finish(*this, finished, e, workspace);
    product<S> step = finished;
    // If z is y, the product adds it, so that y may be overwritten.
    (e.z == nullptr || e.z == p.y ? finished : step).beta = zero;
    schedule_.multiply(step, finished, e, static_cast<cpu_workspace<S>&>(workspace));
  }

  void multiply_columns_host(const columns_product<S>& p, workspace_base& workspace) const override {
    if (p.alpha != sum_t<S>{0} && p.columns > 1)
      return schedule_.multiply(p, static_cast<cpu_workspace<S>&>(workspace));
    for (std::int64_t j = 0; j < p.columns; ++j) multiply_host(p.column(j), workspace);
  }
  [[nodiscard]] std::int64_t columns_at_once() const noexcept override {
    // Scratch of the size of the matrix, as csr_gathered's, would not fit into a cache for one column either.
    const plan_facts& facts = this->facts();
    return F::template scratch<S>(view_) > facts.rows + facts.cols ? 1 : cpu_columns_at_once;
  }

  std::int64_t multiply_rows_host(const columns_product<S>& p, workspace_base& workspace) const override {
    if constexpr (formats::multiplies_packs_on_cpu<F>)
      return packs_.multiply(p, this->id(), static_cast<cpu_workspace<S>&>(workspace));
    else
      return 0;
  }

  [[nodiscard]] bool reads_once_for_columns() const noexcept override {
    return formats::multiplies_packs_on_cpu<F>;
  }

  void multiply_device(const product<S>&, cuda_stream, workspace_base&) const override {
    fail(errc::unsupported, "multiply: device vectors given to a plan on the cpu");
  }

  void update_host(const V* values) override {
    const thread_limit limit(target_.threads);
    if constexpr (formats::encodes_values<F>)
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
    return schedule_.make_workspace(this->id());
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override { return bytes_of(storage_, maps_); }

  [[nodiscard]] std::int64_t slots() const noexcept override {
    if constexpr (formats::encodes_values<F>) return this->facts().nnz;  // one for each code
    return slots_of<V>(storage_) - formats::count_duplicated_values<F>(storage_);
  }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return streamed_bytes_of(storage_); }
  [[nodiscard]] bool may_refuse_values() const noexcept override { return formats::encodes_values<F>; }

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

  /// The new values are coded from the start. The plan stays as it was where that fails.
  void recode(const V* values) {
    auto [stored, rounding] = recoded<F>(to_csr(), values, this->facts().options, target_);
    const view_type view = stored.view();
    const std::int64_t streamed = streamed_bytes_of(stored);
    auto packs = packs_.replaced(view, streamed);
    schedule_.replace(bind_passes(view_, F::template passes<S>(view, target_.level)), streamed);
    packs_.replace(std::move(packs));
    storage_ = std::move(stored);
    view_ = view;
    this->note_rounding(rounding);
  }

  exec::target target_;
  storage storage_;
  std::vector<value_map<host_buffer>> maps_;
  view_type view_;
  cpu_schedule<S> schedule_;
  pack_schedules_of<F, S, view_type> packs_;
};

}  // namespace gossamer::inline v0::plans
