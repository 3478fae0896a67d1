// SPDX-License-Identifier: BSD-3-Clause
#include "io/unfinished.hpp"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

#include "gossamer/io.hpp"

namespace gossamer::inline v0::io {
namespace {

/// Static and of fixed size, since a signal handler must not allocate or lock. If all slots are used, a
/// further file is written normally, but a signal handler does not see it.
struct unfinished_slot {
  enum use : int { free, filling, temporary, overwritten };
  std::atomic<int> state{free};
  pid_t process = 0;  ///< a child inherits the slots and must leave its parent's files alone
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free);
unfinished_slot unfinished_slots[8];

int take_slot(const std::string& path, unfinished_slot::use what) {
  if (path.size() >= PATH_MAX) return -1;
  for (int k = 0; k < static_cast<int>(std::size(unfinished_slots)); ++k) {
    int expected = unfinished_slot::free;
    if (!unfinished_slots[k].state.compare_exchange_strong(expected, unfinished_slot::filling)) continue;
    std::memcpy(unfinished_slots[k].path, path.c_str(), path.size() + 1);
    unfinished_slots[k].process = ::getpid();
    unfinished_slots[k].state = what;
    return k;
  }
  return -1;
}

}  // namespace

unfinished_name::unfinished_name(std::string path)
    : path_(std::move(path)), process_(::getpid()), slot_(take_slot(path_, unfinished_slot::temporary)) {}

unfinished_name::unfinished_name(unfinished_name&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      process_(other.process_),
      slot_(std::exchange(other.slot_, -1)) {}

unfinished_name& unfinished_name::operator=(unfinished_name&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(process_, other.process_);
  std::swap(slot_, other.slot_);
  return *this;
}

unfinished_name::~unfinished_name() {
  if (!path_.empty() && process_ == ::getpid()) ::unlink(path_.c_str());
  forget();
}

void unfinished_name::forget() noexcept {
  if (slot_ >= 0) unfinished_slots[slot_].state = unfinished_slot::free;
  slot_ = -1;
  path_.clear();
}

unfinished_overwrite::unfinished_overwrite() : slot_(take_slot({}, unfinished_slot::overwritten)) {}

unfinished_overwrite::~unfinished_overwrite() {
  if (slot_ >= 0) unfinished_slots[slot_].state = unfinished_slot::free;
}

}  // namespace gossamer::inline v0::io

namespace gossamer::inline v0 {

bool remove_unfinished_files() noexcept {
  using io::unfinished_slot;
  const auto is = [](const unfinished_slot& slot, unfinished_slot::use what) {
    return slot.state == what && slot.process == ::getpid();
  };
  for (const unfinished_slot& each : io::unfinished_slots) {
    if (is(each, unfinished_slot::overwritten)) return false;
  }
  for (const unfinished_slot& each : io::unfinished_slots) {
    if (is(each, unfinished_slot::temporary)) ::unlink(each.path);
  }
  return true;
}

}  // namespace gossamer::inline v0
