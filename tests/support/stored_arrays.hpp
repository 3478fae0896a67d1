// SPDX-License-Identifier: BSD-3-Clause
// For tests that look at a format's arrays: the targets that it is built for, an array as a list, what lists
// differ in, and names of arrays.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exec/target.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::testing_support {

inline const exec::target on_cpu{.kind = device_set::cpu};
inline const exec::target on_cuda{.kind = device_set::cuda, .compute_capability = 90};

template <class T>
std::vector<T> list(const host_buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

/// Whether two lists are alike; else where they first differ. Of large ones: what ElementsAreArray() says
/// more, takes it a hundred times as long.
template <class T>
testing::AssertionResult alike(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size())
    return testing::AssertionFailure() << got.size() << " instead of " << expected.size();
  const auto [here, there] = std::mismatch(got.begin(), got.end(), expected.begin());
  if (here == got.end()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << testing::PrintToString(*here) << " instead of "
                                     << testing::PrintToString(*there) << ", number " << here - got.begin();
}

/// Of what a format stores, the arrays that there are.
template <class Storage>
std::vector<std::string> array_names(const Storage& s) {
  std::vector<std::string> names;
  Storage::arrays(s, [&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

}  // namespace gossamer::testing_support
