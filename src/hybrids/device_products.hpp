// SPDX-License-Identifier: BSD-3-Clause
// Products over several parts of vectors in device memory: what of x a part lacks is brought to it, and its
// rows of y go back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/peer_copies.hpp"
#include "exec/cuda/pinned_buffer.hpp"
#include "exec/product.hpp"
#include "hybrids/part.hpp"
#include "hybrids/part_worker_pool.hpp"

namespace gossamer::inline v0::hybrids {

template <scalar_types S>
struct part_room;

/// Streams, events and buffers of one workspace. Buffers are taken when a vector first needs them and kept,
/// so that later products with vectors at the same places allocate nothing.
template <scalar_types S>
class device_products {
 public:
  /// Of a matrix of `rows` by `cols`. At least one part is on a GPU.
  device_products(const std::vector<part<S>>& parts, std::int64_t rows, std::int64_t cols);

  /// Asynchronous in `stream` where all parts are on GPUs; else returns when those on cores are done. Where
  /// it throws nothing is under way.
  void multiply(const product<S>& p, const std::vector<part<S>>& parts, std::vector<part_room<S>>& rooms,
                part_worker_pool& leaders, cuda_stream stream);
  /// That part k took in the last product; waits for it.
  [[nodiscard]] double seconds(std::size_t k) const noexcept;
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  /// Of a part on a GPU.
  struct lane {
    explicit lane(int on_device) : device(on_device) {}
    /// Whether kernels and copies go straight to another device's memory from now on; asks CUDA once.
    bool reach(int other);

    int device;
    exec::owned_stream stream;
    exec::stream_mark begin;
    exec::stream_mark done;
    exec::device_buffer<vector_t<S>>
        x;  ///< its columns, where x is out of its reach or too much of it elsewhere
    exec::device_buffer<vector_t<S>> y;  ///< its rows, where y is out of its reach or they are scattered
    exec::device_buffer<std::int32_t> rows;
    std::map<int, bool> reached;
  };
  /// Of a device that is the home of a vector, or of the caller's stream.
  struct station {
    exec::owned_stream stream;
    exec::stream_mark mark;
  };
  struct vectors {
    const product<S>& p;
    const exec::memory_home x;
    const exec::memory_home y;
  };

  void launch(const vectors& v, const part<S>& each, part_room<S>& room, lane& own,
              const exec::stream_mark& begin);
  void multiply_on_cores(const vectors& v, const std::vector<part<S>>& parts,
                         std::vector<part_room<S>>& rooms, part_worker_pool& leaders,
                         const exec::stream_mark& begin);
  station& station_of(int device);
  void finish() const noexcept;

  std::vector<std::unique_ptr<lane>> lanes_;  ///< of each part; null: it is on cores
  std::int64_t rows_;
  std::int64_t cols_;
  int first_device_ = 0;
  std::map<int, station> stations_;
  std::unique_ptr<exec::pinned_buffer> host_x_;  ///< whole vectors for parts on cores
  std::unique_ptr<exec::pinned_buffer> host_y_;
  std::vector<double> seconds_;  ///< of parts on cores
};

}  // namespace gossamer::inline v0::hybrids
