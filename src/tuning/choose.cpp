// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/choose.hpp"

#include <algorithm>
#include <optional>

#include "core/instantiate.hpp"
#include "formats/common/gather_sample.hpp"
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

/// Formats that are fastest on some matrices on CPUs (docs/guides/choosing.md, "Auto on a CPU").
constexpr std::string_view considered_formats[] = {"csr", "pattern_csr", "packed",  "sliced_ell",
                                                   "dia", "brc",         "cached_x"};

/// From 2^22 entries on, filling shared memory takes a small part of a product. Pieces are numbered in 31
/// bits.
constexpr bool has_size_of_cached_x(std::size_t entries) {
  return entries >= std::size_t{1} << 22 && entries < std::size_t{1} << 31;
}

/// sample(): the columns.
template <value V, offset O, class Space, class Sample>
std::optional<format_setting> sampled_setting(const csr_view<V, O, Space>& a, Sample&& sample) {
  if (!has_size_of_cached_x(a.col.size())) return {};
  const double mean_row =
      static_cast<double>(a.col.size()) / static_cast<double>(std::max<std::int64_t>(1, a.rows));
  const auto columns =
      formats::columns_to_cache(formats::measure_gathers(sample(), mean_row), a.cols, sizeof(V));
  if (!columns) return {};
  return format_setting{"cached_x",
                        {{"columns", *columns == formats::kept_columns::panels ? "panels" : "frequent"}}};
}

}  // namespace

bool may_be_cached_x(const inspect_options& options) {
  return options.vectors == 1;
}
template <value V, offset O>
std::optional<format_setting> automatic_cached_x(const csr_view<V, O>& a) {
  return sampled_setting(a, [&] { return formats::sample_columns(a.col, sizeof(V)); });
}
template <value V, offset O>
std::optional<format_setting> automatic_cached_x([[maybe_unused]] const csr_view<V, O, device_space>& a) {
#if defined(GOSSAMER_HAVE_CUDA)
  return sampled_setting(a, [&] {
    return formats::sample_columns_on_device(a.col.data(), static_cast<std::int64_t>(a.col.size()),
                                             sizeof(V));
  });
#else
  return {};
#endif
}

template <value V, offset O>
std::optional<format_setting> automatic_cpu_format(const csr_view<V, O>& a, const row_statistics& statistics,
                                                   const machine_description& machine, bool values_change,
                                                   std::int64_t vectors) {
  auto first =
      first_of_ranking(a, statistics, machine, {.values_change = values_change}, vectors, considered_formats);
  if (!first) return {};
  return std::move(first->setting);
}

bool are_few_products(device_set kind, double calls) {
  constexpr double few_on_cpu = 100;
  constexpr double few_on_gpu = 24;
  return calls < (kind == device_set::cpu ? few_on_cpu : few_on_gpu);
}

std::string_view automatic_gpu_format(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                      std::size_t value_bytes, bool few_products) {
  constexpr std::string_view fastest = "packed";
  // An entry has a value, a column and less than 4 bytes more; a row has less than 16.
  const double most_bytes = static_cast<double>(nnz) * (static_cast<double>(value_bytes) + 8) +
                            static_cast<double>(std::max(rows, cols)) * 16;
  constexpr double addressed_bytes = 0x1p32 * 16;
  return few_products || most_bytes > addressed_bytes ? plain_format() : fastest;
}

template <value V, offset O>
format_setting choose(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                      const inspect_options& options) {
  const auto* const host = std::get_if<cpu>(&where);
  const auto automatic = [&]() -> format_setting {
    if (host == nullptr) {
      const std::string_view format = automatic_gpu_format(a.rows, a.cols, a.nnz(), sizeof(V), false);
      if (format != plain_format() && may_be_cached_x(options))
        if (auto cached = automatic_cached_x(a)) return *std::move(cached);
      return {std::string(format), {}};
    }
    if (are_few_products(device_set::cpu, options.calls)) return {std::string(plain_format()), {}};
    if (auto found = automatic_cpu_format(a, statistics, usual_machine(*host), options.values_change, 1))
      return *std::move(found);
    return {std::string(plain_format()), {}};
  };
  // Forecasts and searches are of single products. They do not say what a read of the matrix for several
  // columns saves, which is more than formats differ by.
  if (options.vectors > 1) {
    if (host == nullptr || are_few_products(device_set::cpu, options.calls)) return automatic();
    if (auto found =
            automatic_cpu_format(a, statistics, usual_machine(*host), options.values_change, options.vectors))
      return *std::move(found);
  }
  // A search without a memory limit does not tell which format is best under one.
  if (options.format == "tuned" && !options.memory_limit) {
    if (auto found = remembered(a, statistics, where, describe_machine(where), options.values_change))
      return *std::move(found);
  }
  return automatic();
}

#define GOSSAMER_INSTANCE(V, O)                                                                      \
  template std::optional<format_setting> automatic_cached_x(const csr_view<V, O>&);                  \
  template std::optional<format_setting> automatic_cached_x(const csr_view<V, O, device_space>&);    \
  template std::optional<format_setting> automatic_cpu_format(                                       \
      const csr_view<V, O>&, const row_statistics&, const machine_description&, bool, std::int64_t); \
  template format_setting choose(const csr_view<V, O>&, const row_statistics&, const resource&,      \
                                 const inspect_options&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::tuning
