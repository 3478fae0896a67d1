// SPDX-License-Identifier: BSD-3-Clause
// What the figures 12 to 17 of paper 002 have in common.
#pragma once

#include "experiments/conclude.hpp"

namespace gossamer::experiments::csr_m {

/// Figures 12 to 14: CSR-R, CSR-O, CSR-M with its gather step (which the paper does not time), CSR-B; and
/// cuSPARSE.
experiment of_csr(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                  bool logarithmic);

/// Figures 15 to 17: ELLPACK and ELLPACK-R.
experiment of_ellpack(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                      bool logarithmic);

}  // namespace gossamer::experiments::csr_m
