// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/hybrid_plan.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "exec/elementwise.hpp"
#include "hybrids/groups.hpp"
#include "hybrids/workspace.hpp"
#include "timer/stopwatch.hpp"

namespace gossamer::inline v0::hybrids {
namespace {

/// Threads for what is not a product: a team of another size than the part's would be started and ended with
/// each product.
template <value V>
int team_of(const part<V>& each) {
  const resource where = each.product.where();
  const auto* const host = std::get_if<cpu>(&where);
  return host != nullptr ? thread_count(*host) : 1;
}

/// y = from + beta y in a part's rows.
template <value V>
void scatter(const part<V>& each, const V* from, V beta, V* y) {
  const std::int32_t* const rows = each.rows.data();
  core::parallel_for(
      each.product.rows(), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          V& to = y[rows[i]];
          to = beta == V{0} ? from[i] : from[i] + beta * to;
        }
      },
      team_of(each));
}

/// Holds a workspace, whose threads and host memory serve one product at a time.
class hold_room {
 public:
  explicit hold_room(plans::workspace_base& room) : room_(room) {
    if (room_.in_use.test_and_set(std::memory_order_acquire))
      fail(errc::busy, "multiply: the workspace is in use by another product; make one for each thread");
  }
  ~hold_room() { room_.in_use.clear(std::memory_order_release); }
  hold_room(const hold_room&) = delete;
  hold_room& operator=(const hold_room&) = delete;

 private:
  plans::workspace_base& room_;
};

}  // namespace

template <value V>
hybrid_plan<V>::hybrid_plan(plans::plan_facts facts, std::vector<part<V>>&& parts,
                            std::vector<plan_part>&& shown)
    : plans::plan_base<V>(std::move(facts)), parts_(std::move(parts)), shown_(std::move(shown)) {}

template <value V>
void hybrid_plan<V>::multiply_host(const product<V>& p, plans::workspace_base& workspace) const {
  if (parts_.empty()) return;
  if (p.alpha == V{0}) return exec::scale(p.y, this->facts().rows, p.beta, team_of(parts_.front()));
  auto& own = static_cast<hybrid_workspace<V>&>(workspace);
  own.last_on_devices = false;
  std::vector<resource> places;
  for (const part<V>& each : parts_) places.push_back(each.product.where());
  const int copying = copying_threads(places);
  const std::span<const V> x(p.x, static_cast<std::size_t>(this->facts().cols));
  own.leaders().run([&](std::size_t k) {
    const part<V>& each = parts_[k];
    part_room<V>& room = own.rooms[k];
    const auto begin = timer::host_clock::now();
    const bool on_gpu = std::holds_alternative<cuda>(each.product.where());
    const thread_limit limit(on_gpu ? copying : 0);
    const auto own_x =
        x.subspan(static_cast<std::size_t>(each.first_col), static_cast<std::size_t>(each.product.cols()));
    if (each.adjacent())
      each.product.multiply(p.alpha, own_x, p.beta,
                            {p.y + each.first_row, static_cast<std::size_t>(each.product.rows())},
                            room.scratch);
    else
      each.product.multiply(p.alpha, own_x, V{0}, room.y.span(), room.scratch);
    room.seconds = timer::seconds_since(begin);
  });
  // Only now, so that a part that failed leaves these rows as they were.
  if (std::all_of(parts_.begin(), parts_.end(), [](const part<V>& each) { return each.adjacent(); })) return;
  own.leaders().run([&](std::size_t k) {
    if (!parts_[k].adjacent()) scatter(parts_[k], own.rooms[k].y.data(), p.beta, p.y);
  });
}

namespace {

template <value V>
void give_values(part<V>& to, const V* values) {
  const auto size = static_cast<std::size_t>(to.product.nnz());
  if (to.adjacent()) return to.product.update_values(std::span<const V>(values + to.first_entry, size));
  host_buffer<V> own(size);
  exec::gather_values(own.data(), to.entries.data(), to.product.nnz(), values);
  to.product.update_values(std::as_const(own).span());
}

template <value V>
bool reencodes(const part<V>& each) {
  return find_format(each.product.format()).reencodes;
}

}  // namespace

