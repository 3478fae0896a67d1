// SPDX-License-Identifier: BSD-3-Clause
// From a specification's text to its generator, and the table of generators that help texts show.
#include "bench_support/generate/generate.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "bench_support/generate/all_generators.hpp"
#include "bench_support/generate/build.hpp"
#include "bench_support/generate/make_pattern.hpp"
#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support {
namespace generation {
namespace {

constexpr std::array<generator_parameter, 2> shared_parameters{{
    {"seed", "1", "another seed, another matrix of the same kind"},
    {"values", "distinct",
     "distinct (of either sign, from 0.5 to 2; no two alike among 2^54 f64 or 2^25 f32), few(K) (K values, "
     "all of "
     "them f32), constant (1) or f32_exact (f64 that are f32)"},
}};

template <class Generator>
constexpr auto with_shared() {
  constexpr std::size_t own = Generator::parameters.size();
  std::array<generator_parameter, own + shared_parameters.size()> all{};
  std::copy(Generator::parameters.begin(), Generator::parameters.end(), all.begin());
  std::copy(shared_parameters.begin(), shared_parameters.end(), all.begin() + own);
  return all;
}

template <class Generator>
constexpr auto parameters_of = with_shared<Generator>();

template <class Generator>
std::unique_ptr<pattern> make(const arguments& given) {
  return std::make_unique<Generator>(given);
}

template <class List>
struct table;

template <class... Generators>
struct table<generator_list<Generators...>> {
  static constexpr std::array<generator_info, sizeof...(Generators)> infos{
      {{Generators::name, Generators::help, parameters_of<Generators>}...}};
  static constexpr std::array<std::unique_ptr<pattern> (*)(const arguments&), sizeof...(Generators)> makers{
      &make<Generators>...};
};

using known_generators = table<all_generators>;

std::size_t find(std::string_view name) {
  const auto& infos = known_generators::infos;
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const generator_info& i) { return i.name == name; });
  if (found == infos.end()) {
    std::string names;
    for (const generator_info& i : infos) names.append(names.empty() ? "" : ", ").append(i.name);
    fail(errc::invalid_argument, "generate: there is no generator \"{}\" (known: {})", name, names);
  }
  return static_cast<std::size_t>(found - infos.begin());
}

struct made {
  value_source values;
  std::unique_ptr<const pattern> where;
};

made make_all(std::string_view text) {
  const specification parsed = parse(text);
  const std::size_t which = find(parsed.name);
  const arguments given(known_generators::infos[which], parsed);
  value_source values(given);
  return {.values = values, .where = known_generators::makers[which](given)};
}

}  // namespace

std::unique_ptr<const pattern> make_pattern(std::string_view specification) {
  return make_all(specification).where;
}

}  // namespace generation

std::span<const generator_info> generators() {
  return generation::known_generators::infos;
}

specification_parts parse_specification(std::string_view text) {
  return naming_out_of_memory("parse_specification", [&] {
    const generation::specification parsed = generation::parse(text);
    specification_parts parts{.name = std::string(parsed.name), .assignments = {}};
    for (const generation::assignment& each : parsed.assignments)
      parts.assignments.emplace_back(each.key, each.value);
    return parts;
  });
}

template <value V>
csr_matrix<V, std::int64_t> generate(std::string_view specification, const progress_callback& progress) {
  return naming_out_of_memory("generate", [&] {
    const generation::made made = generation::make_all(specification);
    return generation::build<V>(*made.where, made.values, progress);
  });
}

template <value V, offset O>
void assign_values(csr_matrix<V, O>& a, std::string_view values, std::uint64_t seed) {
  naming_out_of_memory("assign_values", [&] {
    if (!a.val.owned()) fail(errc::invalid_argument, "assign_values: the values belong to the caller");
    const generation::value_source source(values, seed, "assign_values");
    core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
      source.fill(begin, a.val.span().subspan(static_cast<std::size_t>(begin),
                                              static_cast<std::size_t>(end - begin)));
    });
  });
}

template void assign_values(csr_matrix<float, std::int32_t>&, std::string_view, std::uint64_t);
template void assign_values(csr_matrix<float, std::int64_t>&, std::string_view, std::uint64_t);
template void assign_values(csr_matrix<double, std::int32_t>&, std::string_view, std::uint64_t);
template void assign_values(csr_matrix<double, std::int64_t>&, std::string_view, std::uint64_t);

template csr_matrix<float, std::int64_t> generate(std::string_view, const progress_callback&);
template csr_matrix<double, std::int64_t> generate(std::string_view, const progress_callback&);

}  // namespace gossamer::bench_support
