// SPDX-License-Identifier: BSD-3-Clause
// What generic code does with any format's storage, from the list of its arrays: count, own, upload,
// download.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/entry_number.hpp"
#include "core/make_owned.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device_arena.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/staged_copies.hpp"
#include "formats/contract/capabilities.hpp"
#include "gossamer/error.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"
#include "plans/device_alias.hpp"
#include "plans/placement.hpp"

namespace gossamer::inline v0::plans {

template <class Storage>
std::int64_t bytes_of(const Storage& storage) {
  std::size_t bytes = 0;
  Storage::arrays(storage, [&](const char*, const auto& array) {
    bytes += array.size() * sizeof(typename std::remove_cvref_t<decltype(array)>::value_type);
  });
  return static_cast<std::int64_t>(bytes);
}

/// Elements of the arrays of values.
template <class V, class Storage>
std::int64_t slots_of(const Storage& storage) {
  std::size_t slots = 0;
  Storage::arrays(storage, [&](const char*, const auto& array) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(array)>::value_type, V>)
      slots += array.size();
  });
  return static_cast<std::int64_t>(slots);
}

/// Of a plan's storage and its value maps.
template <class Storage, class Maps>
std::int64_t bytes_of(const Storage& storage, const Maps& maps) {
  std::int64_t bytes = bytes_of(storage);
  for (const auto& map : maps) bytes += static_cast<std::int64_t>(map.entry.size() * sizeof(std::int64_t));
  return bytes;
}

/// A composite's storage holds its parts' storages, each with a meta of its own.
template <class From, class To>
void copy_meta(const From& from, To& to) {
  to.meta = from.meta;
  if constexpr (formats::composite<From, To>)
    From::parts(from, to, [](const auto& part, auto& there) { copy_meta(part, there); });
}

/// How arrays come to a device.
struct upload_options {
  int device = 0;
  std::span<const device_alias> aliases = {};
  bool copy_all = false;             ///< an array that has a device_alias is copied anyway
  bool copy_values = false;          ///< values that have a device_alias are
  const placement* where = nullptr;  ///< of the arrays in turn; null: all on the device
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();  ///< bytes that the device may hold of them
};

/// The array of the caller's on the device that serves as a copy of `source`; null where it has to be copied.
template <class V, class T>
const T* found_on_device(const host_buffer<T>& source, const upload_options& how) {
  if (source.owned() || how.copy_all || (how.copy_values && std::is_same_v<T, V>)) return nullptr;
  const auto found = std::find_if(how.aliases.begin(), how.aliases.end(),
                                  [&](const device_alias& each) { return each.host == source.data(); });
  return found == how.aliases.end() ? nullptr : static_cast<const T*>(found->device);
}

/// What upload() takes for each array in turn: nothing for those that it borrows.
template <class V, class Host>
std::vector<std::int64_t> upload_bytes(const Host& storage, const upload_options& how) {
  std::vector<std::int64_t> bytes;
  Host::arrays(storage, [&]<class T>(const char*, const host_buffer<T>& array) {
    const bool borrowed = found_on_device<V>(array, how) != nullptr;
    bytes.push_back(borrowed ? 0 : static_cast<std::int64_t>(array.size() * sizeof(T)));
  });
  return bytes;
}

/// Copies of arrays to a device, done when it goes: of those that are long enough by several threads.
class long_uploads {
 public:
  explicit long_uploads(int device) noexcept
      : device_(device), copies_(device, exec::staged_copies::by::team) {}
  long_uploads(const long_uploads&) = delete;
  long_uploads& operator=(const long_uploads&) = delete;
  ~long_uploads() { exec::finish_device(device_); }

  void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes >= (copies_.ready(bytes) ? worth_it : worth_pinning))
      copies_.to_device(to, from, bytes, {});
    else
      exec::copy_async(to, from, bytes, exec::copy_kind::host_to_device, {});
  }

 private:
  static constexpr std::size_t worth_it = std::size_t{8} << 20;
  static constexpr std::size_t worth_pinning = std::size_t{32} << 20;
  int device_;
  exec::staged_copies copies_;
};

