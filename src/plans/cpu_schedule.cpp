// SPDX-License-Identifier: BSD-3-Clause
#include "plans/cpu_schedule.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/parallel.hpp"
#include "exec/cpu/cpu_cache.hpp"
#include "exec/cpu/sweep_direction.hpp"
#include "plans/epilogues.hpp"

namespace gossamer::inline v0::plans {
namespace {

template <class S>
core::range share_of(const bound_pass<S>& pass, int thread, int team) {
  return pass.cost != nullptr ? core::share_by_cost(pass.cost, pass.units, thread, team)
                              : core::share(pass.units, thread, team);
}

}  // namespace

/// How the units of a pass are divided among threads.
template <class S>
struct cpu_schedule<S>::division {
  const planned_pass* planned;
  cpu_workspace<S>* workspace;
  shares by;
  bool backwards;
  std::uint32_t taking;  ///< of stolen shares

  /// multiply(units) for the units of one thread.
  template <class Multiply>
  void multiply_units(int thread, int team, Multiply&& multiply_range) const {
    const auto multiply = [&](core::range units) {
      if (units.begin != units.end)
        exec::sweep(units, backwards ? planned->backward_chunk : 0, multiply_range);
    };
    const auto share = [&](int of) { return share_in(planned->first_units, of, team); };
    switch (by) {
      case shares::planned:
        return multiply(share(thread));
      case shares::work_stealing:
        return workspace->shares()->take(taking, thread, team, backwards, share, multiply);
      case shares::learned:
        return multiply(share_in(workspace->learned(planned->number)->first_units(), thread, team));
      case shares::adaptive_and_timed:
        exec::adaptive_partition& learned = *workspace->learned(planned->number);
        const auto begin = exec::adaptive_partition::clock::now();
        multiply(share_in(learned.first_units(), thread, team));
        learned.note(thread, team, begin, exec::adaptive_partition::clock::now());
    }
  }

  [[nodiscard]] core::range share_in(std::span<const std::int64_t> first_unit, int of, int team) const {
    const auto at = static_cast<std::size_t>(of);
    if (first_unit.size() == static_cast<std::size_t>(team) + 1) return {first_unit[at], first_unit[at + 1]};
    return share_of(planned->pass, of, team);
  }
};

/// What the threads of a pass get of the calling one, by value: what differs from product to product alone,
/// since all wait for it.
template <class S>
struct cpu_schedule<S>::pass_on_threads {
  division units;
  factor_t<S> alpha;
  factor_t<S> beta;
  x_rows_t<S> x;
  y_rows_t<S> y;

