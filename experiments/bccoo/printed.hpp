// SPDX-License-Identifier: BSD-3-Clause
// What paper 001 prints of its results, in words: its figures have no numbers in the text.
#pragma once

#include <string>
#include <vector>

namespace gossamer::experiments::bccoo {

/// The matrices of Table I.
inline constexpr const char* names_of_table_i[] = {"af_shell10",
                                                   "atmosmodd",
                                                   "atmosmodj",
                                                   "atmosmodl",
                                                   "atmosmodm",
                                                   "audikw_1",
                                                   "bone010",
                                                   "boneS10",
                                                   "Bump_2911",
                                                   "cage14",
                                                   "cage15",
                                                   "circuit5M_dc",
                                                   "circuit5M",
                                                   "Cube_Coup_dt0",
                                                   "Cube_Coup_dt6",
                                                   "CurlCurl_3",
                                                   "CurlCurl_4",
                                                   "dgreen",
                                                   "dielFilterV2real",
                                                   "dielFilterV3real",
                                                   "ecology1",
                                                   "ecology2",
                                                   "Emilia_923",
                                                   "Flan_1565",
                                                   "Freescale1",
                                                   "Freescale2",
                                                   "FullChip",
                                                   "G3_circuit",
                                                   "Geo_1438",
                                                   "Hamrle3",
                                                   "Hardesty1",
                                                   "Hook_1498",
                                                   "HV15R",
                                                   "kkt_power",
                                                   "ldoor",
                                                   "Long_Coup_dt0",
                                                   "Long_Coup_dt6",
                                                   "memchip",
                                                   "ML_Geer",
                                                   "nlpkkt80",
                                                   "nlpkkt120",
                                                   "nlpkkt160",
                                                   "nv2",
                                                   "Queen_4147",
                                                   "rajat31",
                                                   "Serena",
                                                   "ss",
                                                   "StocF-1465",
                                                   "stokes",
                                                   "t2em",
                                                   "thermal2",
                                                   "tmt_unsym",
                                                   "Transport",
                                                   "vas_stokes_1M",
                                                   "vas_stokes_2M",
                                                   "vas_stokes_4M"};

/// Average speed-ups of BCCOO (sections 3.2 to 3.4).
struct printed_averages {
  double over_mkl_csr = 0;   ///< on all cores of a socket or server
  double over_bcoo = 0;      ///< the same
  double mkl_csr_alone = 0;  ///< of MKL's CSR over BCCOO on one core
  double bcoo_alone = 0;     ///< of BCOO over BCCOO on one core
};
inline constexpr printed_averages on_epyc{
    .over_mkl_csr = 1.7, .over_bcoo = 2.0, .mkl_csr_alone = 3, .bcoo_alone = 1.5};
inline constexpr printed_averages on_xeon{
    .over_mkl_csr = 1, .over_bcoo = 3.3, .mkl_csr_alone = 2, .bcoo_alone = 1.3};

/// On a V100 and an A100: over cuSPARSE's CSR, and over its CSR and its COO.
inline constexpr double over_cusparse_csr = 1.2;
inline constexpr double over_cusparse = 1.4;

/// Matrices on which BCCOO takes more memory than COO on a GPU and is slower there (section 3.2).
inline std::vector<std::string> slower_than_coo() {
  return {"rajat31", "tmt_unsym"};
}

}  // namespace gossamer::experiments::bccoo
