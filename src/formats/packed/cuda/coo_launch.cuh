// SPDX-License-Identifier: BSD-3-Clause
// Starts a product of a matrix with COO slices.
#pragma once

#include "formats/packed/cuda/kernel.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void packed_launch_with_coo_slices(const packed_launch<S>& launch) {
  const packed_meta& meta = launch.matrix.meta;
  if (!meta.has_halves && meta.coo_slices == meta.slices)
    return launch.template start<packed_kinds<false, true, false, false, true>>();
  const bool has_cut_rows = launch.matrix.carries.runs > 0;
  if (meta.has_halves)
    return has_cut_rows ? launch.template start<packed_kinds<true, true, true, true, true>>()
                        : launch.template start<packed_kinds<true, true, false, true, true>>();
  return has_cut_rows ? launch.template start<packed_kinds<true, true, true, false, true>>()
                      : launch.template start<packed_kinds<true, true, false, false, true>>();
}

}  // namespace gossamer::inline v0::formats
