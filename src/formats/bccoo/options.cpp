// SPDX-License-Identifier: BSD-3-Clause
#include "formats/bccoo/format.hpp"

namespace gossamer::inline v0::formats {

bccoo::options bccoo::resolve(options o, const row_statistics&, const exec::target& target) {
  check_entries_per_thread(name, o.entries_per_thread);
  if (o.codes == bccoo_codes::automatic)
    o.codes = target.kind == device_set::cpu ? bccoo_codes::tuples : bccoo_codes::chunk_uniform;
  return o;
}

std::vector<bccoo::options> bccoo::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu)
    return {{.chunk = papers_chunk},
            {.chunk = 8 * papers_chunk},
            {.chunk = papers_chunk, .codes = bccoo_codes::chunk_uniform}};
  // To be removed: kernels to compare.
  return {{.chunk = papers_chunk, .entries_per_thread = 18},
          {.chunk = papers_chunk, .entries_per_thread = 28},
          {.chunk = papers_chunk, .entries_per_thread = 38},
          {.chunk = papers_chunk, .entries_per_thread = 48},
          {.chunk = papers_chunk, .entries_per_thread = 58},
          {.chunk = papers_chunk, .entries_per_thread = 68},
          {.chunk = papers_chunk, .entries_per_thread = 78}};
}

}  // namespace gossamer::inline v0::formats
