// SPDX-License-Identifier: BSD-3-Clause
// The named sets: who belongs to them, and that every member can be made.
#include "bench_support/catalog/matrix_sets.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/make_pattern.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer::bench_support::find_matrix_set;
using gossamer::bench_support::matrix_set;
using gossamer::bench_support::matrix_set_member;
using testing::ElementsAre;

std::vector<std::string> files(const gossamer::bench_support::matrix_set& set) {
  std::vector<std::string> all;
  for (const gossamer::bench_support::matrix_set_member& m : set.members) all.push_back(m.file);
  return all;
}

std::vector<std::string> group(const gossamer::bench_support::matrix_set& set, const std::string& name) {
  std::vector<std::string> all;
  for (const gossamer::bench_support::matrix_set_member& m : set.members) {
    if (m.group != name) continue;
    all.push_back(m.specification.empty() ? m.file + (m.values.empty() ? "" : "=" + m.values)
                                          : m.specification);
  }
  return all;
}

TEST(matrix_sets, papers_sets_are_their_tables) {
  EXPECT_THAT(
      files(gossamer::bench_support::find_matrix_set("brc")),
      ElementsAre("cant", "consph", "cop20k_A", "dense2", "mac_econ_fwd500", "mc2depi", "pdb1HYS", "pwtk",
                  "conf5_4-8x8-05", "rail4284", "rma10", "scircuit", "shipsec1", "webbase-1M"));
  EXPECT_THAT(
      files(gossamer::bench_support::find_matrix_set("csr_m")),
      testing::UnorderedElementsAre("pdb1HYS", "consph", "cant", "mac_econ_fwd500", "mc2depi", "cop20k_A"));
  EXPECT_THAT(files(gossamer::bench_support::find_matrix_set("partition")),
              testing::UnorderedElementsAre("PR02R", "pwtk", "TSOPF_RS_b300_c3", "af_shell10", "rajat31",
                                            "ohne2", "nlpkkt120", "nlpkkt160", "nlpkkt200", "cage15"));
  EXPECT_EQ(gossamer::bench_support::find_matrix_set("bccoo").members.size(), 56U);
  for (const char* name : {"brc", "csr_m", "partition", "bccoo"}) {
    for (const gossamer::bench_support::matrix_set_member& m :
         gossamer::bench_support::find_matrix_set(name).members) {
      EXPECT_EQ(m.specification, "like(" + m.file + ")");
      EXPECT_EQ(m.group,
                gossamer::bench_support::name(gossamer::bench_support::find_known_matrix(m.file).kind));
      EXPECT_EQ(m.values, "");
    }
  }
}

TEST(matrix_sets, the_gallery_has_every_generator) {
  std::set<std::string> shown;
  for (const gossamer::bench_support::matrix_set_member& m :
       gossamer::bench_support::find_matrix_set("gallery").members) {
    EXPECT_TRUE(shown.insert(m.group).second) << m.group;
    const auto a = gossamer::bench_support::generate<float>(m.specification);
    EXPECT_GT(a.nnz(), 0) << m.specification;
    EXPECT_LT(a.nnz(), 1'000'000) << m.specification;
  }
  std::set<std::string> all;
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators())
    all.insert(std::string(g.name));
  EXPECT_EQ(shown, all);
}

