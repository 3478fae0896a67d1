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
template <scalar_types S>
int team_of(const part<S>& each) {
  const resource where = each.product.where();
  const auto* const host = std::get_if<cpu>(&where);
  return host != nullptr ? thread_count(*host) : 1;
}

/// y = from + beta y in a part's rows.
template <scalar_types S>
void scatter(const part<S>& each, const vector_t<S>* from, sum_t<S> beta, vector_t<S>* y) {
  const std::int32_t* const rows = each.rows.data();
  core::parallel_for(
      each.product.rows(), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          vector_t<S>& to = y[rows[i]];
          to = beta == sum_t<S>{0} ? from[i] : from[i] + beta * to;
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

template <scalar_types S>
hybrid_plan<S>::hybrid_plan(plans::plan_facts facts, std::vector<part<S>>&& parts,
                            std::vector<plan_part>&& shown)
    : plans::plan_base<S>(std::move(facts)), parts_(std::move(parts)), shown_(std::move(shown)) {}

template <scalar_types S>
void hybrid_plan<S>::multiply_host(const product<S>& p, plans::workspace_base& workspace) const {
  if (parts_.empty()) return;
  if (p.alpha == sum_t<S>{0}) return exec::scale<S>(p.y, this->facts().rows, p.beta, team_of(parts_.front()));
  auto& own = static_cast<hybrid_workspace<S>&>(workspace);
  own.last_on_devices = false;
  std::vector<resource> places;
  for (const part<S>& each : parts_) places.push_back(each.product.where());
  const int copying = copying_threads(places);
  const std::span<const vector_t<S>> x(p.x, static_cast<std::size_t>(this->facts().cols));
  own.leaders().run([&](std::size_t k) {
    const part<S>& each = parts_[k];
    part_room<S>& room = own.rooms[k];
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
      each.product.multiply(p.alpha, own_x, vector_t<S>{0}, room.y.span(), room.scratch);
    room.seconds = timer::seconds_since(begin);
  });
  // Only now, so that a part that failed leaves these rows as they were.
  if (std::all_of(parts_.begin(), parts_.end(), [](const part<S>& each) { return each.adjacent(); })) return;
  own.leaders().run([&](std::size_t k) {
    if (!parts_[k].adjacent()) scatter(parts_[k], own.rooms[k].y.data(), p.beta, p.y);
  });
}

namespace {

template <scalar_types S>
void give_values(part<S>& to, const matrix_t<S>* values) {
  const auto size = static_cast<std::size_t>(to.product.nnz());
  if (to.adjacent())
    return to.product.update_values(std::span<const matrix_t<S>>(values + to.first_entry, size));
  host_buffer<matrix_t<S>> own(size);
  exec::gather_values(own.data(), to.entries.data(), to.product.nnz(), values);
  to.product.update_values(std::as_const(own).span());
}

}  // namespace

template <scalar_types S>
void hybrid_plan<S>::update_host(const matrix_t<S>* values) {
  // Formats that encode values again may refuse some, or find no room: theirs go first, and until all have
  // taken them the old ones are kept.
  std::vector<part<S>*> coded;
  for (part<S>& each : parts_)
    if (each.product.reencodes()) coded.push_back(&each);
  std::vector<host_buffer<matrix_t<S>>> old;
  const auto take_back = [&] {
    for (std::size_t k = 0; k < old.size(); ++k)
      coded[k]->product.update_values(std::as_const(old[k]).span());
  };
  for (part<S>* each : coded) {
    try {
      const bool is_last = each == coded.back();
      host_buffer<matrix_t<S>> before = is_last ? host_buffer<matrix_t<S>>() : each->product.to_csr().val;
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
  for (part<S>& each : parts_) {
    if (!each.product.reencodes()) give_values(each, values);
  }
}

template <scalar_types S>
csr_matrix<matrix_t<S>, std::int64_t> hybrid_plan<S>::to_csr() const {
  const auto rows = static_cast<std::size_t>(this->facts().rows);
  std::vector<csr_matrix<matrix_t<S>, std::int64_t>> sets;
  csr_matrix<matrix_t<S>, std::int64_t> all{
      .rows = this->facts().rows, .cols = this->facts().cols, .row_ptr = host_buffer<std::int64_t>(rows + 1)};
  std::fill_n(all.row_ptr.data(), rows + 1, 0);
  for (const part<S>& each : parts_) {
    sets.push_back(each.product.to_csr());
    for (std::int64_t k = 0; k < sets.back().rows; ++k)
      all.row_ptr.data()[each.row(k) + 1] = sets.back().row_ptr.data()[k + 1] - sets.back().row_ptr.data()[k];
  }
  for (std::size_t i = 0; i < rows; ++i) all.row_ptr[i + 1] += all.row_ptr[i];
  all.col = host_buffer<std::int32_t>(static_cast<std::size_t>(all.row_ptr[rows]));
  all.val = host_buffer<matrix_t<S>>(all.col.size());
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

template <scalar_types S>
void hybrid_plan<S>::stored_values(const std::int64_t* row_ptr, const matrix_t<S>* values,
                                   matrix_t<S>* to) const {
  for (const part<S>& each : parts_) {
    const std::int64_t rows = each.product.rows();
    host_buffer<std::int64_t> own_ptr(static_cast<std::size_t>(rows) + 1);
    host_buffer<std::int32_t> own_col(static_cast<std::size_t>(each.product.nnz()));
    host_buffer<matrix_t<S>> own(own_col.size());
    own_ptr[0] = 0;
    const auto length = [&](std::int64_t k) { return row_ptr[each.row(k) + 1] - row_ptr[each.row(k)]; };
    for (std::int64_t k = 0; k < rows; ++k) {
      std::copy_n(values + row_ptr[each.row(k)], length(k), own.data() + own_ptr.data()[k]);
      own_ptr.data()[k + 1] = own_ptr.data()[k] + length(k);
    }
    const host_buffer<matrix_t<S>> stored = each.product.stored_values(
        csr_view<matrix_t<S>, std::int64_t>{.rows = rows,
                                            .cols = each.product.cols(),
                                            .row_ptr = std::as_const(own_ptr).span(),
                                            .col = std::as_const(own_col).span(),
                                            .val = std::as_const(own).span()});
    for (std::int64_t k = 0; k < rows; ++k)
      std::copy_n(stored.data() + own_ptr.data()[k], length(k), to + row_ptr[each.row(k)]);
  }
}

template <scalar_types S>
std::optional<rounding_error> hybrid_plan<S>::rounding() const {
  std::optional<rounding_error> all;
  for (const part<S>& each : parts_) {
    const std::optional<rounding_error> own = each.product.rounding();
    if (!own) continue;
    if (!all) all = rounding_error{.to = own->to};
    if (all->to != own->to) all->to = "several";
    all->add(*own);
  }
  return all;
}

template <scalar_types S>
std::unique_ptr<plans::workspace_base> hybrid_plan<S>::make_workspace() const {
  return std::make_unique<hybrid_workspace<S>>(this->id(), parts_);
}

template <scalar_types S>
std::int64_t hybrid_plan<S>::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<S>& each : parts_)
    sum += each.product.bytes() + static_cast<std::int64_t>(each.rows.size() * sizeof(std::int32_t) +
                                                            each.entries.size() * sizeof(std::int64_t));
  return sum;
}

template <scalar_types S>
std::int64_t hybrid_plan<S>::slots() const noexcept {
  std::int64_t sum = 0;
  for (const part<S>& each : parts_) sum += each.product.slots();
  return sum;
}

template <scalar_types S>
std::int64_t hybrid_plan<S>::streamed_bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<S>& each : parts_)
    sum += each.product.streamed_bytes() + static_cast<std::int64_t>(each.rows.size() * sizeof(std::int32_t));
  return sum;
}

template <scalar_types S>
std::int64_t hybrid_plan<S>::bus_bytes() const noexcept {
  std::int64_t sum = 0;
  for (const part<S>& each : parts_) sum += each.product.bus_bytes();
  return sum;
}

template <scalar_types S>
std::int64_t hybrid_plan<S>::device_bytes(int device) const noexcept {
  std::int64_t sum = 0;
  for (const part<S>& each : parts_) {
    const auto* const on = std::get_if<cuda>(&each.product.where());
    if (on != nullptr && on->device == device) sum += each.product.bytes() - each.product.bus_bytes();
  }
  return sum;
}

template <scalar_types S>
bool hybrid_plan<S>::may_refuse_values() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const part<S>& each) { return each.product.reencodes(); });
}

