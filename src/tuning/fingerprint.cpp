// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <utility>

#include "core/instantiate.hpp"
#include "core/json.hpp"
#include "exec/cpu/cpu_features.hpp"
#include "exec/cpu/sweep_direction.hpp"
#include "exec/target.hpp"
#include "gossamer/version.hpp"
#include "tuning/hash.hpp"

namespace gossamer::inline v0::tuning {
namespace {

constexpr std::int64_t sampled_rows = 1 << 14;
constexpr std::int64_t sampled_columns = 1 << 14;
constexpr std::int64_t sampled_values = 1 << 12;
constexpr std::size_t few_distinct_values = 256;  // as many as a table of one byte holds

/// f(k) for `most` to twice as many of `size` numbers, evenly spread, the first among them; for all if there
/// are fewer.
template <class F>
void for_sample(std::int64_t size, std::int64_t most, F&& f) {
  const std::int64_t step = std::max<std::int64_t>(1, size / most);
  for (std::int64_t k = 0; k < size; k += step) f(k);
}

template <class T>
std::uint64_t hash_of_sample(std::span<const T> numbers, std::int64_t most) {
  hasher h;
  for_sample(static_cast<std::int64_t>(numbers.size()), most,
             [&](std::int64_t k) { h.add(static_cast<std::uint64_t>(numbers.data()[k])); });
  return h.value();
}

template <value V, offset O>
bool has_few_distinct_values(const csr_view<V, O>& a) {
  using bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  std::set<bits> distinct;
  for_sample(a.nnz(), sampled_values, [&](std::int64_t k) {
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
                                  {"row_ptr", hash_of_sample(a.row_ptr, sampled_rows)},
                                  {"columns", hash_of_sample(a.col, sampled_columns)},
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
