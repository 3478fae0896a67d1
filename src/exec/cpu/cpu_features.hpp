// SPDX-License-Identifier: BSD-3-Clause
// What the library finds out about the processor, and environment variables that override it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gossamer::inline v0::exec {

bool made_by_intel() noexcept;

/// Whether the gather instruction is no slower than separate loads: on Intel's processors. (On a Zen 5 a
/// gather of eight doubles took 3.8 ns, eight loads 1.5.) Both read the same and add in the same order.
/// GOSSAMER_GATHERS = fast or slow overrides the processor's maker; any other value except auto throws
/// invalid_argument.
bool has_fast_gathers();

/// The index in `choices` of the variable's value; 0, the choice "auto", if it is not set or empty. Throws
/// invalid_argument for any other value.
std::size_t forced_choice(const char* variable, std::span<const std::string_view> choices);

}  // namespace gossamer::inline v0::exec
