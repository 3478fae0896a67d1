// SPDX-License-Identifier: BSD-3-Clause
// A format's storage on a CUDA device, and the staging of host vectors.
#pragma once

#include <functional>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "exec/elementwise.hpp"
#include "formats/contract/rounding.hpp"
#include "plans/epilogues.hpp"
#include "plans/gpu_workspace.hpp"
#include "plans/plan_base.hpp"
#include "plans/recoded.hpp"
#include "plans/storage.hpp"

namespace gossamer::inline v0::plans {

template <formats::format F, scalar_types S, offset O>
class gpu_plan final : public plan_base<S> {
  using V = matrix_t<S>;

 public:
  using host_storage = typename F::template storage<V, O, host_buffer>;
  using storage = typename F::template storage<V, O, exec::device_buffer>;

  gpu_plan(plan_facts facts, const exec::target& target, host_storage&& stored,
           std::vector<value_map<host_buffer>>&& maps, std::span<const device_alias> aliases)
      : plan_base<S>(std::move(facts)),
        target_(target),
        device_(target.device),
        limit_(this->facts().memory_limit ? *this->facts().memory_limit : room_now()) {
    const exec::device_guard guard(device_);
    upload_options how{.device = device_,
                       .aliases = aliases,
                       .copy_all = this->facts().copy,
                       .copy_values = this->facts().values_change};
    const std::vector<std::int64_t> bytes = upload_bytes<V>(stored, how);
    const placement where = place(bytes, limit_);
    how.where = &where;
    const std::int64_t all = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    // A caller's limit may be what there is and new values beside it, to the byte.
    how.limit = this->facts().memory_limit && this->facts().values_change ? all : limit_;
    upload<V>(stored, storage_, how);
    upload_maps(std::move(maps), limit_ - std::max(all, bytes_on_device()));
    scratch_ = F::template scratch<S>(storage_.view());
  }

  /// Of what was built on the device. limit: bytes that its memory may hold of A. maps: as make_maps() makes
  /// them, on the device.
  gpu_plan(plan_facts facts, const exec::target& target, storage&& stored,
           std::vector<value_map<exec::device_buffer>>&& maps, std::int64_t limit)
      : plan_base<S>(std::move(facts)),
        target_(target),
        device_(target.device),
        limit_(limit),
        storage_(std::move(stored)),
        maps_(std::move(maps)),
        scratch_(F::template scratch<S>(storage_.view())) {}

  /// The caller's arrays may be all that there is, and then no deallocation waits.
  ~gpu_plan() override { exec::finish_device(device_); }

  void multiply_device(const product<S>& p, cuda_stream stream, workspace_base& workspace) const override {
    const exec::device_guard guard(device_);
    auto& scratch = static_cast<gpu_workspace<S>&>(workspace);
    // Products of other threads in the same stream must not come between the kernels of this one.
    const std::lock_guard lock(workspace.launching);
    launch(p, scratch, scratch.slots(), stream);
  }

  void multiply_device(const product<S>& p, const exec::row_epilogue<S>& e, cuda_stream stream,
                       workspace_base& workspace) const override {
    if constexpr (formats::finishes_rows_on_gpu<F>) {
      const bool multiplies = e.alpha != nullptr || p.alpha != sum_t<S>{0};
      const bool dots_later = formats::leaves_dot_parts<F> && e.has_dots() && dot_parts() == 0;
      if (multiplies && !dots_later && this->facts().rows > 0) return launch(p, e, stream, workspace);
    }
    multiply_then_finish_on_device(*this, p, e, stream, workspace);
  }

  [[nodiscard]] std::int64_t dot_parts() const override {
    if constexpr (formats::leaves_dot_parts<F>)
      return F::dot_parts(storage_.view());
    else
      return 0;
  }

  [[nodiscard]] bool multiply_columns_device(const columns_product<S>& p, cuda_stream stream,
                                             workspace_base& workspace) const override {
    if constexpr (formats::multiplies_columns_on_gpu<F>) {
      if (p.columns < 1 || p.alpha == sum_t<S>{0} || !takes_columns(p)) return false;
      if (this->facts().rows == 0) return true;
      const exec::device_guard guard(device_);
      const std::lock_guard lock(workspace.launching);  // as for one column
      sum_t<S>* const slots = static_cast<gpu_workspace<S>&>(workspace).column_slots(F::columns_at_once);
      for (std::int64_t first = 0; first < p.columns; first += F::columns_at_once)
        F::launch_columns(storage_.view(), p.from(first, std::min(F::columns_at_once, p.columns - first)),
                          slots, stream);
      return true;
    } else {
      return false;
    }
  }

  [[nodiscard]] bool reads_once_for_columns() const noexcept override {
    return formats::multiplies_columns_on_gpu<F>;
  }

  void multiply_host(const product<S>& p, workspace_base& workspace) const override {
    const exec::device_guard guard(device_);
    idle_when_it_fails([&] { multiply_staged(p, static_cast<gpu_workspace<S>&>(workspace)); });
  }

