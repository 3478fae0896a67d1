// SPDX-License-Identifier: BSD-3-Clause
// inspect() for several resources: shares the rows out, then a plan for each set.
#include <algorithm>
#include <cmath>

#include "core/instantiate.hpp"
#include "core/json.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "exec/target.hpp"
#include "gossamer/matrix.hpp"
#include "hybrids/groups.hpp"
#include "hybrids/hybrid_plan.hpp"
#include "plans/build_with_transpose.hpp"

namespace gossamer::inline v0 {
namespace {

using hybrid_clock = std::chrono::steady_clock;

void check(const hybrid& where) {
  if (where.parts.empty()) fail(errc::invalid_argument, "hybrid: there are no parts");
  double sum = 0;
  for (std::size_t k = 0; k < where.parts.size(); ++k) {
    const double power = where.parts[k].power;
    if (!(power >= 0) || std::isinf(power))
      fail(errc::invalid_argument, "hybrid: power[{}] = {} of {} is not a finite number of at least 0", k,
           power, name(where.parts[k].where));
    if (where.parts[k].format.empty() && !where.parts[k].options.empty())
      fail(errc::invalid_argument, "hybrid: part {} has options but no format", k + 1);
    sum += power;
  }
  if (sum == 0) fail(errc::invalid_argument, "hybrid: all {} powers are 0", where.parts.size());
}

/// All groups work at once: OpenMP ends the process where it cannot start a team.
int threads_of(const std::vector<hybrid_part>& parts) {
  std::int64_t threads = 0;
  for (const hybrid_part& each : parts) {
    const auto* host = std::get_if<cpu>(&each.where);
    if (host != nullptr && each.power > 0) threads += thread_count(*host);
  }
  if (threads > core::most_threads())
    fail(errc::unsupported, "hybrid: the groups of cores have {} threads together; most here are {}", threads,
         core::most_threads());
  return static_cast<int>(threads);
}

/// Of a single set nothing is to be evened out, so that it stays as it is.
partition_options sharing_of(const hybrid& where, std::size_t sets) {
  partition_options sharing = where.sharing;
  if (sets == 1) sharing.algorithm = partition_algorithm::rows;
  return sharing;
}

/// The rows of a set in the order in which the part multiplies them. Cores read x as the matrix has it: by
/// ascending rows.
std::vector<std::int32_t> order_of(std::span<const std::int32_t> rows, const resource& where) {
  std::vector<std::int32_t> order(rows.begin(), rows.end());
  if (std::holds_alternative<cpu>(where)) std::sort(order.begin(), order.end());
  return order;
}

/// What options() and describe() say: one element a part, empty sets included.
option_texts texts_of(const hybrid& where, const std::vector<plan_part>& shown) {
  std::string parts, powers, counts, names;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const char* const comma = k > 0 ? "," : "";
    parts += comma + hybrids::part_name(shown[k].where);
    powers += message("{}{}", {comma, where.parts[k].power});
    counts += message("{}{}", {comma, shown[k].rows});
    names += comma + shown[k].format;
  }
  return {{"parts", parts},
          {"powers", powers},
          {"algorithm", std::string(name(where.sharing.algorithm))},
          {"carry", where.sharing.carry ? "yes" : "no"},
          {"rows", counts},
          {"formats", names}};
}

template <value V>
bool is_deterministic(const plan<V>& made) {
  const json facts = parse_json("describe", made.describe());
  return *facts.find("deterministic")->template get_if<bool>();
}

/// Builds the plan of one matrix. `threads`: of all parts together. `other`: a plan that shares the memory
/// limit, or null.
template <value V, offset O>
std::unique_ptr<plans::plan_base<scalars<V>>> build(const csr_view<V, O>& a, const hybrid& where, int threads,
                                                    const inspect_options& options,
                                                    const plans::plan_base<scalars<V>>* other) {
  plans::report(options.progress, "validate", 0);
  validate(a);

  std::vector<double> powers;  // partition_rows takes no 0
  for (const hybrid_part& each : where.parts) {
    if (each.power > 0) powers.push_back(each.power);
  }
  const row_partition shares = partition_rows(a, powers, sharing_of(where, powers.size()));

  std::vector<hybrids::part<scalars<V>>> parts;
  std::vector<plan_part> shown;
  std::size_t set = 0;
  bool deterministic = true;
  for (std::size_t k = 0; k < where.parts.size(); ++k) {
    const hybrid_part& each = where.parts[k];
    const bool has_set = each.power > 0;
    shown.push_back({.where = each.where, .format = "none"});
    const auto own_rows = has_set ? shares.rows_of(set) : std::span<const std::int32_t>();
    if (has_set) ++set;
    if (own_rows.empty()) continue;
    inspect_options own = hybrids::options_of(each, options);
    if (const auto* const device = std::get_if<cuda>(&each.where))
      own.memory_limit = plans::remaining_limit(own.memory_limit, other, device->device);
    try {
      parts.push_back(hybrids::make_part<V, O>(a, order_of(own_rows, each.where), each.where, own));
    } catch (const error& problem) {
      if (problem.code() == errc::cancelled) throw;
      const std::vector<std::int32_t> ordered = order_of(own_rows, each.where);
      hybrids::fail_of_part(problem, k, each.where, ordered.front(), hybrids::are_adjacent(ordered));
    }
    parts.back().number = k;
    const plan<V>& made = parts.back().product;
    shown.back().format = made.format();
    shown.back().rows = made.rows();
    shown.back().nnz = made.nnz();
    deterministic = deterministic && is_deterministic(parts.back().product);
  }
  plans::plan_facts facts{.format = "hybrid",
                          .options = texts_of(where, shown),
                          .where = cpu{.threads = std::max(threads, 1)},
                          .level = automatic_isa(),
                          .offset_type = offset_name<O>(),
                          .values_change = options.values_change,
                          .copy = options.copy,
                          .deterministic = deterministic,
                          .rows = a.rows,
                          .cols = a.cols,
                          .nnz = a.nnz()};
  return std::make_unique<hybrids::hybrid_plan<scalars<V>>>(std::move(facts), std::move(parts),
                                                            std::move(shown));
}

template <value V, offset O>
plan<V> inspect_hybrid(const csr_view<V, O>& a, hybrid where, const inspect_options& options) {
  const auto begin = hybrid_clock::now();
  check(where);
  plans::check_no_caller_arrays(options, "several resources");
  if (options.reorder != reordering::none)
    fail(errc::invalid_argument, "inspect: reorder = {} with several resources: only a plan on one has it",
         name(options.reorder));
  hybrids::give_threads(where.parts);
  const int threads = threads_of(where.parts);
  for (const hybrid_part& each : where.parts) static_cast<void>(exec::target_of(each.where));
  return plans::build_plan(a, options, {}, plans::build_context<V, O>{}, begin,
                           [&](const csr_view<V, O>& matrix, const inspect_options& own,
                               const plans::build_context<V, O>& context) {
                             return build(matrix, where, threads, own, context.other);
                           });
}

}  // namespace

template <value V, offset O>
plan<V> inspect(const csr_view<V, O>& a, const hybrid& where, const inspect_options& options) {
  return naming_out_of_memory("inspect", [&] { return inspect_hybrid(a, where, options); });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API plan<V> inspect(const csr_view<V, O>&, const hybrid&, const inspect_options&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
