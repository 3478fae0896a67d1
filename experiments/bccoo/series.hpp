// SPDX-License-Identifier: BSD-3-Clause
// What the experiments of paper 001 have in common.
#pragma once

#include "experiments/bccoo/printed.hpp"
#include "experiments/conclude.hpp"

namespace gossamer::experiments::bccoo {

/// An experiment without series over the matrices of Table I, with different values and with a hundred.
experiment over_table_i(const char* name, const char* figure, const char* shows);

/// Figures 2 and 6: BCCOO relative to cuSPARSE's CSR and COO.
experiment on_gpu(const char* name, const char* figure, const char* shows);

/// Figures 4, 5, 7 and 8: BCCOO and BCOO relative to MKL's CSR and ours, on one core and on all.
experiment on_cpu(const char* name, const char* figure, const char* shows);

/// Of each series of on_cpu the time over that of BCCOO on as many cores.
std::string cpu_speed_up_bars(const experiment& e, const rows& all);

}  // namespace gossamer::experiments::bccoo