/// Takes every array of `from` into `to`, whose type differs in the buffer alone. A borrowed array that has a
/// device_alias on the device is borrowed there too, where it may be. Arrays that stay on the host move out
/// of `from`.
template <class V, class Host, class Device>
void upload(Host& from, Device& to, const upload_options& how) {
  copy_meta(from, to);
  // Both storages list their arrays in one order, but each by a call of its own.
  std::vector<void*> sources;
  Host::arrays(from, [&](const char*, auto& array) { sources.push_back(&array); });
  std::size_t next = 0;
  exec::device_arena there;
  std::vector<bool> copied(sources.size(), false);
  Device::arrays(to, [&]<class T>(const char*, exec::device_buffer<T>& array) {
    const std::size_t at = next++;
    auto& source = *static_cast<host_buffer<T>*>(sources[at]);
    array = {};
    if (const T* const found = found_on_device<V>(std::as_const(source), how); found != nullptr) {
      array = exec::device_buffer<T>::borrow({found, source.size()});
    } else if (how.where != nullptr && how.where->on_host[at]) {
      core::make_owned(source, static_cast<csr_matrix<V, std::int64_t>*>(nullptr));
      array = exec::device_buffer<T>(std::move(source), how.device);
    } else {
      there.add(array, static_cast<std::int64_t>(source.size()));
      copied[at] = true;
    }
  });
  // What places in one piece are rounded up by may be what there is no room for.
  const bool all_fit = how.where == nullptr || std::find(how.where->on_host.begin(), how.where->on_host.end(),
                                                         true) == how.where->on_host.end();
  there.allocate(how.device, all_fit ? static_cast<std::size_t>(std::max<std::int64_t>(0, how.limit)) : 0);
  long_uploads uploads(how.device);
  next = 0;
  Device::arrays(to, [&]<class T>(const char*, exec::device_buffer<T>& array) {
    const std::size_t at = next++;
    const auto& source = *static_cast<const host_buffer<T>*>(sources[at]);
    if (copied[at]) uploads.copy(array.data(), source.data(), source.size() * sizeof(T));
  });
  exec::synchronize_device();
}

/// Arrays that stayed on the host for lack of room move to the device as far as there is room now, those that
/// `where` leaves there excepted.
template <class Device>
void move_to_device(Device& storage, const placement& where, int device) {
  std::size_t next = 0;
  Device::arrays(storage, [&]<class T>(const char*, exec::device_buffer<T>& array) {
    if (where.on_host[next++] || !array.on_host()) return;
    try {
      exec::device_buffer<T> there(array.size(), device);
      exec::copy_async(there.data(), array.data(), array.size() * sizeof(T), exec::copy_kind::by_address, {});
      exec::synchronize_device();
      array = std::move(there);
    } catch (const error& problem) {
      if (problem.code() != errc::out_of_memory) throw;
    }
  });
}

/// The reverse of upload, into owned host arrays.
template <class Device, class Host>
void download(const Device& from, Host& to) {
  copy_meta(from, to);
  std::vector<std::pair<const void*, std::size_t>> sources;
  Device::arrays(from,
                 [&](const char*, const auto& array) { sources.emplace_back(array.data(), array.size()); });
  std::size_t next = 0;
  exec::synchronize_device();
  Host::arrays(to, [&]<class T>(const char*, host_buffer<T>& array) {
    const auto& [data, size] = sources[next++];
    array = host_buffer<T>(size);
    exec::copy_async(array.data(), data, size * sizeof(T), exec::copy_kind::by_address, {});
  });
  exec::synchronize_device();
}

/// Slot by slot, the number of the entry whose value stands there (-1: padding); one for each array of
/// values. Empty where slot k holds entry k throughout, so that refreshing is a plain copy.
template <template <class> class Buffer>
struct value_map {
  Buffer<std::int64_t> entry;
};

/// Takes the maps out of a storage that was built over entry numbers.
template <class Storage>
std::vector<value_map<host_buffer>> maps_of(Storage&& numbered, std::int64_t nnz) {
  std::vector<value_map<host_buffer>> maps;
  std::remove_cvref_t<Storage>::arrays(numbered, [&]<class T>(const char*, const host_buffer<T>& array) {
    if constexpr (is_entry_number<T>) {
      const auto size = static_cast<std::int64_t>(array.size());
      bool in_order = size == nnz;
      for (std::int64_t k = 0; in_order && k < size; ++k) in_order = array.data()[k].index == k;
      value_map<host_buffer> map;
      if (!in_order) {
        map.entry = host_buffer<std::int64_t>(array.size());
        core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) map.entry.data()[k] = array.data()[k].index;
        });
      }
      maps.push_back(std::move(map));
    }
  });
  return maps;
}

}  // namespace gossamer::inline v0::plans
