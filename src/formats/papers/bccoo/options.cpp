// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/bccoo/format.hpp"

namespace gossamer::inline v0::formats {

bccoo::options bccoo::resolve(options o, const row_statistics&, const exec::target& target) {
  check_entries_per_thread(name, o.entries_per_thread);
  const bool on_cpu = target.kind == device_set::cpu;
  if (o.codes == bccoo_codes::automatic) o.codes = on_cpu ? bccoo_codes::tuples : bccoo_codes::chunk_uniform;
  if (o.chunk == 0)
    o.chunk = on_cpu && o.codes == bccoo_codes::chunk_uniform ? 4 * papers_chunk : papers_chunk;
  return o;
}

std::vector<bccoo::options> bccoo::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu)
    return {{.chunk = papers_chunk},
            {.chunk = 8 * papers_chunk},
            {.chunk = 4 * papers_chunk, .codes = bccoo_codes::chunk_uniform}};
  return chunks_worth_timing_on_device<options>();
}

}  // namespace gossamer::inline v0::formats
