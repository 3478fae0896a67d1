// SPDX-License-Identifier: BSD-3-Clause
// Which kernel suits which rows.
#include <bit>
#include <cmath>

#include "formats/csr/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// A group of threads a row reads x in step with the groups beside it, which pays where rows are of about one
/// length, not very long, and neighbours in x as well. Elsewhere equal shares of entries are faster. Measured
/// in docs/notes/csr.md.
bool balances_on_cuda(const row_statistics& s) {
  constexpr double short_rows = 8;
  constexpr double long_rows = 192;
  if (s.spread > 0.3 || static_cast<double>(s.max) > 4.0 * s.mean + 4.0 || s.mean > long_rows) return true;
  return s.mean < short_rows && s.standard_deviation > 0.16 * s.mean;
}

/// One thread reads a row of few entries best, since its neighbours' rows are in the same lines; of longer
/// rows five to ten entries a thread, which are one or two batches of eight, and with all lanes of a warp too
/// little of x is shared.
std::int64_t automatic_threads_per_row(const row_statistics& s) {
  const double filled =
      s.rows > s.empty ? static_cast<double>(s.nnz) / static_cast<double>(s.rows - s.empty) : 0.0;
  if (filled < 8) return 1;
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(16, std::bit_floor(static_cast<std::uint64_t>((filled + 1) / 5))));
}

}  // namespace

csr::options csr::resolve(options o, const row_statistics& s, const exec::target& target) {
  const bool grouped = o.threads_per_row != 0 || o.rows_per_group != 0;
  if (o.kernel == csr_kernel::automatic) {
    if (grouped)
      o.kernel = csr_kernel::adaptive;
    else if (target.kind == device_set::cpu ? balances_on_cpu(s) : balances_on_cuda(s))
      o.kernel = csr_kernel::balanced;
    else
      o.kernel = target.kind == device_set::cpu ? csr_kernel::thread : csr_kernel::adaptive;
  }
  if (o.kernel != csr_kernel::adaptive) {
    // 1 is what describe() prints for the other kernels, so it is accepted back.
    if (o.threads_per_row > 1 || o.rows_per_group > 1)
      fail(errc::invalid_argument,
           "csr: threads_per_row and rows_per_group belong to kernel = adaptive, not to {}",
           kernels[static_cast<std::size_t>(o.kernel)].name);
    o.threads_per_row = 1;
    o.rows_per_group = 1;
    return o;
  }
  if (o.threads_per_row == 0) o.threads_per_row = automatic_threads_per_row(s);
  require_power_of_two(name, "threads_per_row", o.threads_per_row);
  if (o.rows_per_group == 0) o.rows_per_group = 1;
  return o;
}

std::vector<csr::options> csr::candidates(const row_statistics& s, const exec::target& target) {
  if (target.kind == device_set::cpu)
    return {{.kernel = csr_kernel::thread}, {.kernel = csr_kernel::balanced}};
  std::vector<options> all{{.kernel = csr_kernel::balanced},
                           {.kernel = csr_kernel::thread},
                           {.kernel = csr_kernel::half_warp},
                           {.kernel = csr_kernel::warp}};
  const std::int64_t middle = automatic_threads_per_row(s);
  for (const std::int64_t threads : {middle / 2, middle, middle * 2})
    if (threads >= 1 && threads <= 32)
      all.push_back({.kernel = csr_kernel::adaptive, .threads_per_row = threads});
  return all;
}

device_work csr::gpu_work(const row_statistics& s, const options& o) {
  if (o.kernel == csr_kernel::balanced)
    return {.kernel = hopper::csr_balanced, .long_rows = s.max > long_row};
  const double threads = o.kernel == csr_kernel::warp        ? 32
                         : o.kernel == csr_kernel::half_warp ? 16
                                                             : static_cast<double>(o.threads_per_row);
  return {.kernel = hopper::csr_by_rows,
          .usual_steps = usual_length(s) / threads,
          .longest_steps = static_cast<double>(s.max) / threads};
}

}  // namespace gossamer::inline v0::formats
