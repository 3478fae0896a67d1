// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/catalog/matrix_sets.hpp"

#include <algorithm>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "core/fail.hpp"
#include "core/fork.hpp"
#include "core/out_of_memory.hpp"

namespace gossamer::bench_support {
namespace {

std::string like(std::string_view name) {
  return "like(" + std::string(name) + ")";
}

/// The real matrices that a paper's table names, or stand-ins.
matrix_set of_paper(std::string_view name, std::string_view help, std::string_view table) {
  matrix_set set{.name = name, .help = help, .members = {}};
  for (const known_matrix& m : known_matrices()) {
    if (std::find(m.tables.begin(), m.tables.end(), table) == m.tables.end()) continue;
    set.members.push_back({.group = std::string(bench_support::name(m.kind)),
                           .file = std::string(m.name),
                           .specification = like(m.name),
                           .values = {}});
  }
  return set;
}

/// What paper 000's text names of the set of Liu et al. (ICS 2013); of spal_004 nothing is printed to make a
/// stand-in of.
matrix_set of_esb() {
  return {
      .name = "esb",
      .help = "what paper 000, Figure 8 names of the matrices of ESB",
      .members = {{.group = "circuit", .file = "circuit5M", .specification = like("circuit5M"), .values = {}},
                  {.group = "lp", .file = "rail4284", .specification = like("rail4284"), .values = {}},
                  {.group = "lp", .file = "spal_004", .specification = {}, .values = {}}}};
}

matrix_set gallery() {
  matrix_set set{.name = "gallery", .help = "one small matrix of each generator", .members = {}};
  for (const char* specification : {"stencil(nx=30,ny=30,nz=10,points=27)",
                                    "fem(nx=12,mesh=unstructured)",
                                    "banded(n=10k,lower=4)",
                                    "diagonal(n=10k)",
                                    "dense(rows=300)",
                                    "arrow(n=5k,width=2)",
                                    "uniform(rows=10k,per_row=16)",
                                    "power_law(rows=10k,mean=8)",
                                    "rmat(scale=13)",
                                    "circuit(rows=10k)",
                                    "empty_rows(rows=10k,every=3)",
                                    "heavy_row(rows=2k,cols=20k,heavy=20k)",
                                    "cut_grid(rows=9990,nx=100,entries=49k)",
                                    "epidemic(n=120)",
                                    "nlpkkt(n=12)",
                                    "wilson(n=4)",
                                    "like(scircuit)",
                                    "power_grid(buses=10k,block=2)",
                                    "sparse_lp(rows=10k)",
                                    "shuffled_mesh(nx=80,dof=2)",
                                    "bipartite(rows=10k,cols=3k)"}) {
    const std::string_view text = specification;
    set.members.push_back({.group = std::string(text.substr(0, text.find('('))),
                           .file = {},
                           .specification = specification,
                           .values = {}});
  }
  return set;
}

matrix_set headline() {
  matrix_set set{
      .name = "headline", .help = "the frozen list that overall figures are taken from", .members = {}};
  const auto made = [&](const char* group, const char* specification) {
    set.members.push_back({.group = group, .file = {}, .specification = specification, .values = {}});
  };
  const auto real = [&](const char* group, const char* file, const char* values = "") {
    set.members.push_back({.group = group, .file = file, .specification = {}, .values = values});
  };
  for (const char* each : {"like(cant)", "like(consph)", "like(pwtk)", "like(shipsec1)", "fem(nx=68,dof=3)"})
    made("fem", each);
  real("fem", "bcsstk16");
  for (const char* each :
       {"like(ecology1,values=few(3))", "stencil(nx=108,ny=108,nz=108,points=7,values=few(3))",
        "stencil(nx=160,ny=160,nz=160,points=27,values=few(3))",
        "stencil(nx=4000,ny=4000,points=5,values=few(3))"})
    made("stencil_few", each);
  for (const char* each : {"like(ecology1)", "stencil(nx=108,ny=108,nz=108,points=7)",
                           "stencil(nx=160,ny=160,nz=160,points=27)", "stencil(nx=4000,ny=4000,points=5)"})
    made("stencil_distinct", each);
  for (const char* each : {"kkt_CONT-300", "tri_nsjac"}) real("stencil_distinct", each);
  for (const char* each : {"like(scircuit)", "like(circuit5M)", "like(rajat31)"}) made("circuit", each);
  real("circuit", "tri_basker_matrix1");
  // Graphs have no weights: 1, as the reader gives for a file without values.
  for (const char* each :
       {"like(webbase-1M,values=constant)", "rmat(scale=20,edge_factor=16,values=constant)"})
    made("graph", each);
  const char* const graphs[] = {"cnr-2000", "web-NotreDame", "soc-Slashdot0902", "cit-HepPh"};
  for (const char* each : graphs) real("graph", each);
  for (const char* each : {"like(webbase-1M)", "rmat(scale=20,edge_factor=16)"}) made("graph_weighted", each);
  for (const char* each : graphs) real("graph_weighted", each, "distinct");
  made("lp", "like(rail4284)");
  for (const char* each : {"dbir2", "boyd1", "nw14", "lp_osa_30", "rail582"}) real("lp", each);
  for (const char* each : {"uniform(rows=1M,per_row=16)", "uniform(rows=4M,per_row=16)"})
    made("random", each);
  made("dense", "like(dense2)");
  return set;
}

}  // namespace

std::span<const matrix_set> matrix_sets() {
  return naming_out_of_memory("matrix_sets", [&]() -> std::span<const matrix_set> {
    static constinit core::found_once<std::vector<matrix_set>> once;
    return once.get([] {
      return std::vector<matrix_set>{
          of_paper("brc", "paper 000, Table 1", "000"),
          of_esb(),
          of_paper("bccoo", "paper 001, Table I", "001"),
          of_paper("csr_m", "paper 002, Table VIII", "002"),
          of_paper("partition", "paper 004, Table 1", "004"),
          gallery(),
          headline(),
      };
    });
  });
}

const matrix_set& find_matrix_set(std::string_view name) {
  return naming_out_of_memory("find_matrix_set", [&]() -> const matrix_set& {
    std::string known;
    for (const matrix_set& set : matrix_sets()) {
      if (set.name == name) return set;
      known.append(known.empty() ? "@" : ", @").append(set.name);
    }
    fail(errc::invalid_argument, "@{}: there is no such set of matrices (known: {})", name, known);
  });
}

}  // namespace gossamer::bench_support
