// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/staged_copies.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "exec/after_fork.hpp"
#include "gossamer/error.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr std::size_t least_bytes = std::size_t{1} << 20;  // less is done before threads have begun
constexpr std::size_t least_piece = std::size_t{256}
                                    << 10;  // to start a copy costs as much as 100 KiB on the bus

/// A copy cut into pieces, which threads take in turn.
class pieces {
 public:
  pieces(std::size_t bytes, std::size_t threads)
      : bytes_(bytes),
        each_(std::clamp(
            (bytes / (4 * threads) + pinned_buffer::page - 1) / pinned_buffer::page * pinned_buffer::page,
            least_piece, staged_copies::slot_bytes)),
        count_((bytes + each_ - 1) / each_) {}

  /// False where none is left.
  bool take(std::size_t& number) noexcept {
    number = next_.fetch_add(1, std::memory_order_relaxed);
    return number < count_;
  }
  /// Whoever fails leaves nothing for the others.
  void give_up() noexcept { next_.store(count_, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t begin(std::size_t number) const noexcept { return number * each_; }
  [[nodiscard]] std::size_t size(std::size_t number) const noexcept {
    return std::min(each_, bytes_ - number * each_);
  }

 private:
  std::size_t bytes_;
  std::size_t each_;
  std::size_t count_;
  std::atomic<std::size_t> next_{0};
};

template <class Lane, class Work>
void giving_up_where_it_fails(pieces& cut, Lane& lane, Work&& work) {
  try {
    work();
  } catch (...) {
    lane.may_be_kept = false;  // a copy may be under way of which its slots do not know
    cut.give_up();
    throw;
  }
}

}  // namespace

/// Of one device, for whoever copies next.
class staged_copies::kept_lanes {
 public:
  /// Never destroyed: the driver may be gone by then.
  static kept_lanes& of(int device) {
    static std::mutex mutex;
    static auto& all = *new std::map<int, kept_lanes>;
    const std::lock_guard lock(mutex);
    return all[device];
  }

