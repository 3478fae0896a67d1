// SPDX-License-Identifier: BSD-3-Clause
// Every generator: a new one is a file, its line here and its name in the list. Nothing else names them.
#pragma once

#include "generate/arrow.hpp"
#include "generate/banded.hpp"
#include "generate/circuit.hpp"
#include "generate/cut_grid.hpp"
#include "generate/dense.hpp"
#include "generate/diagonal.hpp"
#include "generate/empty_rows.hpp"
#include "generate/epidemic.hpp"
#include "generate/fem.hpp"
#include "generate/heavy_row.hpp"
#include "generate/like/like.hpp"
#include "generate/nlpkkt.hpp"
#include "generate/power_law.hpp"
#include "generate/rmat.hpp"
#include "generate/stencil.hpp"
#include "generate/uniform.hpp"
#include "generate/wilson.hpp"

namespace gossamer::inline v0::generation {

template <class... Generators>
struct generator_list {};

using all_generators =
    generator_list<stencil, fem, banded, diagonal, dense, arrow, uniform, power_law, rmat, circuit,
                   empty_rows, heavy_row, cut_grid, epidemic, nlpkkt, wilson, like>;

}  // namespace gossamer::inline v0::generation