template <value V>
void hybrid_plan<V>::update_host(const V* values) {
  // Formats that encode values again may refuse some, or find no room: theirs go first, and until all have
  // taken them the old ones are kept.
  std::vector<part<V>*> coded;
  for (part<V>& each : parts_)
    if (reencodes(each)) coded.push_back(&each);
  std::vector<host_buffer<V>> old;
  const auto take_back = [&] {
    for (std::size_t k = 0; k < old.size(); ++k)
      coded[k]->product.update_values(std::as_const(old[k]).span());
  };
  for (part<V>* each : coded) {
    try {
      const bool is_last = each == coded.back();
      host_buffer<V> before = is_last ? host_buffer<V>() : each->product.to_csr().val;
      give_values(*each, values);
      if (!is_last) old.push_back(std::move(before));
    } catch (const error& problem) {
      take_back();
      fail_of_part(problem, each->number, each->product.where(), each->row(0), each->adjacent());
    } catch (...) {
      take_back();
      throw;
    }
  }
  for (part<V>& each : parts_) {
    if (!reencodes(each)) give_values(each, values);
  }
}

template <value V>
csr_matrix<V, std::int64_t> hybrid_plan<V>::to_csr() const {
  const auto rows = static_cast<std::size_t>(this->facts().rows);
  std::vector<csr_matrix<V, std::int64_t>> sets;
  csr_matrix<V, std::int64_t> all{
      .rows = this->facts().rows, .cols = this->facts().cols, .row_ptr = host_buffer<std::int64_t>(rows + 1)};
  std::fill_n(all.row_ptr.data(), rows + 1, 0);
  for (const part<V>& each : parts_) {
    sets.push_back(each.product.to_csr());
    for (std::int64_t k = 0; k < sets.back().rows; ++k)
      all.row_ptr.data()[each.row(k) + 1] = sets.back().row_ptr.data()[k + 1] - sets.back().row_ptr.data()[k];
  }
  for (std::size_t i = 0; i < rows; ++i) all.row_ptr[i + 1] += all.row_ptr[i];
  all.col = host_buffer<std::int32_t>(static_cast<std::size_t>(all.row_ptr[rows]));
  all.val = host_buffer<V>(all.col.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (std::int64_t k = 0; k < sets[s].rows; ++k) {
      const std::int64_t from = sets[s].row_ptr.data()[k];
      const std::int64_t length = sets[s].row_ptr.data()[k + 1] - from;
      const std::int64_t to = all.row_ptr.data()[parts_[s].row(k)];
      std::transform(sets[s].col.data() + from, sets[s].col.data() + from + length, all.col.data() + to,
                     [&](std::int32_t j) { return static_cast<std::int32_t>(j + parts_[s].first_col); });
      std::copy_n(sets[s].val.data() + from, length, all.val.data() + to);
    }
  }
  return all;
}

template <value V>
void hybrid_plan<V>::stored_values(const std::int64_t* row_ptr, const V* values, V* to) const {
  for (const part<V>& each : parts_) {
    const std::int64_t rows = each.product.rows();
    host_buffer<std::int64_t> own_ptr(static_cast<std::size_t>(rows) + 1);
    host_buffer<std::int32_t> own_col(static_cast<std::size_t>(each.product.nnz()));
    host_buffer<V> own(own_col.size());
    own_ptr[0] = 0;
    const auto length = [&](std::int64_t k) { return row_ptr[each.row(k) + 1] - row_ptr[each.row(k)]; };
    for (std::int64_t k = 0; k < rows; ++k) {
      std::copy_n(values + row_ptr[each.row(k)], length(k), own.data() + own_ptr.data()[k]);
      own_ptr.data()[k + 1] = own_ptr.data()[k] + length(k);
    }
    const host_buffer<V> stored =
        each.product.stored_values(csr_view<V, std::int64_t>{.rows = rows,
                                                             .cols = each.product.cols(),
                                                             .row_ptr = std::as_const(own_ptr).span(),
                                                             .col = std::as_const(own_col).span(),
                                                             .val = std::as_const(own).span()});
    for (std::int64_t k = 0; k < rows; ++k)
      std::copy_n(stored.data() + own_ptr.data()[k], length(k), to + row_ptr[each.row(k)]);
  }
}

