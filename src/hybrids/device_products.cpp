// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/device_products.hpp"

#include <algorithm>

#include "core/fail.hpp"
#include "hybrids/groups.hpp"
#include "hybrids/workspace.hpp"
#include "timer/stopwatch.hpp"

namespace gossamer::inline v0::hybrids {

namespace {

void refuse_closed(const exec::memory_home& home, int device, const char* name, bool scattered) {
  if (!scattered && !home.is_distributed()) return;  // CUDA copies from pools of other devices
  if (!home.is_closed_to(device)) return;
  fail(errc::unsupported,
       "multiply: {} is in memory that cuda:{} has no access to: a distributed vector has to name each "
       "device of the plan, and y with "
       "scattered rows (algorithm = pmf) cannot be of another device's memory pool",
       name, device);
}

/// Whether a part reads its columns where they are. Of a distributed vector an eighth may be with others:
/// rows at the cut read it, a few times each. Where it is more, columns are anywhere, and elements that are
/// read one by one take a sector of 32 bytes each through the link, again and again.
bool stays(const exec::memory_home& home, int device, const void* begin, std::size_t bytes) {
  return home.reaches(device) && home.remote_bytes(device, begin, bytes) <= bytes / 8;
}

}  // namespace

template <scalar_types S>
device_products<S>::device_products(const std::vector<part<S>>& parts, std::int64_t rows, std::int64_t cols)
    : rows_(rows), cols_(cols), seconds_(parts.size()) {
  for (const part<S>& each : parts) {
    const resource where = each.product.where();
    const auto* gpu = std::get_if<cuda>(&where);
    lanes_.emplace_back();
    if (gpu == nullptr) {
      if (!each.adjacent())
        fail(errc::unsupported,
             "multiply: device vectors with a part on {} whose rows are scattered (algorithm = pmf); share "
             "out by "
             "rows or nonzeros",
             part_name(where));
      continue;
    }
    first_device_ = gpu->device;
    const exec::device_guard guard(gpu->device);
    lanes_.back() = std::make_unique<lane>(gpu->device);
    if (each.adjacent()) continue;
    exec::device_buffer<std::int32_t> scattered(each.rows.size(), gpu->device);
    exec::copy_async(scattered.data(), each.rows.data(), each.rows.size() * sizeof(std::int32_t),
                     exec::copy_kind::host_to_device, {});
    exec::synchronize_device();
    lanes_.back()->rows = std::move(scattered);
  }
}

template <scalar_types S>
bool device_products<S>::lane::reach(int other) {
  const auto known = reached.find(other);
  if (known != reached.end()) return known->second;
  return reached[other] = exec::reach_each_other(device, other);
}

template <scalar_types S>
typename device_products<S>::station& device_products<S>::station_of(int device) {
  const exec::device_guard guard(device);
  return stations_[device];
}

template <scalar_types S>
void device_products<S>::finish() const noexcept {
  for (const auto& each : lanes_) {
    if (each) exec::finish_device(each->device);
  }
  for (const auto& [device, each] : stations_) exec::finish_device(device);
}

template <scalar_types S>
void device_products<S>::launch(const vectors& v, const part<S>& each, part_room<S>& room, lane& own,
                                const exec::stream_mark& begin) {
  const exec::device_guard guard(own.device);
  const cuda_stream stream = own.stream.get();
  begin.hold(stream);
  own.begin.record(stream);
  const auto take = [&](exec::device_buffer<vector_t<S>>& buffer, std::size_t size) {
    if (buffer.empty()) buffer = exec::device_buffer<vector_t<S>>(size, own.device);
    return buffer.data();
  };
  const auto rows = static_cast<std::size_t>(each.product.rows());
  const auto cols = static_cast<std::size_t>(each.product.cols());
  if (v.p.alpha != sum_t<S>{0} && cols > 0) refuse_closed(v.x, own.device, "x", false);
  refuse_closed(v.y, own.device, "y", !each.adjacent());
  const vector_t<S>* x = v.p.x + each.first_col;
  if (v.p.alpha != sum_t<S>{0} && cols > 0 && !stays(v.x, own.device, x, cols * sizeof(vector_t<S>))) {
    if (!v.x.reaches(own.device)) static_cast<void>(own.reach(v.x.device()));
    vector_t<S>* const here = take(own.x, cols);
    exec::copy_from_home(here, x, v.x, cols * sizeof(vector_t<S>), stream);
    x = here;
  }
  const bool in_place = v.y.reaches(own.device);
  if (each.adjacent()) {
    vector_t<S>* const there = v.p.y + each.first_row;
    vector_t<S>* y = there;
    if (!in_place) {
      static_cast<void>(own.reach(v.y.device()));
      y = take(own.y, rows);
      if (v.p.beta != sum_t<S>{0}) exec::copy_from_home(y, there, v.y, rows * sizeof(vector_t<S>), stream);
    }
    each.product.multiply(v.p.alpha, device_span<const vector_t<S>>(x, cols), v.p.beta,
                          device_span<vector_t<S>>(y, rows), stream, room.scratch);
    if (!in_place) exec::copy_to_home(v.y, there, y, rows * sizeof(vector_t<S>), stream);
  } else {
    if (!in_place && !own.reach(v.y.device()))
      fail(errc::unsupported,
           "multiply: y on cuda:{}, which cuda:{} does not reach, and rows that are scattered (algorithm = "
           "pmf); share "
           "out by rows or nonzeros",
           v.y.device(), own.device);
    vector_t<S>* const y = take(own.y, rows);
    if (v.p.alpha != sum_t<S>{0})
      each.product.multiply(v.p.alpha, device_span<const vector_t<S>>(x, cols), vector_t<S>{0},
                            device_span<vector_t<S>>(y, rows), stream, room.scratch);
    exec::scatter_on_device<vector_t<S>>(v.p.y, own.rows.data(), each.product.rows(),
                                         v.p.alpha == sum_t<S>{0} ? nullptr : y, v.p.beta, stream);
  }
  own.done.record(stream);
}

/// Copies of the whole x and of these parts' rows of y, there and back, are in streams of the devices where
/// the vectors are.
template <scalar_types S>
void device_products<S>::multiply_on_cores(const vectors& v, const std::vector<part<S>>& parts,
                                           std::vector<part_room<S>>& rooms, part_worker_pool& leaders,
                                           const exec::stream_mark& begin) {
  const auto on_cores = [&](std::size_t k) { return lanes_[k] == nullptr; };
  const auto cols = static_cast<std::size_t>(cols_);
  if (!host_x_) {
    auto x = std::make_unique<exec::pinned_buffer>(std::max<std::size_t>(1, cols) * sizeof(vector_t<S>),
                                                   first_device_);
    host_y_ = std::make_unique<exec::pinned_buffer>(static_cast<std::size_t>(rows_) * sizeof(vector_t<S>),
                                                    first_device_);
    host_x_ = std::move(x);
  }
  vector_t<S>* const host_x = reinterpret_cast<vector_t<S>*>(host_x_->data());
  vector_t<S>* const host_y = reinterpret_cast<vector_t<S>*>(host_y_->data());
  const int x_device = v.x.device() >= 0 ? v.x.device() : first_device_;
  const int y_device = v.y.device() >= 0 ? v.y.device() : first_device_;
  if (v.p.alpha != sum_t<S>{0} && cols > 0) {
    const cuda_stream stream = station_of(x_device).stream.get();
    begin.hold(stream);
    exec::copy_from_home(host_x, v.p.x, v.x, cols * sizeof(vector_t<S>), stream);
  }
  const cuda_stream stream = station_of(y_device).stream.get();
  begin.hold(stream);
  const auto for_rows = [&](auto&& f) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (on_cores(k))
        f(v.p.y + parts[k].first_row, host_y + parts[k].first_row,
          static_cast<std::size_t>(parts[k].product.rows()) * sizeof(vector_t<S>));
    }
  };
  if (v.p.beta != sum_t<S>{0})
    for_rows([&](const vector_t<S>* there, vector_t<S>* here, std::size_t bytes) {
      exec::copy_from_home(here, there, v.y, bytes, stream);
    });
  exec::synchronize(station_of(x_device).stream.get());
  exec::synchronize(stream);
  leaders.run([&](std::size_t k) {
    if (!on_cores(k)) return;
    const auto started = timer::host_clock::now();
    parts[k].product.multiply(
        v.p.alpha, std::span<const vector_t<S>>(host_x, cols), v.p.beta,
        {host_y + parts[k].first_row, static_cast<std::size_t>(parts[k].product.rows())}, rooms[k].scratch);
    seconds_[k] = timer::seconds_since(started);
  });
  for_rows([&](vector_t<S>* there, const vector_t<S>* here, std::size_t bytes) {
    exec::copy_to_home(v.y, there, here, bytes, stream);
  });
  exec::synchronize(stream);
}