/// Frozen: overall figures of different versions are compared over it.
TEST(matrix_sets, the_headline_is_frozen) {
  const gossamer::bench_support::matrix_set& h = gossamer::bench_support::find_matrix_set("headline");
  EXPECT_THAT(group(h, "fem"), ElementsAre("like(cant)", "like(consph)", "like(pwtk)", "like(shipsec1)",
                                           "fem(nx=68,dof=3)", "bcsstk16"));
  EXPECT_THAT(group(h, "stencil_few"), ElementsAre("like(ecology1,values=few(3))",
                                                   "stencil(nx=108,ny=108,nz=108,points=7,values=few(3))",
                                                   "stencil(nx=160,ny=160,nz=160,points=27,values=few(3))",
                                                   "stencil(nx=4000,ny=4000,points=5,values=few(3))"));
  EXPECT_THAT(group(h, "stencil_distinct"),
              ElementsAre("like(ecology1)", "stencil(nx=108,ny=108,nz=108,points=7)",
                          "stencil(nx=160,ny=160,nz=160,points=27)", "stencil(nx=4000,ny=4000,points=5)",
                          "kkt_CONT-300", "tri_nsjac"));
  EXPECT_THAT(group(h, "circuit"),
              ElementsAre("like(scircuit)", "like(circuit5M)", "like(rajat31)", "tri_basker_matrix1"));
  EXPECT_THAT(group(h, "graph"),
              ElementsAre("like(webbase-1M,values=constant)", "rmat(scale=20,edge_factor=16,values=constant)",
                          "cnr-2000", "web-NotreDame", "soc-Slashdot0902", "cit-HepPh"));
  EXPECT_THAT(group(h, "graph_weighted"),
              ElementsAre("like(webbase-1M)", "rmat(scale=20,edge_factor=16)", "cnr-2000=distinct",
                          "web-NotreDame=distinct", "soc-Slashdot0902=distinct", "cit-HepPh=distinct"));
  EXPECT_THAT(group(h, "lp"),
              ElementsAre("like(rail4284)", "dbir2", "boyd1", "nw14", "lp_osa_30", "rail582"));
  EXPECT_THAT(group(h, "random"), ElementsAre("uniform(rows=1M,per_row=16)", "uniform(rows=4M,per_row=16)"));
  EXPECT_THAT(group(h, "dense"), ElementsAre("like(dense2)"));
  EXPECT_EQ(h.members.size(), 41U);
}

/// Frozen too: a change of a member or of its generator changes the number of nonzeros.
TEST(matrix_sets, held_out_has_eight_matrices_of_each_of_five_kinds) {
  const gossamer::bench_support::matrix_set& set = gossamer::bench_support::find_matrix_set("held_out");
  EXPECT_THAT(std::string(set.help), testing::HasSubstr("not used to choose constants, with two exceptions"));
  EXPECT_EQ(set.members.size(), 40U);
  for (const char* kind : {"circuit", "power_grid", "sparse_lp", "shuffled_mesh", "bipartite"})
    EXPECT_EQ(group(set, kind).size(), 8U) << kind;
  std::set<std::string> seeds;
  std::int64_t total = 0;
  for (const gossamer::bench_support::matrix_set_member& m : set.members) {
    EXPECT_EQ(m.specification.find(m.group + "("), 0U) << m.specification;
    const auto seed = m.specification.find("seed=");
    ASSERT_NE(seed, std::string::npos) << m.specification;
    EXPECT_TRUE(seeds.insert(m.specification.substr(seed)).second) << m.specification;
    const auto pattern = gossamer::bench_support::generation::make_pattern(m.specification);
    std::int64_t nnz = 0;
    for (std::int64_t i = 0; i < pattern->rows; ++i) nnz += pattern->row_length(i);
    EXPECT_GE(nnz, 4'900) << m.specification;
    EXPECT_LE(nnz, 20'000'000) << m.specification;
    total += nnz;
  }
  EXPECT_EQ(total, 121'800'399);
}

TEST(matrix_sets, every_member_is_a_file_or_can_be_made) {
  for (const gossamer::bench_support::matrix_set& set : gossamer::bench_support::matrix_sets()) {
    EXPECT_FALSE(set.help.empty());
    for (const gossamer::bench_support::matrix_set_member& m : set.members) {
      EXPECT_FALSE(m.file.empty() && m.specification.empty());
      EXPECT_FALSE(m.group.empty());
      if (m.specification.empty()) continue;
      EXPECT_NO_THROW(gossamer::bench_support::generation::make_pattern(m.specification));
    }
  }
}

TEST(matrix_sets, an_unknown_one_lists_the_known_ones) {
  gossamer_test::expect_error(
      gossamer::errc::invalid_argument,
      "@brd: there is no such set of matrices (known: @brc, @esb, @bccoo, @csr_m, @partition, "
      "@gallery, @headline, @held_out)",
      [] { gossamer::bench_support::find_matrix_set("brd"); });
}

}  // namespace
