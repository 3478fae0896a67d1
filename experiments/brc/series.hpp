// SPDX-License-Identifier: BSD-3-Clause
// What the experiments of paper 000 have in common.
#pragma once

#include <string_view>

#include "experiments/conclude.hpp"
#include "experiments/ratios.hpp"

namespace gossamer::experiments::brc {

/// BRC as it sets itself: blocks of 32 rows as in the paper; B2 and threads a row by the matrix and the
/// device, and sums in a fixed order, as not in the paper.
series of_brc();
/// The paper's listing: sums added atomically into y, one thread a row. On a GPU only.
series of_brc_as_published();
/// The same with the most coarsening that the format has: Algorithm 1's, where σ > μ. The paper does not give
/// its number.
series of_brc_coarsened();
/// Our CSR with the kernel that is the fastest on the matrix.
series of_csr();
series of_hyb();
series of_jds();
/// Reguly and Giles' CSR: threads a row by the matrix's mean row length.
series of_rg12();

/// Said with what is measured of BRC on HYB's COO part.
inline constexpr const char* tail_note =
    "BRC_COO is brc with its defaults on the tail as a matrix: y = A x, and B2 by all rows, the empty ones "
    "too, where it is not the longest row. The tail inside of hyb (tail=brc) adds to y, and takes B2 from "
    "the "
    "rows that have entries in it; so the two are not the same product\n";

/// Without series: name, source, f64, and the matrices of Table 1.
experiment over_the_table(std::string_view name, std::string_view source, std::string_view shows);

/// Figures 4 and 5, and Table 3: BRC against the other formats, and against other libraries.
experiment of_formats(std::string_view name, std::string_view source, std::string_view shows);

/// The parts of HYB by its own formats and by BRC, and the whole by each combination: Figure 9, Table 4 and
/// the conclusion.
experiment of_parts(std::string_view name, std::string_view source, std::string_view shows);
inline constexpr const char* coo_by_coo = "COO_COO";
inline constexpr const char* coo_by_brc = "BRC_COO";
inline constexpr const char* ell_by_ell = "ELL_ELL";
inline constexpr const char* ell_by_brc = "BRC_ELL";

/// BRC as the model sets it, its bounded search, and RG12 by its own rule and searched.
experiment of_search(std::string_view name, std::string_view source, std::string_view shows);
inline constexpr const char* tuned = "BRC, tuned";

}  // namespace gossamer::experiments::brc