template <scalar_types S>
std::vector<plan_part> hybrid_plan<S>::parts(const plans::workspace_base& workspace) const {
  const auto& own = static_cast<const hybrid_workspace<S>&>(workspace);
  std::vector<plan_part> all = shown_;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    all[parts_[k].number].seconds = own.last_on_devices ? own.on_devices->seconds(k) : own.rooms[k].seconds;
  return all;
}

template <scalar_types S>
void hybrid_plan<S>::multiply_device(const product<S>& p, cuda_stream stream,
                                     plans::workspace_base& workspace) const {
  if (parts_.empty()) return;
  // Those without rows count too.
  const auto is_on_a_gpu = [](const resource& where) { return std::holds_alternative<cuda>(where); };
  const bool on_a_gpu = std::any_of(parts_.begin(), parts_.end(),
                                    [&](const part<S>& each) { return is_on_a_gpu(each.product.where()); }) ||
                        std::any_of(shown_.begin(), shown_.end(),
                                    [&](const plan_part& each) { return is_on_a_gpu(each.where); });
  if (!on_a_gpu)
    fail(errc::unsupported, "multiply: device vectors given to a hybrid plan without a part on a GPU");
  auto& own = static_cast<hybrid_workspace<S>&>(workspace);
  const hold_room held(own);
  if (!own.on_devices)
    own.on_devices = std::make_unique<device_products<S>>(parts_, this->facts().rows, this->facts().cols);
  own.last_on_devices = true;
  own.on_devices->multiply(p, parts_, own.rooms, own.leaders(), stream);
}
template <scalar_types S>
void hybrid_plan<S>::update_device(const matrix_t<S>*, cuda_stream) {
  fail(errc::unsupported, "update_values: device values given to a hybrid plan; give it host values");
}

GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_CLASS_INSTANCE, template class hybrid_plan)

}  // namespace gossamer::inline v0::hybrids
