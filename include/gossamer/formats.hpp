// SPDX-License-Identifier: BSD-3-Clause
// The storage formats of this build, as data: names, sources, devices, options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0 {

/// Every format of this build, in the order of src/formats/all_formats.hpp.
GOSSAMER_API std::span<const format_info> list_formats();

/// Throws invalid_argument that lists the names there are.
GOSSAMER_API const format_info& find_format(std::string_view name);

/// The name of the format that stores a matrix unchanged: the baseline of comparisons.
GOSSAMER_API std::string_view plain_format() noexcept;

/// Predicted storage and time of a format for a matrix. Nothing is allocated.
struct format_forecast {
  option_texts options;    ///< with every "auto" replaced
  std::int64_t bytes = 0;  ///< what the plan would hold
  bool exact = true;       ///< false: bytes is an upper bound
  std::string refusal;     ///< empty, or why the format refuses this matrix
  double seconds = 0;      ///< predicted for one product at the bandwidth given; 0 where it was not asked
};

/// O(rows), or O(nonzeros) where a format's size depends on its columns or values. `bandwidth_gbs` is the
/// measured copy bandwidth of the resource, 0 to leave the prediction out. Throws invalid_argument for
/// unknown names and values, unsupported for an option that does not exist there.
template <value V, offset O>
GOSSAMER_API format_forecast forecast(const csr_view<V, O>& a, const row_statistics& statistics,
                                      std::string_view format, const option_texts& options,
                                      const resource& where, double bandwidth_gbs = 0);

/// Option settings of a format that are worth timing for a matrix on a resource.
GOSSAMER_API std::vector<option_texts> candidates(std::string_view format, const row_statistics& statistics,
                                                  const resource& where);

/// Option combinations for tests. Ranges contribute their ends and the test value, limits the loosest value.
/// Above 64 combinations, a pairwise covering set is returned.
GOSSAMER_API std::vector<option_texts> variants(std::string_view format, const resource& where);

}  // namespace gossamer::inline v0