  std::unique_ptr<lane> take() {
    const std::lock_guard lock(mutex_);
    if (lanes_.empty()) return nullptr;
    std::unique_ptr<lane> last = std::move(lanes_.back());
    lanes_.pop_back();
    return last;
  }
  /// Those that are too many are released.
  void give(std::vector<std::unique_ptr<lane>> lanes) {
    std::erase_if(lanes, [](const auto& each) { return !each->may_be_kept; });
    const std::lock_guard lock(mutex_);
    while (!lanes.empty() && lanes_.size() < static_cast<std::size_t>(most_copying_threads)) {
      lanes_.push_back(std::move(lanes.back()));
      lanes.pop_back();
    }
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return lanes_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<lane>> lanes_;
};

staged_copies::~staged_copies() {
  try {
    if (!lanes_.empty() && cuda_is_ours()) kept_lanes::of(device_).give(std::move(lanes_));
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // They are released instead of kept.
  }
}

std::size_t staged_copies::wanted_for(std::size_t bytes) {
  if (bytes < least_bytes) return 0;
  return std::min(static_cast<std::size_t>(std::min(most_copying_threads, core::default_threads())),
                  bytes / least_piece);
}

bool staged_copies::ready(std::size_t bytes) const {
  const std::size_t wanted = refused_ ? std::min(wanted_for(bytes), lanes_.size()) : wanted_for(bytes);
  return lanes_.size() >= wanted || lanes_.size() + kept_lanes::of(device_).count() >= wanted;
}

std::size_t staged_copies::lanes_for(std::size_t bytes) {
  const std::size_t wanted = wanted_for(bytes);
  try {
    while (!refused_ && lanes_.size() < wanted) {
      std::unique_ptr<lane> next = kept_lanes::of(device_).take();
      lanes_.push_back(next != nullptr ? std::move(next) : std::make_unique<lane>(device_));
    }
  } catch (const error&) {
    refused_ = true;
  } catch (const std::bad_alloc&) {
    refused_ = true;
  }
  return std::min(wanted, lanes_.size());
}

std::int64_t staged_copies::bytes() const noexcept {
  return static_cast<std::int64_t>(lanes_.size() * lane_bytes);
}

void staged_copies::run(std::size_t wanted, function_ref<void(std::size_t)> body) {
  if (by_ == by::worker_pool) return worker_pool_.get().run(wanted, body);
  core::parallel(static_cast<int>(wanted) + 1,
                 [&](int thread, int) { body(static_cast<std::size_t>(thread)); });
}

void staged_copies::to_device(void* to, const void* from, std::size_t bytes, cuda_stream stream) {
  const std::size_t threads = lanes_for(bytes);
  if (threads == 0) return copy_async(to, from, bytes, copy_kind::host_to_device, stream);
  auto* const there = static_cast<char*>(to);
  const auto* const here = static_cast<const char*>(from);
  pieces cut(bytes, threads);
  run(threads - 1, [&](std::size_t k) {
    giving_up_where_it_fails(cut, *lanes_[k], [&] {
      const device_guard guard(device_);
      std::size_t number = 0;
      for (std::size_t turn = 0; cut.take(number); ++turn) {
        slot& s = lanes_[k]->slots[turn % 2];
        s.done.wait();
        std::memcpy(s.data, here + cut.begin(number), cut.size(number));
        copy_async(there + cut.begin(number), s.data, cut.size(number), copy_kind::by_address, stream);
        s.done.record(stream);
      }
    });
  });
}

/// Pieces of a copy to the host through one lane: up to two are on their way.
class staged_copies::fetching {
 public:
  fetching(lane& by, pieces& cut, char* here, const char* there, cuda_stream stream)
      : lane_(by), cut_(cut), here_(here), there_(there), stream_(stream) {
    begin_one();
    begin_one();
  }
  void wait_for_one() const {
    if (ended_ < begun_) lane_.slots[ended_ % 2].done.wait();
  }
  void finish() {
    while (ended_ < begun_) {
      wait_for_one();
      const std::size_t number = numbers_[ended_ % 2];
      std::memcpy(here_ + cut_.begin(number), lane_.slots[ended_ % 2].data, cut_.size(number));
      ++ended_;
      begin_one();
    }
  }

 private:
  void begin_one() {
    std::size_t number = 0;
    if (!cut_.take(number)) return;
    slot& s = lane_.slots[begun_ % 2];
    s.done.wait();  // of a copy to the device
    copy_async(s.data, there_ + cut_.begin(number), cut_.size(number), copy_kind::by_address, stream_);
    s.done.record(stream_);
    numbers_[begun_++ % 2] = number;
  }

  lane& lane_;
  pieces& cut_;
  char* here_;
  const char* there_;
  cuda_stream stream_;
  std::array<std::size_t, 2> numbers_{};
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

void staged_copies::to_host(void* to, const void* from, std::size_t bytes, cuda_stream stream) {
  const std::size_t threads = lanes_for(bytes);
  if (threads == 0) {
    copy_async(to, from, bytes, copy_kind::device_to_host, stream);
    return synchronize(stream);
  }
  auto* const here = static_cast<char*>(to);
  const auto* const there = static_cast<const char*>(from);
  pieces cut(bytes, threads);
  // The others sleep while a kernel of the stream still runs: to wait for a device is to spin.
  std::optional<fetching> first;
  giving_up_where_it_fails(cut, *lanes_[0], [&] {
    first.emplace(*lanes_[0], cut, here, there, stream);
    first->wait_for_one();
  });
  run(threads - 1, [&](std::size_t k) {
    giving_up_where_it_fails(cut, *lanes_[k], [&] {
      const device_guard guard(device_);
      if (k == 0)
        first->finish();
      else
        fetching(*lanes_[k], cut, here, there, stream).finish();
    });
  });
}

}  // namespace gossamer::inline v0::exec
