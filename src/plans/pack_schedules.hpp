// SPDX-License-Identifier: BSD-3-Clause
// Products by X and Y whose rows are contiguous, on cores: several columns at once, as packs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "formats/contract/capabilities.hpp"
#include "plans/cpu_schedule.hpp"

namespace gossamer::inline v0::plans {

/// The schedules of a CPU plan for packs of 16, 8 and 4 columns. Each is made by the first product that needs
/// it. The view must stay where it is.
template <class F, class S, class View>
class pack_schedules {
  template <int K>
  using packs_of = pack_scalars<matrix_t<S>, K>;
  template <int K>
  using schedule_of = std::unique_ptr<cpu_schedule<packs_of<K>>>;

 public:
  /// Schedules for new values.
  struct replacement {
    std::int64_t bytes;
    std::tuple<schedule_of<16>, schedule_of<8>, schedule_of<4>> made;  ///< those that there are
  };

  /// bytes, threads: as of cpu_schedule.
  pack_schedules(const View& view, isa level, std::int64_t bytes, int threads)
      : view_(view), level_(level), bytes_(bytes), threads_(threads) {}

  /// `next` is the view of new values, of which `bytes` are read in a product. Changes nothing.
  [[nodiscard]] replacement replaced(const View& next, std::int64_t bytes) const {
    return {.bytes = bytes,
            .made = {replaced<16>(next, bytes), replaced<8>(next, bytes), replaced<4>(next, bytes)}};
  }
  void replace(replacement&& with) noexcept {
    bytes_ = with.bytes;
    replace<16>(with);
    replace<8>(with);
    replace<4>(with);
  }

  /// Y = alpha A X + beta Y for the first columns, a multiple of 4, whose number is returned; at most 3 are
  /// left. x_next and y_next are 1, alpha is not 0.
  std::int64_t multiply(const columns_product<S>& p, std::uint64_t plan, cpu_workspace<S>& workspace) const {
    std::int64_t done = multiply_packs<16>(p, 0, plan, workspace);
    done += multiply_packs<8>(p, done, plan, workspace);
    return done + multiply_packs<4>(p, done, plan, workspace);
  }

 private:
  template <int K>
  struct schedule {
    std::once_flag made;
    schedule_of<K> of;
  };

  /// A copy, so that workspaces see that its units change.
  template <int K>
  [[nodiscard]] schedule_of<K> replaced(const View& next, std::int64_t bytes) const {
    using packs = packs_of<K>;
    const schedule_of<K>& own = std::get<schedule<K>>(schedules_).of;
    if (own == nullptr) return nullptr;
    auto copy = std::make_unique<cpu_schedule<packs>>(*own);
    copy->replace(bind_passes(view_, F::template passes<packs>(next, level_)), bytes);
    return copy;
  }
  template <int K>
  void replace(replacement& with) noexcept {
    schedule_of<K>& next = std::get<schedule_of<K>>(with.made);
    if (next != nullptr) std::get<schedule<K>>(schedules_).of = std::move(next);
  }

  template <int K>
  std::int64_t multiply_packs(const columns_product<S>& p, std::int64_t first, std::uint64_t plan,
                              cpu_workspace<S>& workspace) const {
    const std::int64_t columns = (p.columns - first) / K * K;
    if (columns == 0) return 0;
    using packs = packs_of<K>;
    schedule<K>& own = std::get<schedule<K>>(schedules_);
    std::call_once(own.made, [&] {
      own.of =
          std::make_unique<cpu_schedule<packs>>(bind_passes(view_, F::template passes<packs>(view_, level_)),
                                                bytes_, F::template scratch<packs>(view_), threads_);
    });
    std::unique_ptr<workspace_base>& room = workspace.of_packs(K);
    if (room == nullptr) room = own.of->make_workspace(plan);
    for (std::int64_t j = first; j < first + columns; j += K)
      own.of->multiply(
          product<packs>{
              .alpha = p.alpha, .x = {p.x + j, p.x_step}, .beta = p.beta, .y = {p.y + j, p.y_step}},
          static_cast<cpu_workspace<packs>&>(*room));
    return columns;
  }

  const View& view_;
  isa level_;
  std::int64_t bytes_;
  int threads_;
  mutable std::tuple<schedule<16>, schedule<8>, schedule<4>> schedules_;
};

/// Of a format that has no products by packs.
struct no_pack_schedules {
  struct replacement {};

  explicit no_pack_schedules(const auto&... /*unused*/) {}
  [[nodiscard]] replacement replaced(const auto&... /*unused*/) const { return {}; }
  void replace(replacement&& /*with*/) noexcept {}
};

template <class F, class S, class View>
using pack_schedules_of =
    std::conditional_t<formats::multiplies_packs_on_cpu<F>, pack_schedules<F, S, View>, no_pack_schedules>;

}  // namespace gossamer::inline v0::plans
