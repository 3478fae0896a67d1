// SPDX-License-Identifier: BSD-3-Clause
// What a device builds of a matrix beside what the host builds: every array has to have the same bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exec/target.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/gossamer.hpp"
#include "plans/matrix_on_device.hpp"

namespace gossamer::testing_support {

/// The arrays of a storage, by name, as bytes.
template <class Storage>
std::vector<std::pair<std::string, std::string>> arrays_of(const Storage& stored) {
  std::vector<std::pair<std::string, std::string>> all;
  Storage::arrays(stored, [&]<class T>(const char* name, const host_buffer<T>& array) {
    all.emplace_back(name,
                     std::string(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(T)));
  });
  return all;
}

/// Whether device 0 builds it at all.
template <formats::format F, value V, offset O>
bool is_built_alike(const csr_view<V, O>& a, const typename F::options& asked) {
  const exec::target target = exec::target_of(cuda{0});
  const exec::device_guard guard(0);
  const row_statistics statistics = measure_rows(a);
  const auto options = F::resolve(asked, statistics, target);
  const plans::matrix_on_device<V, O> there(a, 0);
  const auto built = F::build_on_device(there.view(), statistics, options, target);
  if (!built) return false;
  typename F::template storage<V, O, host_buffer> back;
  plans::download(*built, back);
  const auto expected = F::build(a, options, target);
  const auto got_arrays = arrays_of(back);
  const auto arrays = arrays_of(expected);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(got_arrays[i].second.size(), arrays[i].second.size()) << "bytes of " << arrays[i].first;
    const std::string& got = got_arrays[i].second;
    const auto [first, other] =
        std::mismatch(arrays[i].second.begin(), arrays[i].second.end(), got.begin(), got.end());
    EXPECT_TRUE(first == arrays[i].second.end()) << "byte " << first - arrays[i].second.begin() << " of "
                                                 << arrays[i].second.size() << " of " << arrays[i].first;
  }
  EXPECT_TRUE(back.meta == expected.meta);
  return true;
}

}  // namespace gossamer::testing_support
