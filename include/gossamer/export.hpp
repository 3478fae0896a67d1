// SPDX-License-Identifier: BSD-3-Clause
// The one macro that makes a symbol visible; everything else in the library is hidden.
#pragma once

#if defined(__GNUC__)
#define GOSSAMER_API __attribute__((visibility("default")))
#else
#define GOSSAMER_API
#endif
