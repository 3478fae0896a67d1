// SPDX-License-Identifier: BSD-3-Clause
// Each format that the contract names as an example has the capability. A member with another signature would
// silently count as absent.
#include <gtest/gtest.h>

#include <cstdint>

#include "formats/all_formats.hpp"

namespace gossamer::formats {
namespace {

template <class F>
using host_storage = typename F::template storage<double, std::int64_t, host_buffer>;

TEST(contract, every_format_meets_it) {
  all_formats::for_each([]<class F>() { static_assert(format<F>); });
}

TEST(contract, examples_of_costs_have_their_members) {
  static_assert(costs_by_footprint<sliced_ell, double, std::int64_t> &&
                !costs_by_footprint<csr, double, std::int64_t>);
  static_assert(costs_by_statistics<csr, double, std::int64_t>);
  static_assert(cpu_work_by_options<csr>);
  static_assert(cpu_work_by_footprint<packed, double> && cpu_work_by_footprint<pattern_csr, double>);
  static_assert(gpu_work_by_statistics<csr>);
  static_assert(gpu_work_by_footprint<dia, double> && gpu_work_by_footprint<packed, double>);
}

struct without_cost : ellpack {
  static void cost() = delete;
};

struct with_cost_of_another_type : ellpack {
  template <class V, offset O>
  static float cost(const row_statistics&, const options&, const exec::target&, const machine&);
};

TEST(contract, a_format_without_a_cost_is_refused) {
  static_assert(format<ellpack> && storage_format<without_cost> && storage_format<with_cost_of_another_type>);
  static_assert(!predictable_format<without_cost> && !format<without_cost>);
  static_assert(!predictable_format<with_cost_of_another_type> && !format<with_cost_of_another_type>);
}

TEST(contract, examples_of_capabilities_have_their_members) {
  static_assert(bounds_footprint<dia, double, std::int64_t> &&
                bounds_footprint<diag_blocks, double, std::int64_t>);
  static_assert(bounds_footprint<packed, double, std::int64_t> &&
                bounds_footprint<bccoo, double, std::int64_t>);
  static_assert(estimates_by_sample<packed, double, std::int64_t> &&
                estimates_by_sample<bccoo, double, std::int64_t>);
  static_assert(builds_from_footprint<packed, double, std::int64_t> &&
                builds_from_footprint<bccoo, double, std::int64_t>);
  static_assert(builds_on_device<packed, double, std::int64_t> &&
                !builds_on_device<csr, double, std::int64_t>);
  static_assert(encodes_values<packed> && encodes_values<bccoo> && !encodes_values<csr>);
  static_assert(reencodes_values<packed>() == device_set::cpu && reencodes_values<csr>() == device_set::none);
  static_assert(replaces_values_on_gpu<packed> && !replaces_values_on_gpu<bccoo>);
  static_assert(rounds_values<packed, double> && !rounds_values<bccoo, double>);
  static_assert(!deterministic<coo>({.accumulate = coo_accumulate::atomic}));
  static_assert(deterministic<coo>({.accumulate = coo_accumulate::segmented}) && deterministic<csr>({}));
  static_assert(limits_padding<ellpack::options> && !limits_padding<csr::options>);
  static_assert(composite<host_storage<hyb>> && composite<host_storage<diag_blocks>>);
  static_assert(!composite<host_storage<csr>>);
}

}  // namespace
}  // namespace gossamer::formats
