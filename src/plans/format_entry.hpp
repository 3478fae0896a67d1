// SPDX-License-Identifier: BSD-3-Clause
// A format at run time: its functions for each type of matrix, behind pointers. A format's templates are
// compiled in one unit of its own (format_unit.hpp), and all other code asks through an entry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/scalars.hpp"
#include "exec/target.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/statistics.hpp"
#include "plans/device_alias.hpp"

namespace gossamer::inline v0::plans {

/// Arguments of inspect() that do not depend on the format. Holds references; not to be stored.
struct plan_request {
  const resource& where;
  const exec::target& target;
  const inspect_options& options;
  std::string_view offset_type;  ///< of the caller's matrix
  /// For new values: permutation[k] is the index in the caller's matrix of entry k. Empty: k.
  std::span<const std::int64_t> permutation = {};
};

struct least_time {
  double seconds = 0;
  bool reads_all = false;  ///< the forecast reads all columns or values
};

/// How a forecast finds the bytes that a format would store.
enum class sizing { measured, estimated };

template <scalar_types S, offset O>
struct format_functions {
  using V = matrix_t<S>;
  /// `reusable`: the owner of a's arrays, where the plan may take them over; else null.
  std::unique_ptr<plan_base<S>> (*make)(const csr_view<V, O>& a, const row_statistics& statistics,
                                        const plan_request& request, std::span<const device_alias> aliases,
                                        csr_matrix<V, O>* reusable);
  /// Whether make_on_device() can build with these options. Throws what parsing them throws.
  bool (*can_make_on_device)(const option_texts& options);
  /// A plan of a valid matrix, built on its device; null where the format has to be built on the host.
  /// permutation: as in plan_request.
  std::unique_ptr<plan_base<S>> (*make_on_device)(const csr_view<V, O, device_space>& a,
                                                  const row_statistics& statistics, const cuda& where,
                                                  const inspect_options& options,
                                                  std::span<const std::int64_t> permutation,
                                                  std::int64_t limit);
  format_forecast (*forecast)(const csr_view<V, O>& a, const row_statistics& statistics,
                              const option_texts& options, const exec::target& target,
                              const formats::machine& machine, sizing size);
  least_time (*least_seconds)(const csr_view<V, O>& a, const row_statistics& statistics,
                              const exec::target& target, const formats::machine& machine);
};

/// For both types of offsets.
template <class... S>
using functions_of_scalars =
    std::tuple<format_functions<S, std::int32_t>..., format_functions<S, std::int64_t>...>;

struct format_entry {
  format_info (*describe)();
  /// Throws what resolving these options throws.
  void (*check_options)(const option_texts& options, const exec::target& target);
  /// The fewest columns for which the format reads the matrix once, and 0 if it reads it for each column or
  /// pack.
  std::int64_t (*least_columns)(device_set kind);
  std::vector<option_texts> (*candidates)(const row_statistics& statistics, const exec::target& target,
                                          bool values_change);
  /// The options with which a plan is built whose values will change. Throws what parsing throws.
  option_texts (*options_for_new_values)(const option_texts& options, device_set kind);
  bool builds_from_row_ptr;  ///< formats/contract/capabilities.hpp

  all_scalars<functions_of_scalars> all;

  template <scalar_types S, offset O>
  [[nodiscard]] const format_functions<S, O>& functions() const noexcept {
    return std::get<format_functions<S, O>>(all);
  }
};

/// Of one format; defined in format_unit.hpp.
template <class F>
const format_entry& entry_of() noexcept;

/// Of the format of that name. Throws invalid_argument that lists the names there are.
const format_entry& find_entry(std::string_view name);

}  // namespace gossamer::inline v0::plans
