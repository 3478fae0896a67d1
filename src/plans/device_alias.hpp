// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace gossamer::inline v0::plans {

/// An array of the caller that stands both on the host and on the device.
struct device_alias {
  const void* host = nullptr;
  const void* device = nullptr;
};

}  // namespace gossamer::inline v0::plans
