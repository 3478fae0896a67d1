// SPDX-License-Identifier: BSD-3-Clause
// reverse_cuthill_mckee() by the Boost Graph Library, which reads the arrays of the graph through an adapter.
// Boost's search for a start vertex visits all vertices of the graph once for each connected component, which
// is quadratic if there are many. So each component is passed as a separate graph.
#include "gossamer/reorder.hpp"

#include <algorithm>

#include "core/adjacency.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/permuted.hpp"

#if GOSSAMER_HAVE_BOOST
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#endif

namespace gossamer::inline v0 {
namespace core {
namespace {

#if GOSSAMER_HAVE_BOOST

struct graph_edge {
  std::int32_t source = 0;
  std::int32_t target = 0;
  bool operator==(const graph_edge&) const = default;
};

struct edge_to {
  std::int32_t source = 0;
  graph_edge operator()(std::int32_t target) const noexcept { return {source, target}; }
};

struct graph_traversal : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};

/// A connected component of a graph, as a Boost IncidenceGraph and VertexListGraph.
struct component {
  using vertex_descriptor = std::int32_t;
  using edge_descriptor = graph_edge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = graph_traversal;
  using vertex_iterator = const std::int32_t*;
  using out_edge_iterator = boost::transform_iterator<edge_to, const std::int32_t*>;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static constexpr std::int32_t null_vertex() noexcept { return -1; }

  const adjacency* graph;
  std::span<const std::int32_t> members;
};

[[maybe_unused]] auto vertices(const component& c) {
  return std::pair(c.members.data(), c.members.data() + c.members.size());
}
[[maybe_unused]] std::size_t num_vertices(const component& c) {
  return c.members.size();
}
[[maybe_unused]] auto out_edges(std::int32_t vertex, const component& c) {
  using iterator = component::out_edge_iterator;
  const auto neighbors = c.graph->neighbors_of(vertex);
  return std::pair(iterator(neighbors.data(), edge_to{vertex}),
                   iterator(neighbors.data() + neighbors.size(), edge_to{vertex}));
}
[[maybe_unused]] std::size_t out_degree(std::int32_t vertex, const component& c) {
  return c.graph->neighbors_of(vertex).size();
}
[[maybe_unused]] std::int32_t source(const graph_edge& edge, const component& /*c*/) {
  return edge.source;
}
[[maybe_unused]] std::int32_t target(const graph_edge& edge, const component& /*c*/) {
  return edge.target;
}

/// Appends all other vertices of the component of members[first], the last of `members`, and marks them.
void collect_component(const adjacency& graph, std::size_t first, std::vector<std::int32_t>& members,
                       std::vector<bool>& is_found) {
  for (std::size_t next = first; next < members.size(); ++next) {
    for (const std::int32_t neighbor : graph.neighbors_of(members[next])) {
      if (is_found[static_cast<std::size_t>(neighbor)]) continue;
      is_found[static_cast<std::size_t>(neighbor)] = true;
      members.push_back(neighbor);
    }
  }
}

/// The Cuthill-McKee order, not reversed.
std::vector<std::int32_t> cuthill_mckee(const adjacency& graph) {
  const std::size_t size = graph.degree.size();
  const boost::typed_identity_property_map<std::int32_t> index;
  std::vector<boost::default_color_type> colors(size);
  const auto color = boost::make_iterator_property_map(colors.begin(), index);
  const auto degree = boost::make_iterator_property_map(graph.degree.data(), index);
  std::vector<std::int32_t> members;
  std::vector<std::int32_t> order(size);
  std::vector<bool> is_found(size);
  members.reserve(size);
  auto next = order.begin();
  for (std::size_t vertex = 0; vertex < size; ++vertex) {
    if (is_found[vertex]) continue;
    is_found[vertex] = true;
    const std::size_t first = members.size();
    members.push_back(static_cast<std::int32_t>(vertex));
    collect_component(graph, first, members, is_found);
    const component c{&graph, std::span<const std::int32_t>(members).subspan(first)};
    const std::int32_t start = boost::find_starting_node(c, members[first], color, degree);
    next = boost::cuthill_mckee_ordering(c, start, next, color, degree);
  }
  return order;
}

#else

std::vector<std::int32_t> cuthill_mckee(const adjacency& /*graph*/) {
  fail(errc::unsupported, "reverse_cuthill_mckee: this build of gossamer has no Boost Graph Library");
}

#endif

}  // namespace
}  // namespace core

std::string_view name(reordering order) {
  switch (order) {
    case reordering::none:
      return "none";
    case reordering::rcm:
      return "rcm";
  }
  fail(errc::invalid_argument, "reorder: invalid value {}", static_cast<int>(order));
}

reordering parse_reordering(std::string_view text) {
  for (const reordering each : {reordering::none, reordering::rcm})
    if (text == name(each)) return each;
  fail(errc::invalid_argument, "reorder = \"{}\" is not one of none, rcm", text);
}

template <value V, offset O>
std::vector<std::int32_t> reverse_cuthill_mckee(const csr_view<V, O>& a) {
  return naming_out_of_memory("reverse_cuthill_mckee", [&] {
    core::check_square(a.rows, a.cols, "reverse_cuthill_mckee");
    std::vector<std::int32_t> order = core::cuthill_mckee(core::adjacency_of(a));
    std::reverse(order.begin(), order.end());
    return order;
  });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API std::vector<std::int32_t> reverse_cuthill_mckee(const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
