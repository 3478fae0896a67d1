// SPDX-License-Identifier: BSD-3-Clause
// New values of a plan whose format codes values: the storage is built again, on the host.
#pragma once

#include <optional>
#include <utility>

#include "formats/contract/rounding.hpp"

namespace gossamer::inline v0::plans {

/// The storage of `a` with other values, with the options of the plan, and what rounding loses. Throws
/// unsupported where the format refuses the values.
template <formats::format F, value V>
auto recoded(csr_matrix<V, std::int64_t>&& a, const V* values, const option_texts& texts,
             const exec::target& target) {
  const csr_matrix<V, std::int64_t> changed = formats::with_values<F>(std::move(a), values);
  const auto options = formats::options_again<F>(texts, changed.view(), target);
  const formats::rounding_outcome rounding = formats::rounding_of<F>(changed.view(), options);
  if (!rounding.refusal.empty()) fail(errc::unsupported, "unsupported: {}: {}", F::name, rounding.refusal);
  return std::pair(F::build(changed.view(), options, target), rounding.error);
}

}  // namespace gossamer::inline v0::plans
