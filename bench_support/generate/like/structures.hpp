// SPDX-License-Identifier: BSD-3-Clause
// What the papers do not print and stand-ins need: each matrix's class, and how its structure is made.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench_support/catalog/matrix_catalog.hpp"

namespace gossamer::bench_support::generation {

struct structure {
  std::string_view name;
  matrix_class kind;
  /// The generator of the very structure, where the matrix is known by a formula (or as a cut grid of its
  /// size): empty where only figures are known. These meet the printed figures by themselves.
  std::string_view formula = {};
  std::int64_t dof = 1;          ///< fem: unknowns of a node, chosen to divide the rows where possible
  std::int64_t far_percent = 8;  ///< circuit and graph: the share of entries far from the diagonal
  std::int64_t huge_rows = 0;    ///< rows of `huge` entries beside the others, chosen
  std::int64_t huge = 0;
};

inline constexpr structure structures[] = {
    {.name = "cant", .kind = matrix_class::fem, .dof = 3},
    {.name = "consph", .kind = matrix_class::fem, .dof = 3},
    {.name = "cop20k_A", .kind = matrix_class::fem, .dof = 1},
    {.name = "dense2", .kind = matrix_class::dense, .formula = "dense(rows=2000)"},
    {.name = "mac_econ_fwd500", .kind = matrix_class::circuit},
    {.name = "mc2depi", .kind = matrix_class::stencil, .formula = "epidemic(n=1024)"},
    {.name = "pdb1HYS", .kind = matrix_class::fem, .dof = 3},
    {.name = "pwtk", .kind = matrix_class::fem, .dof = 6},
    {.name = "conf5_4-8x8-05", .kind = matrix_class::stencil, .formula = "wilson(n=8)"},
    {.name = "rail4284", .kind = matrix_class::lp},
    {.name = "rma10", .kind = matrix_class::fem, .dof = 5},
    {.name = "scircuit", .kind = matrix_class::circuit},
    {.name = "shipsec1", .kind = matrix_class::fem, .dof = 6},
    {.name = "webbase-1M", .kind = matrix_class::graph},
    {.name = "af_shell10", .kind = matrix_class::fem, .dof = 5},
    {.name = "atmosmodd", .kind = matrix_class::stencil, .formula = "stencil(nx=148,ny=148,nz=58)"},
    {.name = "atmosmodj", .kind = matrix_class::stencil, .formula = "stencil(nx=148,ny=148,nz=58)"},
    {.name = "atmosmodl", .kind = matrix_class::stencil, .formula = "stencil(nx=198,ny=198,nz=38)"},
    {.name = "atmosmodm", .kind = matrix_class::stencil, .formula = "stencil(nx=198,ny=198,nz=38)"},
    {.name = "audikw_1", .kind = matrix_class::fem, .dof = 3},
    {.name = "bone010", .kind = matrix_class::fem, .dof = 3},
    {.name = "boneS10", .kind = matrix_class::fem, .dof = 3},
    {.name = "Bump_2911", .kind = matrix_class::fem, .dof = 3},
    {.name = "cage14", .kind = matrix_class::graph, .far_percent = 17},
    {.name = "cage15", .kind = matrix_class::graph, .far_percent = 17},
    {.name = "circuit5M_dc", .kind = matrix_class::circuit},
    {.name = "circuit5M", .kind = matrix_class::circuit, .huge_rows = 4, .huge = 1150000},
    {.name = "Cube_Coup_dt0", .kind = matrix_class::fem, .dof = 4},
    {.name = "Cube_Coup_dt6", .kind = matrix_class::fem, .dof = 4},
    {.name = "CurlCurl_3", .kind = matrix_class::fem, .dof = 1},
    {.name = "CurlCurl_4", .kind = matrix_class::fem, .dof = 1},
    {.name = "dgreen", .kind = matrix_class::fem, .dof = 3},
    {.name = "dielFilterV2real", .kind = matrix_class::fem, .dof = 1},
    {.name = "dielFilterV3real", .kind = matrix_class::fem, .dof = 1},
    {.name = "ecology1", .kind = matrix_class::stencil, .formula = "stencil(nx=1000,ny=1000)"},
    {.name = "ecology2",
     .kind = matrix_class::stencil,
     .formula = "cut_grid(rows=999999,nx=1000,entries=4995991)"},
    {.name = "Emilia_923", .kind = matrix_class::fem, .dof = 3},
    {.name = "Flan_1565", .kind = matrix_class::fem, .dof = 3},
    {.name = "Freescale1", .kind = matrix_class::circuit},
    {.name = "Freescale2", .kind = matrix_class::circuit},
    {.name = "FullChip", .kind = matrix_class::circuit},
    {.name = "G3_circuit", .kind = matrix_class::circuit},
    {.name = "Geo_1438", .kind = matrix_class::fem, .dof = 3},
    {.name = "Hamrle3", .kind = matrix_class::circuit},
    {.name = "Hardesty1", .kind = matrix_class::fem, .dof = 1},
    {.name = "Hook_1498", .kind = matrix_class::fem, .dof = 3},
    {.name = "HV15R", .kind = matrix_class::fem, .dof = 7},
    {.name = "kkt_power", .kind = matrix_class::circuit},
    {.name = "ldoor", .kind = matrix_class::fem, .dof = 3},
    {.name = "Long_Coup_dt0", .kind = matrix_class::fem, .dof = 4},
    {.name = "Long_Coup_dt6", .kind = matrix_class::fem, .dof = 4},
    {.name = "memchip", .kind = matrix_class::circuit},
    {.name = "ML_Geer", .kind = matrix_class::fem, .dof = 3},
    {.name = "nlpkkt80", .kind = matrix_class::stencil, .formula = "nlpkkt(n=80)"},
    {.name = "nlpkkt120", .kind = matrix_class::stencil, .formula = "nlpkkt(n=120)"},
    {.name = "nlpkkt160", .kind = matrix_class::stencil, .formula = "nlpkkt(n=160)"},
    {.name = "nv2", .kind = matrix_class::fem, .dof = 3},
    {.name = "Queen_4147", .kind = matrix_class::fem, .dof = 3},
    {.name = "rajat31", .kind = matrix_class::circuit},
    {.name = "Serena", .kind = matrix_class::fem, .dof = 3},
    {.name = "ss", .kind = matrix_class::fem, .dof = 3},
    {.name = "StocF-1465", .kind = matrix_class::fem, .dof = 1},
    {.name = "stokes", .kind = matrix_class::fem, .dof = 3},
    {.name = "t2em",
     .kind = matrix_class::stencil,
     .formula = "cut_grid(rows=921632,nx=960,entries=4590832)"},
    {.name = "thermal2", .kind = matrix_class::fem, .dof = 1},
    {.name = "tmt_unsym",
     .kind = matrix_class::stencil,
     .formula = "cut_grid(rows=917825,nx=958,entries=4584801)"},
    {.name = "Transport", .kind = matrix_class::fem, .dof = 1},
    {.name = "vas_stokes_1M", .kind = matrix_class::fem, .dof = 3},
    {.name = "vas_stokes_2M", .kind = matrix_class::fem, .dof = 3},
    {.name = "vas_stokes_4M", .kind = matrix_class::fem, .dof = 3},
    {.name = "PR02R", .kind = matrix_class::fem, .dof = 5},
    {.name = "TSOPF_RS_b300_c3", .kind = matrix_class::fem, .dof = 3},
    {.name = "ohne2", .kind = matrix_class::fem, .dof = 3},
    {.name = "nlpkkt200", .kind = matrix_class::stencil, .formula = "nlpkkt(n=200)"},
    {.name = "BenElechi1", .kind = matrix_class::fem, .dof = 6},
};

/// Of a name in the catalogue.
const structure& structure_of(std::string_view name);

/// Figures that no table prints, chosen by class from the mean: between those that 000's Table 1 prints for
/// the class (circuit: scircuit's; graph: those of cage10, measured).
struct chosen_lengths {
  double sd_by_mean;
  double min_by_mean;
  double max_by_mean;
};
constexpr chosen_lengths choose_lengths(matrix_class kind) noexcept {
  if (kind == matrix_class::circuit) return {.sd_by_mean = 0.75, .min_by_mean = 0, .max_by_mean = 63};
  if (kind == matrix_class::graph) return {.sd_by_mean = 0.3, .min_by_mean = 0.25, .max_by_mean = 2};
  return {.sd_by_mean = 0.2, .min_by_mean = 0.25, .max_by_mean = 2};
}

}  // namespace gossamer::bench_support::generation
