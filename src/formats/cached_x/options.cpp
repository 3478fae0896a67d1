// SPDX-License-Identifier: BSD-3-Clause
// The default options of cached_x, and the limits of cache_kib on GPUs.
#include "core/fail.hpp"
#include "formats/cached_x/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// KiB of shared memory that are kept for a table of 256 values.
constexpr std::int64_t value_table_kib = 2;

/// KiB of shared memory for x: what a thread block may have, minus value_table_kib.
std::int64_t most_shared_kib(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return 62;
    case 86:
    case 89:
    case 120:
    case 121:
      return 97;
    case 80:
    case 87:
      return 161;
    default:
      return compute_capability >= 90 ? 225 : 46;
  }
}

constexpr std::int64_t cpu_kib = 512;
constexpr std::int64_t frequent_kib = 160;  // the rest of the shared memory serves as L1 cache

}  // namespace

cached_x::options cached_x::resolve(options o, const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) {
    if (o.cache_kib == 0) o.cache_kib = cpu_kib;
    return o;
  }
  if (o.values == stored_values::automatic) o.values = stored_values::encoded;
  const std::int64_t most = most_shared_kib(target.compute_capability);
  if (o.cache_kib == 0)
    o.cache_kib = std::min(most, o.columns == cached_x_columns::panels ? default_panel_kib : frequent_kib);
  if (o.cache_kib > most)
    fail(errc::unsupported,
         "cached_x: option cache_kib = \"{}\": at most {} on this device, where a thread block has {} KiB of "
         "shared memory, {} of them for a table of values",
         o.cache_kib, most, most + value_table_kib, value_table_kib);
  return o;
}

std::vector<cached_x::options> cached_x::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) return {{.cache_kib = cpu_kib}, {.cache_kib = cpu_kib / 2}};
  return {{.columns = cached_x_columns::panels}, {.columns = cached_x_columns::frequent}};
}

}  // namespace gossamer::inline v0::formats
