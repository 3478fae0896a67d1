// SPDX-License-Identifier: BSD-3-Clause
// The list of formats: the only place, beside their own folders, that names them.
#pragma once

#include "formats/brc/format.hpp"
#include "formats/cached_x/format.hpp"
#include "formats/coo/format.hpp"
#include "formats/csr/format.hpp"
#include "formats/dia/format.hpp"
#include "formats/diag_blocks/format.hpp"
#include "formats/ellpack/format.hpp"
#include "formats/hyb/format.hpp"
#include "formats/packed/format.hpp"
#include "formats/papers/arg_csr/format.hpp"
#include "formats/papers/bccoo/format.hpp"
#include "formats/papers/bcoo/format.hpp"
#include "formats/papers/csr_fragment/format.hpp"
#include "formats/papers/csr_gathered/format.hpp"
#include "formats/papers/ellpack_r/format.hpp"
#include "formats/papers/jds/format.hpp"
#include "formats/papers/row_grouped_csr/format.hpp"
#include "formats/pattern_csr/format.hpp"
#include "formats/sliced_ell/format.hpp"

namespace gossamer::inline v0::formats {

template <format... F>
struct format_list {
  /// f.template operator()<F>() for each.
  template <class Function>
  static void for_each(Function&& f) {
    (f.template operator()<F>(), ...);
  }
};

using all_formats =
    format_list<coo, csr, pattern_csr, csr_fragment, csr_gathered, ellpack, ellpack_r, sliced_ell,
                row_grouped_csr, arg_csr, jds, brc, hyb, dia, diag_blocks, bcoo, bccoo, cached_x, packed>;

/// What matrices are given in.
using plain = csr;

}  // namespace gossamer::inline v0::formats
