// SPDX-License-Identifier: BSD-3-Clause
// The list as data, and the public class: checks arguments, then one virtual call.
#include "bench_support/peers/peers.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"

#include <chrono>
#include <limits>
#include <vector>

#include "bench_support/peers/all_peers.hpp"
#include "bench_support/peers/peer.hpp"
#include "core/fork.hpp"
#include "core/parallel.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::bench_support {
namespace {

const peers::entry& find_entry(std::string_view name) {
  const peers::entry* found = nullptr;
  std::string names;
  peers::all_peers::for_each([&]<class Peer>() {
    const peers::entry& each = peers::entry_of<Peer>();
    if (each.info.name == name) found = &each;
    names += (names.empty() ? "" : ", ") + std::string(each.info.name);
  });
  if (found == nullptr) fail(errc::invalid_argument, "peer = \"{}\" is not one of {}", name, names);
  return *found;
}

template <value V>
peers::prepared<V> prepare(const peers::entry& peer, peers::matrix<V>&& a, const exec::target& target,
                           std::int64_t columns) {
  if constexpr (sizeof(V) == sizeof(float))
    return peer.prepare_f32(std::move(a), target, columns);
  else
    return peer.prepare_f64(std::move(a), target, columns);
}

template <value V, offset O>
peers::matrix<V> narrowed(const csr_view<V, O>& a) {
  peers::matrix<V> result{.rows = a.rows, .cols = a.cols, .col = a.col, .val = a.val};
  if constexpr (std::is_same_v<O, std::int32_t>) {
    result.row_ptr = host_buffer<std::int32_t>::borrow(a.row_ptr);
  } else if (a.nnz() > std::numeric_limits<std::int32_t>::max()) {
    result.wide_row_ptr = host_buffer<std::int64_t>::borrow(a.row_ptr);
  } else {
    result.row_ptr = host_buffer<std::int32_t>(a.row_ptr.size());
    core::parallel_for(a.rows + 1, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        result.row_ptr.data()[i] = static_cast<std::int32_t>(a.row_ptr[static_cast<std::size_t>(i)]);
    });
  }
  return result;
}

template <class V>
void check(const peers::peer_facts& facts, device_set kind, const V* x, std::size_t x_size, const V* y,
           std::size_t y_size) {
  const bool on_cpu = std::holds_alternative<cpu>(facts.where);
  if (on_cpu != (kind == device_set::cpu))
    peers::refuse(facts.name, "multiply: {} vectors given to a peer on {}", on_cpu ? "device" : "host",
                  name(facts.where));
  const auto check_size = [&](const char* vector, std::size_t size, bool of_columns) {
    const std::int64_t expected = of_columns ? facts.cols : facts.rows;
    if (size != static_cast<std::size_t>(expected * facts.columns))
      fail(errc::size_mismatch, "multiply: {} has {} elements, the matrix has {} {}{}", vector, size,
           expected, of_columns ? "columns" : "rows",
           facts.columns == 1 ? "" : message(" and is prepared for {} vectors", {facts.columns}));
  };
  check_size("x", x_size, !facts.transposed);
  check_size("y", y_size, facts.transposed);
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x);
  const auto y_begin = reinterpret_cast<std::uintptr_t>(y);
  if (x_begin < y_begin + y_size * sizeof(V) && y_begin < x_begin + x_size * sizeof(V))
    fail(errc::overlap, "multiply: x and y share memory");
}

/// multiply(x, y) of all columns at once, or of one after another.
template <class V, class Multiply>
void for_columns(const peers::peer_facts& facts, const V* x, std::size_t x_size, V* y, std::size_t y_size,
                 Multiply&& multiply) {
  if (facts.several) return multiply(x, y);
  const auto columns = static_cast<std::size_t>(facts.columns);
  for (std::size_t j = 0; j < columns; ++j) multiply(x + j * (x_size / columns), y + j * (y_size / columns));
}

}  // namespace

namespace peers {

template <value V>
void peer_base<V>::multiply_host(V, const V*, V, V*) const {
  peers::refuse(facts.name, "it has no product on host vectors");
}
template <value V>
void peer_base<V>::multiply_device(V, const V*, V, V*, cuda_stream) const {
  peers::refuse(facts.name, "it has no product on device vectors");
}
template class peer_base<float>;
template class peer_base<double>;

}  // namespace peers

std::span<const peer_info> list_peers() {
  return naming_out_of_memory("list_peers", [&]() -> std::span<const peer_info> {
    static constinit core::found_once<std::vector<peer_info>> once;
    return once.get([] {
      std::vector<peer_info> infos;
      peers::all_peers::for_each([&]<class Peer>() { infos.push_back(peers::entry_of<Peer>().info); });
      return infos;
    });
  });
}

