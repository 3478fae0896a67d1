// SPDX-License-Identifier: BSD-3-Clause
// The kernels with an epilogue for matrices with COO slices.
#include "formats/packed/cuda/coo_launch.cuh"

namespace gossamer::inline v0::formats {

#define GOSSAMER_COO_EPILOGUE_INSTANCE(S) \
  template void packed_launch_with_coo_slices(const packed_launch<exec::with_epilogue<S>>&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_COO_EPILOGUE_INSTANCE)
#undef GOSSAMER_COO_EPILOGUE_INSTANCE

}  // namespace gossamer::inline v0::formats
