// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "core/instantiate.hpp"
#include "core/json.hpp"
#include "core/parallel.hpp"
#include "exec/cpu/cpu_features.hpp"
#include "exec/cpu/sweep_direction.hpp"
#include "exec/target.hpp"
#include "gossamer/version.hpp"
#include "tuning/hash.hpp"

namespace gossamer::inline v0::tuning {
namespace {

constexpr std::int64_t hashed_together = 1 << 15;
constexpr std::int64_t sampled_columns = 1 << 14;
constexpr std::int64_t sampled_values = 1 << 12;
constexpr std::size_t few_distinct_values = 256;  // as many as a table of one byte holds

/// A hash of pieces' hashes, so that threads share the work and their number does not show.
template <value V, offset O>
std::uint64_t hash_of_rows(const csr_view<V, O>& a) {
  const auto size = static_cast<std::int64_t>(a.row_ptr.size());
  std::vector<std::uint64_t> pieces(static_cast<std::size_t>((size + hashed_together - 1) / hashed_together));
  core::parallel_for(static_cast<std::int64_t>(pieces.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      hasher h;
      const std::int64_t last = std::min(size, (piece + 1) * hashed_together);
      for (std::int64_t i = piece * hashed_together; i < last; ++i)
        h.add(static_cast<std::uint64_t>(a.row_ptr.data()[i]));
      pieces[static_cast<std::size_t>(piece)] = h.value();
    }
  });
  hasher all;
  for (const std::uint64_t piece : pieces) all.add(piece);
  return all.value();
}

/// f(k) for at most `most` of the entries, evenly spread, the first among them.
template <class F>
void for_sampled_entries(std::int64_t nnz, std::int64_t most, F&& f) {
  const std::int64_t step = std::max<std::int64_t>(1, nnz / most);
  for (std::int64_t k = 0; k < nnz; k += step) f(k);
}

template <value V, offset O>
std::uint64_t hash_of_columns(const csr_view<V, O>& a) {
  hasher h;
  for_sampled_entries(a.nnz(), sampled_columns,
                      [&](std::int64_t k) { h.add(static_cast<std::uint64_t>(a.col.data()[k])); });
  return h.value();
}

template <value V, offset O>
bool has_few_distinct_values(const csr_view<V, O>& a) {
  using bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  std::set<bits> distinct;
  for_sampled_entries(a.nnz(), sampled_values, [&](std::int64_t k) {
    if (distinct.size() <= few_distinct_values) distinct.insert(std::bit_cast<bits>(a.val.data()[k]));
  });
  return distinct.size() <= few_distinct_values;
}

json::object describe_device(const resource& where) {
  const exec::target target = exec::target_of(where);
  if (const auto* gpu = std::get_if<cuda>(&where))
    return json_object(
        {{"device", cuda_properties(gpu->device).name}, {"compute_capability", target.compute_capability}});
  return json_object({{"device", cpu_model()},
                      {"threads", thread_count(std::get<cpu>(where))},
                      {"isa", name(target.level)},
                      {"fast_gathers", exec::has_fast_gathers()},
                      {"sweeps", static_cast<int>(exec::detect_sweep_rule())}});
}

}  // namespace

std::string device_key(const resource& where) {
  return json(describe_device(where)).one_line();
}

template <value V, offset O>
std::string fingerprint(const csr_view<V, O>& a, const row_statistics& s, const resource& where,
                        bool values_change) {
  json::object key = json_object({{"version", json_array({version_major, version_minor, version_patch})},
                                  {"rows", s.rows},
                                  {"cols", s.cols},
                                  {"nnz", s.nnz},
                                  {"min", s.min},
                                  {"max", s.max},
                                  {"empty", s.empty},
                                  {"standard_deviation", s.standard_deviation},
                                  {"row_ptr", hash_of_rows(a)},
                                  {"columns", hash_of_columns(a)},
                                  {"few_distinct_values", has_few_distinct_values(a)},
                                  {"value", value_name<V>()},
                                  {"offset", offset_name<O>()},
                                  {"values_change", values_change}});
  for (auto& member : describe_device(where)) key.push_back(std::move(member));
  return json(std::move(key)).one_line();
}

#define GOSSAMER_INSTANCE(V, O) \
  template std::string fingerprint(const csr_view<V, O>&, const row_statistics&, const resource&, bool);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::tuning