const peer_info& find_peer(std::string_view name) {
  return naming_out_of_memory("find_peer", [&]() -> const peer_info& { return find_entry(name).info; });
}

peer_presence find_peer_here(std::string_view name) {
  return naming_out_of_memory("find_peer_here", [&] { return find_entry(name).look(); });
}

template <value V, offset O>
peer_product<V> inspect_peer(std::string_view peer, const csr_view<V, O>& a, const resource& where,
                             std::int64_t columns) {
  return naming_out_of_memory("inspect_peer", [&] {
    const peers::entry& chosen = find_entry(peer);
    constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();
    if (columns < 1 || columns > most_columns)
      fail(errc::invalid_argument, "inspect_peer: columns {} is not between 1 and {}", columns, most_columns);
    const std::string_view known = chosen.info.name;
    const device_set kind = std::holds_alternative<cpu>(where) ? device_set::cpu : device_set::cuda;
    if (!contains(chosen.info.devices, kind)) peers::refuse(known, "it does not run on {}", name(where));
    if (const peer_presence here = chosen.look(); !here.present) peers::refuse(known, "{}", here.reason);
    exec::target target = exec::target_of(where);
    if (target.threads == 0) target.threads = core::default_threads();
    target.threads = std::min(target.threads, core::most_threads());
    validate(a);
    if (a.rows == 0 || a.cols == 0 || a.nnz() == 0)
      peers::refuse(known, "a matrix of {} x {} with {} nonzeros has nothing to multiply", a.rows, a.cols,
                    a.nnz());

    const auto begin = std::chrono::steady_clock::now();
    peers::prepared<V> made = prepare<V>(chosen, narrowed(a), target, columns);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    made->facts = {.name = known,
                   .where = where,
                   .rows = a.rows,
                   .cols = a.cols,
                   .nnz = a.nnz(),
                   .columns = columns,
                   .transposed = chosen.info.transposed,
                   .several = chosen.info.several,
                   .inspect_seconds = taken.count()};
    return peer_product<V>(std::move(made));
  });
}

template <value V>
peer_product<V>::peer_product(std::unique_ptr<peers::peer_base<V>> base) noexcept : base_(std::move(base)) {}
template <value V>
peer_product<V>::peer_product(peer_product&&) noexcept = default;
template <value V>
peer_product<V>& peer_product<V>::operator=(peer_product&&) noexcept = default;
template <value V>
peer_product<V>::~peer_product() = default;

template <value V>
void peer_product<V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
  check(base_->facts, device_set::cpu, x.data(), x.size(), y.data(), y.size());
  naming_out_of_memory("multiply", [&] {
    for_columns<V>(base_->facts, x.data(), x.size(), y.data(), y.size(),
                   [&](const V* from, V* to) { base_->multiply_host(alpha, from, beta, to); });
  });
}

template <value V>
void peer_product<V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y,
                               cuda_stream stream) const {
  check(base_->facts, device_set::cuda, x.data(), x.size(), y.data(), y.size());
  naming_out_of_memory("multiply", [&] {
    for_columns<V>(base_->facts, x.data(), x.size(), y.data(), y.size(),
                   [&](const V* from, V* to) { base_->multiply_device(alpha, from, beta, to, stream); });
  });
}

template <value V>
std::int64_t peer_product<V>::rows() const noexcept {
  return base_->facts.rows;
}
template <value V>
std::int64_t peer_product<V>::cols() const noexcept {
  return base_->facts.cols;
}
template <value V>
std::int64_t peer_product<V>::nnz() const noexcept {
  return base_->facts.nnz;
}
template <value V>
std::int64_t peer_product<V>::columns() const noexcept {
  return base_->facts.columns;
}
template <value V>
std::int64_t peer_product<V>::bytes() const noexcept {
  return base_->bytes();
}
template <value V>
double peer_product<V>::inspect_seconds() const noexcept {
  return base_->facts.inspect_seconds;
}
template <value V>
std::string_view peer_product<V>::name() const noexcept {
  return base_->facts.name;
}
template <value V>
std::string_view peer_product<V>::settings() const noexcept {
  return base_->settings();
}
template <value V>
const resource& peer_product<V>::where() const noexcept {
  return base_->facts.where;
}

template class peer_product<float>;
template class peer_product<double>;
#define GOSSAMER_INSTANCE(V, O)                                                                   \
  template peer_product<V> inspect_peer(std::string_view, const csr_view<V, O>&, const resource&, \
                                        std::int64_t);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