  void operator()(int thread, int team) const {
    const product<S> p{.alpha = alpha, .x = x, .beta = beta, .y = y};
    const planned_pass& planned = *units.planned;
    units.multiply_units(thread, team, [&](core::range part) {
      planned.pass.run(p, part.begin, part.end, units.workspace->slots() + planned.pass.scratch);
    });
  }
};

template <class S>
cpu_schedule<S>::cpu_schedule(std::vector<bound_pass<S>>&& passes, std::int64_t bytes, std::int64_t scratch,
                              int threads)
    : threads_(threads),
      scratch_(scratch),
      passes_(all_planned(std::move(passes), bytes)),
      work_stealing_threads_(exec::work_stealing_threads(bytes)) {}

template <class S>
void cpu_schedule<S>::replace(std::vector<bound_pass<S>>&& passes, std::int64_t bytes) {
  passes_ = all_planned(std::move(passes), bytes);
  ++units_id_;
  work_stealing_threads_ = exec::work_stealing_threads(bytes);
}

template <class S>
void cpu_schedule<S>::multiply(const product<S>& p, cpu_workspace<S>& workspace) const {
  product<S> step = p;
  const bool backwards = workspace.turn();
  for (const planned_pass& each : passes_) {
    const bound_pass<S>& pass = each.pass;
    run(each, step, workspace, backwards);
    exec::combine(pass.carries, workspace.slots() + pass.scratch, step, threads_);
    if (pass.writes_rows) step.beta = factor_t<S>{1};  // every row is written now
  }
}

template <class S>
void cpu_schedule<S>::multiply(const columns_product<S>& p, cpu_workspace<S>& workspace) const {
  columns_product<S> now = p;
  const bool backwards = workspace.turn();
  sum_t<S>* const slots = workspace.column_slots(scratch_ * p.columns);
  for (const planned_pass& each : passes_) {
    const bound_pass<S>& pass = each.pass;
    const auto slots_of = [&](std::int64_t j) { return slots + j * scratch_ + pass.scratch; };
    const int threads = threads_of(each);
    division units = divided(each, threads, workspace, backwards);
    // A time would be that of several columns.
    if (units.by == shares::adaptive_and_timed) units.by = shares::learned;
    core::parallel(threads, [&](int thread, int team) {
      units.multiply_units(thread, team, [&](core::range part) {
        for (std::int64_t u = part.begin; u < part.end; u += pass.units_together)
          for (std::int64_t j = 0; j < p.columns; ++j)
            pass.run(now.column(j), u, std::min(part.end, u + pass.units_together), slots_of(j));
      });
    });
    for (std::int64_t j = 0; j < p.columns; ++j)
      exec::combine(pass.carries, slots_of(j), now.column(j), threads_);
    if (pass.writes_rows) now.beta = factor_t<S>{1};
  }
}

template <class S>
void cpu_schedule<S>::multiply(const product<S>& step, const product<S>& finished,
                               const exec::row_epilogue<S>& e, cpu_workspace<S>& workspace) const
    requires(!is_pack<sum_t<S>>) {
  const planned_pass& only = passes_.front();
  const bound_pass<S>& pass = only.pass;
  const exec::carry_view& carries = pass.carries;
  const int threads = threads_of(only);
  double* const sums = host_dot_room(workspace, 2 * (pass.units + carries.runs));
  sum_t<S>* const slots = workspace.slots() + pass.scratch;
  const auto finish = [&](std::int64_t first, std::int64_t last, double* to) {
    to[0] = to[1] = 0;
    exec::finish_rows(e, finished, first, last, step.y + first, to);
  };
  const auto is_cut = [&](std::int64_t u) { return carries.runs > 0 && carries.run_at_cut[u] >= 0; };
  const division units = divided(only, threads, workspace, workspace.turn());
  core::parallel(threads, [&](int thread, int team) {
    units.multiply_units(thread, team, [&](core::range part) {
      for (std::int64_t u = part.begin; u < part.end; ++u) {
        pass.run(step, u, u + 1, slots);
        finish(pass.first_row[u] + (is_cut(u) ? 1 : 0), pass.first_row[u + 1], sums + 2 * u);
      }
    });
  });
  if (units.by == shares::adaptive_and_timed) workspace.learned(only.number)->learn(pass.cost);
  exec::combine(carries, slots, step, threads_);
  for (std::int64_t r = 0; r < carries.runs; ++r)
    finish(carries.row[r], carries.row[r] + 1, sums + 2 * (pass.units + r));
  for (int k = 0; k < 2; ++k) {
    if (e.result[k] == nullptr) continue;
    double sum = 0;
    for (std::int64_t i = 0; i < pass.units + carries.runs; ++i) sum += sums[2 * i + k];
    *e.result[k] = sum;
  }
}

template <class S>
std::unique_ptr<cpu_workspace<S>> cpu_schedule<S>::make_workspace(std::uint64_t owner) const {
  const bool steals = work_stealing_threads_.any() ||
                      std::any_of(passes_.begin(), passes_.end(),
                                  [](const planned_pass& p) { return p.pass.stealing_threads.any(); });
  const bool shared = std::any_of(passes_.begin(), passes_.end(),
                                  [](const planned_pass& p) { return p.first_units.size() > 2; });
  return std::make_unique<cpu_workspace<S>>(owner, scratch_, shared ? passes_.size() : 0, steals);
}

template <class S>
int cpu_schedule<S>::threads_of(const planned_pass& planned) const {
  return std::min(core::team_size(threads_), planned.most_threads);
}

template <class S>
auto cpu_schedule<S>::planned(bound_pass<S>&& pass, std::size_t number, std::int64_t bytes) const
    -> planned_pass {
  const std::int64_t worth = std::max<std::int64_t>(1, pass.units / pass.min_units_per_thread);
  planned_pass p{
      .pass = std::move(pass),
      .number = number,
      .most_threads = static_cast<int>(std::min<std::int64_t>(worth, std::numeric_limits<int>::max())),
      .first_units = {},
      .backward_chunk = 0};
  const int team = threads_of(p);
  p.backward_chunk = exec::backward_chunk(bytes, p.pass.units, p.pass.units_together, team,
                                          exec::cpu_core_cache_bytes(), exec::detect_sweep_rule());
  for (int thread = 0; thread < team; ++thread) p.first_units.push_back(share_of(p.pass, thread, team).begin);
  p.first_units.push_back(p.pass.units);
  return p;
}

/// A pass alternates if it alone writes rows. Of several, the end of the last lies far from the beginning of
/// the first in either direction.
template <class S>
auto cpu_schedule<S>::all_planned(std::vector<bound_pass<S>>&& passes, std::int64_t bytes) const
    -> std::vector<planned_pass> {
  std::vector<planned_pass> all;
  const auto writers =
      std::count_if(passes.begin(), passes.end(), [](const bound_pass<S>& p) { return p.writes_rows; });
  for (bound_pass<S>& pass : passes) {
    const bool alternates = pass.writes_rows && writers == 1;
    all.push_back(planned(std::move(pass), all.size(), alternates ? bytes : 0));
  }
  return all;
}

template <class S>
exec::adaptive_partition* cpu_schedule<S>::learned(const planned_pass& planned, int threads,
                                                   cpu_workspace<S>& workspace) const {
  if (threads < 2 || threads > exec::adaptive_partition::most_threads || planned.pass.units < threads ||
      planned.first_units.size() != static_cast<std::size_t>(threads) + 1)
    return nullptr;
  exec::adaptive_partition* const learned = workspace.learned(planned.number);
  if (learned != nullptr && !learned->are_of(units_id_, threads))
    learned->start(units_id_, planned.first_units);
  return learned;
}

template <class S>
auto cpu_schedule<S>::divided(const planned_pass& planned, int threads, cpu_workspace<S>& workspace,
                              bool backwards) const -> division {
  division units{.planned = &planned,
                 .workspace = &workspace,
                 .by = shares::planned,
                 .backwards = backwards && planned.backward_chunk > 0,
                 .taking = 0};
  if (workspace.shares() != nullptr &&
      (planned.pass.stealing_threads.has(threads) || work_stealing_threads_.has(threads))) {
    units.by = shares::work_stealing;
    units.taking = workspace.shares()->begin();
  } else if (exec::adaptive_partition* const known = learned(planned, threads, workspace)) {
    units.by = known->is_timed() ? shares::adaptive_and_timed : shares::learned;
  }
  return units;
}

template <class S>
void cpu_schedule<S>::run(const planned_pass& planned, const product<S>& p, cpu_workspace<S>& workspace,
                          bool backwards) const {
  const int threads = threads_of(planned);
  const division units = divided(planned, threads, workspace, backwards);
  const pass_on_threads body{.units = units, .alpha = p.alpha, .beta = p.beta, .x = p.x, .y = p.y};
  if constexpr (is_pack<sum_t<S>>)
    core::parallel(threads, body);
  else
    core::parallel_by_copy(threads, body);
  if (units.by == shares::adaptive_and_timed) workspace.learned(planned.number)->learn(planned.pass.cost);
}

GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_CLASS_INSTANCE, template class cpu_schedule)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_CLASS_INSTANCE, template class cpu_schedule)

}  // namespace gossamer::inline v0::plans
