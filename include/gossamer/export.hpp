// SPDX-License-Identifier: BSD-3-Clause
// The macro that makes a symbol visible. All other symbols of the library are hidden.
#pragma once

/// Makes a symbol visible in the shared library.
#if defined(__GNUC__)
#define GOSSAMER_API __attribute__((visibility("default")))
#else
#define GOSSAMER_API
#endif
