// SPDX-License-Identifier: BSD-3-Clause
// HYB on the CPU: the head's passes, then the tail's.
#include "formats/hyb/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<hyb_pointers<matrix_t<S>>, S> hyb::passes(const hyb_pointers<matrix_t<S>>& a, isa level) {
  return passes_of_parts<S>(a, level);
}

GOSSAMER_INSTANTIATE_PASSES(hyb, std::int64_t)

}  // namespace gossamer::inline v0::formats
