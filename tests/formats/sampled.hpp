// SPDX-License-Identifier: BSD-3-Clause
// What a format says of a matrix by a sample, beside what it finds out by coding all of it.
#pragma once

#include <cstdint>

#include "exec/target.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::formats {

template <class Footprint>
struct sampled {
  Footprint measured;
  Footprint estimated;

  [[nodiscard]] double ratio() const {
    return static_cast<double>(estimated.bytes) / static_cast<double>(measured.bytes);
  }
};

template <format F, value V>
sampled<footprint_type<F, V>> look_at(const csr_matrix<V, std::int64_t>& a, const resource& where,
                                      const typename F::options& asked = {}) {
  const exec::target target = exec::planned_target_of(where);
  const row_statistics statistics = measure_rows(a.view());
  const typename F::options options = F::resolve(asked, statistics, target);
  return {F::measure(a.view(), statistics, options, target),
          F::estimate(a.view(), statistics, options, target)};
}

}  // namespace gossamer::formats