template <scalar_types S>
void device_products<S>::multiply(const product<S>& p, const std::vector<part<S>>& parts,
                                  std::vector<part_room<S>>& rooms, part_worker_pool& leaders,
                                  cuda_stream stream) {
  const vectors v{.p = p,
                  .x = exec::memory_home(p.x, static_cast<std::size_t>(cols_) * sizeof(vector_t<S>), "x"),
                  .y = exec::memory_home(p.y, static_cast<std::size_t>(rows_) * sizeof(vector_t<S>), "y")};
  const int callers = exec::device_of(stream);
  exec::stream_mark& begin = station_of(callers).mark;
  try {
    {
      const exec::device_guard guard(callers);
      begin.record(stream);
    }
    bool all_on_gpus = true;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (lanes_[k])
        launch(v, parts[k], rooms[k], *lanes_[k], begin);
      else
        all_on_gpus = false;
    }
    if (!all_on_gpus) multiply_on_cores(v, parts, rooms, leaders, begin);
    const exec::device_guard guard(callers);
    for (const auto& each : lanes_) {
      if (each) each->done.hold(stream);
    }
  } catch (...) {
    finish();
    throw;
  }
}

template <scalar_types S>
double device_products<S>::seconds(std::size_t k) const noexcept {
  return lanes_[k] ? lanes_[k]->done.seconds_since(lanes_[k]->begin) : seconds_[k];
}

template <scalar_types S>
std::int64_t device_products<S>::bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& each : lanes_) {
    if (each)
      sum +=
          (each->x.size() + each->y.size()) * sizeof(vector_t<S>) + each->rows.size() * sizeof(std::int32_t);
  }
  for (const auto* each : {&host_x_, &host_y_}) {
    if (*each) sum += (*each)->size();
  }
  return static_cast<std::int64_t>(sum);
}

GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_CLASS_INSTANCE, template class device_products)

}  // namespace gossamer::inline v0::hybrids