  void update_host(const V* values) override {
    const exec::device_guard guard(device_);
    if constexpr (formats::encodes_values<F>)
      if (may_refuse_values()) return recode(values);
    idle_when_it_fails([&] {
      const exec::device_buffer<V> staged = stage_values(values);
      update_device(staged.data(), {});
      exec::synchronize_device();
    });
  }

  void update_device(const V* values, cuda_stream stream) override {
    if (may_refuse_values())
      fail(errc::unsupported, "update_values: {} re-encodes values, for which it takes them from the host",
           F::name);
    const exec::device_guard guard(device_);
    if constexpr (formats::replaces_values_on_gpu<F>)
      return F::replace_values(storage_, maps_[0].entry.data(), maps_[1].entry.data(), values, stream);
    std::size_t next = 0;
    storage::arrays(storage_, [&]<class T>(const char*, exec::device_buffer<T>& array) {
      if constexpr (std::is_same_v<T, V>) {
        const exec::device_buffer<std::int64_t>& map = maps_[next++].entry;
        if (map.empty())
          exec::copy_async(array.data(), values, array.size() * sizeof(V), exec::copy_kind::by_address,
                           stream);
        else
          exec::gather_values_on_device(array.data(), map.data(), static_cast<std::int64_t>(array.size()),
                                        values, stream);
      }
    });
  }

  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const override {
    const exec::device_guard guard(device_);
    host_storage back;
    download(storage_, back);
    return F::to_csr(back);
  }

  void stored_values(const std::int64_t*, const V* values, V* to) const override {
    formats::round_values<F>(formats::parse_options<F>(this->facts().options, device_set::cuda), values, to,
                             this->facts().nnz);
  }

  [[nodiscard]] std::unique_ptr<workspace_base> make_workspace() const override {
    const exec::device_guard guard(device_);
    return std::make_unique<gpu_workspace<S>>(this->id(), scratch_, device_);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override { return bytes_of(storage_, maps_); }

  [[nodiscard]] std::int64_t slots() const noexcept override {
    if constexpr (formats::encodes_values<F>) return this->facts().nnz;  // one for each code
    return slots_of<V>(storage_) - formats::count_duplicated_values<F>(storage_);
  }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override {
    return bytes_of(storage_) -
           formats::count_duplicated_values<F>(storage_) * static_cast<std::int64_t>(sizeof(V));
  }
  [[nodiscard]] std::int64_t bus_bytes() const noexcept override {
    std::size_t bytes = 0;
    storage::arrays(storage_, [&]<class T>(const char*, const exec::device_buffer<T>& array) {
      if (array.on_host()) bytes += array.size() * sizeof(T);
    });
    return std::min(static_cast<std::int64_t>(bytes), streamed_bytes());
  }
  [[nodiscard]] std::int64_t device_bytes(int device) const noexcept override {
    return device == device_ ? bytes_on_device() : 0;
  }
  [[nodiscard]] bool may_refuse_values() const noexcept override {
    return formats::encodes_values<F> && maps_.empty();
  }

 private:
  /// Whether launch_columns() takes this layout, and is faster than single products.
  [[nodiscard]] bool takes_columns(const columns_product<S>& p) const {
    if constexpr (formats::multiplies_packs_on_gpu<F>) {
      // Of column-major X, all columns would compete for the L2 cache. A single column is best copied.
      if (p.x_next != 1 || p.columns == 1) return false;
      // With more rows or entries, a grid of 16 packs might have 2^31 blocks.
      constexpr std::int64_t most_rows = std::int64_t{1} << 28;
      constexpr std::int64_t most_entries = std::int64_t{1} << 36;
      return this->facts().rows <= most_rows && this->facts().nnz <= most_entries;
    } else {
      constexpr auto most_bytes = std::int64_t{std::numeric_limits<std::int32_t>::max()};
      constexpr auto most_steps = most_bytes / static_cast<std::int64_t>(sizeof(vector_t<S>));
      // Contiguous columns are single products: their x is read in whole sectors as it is.
      return !p.has_contiguous_columns() && p.x_step <= most_steps;
    }
  }

  /// What the device may take beside what it holds, where the caller set no limit.
  [[nodiscard]] std::int64_t room_now() const {
    return automatic_limit(
        exec::free_device_bytes(device_),
        (this->facts().rows + this->facts().cols) * static_cast<std::int64_t>(sizeof(vector_t<S>)));
  }

  [[nodiscard]] std::int64_t bytes_on_device() const {
    std::size_t bytes = 0;
    storage::arrays(storage_, [&](const char*, const auto& array) { bytes += array.device_bytes(); });
    for (const auto& map : maps_) bytes += map.entry.device_bytes();
    return static_cast<std::int64_t>(bytes);
  }

  /// What the plan may take for a while beside all that it holds.
  [[nodiscard]] std::int64_t vector_bytes() const {
    return this->facts().memory_limit ? limit_ - bytes_on_device() : std::min(limit_, room_now());
  }

  /// New values where kernels can read them: on the device where it has room, else pinned.
  [[nodiscard]] exec::device_buffer<V> stage_values(const V* values) const {
    const auto size = static_cast<std::size_t>(this->facts().nnz);
    if (static_cast<std::int64_t>(size * sizeof(V)) <= vector_bytes()) {
      exec::device_buffer<V> there(size, device_);
      exec::copy_async(there.data(), values, size * sizeof(V), exec::copy_kind::host_to_device, {});
      return there;
    }
    host_buffer<V> here(size);
    core::parallel_for(this->facts().nnz, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
      std::copy(values + begin, values + end, here.data() + begin);
    });
    return exec::device_buffer<V>(std::move(here), device_);
  }

