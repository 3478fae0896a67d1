// SPDX-License-Identifier: BSD-3-Clause
// HYB on the CPU: the head's passes, then the tail's.
#include "formats/hyb/format.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<hyb_pointers<V>, V> hyb::passes(const hyb_pointers<V>& a, isa level) {
  return passes_of_parts<V>(a, level);
}

template cpu_passes<hyb_pointers<float>, float> hyb::passes(const hyb_pointers<float>&, isa);
template cpu_passes<hyb_pointers<double>, double> hyb::passes(const hyb_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
