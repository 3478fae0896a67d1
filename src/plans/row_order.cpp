// SPDX-License-Identifier: BSD-3-Clause
#include "plans/row_order.hpp"

#include <algorithm>
#include <variant>

#include "core/permuted.hpp"

namespace gossamer::inline v0::plans {

row_order::row_order(std::vector<std::int32_t>&& permutation, const resource& where)
    : permutation_(std::move(permutation)), inverse_(core::inverse_permutation(permutation_, "inspect")) {
  const auto* const device = std::get_if<cuda>(&where);
  if (device == nullptr || permutation_.empty()) return;
  const exec::device_guard guard(device->device);
  on_device_ = exec::device_buffer<std::int32_t>(2 * permutation_.size(), device->device);
  const std::size_t bytes = permutation_.size() * sizeof(std::int32_t);
  exec::copy_async(on_device_.data(), permutation_.data(), bytes, exec::copy_kind::host_to_device, {});
  exec::copy_async(on_device_.data() + permutation_.size(), inverse_.data(), bytes,
                   exec::copy_kind::host_to_device, {});
  exec::synchronize({});
}

}  // namespace gossamer::inline v0::plans
