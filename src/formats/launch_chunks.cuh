// SPDX-License-Identifier: BSD-3-Clause
// What goes before and behind the kernel of a format of chunks (entry_chunks.hpp) on a CUDA device.
#pragma once

#include <type_traits>

#include "exec/chunk_rows.cuh"
#include "exec/elementwise.hpp"
#include "exec/overlap.cuh"
#include "formats/entry_chunks.hpp"

namespace gossamer::inline v0::formats {

/// y = alpha A x + beta y, where kernel(count, p) launches a block a chunk on the stream with count() entries a thread, whose sums of shared
/// rows lie in `scratch`. Returns before the device is done.
template <class Pointers, class V, class Kernel>
void launch_chunks(const Pointers& a, const product<V>& given, V* scratch, cuda_stream stream,
                   const char* name, Kernel&& kernel) {
  product<V> p = given;
  if (a.meta.device.adds) {
    exec::scale_on_device(p.y, a.meta.rows, p.beta, stream);
    p.beta = V{1};
  }
  if (a.meta.nnz == 0) return;
  const int entries = a.meta.device.entries_per_thread % 10;
  if (entries == 2)
    kernel(std::integral_constant<int, 2>(), p);
  else if (entries == 8)
    kernel(std::integral_constant<int, 8>(), p);
  else
    kernel(std::integral_constant<int, 4>(), p);
  exec::check_launch(name);
  exec::combine_on_device(a.carries, scratch, p, stream);
}

}  // namespace gossamer::inline v0::formats
