// SPDX-License-Identifier: BSD-3-Clause
// The papers' tables of matrices as they are printed, and the SuiteSparse index where a paper prints names
// alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace gossamer::bench_support::generation {

/// Paper 000, Table 1 (B2, a parameter of its format, left out), and Table 4's column CNZ(%).
struct row_of_000 {
  std::string_view abbreviation, title;
  std::string_view name;  ///< in the SuiteSparse collection
  std::int64_t rows, cols, nnz;
  std::string_view mean, sd, min, max, hyb_k, coo_percent;
};
inline constexpr row_of_000 table_000[] = {
    {"CAN", "FEM/Cantilever", "cant", 62451, 62451, 4007383, "64", "14", "1", "78", "75", "0.323"},
    {"SPH", "FEM/Spheres", "consph", 83334, 83334, 6010480, "72", "19", "1", "81", "81", "0"},
    {"ACC", "FEM/Accelerator", "cop20k_A", 121192, 121192, 2624331, "22", "14", "8", "81", "23", "17.248"},
    {"DEN", "Dense", "dense2", 2000, 2000, 4000000, "2000", "0", "2000", "2000", "0", "100"},
    {"ECO", "Economics", "mac_econ_fwd500", 206500, 206500, 1273389, "6", "4", "1", "44", "7", "18.879"},
    {"EPI", "Epidemiology", "mc2depi", 525825, 525825, 2100225, "4", "0", "2", "4", "4", "0"},
    {"PRO", "Protein", "pdb1HYS", 36417, 36417, 4344765, "119", "32", "18", "204", "138", "4.026"},
    {"WIN", "Wind Tunnel", "pwtk", 217918, 217918, 11634424, "53", "5", "2", "180", "54", "0.561"},
    {"QCD", "QCD", "conf5_4-8x8-05", 49152, 49152, 1916928, "39", "0", "39", "39", "39", "0"},
    {"LP", "LP", "rail4284", 4284, 1092610, 11279748, "2633", "4209", "1", "56181", "23", "99.147"},
    {"HAR", "FEM/Harbor", "rma10", 46835, 46835, 2374001, "51", "28", "4", "145", "55", "18.673"},
    {"CIR", "Circuit", "scircuit", 170998, 170998, 958936, "6", "4", "1", "353", "5", "21.775"},
    {"SHI", "FEM/Ship", "shipsec1", 140874, 140874, 7813404, "55", "11", "24", "102", "54", "6.850"},
    {"WEB", "Webbase", "webbase-1M", 1000005, 1000005, 3105536, "3", "25", "1", "4700", "2", "35.788"},
};

