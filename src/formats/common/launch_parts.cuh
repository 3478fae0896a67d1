// SPDX-License-Identifier: BSD-3-Clause
// A product of a format made of others on a CUDA device: each part's launch() in the same stream.
#pragma once

#include "formats/common/parts.hpp"

namespace gossamer::inline v0::formats {

/// The first part writes every row, and the others add to it. Asynchronous, as launch() is.
template <class S, class Whole>
void launch_parts(const Whole& a, const product<S>& p, sum_t<S>* scratch, cuda_stream stream) {
  product<S> step = p;
  for_each_part<Whole>(a.meta, [&]<class Part>(std::type_identity<Part>, auto, auto member) {
    // A composite may have parts of other formats on a CPU.
    if constexpr (contains(Part::devices, device_set::cuda)) {
      Part::launch(a.*member, step, scratch, stream);
      step.beta = sum_t<S>{1};
      scratch += Part::template scratch<S>(a.*member);
    }
  });
}

}  // namespace gossamer::inline v0::formats
