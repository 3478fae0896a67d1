// SPDX-License-Identifier: BSD-3-Clause
// The storage formats of this build, and forecasts of their size and speed.
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

/// All formats of this build. The order is fixed. The span is valid until the program ends.
GOSSAMER_API std::span<const format_info> list_formats();

/// The format of this name. Throws invalid_argument for an unknown name; the message lists the names.
GOSSAMER_API const format_info& find_format(std::string_view name);

/// The name of the format that stores a matrix unchanged: "csr". Other formats are compared with it.
GOSSAMER_API std::string_view plain_format() noexcept;

/// Predicted storage and time of a format for a matrix.
struct format_forecast {
  option_texts options;    ///< the options; see plan::options()
  std::int64_t bytes = 0;  ///< memory of a plan in bytes
  bool exact = true;       ///< false: `bytes` is an upper bound
  std::string refusal;     ///< why the format refuses the matrix; empty if it accepts it
  double seconds = 0;      ///< predicted time of one product; 0 if no bandwidth was given
};

/// Predicts storage and time without building a plan. It takes O(rows), or O(nonzeros) if the format's size
/// depends on columns or values. Throws invalid_argument for an unknown format, option or option value.
/// Throws unsupported for an option that does not exist on the resource.
/// @param a the matrix, which must be valid (see validate())
/// @param statistics measure_rows(a)
/// @param format a name from list_formats()
/// @param options options of that format
/// @param where the resource of the plan
/// @param bandwidth_gbs measured copy bandwidth of the resource in GB/s (10^9 bytes per second); 0: no time
///   is predicted
/// @return the forecast; its member refusal is set if the format refuses the matrix
template <value V, offset O>
GOSSAMER_API format_forecast forecast(const csr_view<V, O>& a, const row_statistics& statistics,
                                      std::string_view format, const option_texts& options,
                                      const resource& where, double bandwidth_gbs = 0);

/// Options of a format that are worth measuring for a matrix with these statistics on a resource.
GOSSAMER_API std::vector<option_texts> candidates(std::string_view format, const row_statistics& statistics,
                                                  const resource& where);

/// Option combinations for tests. A numeric option has the values min, max and test_value. An option with
/// is_limit has one value, which refuses the fewest matrices. If there are more than 64 combinations, the
/// result covers all pairs of option values.
GOSSAMER_API std::vector<option_texts> variants(std::string_view format, const resource& where);

}  // namespace gossamer::inline v0
