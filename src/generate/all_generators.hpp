// SPDX-License-Identifier: BSD-3-Clause
// Every generator: a new one is a file, its line here and its name in the list. Nothing else names them.
#pragma once

#include "generate/arrow.hpp"
#include "generate/banded.hpp"
#include "generate/dense.hpp"
#include "generate/diagonal.hpp"
#include "generate/empty_rows.hpp"
#include "generate/heavy_row.hpp"
#include "generate/power_law.hpp"
#include "generate/stencil.hpp"
#include "generate/uniform.hpp"

namespace gossamer::inline v0::generation {

template <class... Generators>
struct generator_list {};

using all_generators =
    generator_list<stencil, uniform, power_law, dense, diagonal, banded, arrow, empty_rows, heavy_row>;

}  // namespace gossamer::inline v0::generation
