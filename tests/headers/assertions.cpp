// SPDX-License-Identifier: BSD-3-Clause
// What the public types promise, checked by compiling: what converts, and above all what does not.
#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "gossamer/gossamer.hpp"

namespace {

using namespace gossamer;

// Views go into kernels by value.
template <class View>
constexpr bool is_pod_view = std::is_trivially_copyable_v<View>&& std::is_standard_layout_v<View>&&
    std::is_trivially_destructible_v<View>&& std::is_aggregate_v<View>;
static_assert(is_pod_view<csr_view<float, std::int32_t>>);
static_assert(is_pod_view<csr_view<double, std::int64_t>>);
static_assert(is_pod_view<csr_view<double, std::int64_t, device_space>>);
static_assert(is_pod_view<coo_view<float>>);
static_assert(is_pod_view<coo_view<double, device_space>>);
static_assert(std::is_trivially_copyable_v<device_span<float>> &&
              std::is_standard_layout_v<device_span<float>>);
static_assert(sizeof(device_span<double>) == sizeof(std::span<double>));
static_assert(std::is_trivially_copyable_v<cuda_stream> && sizeof(cuda_stream) == sizeof(void*));

// Memory of one space never passes for the other's.
static_assert(!std::convertible_to<device_span<double>, std::span<double>>);
static_assert(!std::convertible_to<device_span<double>, std::span<const double>>);
static_assert(!std::convertible_to<std::span<double>, device_span<double>>);
static_assert(!std::convertible_to<std::vector<double>&, device_span<double>>);
static_assert(!std::constructible_from<std::span<double>, device_span<double>>);
static_assert(
    !std::convertible_to<csr_view<double, std::int32_t, device_space>, csr_view<double, std::int32_t>>);
static_assert(
    !std::convertible_to<csr_view<double, std::int32_t>, csr_view<double, std::int32_t, device_space>>);
// const comes alone and does not go.
static_assert(std::convertible_to<device_span<double>, device_span<const double>>);
static_assert(!std::convertible_to<device_span<const double>, device_span<double>>);
static_assert(!std::convertible_to<device_span<float>, device_span<const double>>);

template <class X, class Y, class... Rest>
concept multiplies = requires(const plan<double>& p, X x, Y y, Rest... rest) {
  p.multiply(1.0, x, 0.0, y, rest...);
};
using host_in = std::span<const double>;
using host_out = std::span<double>;
using device_in = device_span<const double>;
using device_out = device_span<double>;
static_assert(multiplies<host_in, host_out>);
static_assert(multiplies<std::vector<double>&, std::vector<double>&>);
static_assert(multiplies<host_in, host_out, workspace&>);
static_assert(multiplies<device_in, device_out, cuda_stream>);
static_assert(multiplies<device_in, device_out, cuda_stream, workspace&>);
static_assert(!multiplies<host_in, device_out>);
static_assert(!multiplies<device_in, host_out>);
static_assert(!multiplies<device_in, host_out, cuda_stream>);
static_assert(!multiplies<host_in, host_out, cuda_stream>, "a host product has no stream");
static_assert(!multiplies<device_in, device_out>, "a device product needs its stream");
static_assert(!multiplies<host_in, std::span<const double>>, "y is written");
static_assert(!multiplies<std::span<const float>, host_out>);

template <class Matrix, class Where>
concept inspects = requires(const Matrix& a, const Where& where) {
  inspect(a, where);
};
static_assert(inspects<csr_view<float, std::int32_t>, cpu>);
static_assert(inspects<csr_view<float, std::int32_t>, cuda>);
static_assert(inspects<csr_view<double, std::int64_t>, resource>);
static_assert(inspects<coo_view<double>, cpu>);
static_assert(inspects<csr_view<double, std::int64_t, device_space>, cuda>);
static_assert(!inspects<csr_view<double, std::int64_t, device_space>, cpu>,
              "a cpu plan cannot read device memory");
static_assert(!inspects<csr_view<int, std::int64_t>, cpu>);

// Values and offsets are closed sets.
static_assert(value<float> && value<double> && !value<int> && !value<long double> && !value<const float>);
static_assert(offset<std::int32_t> && offset<std::int64_t> && !offset<std::uint32_t> &&
              !offset<std::int16_t>);

// Owners move and do not copy.
template <class T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
                            !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(moves_only<plan<float>> && moves_only<plan<double>>);
static_assert(moves_only<workspace>);
static_assert(moves_only<host_buffer<double>>);
static_assert(!std::is_default_constructible_v<plan<double>>);

// One exception class, which handlers of the standard ones catch.
static_assert(std::derived_from<error, std::runtime_error> && std::is_nothrow_copy_constructible_v<error>);
static_assert(static_cast<int>(errc::invalid_argument) == 1 && static_cast<int>(errc::busy) == 12,
              "error numbers are part of the ABI");

static_assert(std::is_same_v<decltype(contains(device_set::both, device_set::cpu)), bool>);
static_assert(contains(device_set::both, device_set::cuda) && !contains(device_set::cpu, device_set::cuda));

}  // namespace
