// SPDX-License-Identifier: BSD-3-Clause
// By what a result is found again: the structure of a matrix, and all that decides how fast it is multiplied
// here.
#pragma once

#include <string>

#include "gossamer/matrix.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::tuning {

/// A JSON object on one line: the device by name, or the CPU, its threads, ISA and way of gathering. Throws
/// where the resource is not there.
std::string device_key(const resource& where);

/// A JSON object on one line. Equal for matrices of one structure (sizes and row statistics; of row offsets
/// and columns, samples of some ten thousand) with values of one kind (in a sample few distinct ones, or
/// many), one value and offset type, one device by name, one number of threads, ISA and way of gathering, one
/// `values_change` and one version of the library. O(sample). `a` is valid.
template <value V, offset O>
std::string fingerprint(const csr_view<V, O>& a, const row_statistics& statistics, const resource& where,
                        bool values_change);

}  // namespace gossamer::inline v0::tuning
