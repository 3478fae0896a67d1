// SPDX-License-Identifier: BSD-3-Clause
// What the two figures of paper 003 have in common.
#pragma once

#include "experiments/conclude.hpp"

namespace gossamer::experiments::arg_csr {

/// Real matrices and the gallery, f64, cumulative curves; series are those of the formats compared.
experiment of_formats(std::string_view name, std::string_view figure, std::string_view shows);

}  // namespace gossamer::experiments::arg_csr