template <value V>
std::optional<rounding_error> hybrid_plan<V>::rounding() const {
  std::optional<rounding_error> all;
  for (const part<V>& each : parts_) {
    const std::optional<rounding_error> own = each.product.rounding();
    if (!own) continue;
    if (!all) all = rounding_error{.to = own->to};
    if (all->to != own->to) all->to = "several";
    all->add(*own);
  }
  return all;
}

template <value V>
std::unique_ptr<plans::workspace_base> hybrid_plan<V>::make_workspace() const {
  return std::make_unique<hybrid_workspace<V>>(this->id(), parts_);
}

template <value V>
std::int64_t hybrid_plan<V>::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<V>& each : parts_)
    sum += each.product.bytes() + static_cast<std::int64_t>(each.rows.size() * sizeof(std::int32_t) +
                                                            each.entries.size() * sizeof(std::int64_t));
  return sum;
}

template <value V>
std::int64_t hybrid_plan<V>::slots() const noexcept {
  std::int64_t sum = 0;
  for (const part<V>& each : parts_) sum += each.product.slots();
  return sum;
}

template <value V>
std::int64_t hybrid_plan<V>::streamed_bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<V>& each : parts_)
    sum += each.product.streamed_bytes() + static_cast<std::int64_t>(each.rows.size() * sizeof(std::int32_t));
  return sum;
}

template <value V>
std::int64_t hybrid_plan<V>::bus_bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<V>& each : parts_) sum += each.product.bus_bytes();
  return sum;
}

template <value V>
std::vector<plan_part> hybrid_plan<V>::parts(const plans::workspace_base& workspace) const {
  const auto& own = static_cast<const hybrid_workspace<V>&>(workspace);
  std::vector<plan_part> all = shown_;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    all[parts_[k].number].seconds = own.last_on_devices ? own.on_devices->seconds(k) : own.rooms[k].seconds;
  return all;
}

template <value V>
void hybrid_plan<V>::multiply_device(const product<V>& p, cuda_stream stream,
                                     plans::workspace_base& workspace) const {
  if (parts_.empty()) return;
  // Those without rows count too.
  const auto is_on_a_gpu = [](const resource& where) { return std::holds_alternative<cuda>(where); };
  const bool on_a_gpu = std::any_of(parts_.begin(), parts_.end(),
                                    [&](const part<V>& each) { return is_on_a_gpu(each.product.where()); }) ||
                        std::any_of(shown_.begin(), shown_.end(),
                                    [&](const plan_part& each) { return is_on_a_gpu(each.where); });
  if (!on_a_gpu)
    fail(errc::unsupported, "multiply: device vectors given to a hybrid plan without a part on a GPU");
  auto& own = static_cast<hybrid_workspace<V>&>(workspace);
  const hold_room held(own);
  if (!own.on_devices) own.on_devices = std::make_unique<device_products<V>>(parts_);
  own.last_on_devices = true;
  own.on_devices->multiply(p, parts_, own.rooms, own.leaders(), stream);
}
template <value V>
void hybrid_plan<V>::update_device(const V*, cuda_stream) {
  fail(errc::unsupported, "update_values: device values given to a hybrid plan; give it host values");
}

template class hybrid_plan<float>;
template class hybrid_plan<double>;

}  // namespace gossamer::inline v0::hybrids
