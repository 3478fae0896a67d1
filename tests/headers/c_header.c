// SPDX-License-Identifier: BSD-3-Clause
// gossamer.h alone, twice, as C99. It must compile without a warning.
#include "gossamer/gossamer.h"
#include "gossamer/gossamer.h"  // the second time changes nothing

#if defined(__cplusplus) || __STDC_VERSION__ != 199901L
#error "this file is compiled as C99"
#endif

gossamer_status test_c_header(gossamer_plan* plan, const double* x, double* y);

gossamer_status test_c_header(gossamer_plan* plan, const double* x, double* y) {
  return gossamer_multiply(plan, GOSSAMER_FORWARD, 1, x, 0, y);
}
