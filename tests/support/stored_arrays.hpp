// SPDX-License-Identifier: BSD-3-Clause
// For tests that look at a format's arrays: the targets that it is built for, an array as a list, and their names.
#pragma once

#include <string>
#include <vector>

#include "exec/target.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::testing_support {

inline const exec::target on_cpu{.kind = device_set::cpu};
inline const exec::target on_cuda{.kind = device_set::cuda, .compute_capability = 90};

template <class T>
std::vector<T> list(const host_buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

/// Of what a format stores, the arrays that there are.
template <class Storage>
std::vector<std::string> array_names(const Storage& s) {
  std::vector<std::string> names;
  Storage::arrays(s, [&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

}  // namespace gossamer::testing_support