  /// No product reads them: they are the first to stay on the host.
  void upload_maps(std::vector<value_map<host_buffer>>&& maps, std::int64_t limit) {
    std::int64_t bytes = 0;
    for (const auto& map : maps) bytes += static_cast<std::int64_t>(map.entry.size() * sizeof(std::int64_t));
    for (auto& map : maps) {
      if (bytes > limit) {
        maps_.push_back({exec::device_buffer<std::int64_t>(std::move(map.entry), device_)});
        continue;
      }
      exec::device_buffer<std::int64_t> there(map.entry.size(), device_);
      exec::copy_async(there.data(), map.entry.data(), map.entry.size() * sizeof(std::int64_t),
                       exec::copy_kind::host_to_device, {});
      maps_.push_back({std::move(there)});
    }
    exec::synchronize_device();
  }

  /// An exception leaves nothing under way that still reads or writes the caller's vectors.
  template <class Work>
  void idle_when_it_fails(Work&& work) const {
    try {
      work();
    } catch (...) {
      exec::finish_device(device_);
      throw;
    }
  }

  /// The new values are coded from the start, on the host. The plan stays as it was where that fails.
  void recode(const V* values) {
    auto [stored, rounding] = recoded<F>(to_csr(), values, this->facts().options, target_);
    storage there;
    upload_options how{.device = device_, .copy_all = true};
    const std::vector<std::int64_t> bytes = upload_bytes<V>(stored, how);
    const placement lasting = place(bytes, limit_);
    const placement first = place(bytes, vector_bytes());  // until the old values are gone
    how.where = &first;
    how.limit = vector_bytes();
    upload<V>(stored, there, how);
    storage_ = std::move(there);
    this->note_rounding(rounding);
    move_to_device(storage_, lasting, device_);
  }

  /// Copies x and y there, and y back.
  void multiply_staged(const product<S>& p, gpu_workspace<S>& scratch) const {
    const plan_facts& facts = this->facts();
    const auto staged = scratch.stage(facts.cols, facts.rows);
    const std::size_t x_bytes = static_cast<std::size_t>(facts.cols) * sizeof(vector_t<S>);
    const std::size_t y_bytes = static_cast<std::size_t>(facts.rows) * sizeof(vector_t<S>);
    product<S> there = p;
    there.x = staged.x;
    there.y = staged.y;
    if (p.alpha != sum_t<S>{0}) staged.copies.to_device(staged.x, p.x, x_bytes, staged.stream);
    if (p.beta != sum_t<S>{0}) staged.copies.to_device(staged.y, p.y, y_bytes, staged.stream);
    launch(there, scratch, staged.slots, staged.stream);
    staged.copies.to_host(p.y, staged.y, y_bytes, staged.stream);
  }

  void launch(const product<S>& p, gpu_workspace<S>& scratch, sum_t<S>* slots, cuda_stream stream) const {
    if (this->facts().rows == 0) return;
    if (p.alpha == sum_t<S>{0}) return exec::scale_on_device<S>(p.y, this->facts().rows, p.beta, stream);
    product<S> next = p;
    next.backwards = scratch.turn();
    F::launch(storage_.view(), next, slots, stream);
  }

  /// With the epilogue in the kernels of the format. A second kernel adds the dot products.
  void launch(const product<S>& p, const exec::row_epilogue<S>& e, cuda_stream stream,
              workspace_base& workspace) const {
    const exec::device_guard guard(device_);
    auto& scratch = static_cast<gpu_workspace<S>&>(workspace);
    const std::int64_t rows = this->facts().rows;
    const std::scoped_lock lock(workspace.calling, workspace.launching);
    product<exec::with_epilogue<S>> finished{p, e};
    finished.backwards = scratch.turn();
    const std::int64_t parts = e.has_dots() ? dot_parts() : 0;
    double* const room =
        e.has_dots() ? device_dot_room(workspace, dot_numbers(rows, parts), device_) : nullptr;
    if (parts > 0) finished.epilogue.dot_parts = room + exec::device_dot_sums(std::max(rows, parts));
    F::template launch_with_epilogue<S>(storage_.view(), finished, scratch.slots(), stream);
    if (parts > 0)
      exec::sum_dot_parts_on_device(finished.epilogue, parts, room, stream);
    else if (e.has_dots())
      exec::sum_dots_on_device(e, p.y, rows, room, stream);
  }

  exec::target target_;
  int device_;
  std::int64_t limit_;  ///< bytes that the device's memory may hold of A, for the plan's whole life
  storage storage_;
  std::vector<value_map<exec::device_buffer>> maps_;
  std::int64_t scratch_ = 0;
};

}  // namespace gossamer::inline v0::plans
