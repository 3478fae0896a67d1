// SPDX-License-Identifier: BSD-3-Clause
// What a product over several parts needs beside them.
#pragma once

#include <memory>
#include <vector>

#include "core/fork.hpp"
#include "hybrids/device_products.hpp"
#include "hybrids/part.hpp"
#include "hybrids/part_worker_pool.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::hybrids {

/// Of one part: its plan's own scratch, and its rows of y where these are not adjacent in y.
template <scalar_types S>
struct part_room {
  workspace scratch;
  host_buffer<vector_t<S>> y;
  double seconds = 0;  ///< of the last product, where its vectors were the host's
};

template <scalar_types S>
class hybrid_workspace final : public plans::workspace_base {
 public:
  hybrid_workspace(std::uint64_t owner, const std::vector<part<S>>& parts) : workspace_base(owner) {
    for (const part<S>& each : parts)
      rooms.push_back(
          {each.product.make_workspace(),
           host_buffer<vector_t<S>>(each.adjacent() ? 0 : static_cast<std::size_t>(each.product.rows()))});
    leaders();  // now, so that a product starts no threads
  }
  part_worker_pool& leaders() { return pool_.get(rooms.size()); }
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    std::int64_t sum = on_devices ? on_devices->bytes() : 0;
    for (const part_room<S>& room : rooms)
      sum += room.scratch.bytes() + static_cast<std::int64_t>(room.y.size() * sizeof(vector_t<S>));
    return sum;
  }

  std::vector<part_room<S>> rooms;
  std::unique_ptr<device_products<S>> on_devices;  ///< once a product of device vectors came
  bool last_on_devices = false;

 private:
  core::per_process<part_worker_pool> pool_;
};

}  // namespace gossamer::inline v0::hybrids
