// SPDX-License-Identifier: BSD-3-Clause
// The contract of a storage format, in formats/<name>/format.hpp: required members (storage.hpp), predicted
// time (cost.hpp) and optional members (capabilities.hpp). All other code is generic over it.
#pragma once

#include "formats/contract/capabilities.hpp"
#include "formats/contract/cost.hpp"
#include "formats/contract/storage.hpp"

namespace gossamer::inline v0::formats {

/// Checked where a plan is made, before a missing member fails in the middle of it.
template <class F>
concept format = storage_format<F> && predictable_format<F>;

}  // namespace gossamer::inline v0::formats
