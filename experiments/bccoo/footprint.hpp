// SPDX-License-Identifier: BSD-3-Clause
// Bytes of a format over those of CSR, as Figures 1 and 3 of paper 001 show them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::bccoo {

/// Of the three arrays alone, with 4 bytes an index and an offset, or 8 an offset where 4 cannot hold the
/// nonzeros; what our own csr adds for its kernels does not count.
double csr_bytes(const json& row);

/// Nothing where the row is null or no forecast.
std::optional<double> over_csr(const json* row);

/// A line for each series: on how many matrices it takes less than CSR, the geometric mean, the least and the
/// most, and of those with as many nonzeros as `least_nnz` the ones that take more than CSR, by name.
std::string footprints(const experiment& e, const rows& all, double least_nnz);

/// Figures 1 and 3: everything but the series.
experiment of_footprint(const char* name, const char* figure, const char* shows);

}  // namespace gossamer::experiments::bccoo
