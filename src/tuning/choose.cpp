// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/choose.hpp"

#include <algorithm>
#include <optional>

#include "gossamer/tune.hpp"
#include "tuning/cache.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/machine.hpp"
#include "tuning/settings.hpp"
#include "tuning/store.hpp"

namespace gossamer::inline v0::tuning {
namespace {

template <value V, offset O>
std::optional<format_setting> remembered(const csr_view<V, O>& a, const row_statistics& statistics,
                                         const resource& where, const machine_description& machine,
                                         bool values_change) {
  const std::filesystem::path folder = cache_folder();
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::is_directory(folder, ignored)) return {};
  const auto entry = read_cache(folder, fingerprint(a, statistics, where, values_change));
  if (!entry || !accepts(a, statistics, machine, entry->result.best(), {.values_change = values_change}))
    return {};
  return entry->result.best();
}

rank_options considered(const inspect_options& options) {
  return {.values_change = options.values_change, .memory_limit = options.memory_limit};
}

}  // namespace

std::string_view automatic_gpu_format(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                      std::size_t value_bytes) {
  constexpr std::string_view fastest = "packed";
  // An entry has a value, a column and less than 4 bytes more; a row has less than 16.
  const double most_bytes = static_cast<double>(nnz) * (static_cast<double>(value_bytes) + 8) +
                            static_cast<double>(std::max(rows, cols)) * 16;
  constexpr double addressed_bytes = 0x1p32 * 16;
  return most_bytes > addressed_bytes ? plain_format() : fastest;
}

template <value V, offset O>
format_setting choose(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                      const inspect_options& options) {
  const machine_description machine = describe_machine(where);
  const auto of_gpu = [&]() -> format_setting {
    return {std::string(automatic_gpu_format(a.rows, a.cols, a.nnz(), sizeof(V))), {}};
  };
  const bool on_gpu = std::holds_alternative<cuda>(where);
  // Forecasts and searches are of single products. They do not say what a read of the matrix for several
  // columns saves, which is more than formats differ by.
  if (options.vectors > 1) {
    if (on_gpu) return of_gpu();
    if (auto found = first_of_ranking(a, statistics, machine, considered(options), options.vectors))
      return std::move(found->setting);
  }
  // A search without a memory limit does not tell which format is best under one.
  if (options.format == "tuned" && !options.memory_limit) {
    if (auto found = remembered(a, statistics, where, machine, options.values_change))
      return *std::move(found);
  }
  if (on_gpu) return of_gpu();
  std::optional<candidate> first = first_of_ranking(a, statistics, machine, considered(options));
  if (!first) return {std::string(plain_format()), {}};
  return std::move(first->setting);
}

template format_setting choose(const csr_view<float, std::int32_t>&, const row_statistics&, const resource&,
                               const inspect_options&);
template format_setting choose(const csr_view<float, std::int64_t>&, const row_statistics&, const resource&,
                               const inspect_options&);
template format_setting choose(const csr_view<double, std::int32_t>&, const row_statistics&, const resource&,
                               const inspect_options&);
template format_setting choose(const csr_view<double, std::int64_t>&, const row_statistics&, const resource&,
                               const inspect_options&);

}  // namespace gossamer::inline v0::tuning