/// Papers 001 (Table I) and 002 (Table VIII): square matrices, and the nonzeros a row.
struct square_row {
  std::string_view name;
  std::int64_t rows, nnz;
  std::string_view mean;
};
inline constexpr square_row table_001[] = {
    {"af_shell10", 1508065, 52259885, "34.7"},
    {"atmosmodd", 1270432, 8814880, "6.9"},
    {"atmosmodj", 1270432, 8814880, "6.9"},
    {"atmosmodl", 1489752, 10319760, "6.9"},
    {"atmosmodm", 1489752, 10319760, "6.9"},
    {"audikw_1", 943695, 77651847, "82.3"},
    {"bone010", 986703, 47851783, "48.5"},
    {"boneS10", 914898, 40878708, "44.7"},
    {"Bump_2911", 2911419, 127729899, "43.9"},
    {"cage14", 1505785, 27130349, "18.0"},
    {"cage15", 5154859, 99199551, "19.2"},
    {"circuit5M_dc", 3523317, 14865409, "4.2"},
    {"circuit5M", 5558326, 59524291, "10.7"},
    {"Cube_Coup_dt0", 2164760, 124406070, "57.5"},
    {"Cube_Coup_dt6", 2164760, 124406070, "57.5"},
    {"CurlCurl_3", 1219574, 13544618, "11.1"},
    {"CurlCurl_4", 2380515, 26515867, "11.1"},
    {"dgreen", 1200611, 26606169, "22.2"},
    {"dielFilterV2real", 1157456, 48538952, "41.9"},
    {"dielFilterV3real", 1102824, 89306020, "81.0"},
    {"ecology1", 1000000, 4996000, "5.0"},
    {"ecology2", 999999, 4995991, "5.0"},
    {"Emilia_923", 923136, 40373538, "43.7"},
    {"Flan_1565", 1564794, 114165372, "73.0"},
    {"Freescale1", 3428755, 17052626, "5.0"},
    {"Freescale2", 2999349, 14313235, "4.8"},
    {"FullChip", 2987012, 26621983, "8.9"},
    {"G3_circuit", 1585478, 7660826, "4.8"},
    {"Geo_1438", 1437960, 60236322, "41.9"},
    {"Hamrle3", 1447360, 5514242, "3.8"},
    {"Hardesty1", 938905, 12143314, "12.9"},
    {"Hook_1498", 1498023, 59374451, "39.6"},
    {"HV15R", 2017169, 283073458, "140.3"},
    {"kkt_power", 2063494, 12771361, "6.2"},
    {"ldoor", 952203, 42493817, "44.6"},
    {"Long_Coup_dt0", 1470152, 84422970, "57.4"},
    {"Long_Coup_dt6", 1470152, 84422970, "57.4"},
    {"memchip", 2707524, 13343948, "4.9"},
    {"ML_Geer", 1504002, 110686677, "73.6"},
    {"nlpkkt80", 1062400, 28192672, "26.5"},
    {"nlpkkt120", 3542400, 95117792, "26.9"},
    {"nlpkkt160", 8345600, 225422112, "27.0"},
    {"nv2", 1453908, 37475646, "25.8"},
    {"Queen_4147", 4147110, 316548962, "76.3"},
    {"rajat31", 4690002, 20316253, "4.3"},
    {"Serena", 1391349, 64131971, "46.1"},
    {"ss", 1652680, 34753577, "21.0"},
    {"StocF-1465", 1465137, 21005389, "14.3"},
    {"stokes", 11449533, 349321980, "30.5"},
    {"t2em", 921632, 4590832, "5.0"},
    {"thermal2", 1228045, 8580313, "7.0"},
    {"tmt_unsym", 917825, 4584801, "5.0"},
    {"Transport", 1602111, 23487281, "14.7"},
    {"vas_stokes_1M", 1090664, 34767207, "31.9"},
    {"vas_stokes_2M", 2146677, 65129037, "30.3"},
    {"vas_stokes_4M", 4382246, 131577616, "30.0"},
};

/// Means are cut, not rounded (3.99 is printed as 3.9).
inline constexpr square_row table_002[] = {
    {"pdb1HYS", 36417, 4344765, "119.3"}, {"consph", 83334, 6010480, "72.1"},
    {"cant", 62451, 4007383, "64.1"},     {"mac_econ_fwd500", 206500, 1273389, "6.1"},
    {"mc2depi", 525825, 2100225, "3.9"},  {"cop20k_A", 121192, 2624331, "21.6"},
};

/// Paper 004, Table 1, prints names alone; BenElechi1 stands in its text. The figures are the SuiteSparse
/// index's.
struct row_of_004 {
  std::string_view name;
  std::int64_t rows, cols, nnz;
};
inline constexpr row_of_004 table_004[] = {
    {"PR02R", 161070, 161070, 8185136},           {"pwtk", 217918, 217918, 11524432},
    {"TSOPF_RS_b300_c3", 42138, 42138, 4413449},  {"af_shell10", 1508065, 1508065, 52259885},
    {"rajat31", 4690002, 4690002, 20316253},      {"ohne2", 181343, 181343, 6869939},
    {"nlpkkt120", 3542400, 3542400, 95117792},    {"nlpkkt160", 8345600, 8345600, 225422112},
    {"nlpkkt200", 16240000, 16240000, 440225632}, {"cage15", 5154859, 5154859, 99199551},
};
inline constexpr row_of_004 text_004[] = {{"BenElechi1", 245874, 245874, 13150496}};

}  // namespace gossamer::bench_support::generation
