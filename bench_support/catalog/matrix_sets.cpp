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

matrix_set held_out() {
  matrix_set set{.name = "held_out",
                 .help =
                     "generated matrices of five kinds, not used to choose constants, with two exceptions "
                     "(docs/notes/tuning.md)",
                 .members = {}};
  for (const char* specification : {
           "circuit(rows=1200,per_row=4,nets=2,heavy=150,seed=101)",
           "circuit(rows=12k,per_row=5,band=60,far=0.2,nets=6,heavy=600,seed=102)",
           "circuit(rows=40k,per_row=8,band=8,far=0.02,nets=1,heavy=20k,seed=103)",
           "circuit(rows=90k,per_row=3,band=2k,far=0.3,nets=30,heavy=2k,seed=104)",
           "circuit(rows=150k,per_row=12,band=500,far=0.05,nets=40,heavy=1k,seed=105)",
           "circuit(rows=250k,per_row=5,band=200,far=0.08,nets=12,heavy=40k,seed=106)",
           "circuit(rows=600k,per_row=6,band=30k,far=0.15,nets=3,heavy=5k,seed=107)",
           "circuit(rows=2M,per_row=7,band=64,far=0.1,nets=8,heavy=300k,seed=108)",
           "power_grid(buses=1400,degree=2.6,seed=201)",
           "power_grid(buses=14k,degree=3.2,region=16,seed=202)",
           "power_grid(buses=30k,block=2,seed=203)",
           "power_grid(buses=80k,degree=2.4,hubs=0.0005,region=64,seed=204)",
           "power_grid(buses=13k,block=4,degree=2.9,hubs=0.0039,region=16,seed=205)",
           "power_grid(buses=400k,region=20,seed=206)",
           "power_grid(buses=250k,block=2,degree=3.2,region=100,seed=207)",
           "power_grid(buses=1M,block=2,degree=2.6,hubs=0.003,seed=208)",
           "sparse_lp(rows=1k,cols=1900,per_row=4,linking=2,seed=301)",
           "sparse_lp(rows=9k,cols=12k,per_row=5,blocks=1,linking=20,heavy=500,slack=1,seed=302)",
           "sparse_lp(rows=20k,cols=90k,per_row=12,blocks=50,staircase=0,linking=40,heavy=4k,seed=303)",
           "sparse_lp(rows=60k,cols=70k,per_row=3,staircase=0.5,linking=0,slack=0.1,seed=304)",
           "sparse_lp(rows=5k,cols=200k,per_row=80,blocks=8,linking=12,heavy=60k,slack=0.8,seed=305)",
           "sparse_lp(rows=200k,cols=350k,per_row=7,blocks=2k,linking=100,heavy=3k,seed=306)",
           "sparse_lp(rows=600k,per_row=4.5,blocks=24,staircase=0.3,linking=5,heavy=200k,seed=307)",
           "sparse_lp(rows=900k,cols=1.5M,per_row=10,staircase=0.1,linking=64,heavy=20k,seed=308)",
           "shuffled_mesh(nx=30,seed=401)",
           "shuffled_mesh(nx=18,nz=16,seed=402)",
           "shuffled_mesh(nx=130,dof=2,seed=403)",
           "shuffled_mesh(nx=400,patch=4k,seed=404)",
           "shuffled_mesh(nx=24,nz=20,dof=3,seed=405)",
           "shuffled_mesh(nx=700,ny=900,seed=406)",
           "shuffled_mesh(nx=60,nz=70,patch=30k,seed=407)",
           "shuffled_mesh(nx=50,ny=60,nz=40,dof=3,seed=408)",
           "bipartite(rows=1k,cols=600,mean=6,seed=501)",
           "bipartite(rows=7k,cols=30k,mean=9,row_exponent=2.2,seed=502)",
           "bipartite(rows=60k,cols=4k,mean=5,row_exponent=3,col_exponent=2.5,seed=503)",
           "bipartite(rows=20k,cols=50k,mean=40,row_exponent=1.9,col_exponent=1.8,max=5k,seed=504)",
           "bipartite(rows=300k,cols=150k,mean=4,col_exponent=2.3,seed=505)",
           "bipartite(rows=6k,cols=1M,mean=500,row_exponent=4,col_exponent=2.4,seed=506)",
           "bipartite(rows=1.2M,cols=90k,mean=3.5,row_exponent=2.1,max=2k,seed=507)",
           "bipartite(rows=400k,cols=18k,mean=45,row_exponent=2.3,max=9k,seed=508)",
       }) {
    const std::string_view text = specification;
    set.members.push_back({.group = std::string(text.substr(0, text.find('('))),
                           .file = {},
                           .specification = specification,
                           .values = {}});
  }
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
          held_out(),
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
