// SPDX-License-Identifier: BSD-3-Clause
// What "auto" and "tuned" stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gossamer/formats.hpp"
#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::tuning {

/// Whether "auto" is the plain format, since there are too few products to make up for the time that others
/// take to build (docs/guides/choosing.md, "Few products").
bool are_few_products(device_set kind, double calls);

/// The format that "auto" chooses on a GPU by the size of a matrix, for A or its transpose. It is csr for few
/// products, and if packed could need more bytes than it can address. Otherwise it is packed, which is
/// usually the fastest with hot caches (docs/guides/choosing.md). automatic_cached_x() may replace packed.
std::string_view automatic_gpu_format(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                      std::size_t value_bytes, bool few_products);

/// Whether "auto" on a GPU may be cached_x, for A or its transpose: for one vector at a time.
bool may_be_cached_x(const inspect_options& options);
/// cached_x with its options, if the sizes of A and a sample of its columns predict that it is faster than
/// packed. Empty otherwise. A is in host memory, or in memory of the current device. It is not checked yet:
/// indices may have any value. Synchronous.
template <value V, offset O>
std::optional<format_setting> automatic_cached_x(const csr_view<V, O>& a);
template <value V, offset O>
std::optional<format_setting> automatic_cached_x(const csr_view<V, O, device_space>& a);

/// What "auto" is on a CPU for many products: of a few formats, the one with the least predicted time on
/// `machine`, with `vectors` at once. Nothing if all refuse.
template <value V, offset O>
std::optional<format_setting> automatic_cpu_format(const csr_view<V, O>& a, const row_statistics& statistics,
                                                   const machine_description& machine, bool values_change,
                                                   std::int64_t vectors);

/// options.format is "auto" or "tuned". In this order:
/// - With several vectors: on a GPU automatic_gpu_format(), on a CPU the best format that multiplies so many
///   at once, if there is one.
/// - With "tuned" and no memory limit: what a search found for such a matrix on the resource, if the format
///   still accepts the matrix.
/// - On a GPU automatic_gpu_format(), or cached_x instead of packed if may_be_cached_x() is true and
///   automatic_cached_x() returns it. On a CPU the best format, or the plain one for few products.
/// The best format is, of a few formats, the one with the least predicted time on usual_machine(); the plain
/// format if it refuses all. `a` is valid.
template <value V, offset O>
format_setting choose(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                      const inspect_options& options);

}  // namespace gossamer::inline v0::tuning
