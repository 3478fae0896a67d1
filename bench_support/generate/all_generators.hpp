// SPDX-License-Identifier: BSD-3-Clause
// Every generator: a new one is a file, its line here and its name in the list. Nothing else names them.
#pragma once

#include "bench_support/generate/arrow.hpp"
#include "bench_support/generate/banded.hpp"
#include "bench_support/generate/bipartite.hpp"
#include "bench_support/generate/circuit.hpp"
#include "bench_support/generate/cut_grid.hpp"
#include "bench_support/generate/dense.hpp"
#include "bench_support/generate/diagonal.hpp"
#include "bench_support/generate/empty_rows.hpp"
#include "bench_support/generate/epidemic.hpp"
#include "bench_support/generate/fem.hpp"
#include "bench_support/generate/heavy_row.hpp"
#include "bench_support/generate/like/like.hpp"
#include "bench_support/generate/nlpkkt.hpp"
#include "bench_support/generate/power_grid.hpp"
#include "bench_support/generate/power_law.hpp"
#include "bench_support/generate/rmat.hpp"
#include "bench_support/generate/shuffled_mesh.hpp"
#include "bench_support/generate/sparse_lp.hpp"
#include "bench_support/generate/stencil.hpp"
#include "bench_support/generate/uniform.hpp"
#include "bench_support/generate/wilson.hpp"

namespace gossamer::bench_support::generation {

template <class... Generators>
struct generator_list {};

using all_generators = generator_list<stencil, fem, banded, diagonal, dense, arrow, uniform, power_law, rmat,
                                      circuit, power_grid, sparse_lp, shuffled_mesh, bipartite, empty_rows,
                                      heavy_row, cut_grid, epidemic, nlpkkt, wilson, like>;

}  // namespace gossamer::bench_support::generation
