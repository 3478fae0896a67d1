// SPDX-License-Identifier: BSD-3-Clause
// Where a lane's eight entries are among the pieces of their chunk.
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "formats/cached_x/storage.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct lane_place {
  int pieces_before;  ///< pieces of the chunk that end in an earlier lane
  int begin;          ///< index in the chunk of the first entry of the piece that has the lane's first entry
};

/// `ends`: of this lane's eight entries. To be called by all lanes of a warp.
__device__ __forceinline__ lane_place place_of_lane(unsigned ends, int lane) {
  constexpr unsigned whole_warp = 0xffffffffu;
  int before = __popc(ends);
  for (int distance = 1; distance < cached_x_lanes; distance *= 2) {
    const int of_earlier = __shfl_up_sync(whole_warp, before, distance);
    if (lane >= distance) before += of_earlier;
  }
  // The piece begins behind the last end of an earlier lane.
  const unsigned earlier = __ballot_sync(whole_warp, ends != 0) & ((1u << lane) - 1);
  const int from = earlier == 0 ? 0 : 31 - __clz(static_cast<int>(earlier));
  const unsigned ends_there = __shfl_sync(whole_warp, ends, from);
  const int begin = earlier == 0 ? 0 : from * cached_x_of_lane + 32 - __clz(static_cast<int>(ends_there));
  return {.pieces_before = before - __popc(ends), .begin = begin};
}

}  // namespace
}  // namespace gossamer::inline v0::formats
