// SPDX-License-Identifier: BSD-3-Clause
// The list of experiments. A new one is a file in its paper's folder and a line here and in the .cpp file.
#pragma once

#include <span>
#include <string_view>

#include "experiments/experiment.hpp"

namespace gossamer::experiments {

namespace brc {
experiment table1();
experiment fig4();
experiment table3();
experiment fig6();
experiment search();
experiment fig7();
experiment fig8();
experiment table4();
experiment table5();
experiment fig9();
experiment hybrid();
experiment options();
experiment coarsening();
experiment block_rows();
experiment conversion();
}  // namespace brc

namespace bccoo {
experiment fig1();
experiment fig2();
experiment fig3();
experiment fig4();
experiment fig5();
experiment fig6();
experiment fig7();
experiment fig8();
}  // namespace bccoo

namespace csr_m {
experiment fig12();
experiment fig13();
experiment fig14();
experiment fig15();
experiment fig16();
experiment fig17();
}  // namespace csr_m

namespace arg_csr {
experiment fig_csr();
experiment fig_formats();
experiment chunk_size();
experiment block();
experiment conversion();
}  // namespace arg_csr

namespace partition {
experiment table1();
experiment table2();
experiment fig6();
experiment fig7();
experiment fig8();
experiment fig9();
experiment fig10();
experiment fig11();
experiment fig12();
experiment fig13();
experiment fig14();
experiment block_density();
}  // namespace partition

namespace solvers {
experiment cg();
experiment minres();
experiment lsqr();
experiment pdhg();
}  // namespace solvers

/// In the order of the papers.
std::span<const experiment> all_experiments();

/// Null where there is none of that name.
const experiment* find_experiment(std::string_view name);

/// Names that somebody may have meant, the nearest first; never empty.
std::vector<std::string_view> near_names(std::string_view name);

}  // namespace gossamer::experiments
