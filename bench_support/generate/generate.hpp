// SPDX-License-Identifier: BSD-3-Clause
// Matrices made from a line of text: the same bits on every machine and for every number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::bench_support {

struct generator_parameter {
  std::string_view name;
  std::string_view default_text;  ///< empty: it must be given. A parameter's name stands for its value.
  std::string_view help;
};

struct generator_info {
  std::string_view name;
  std::string_view help;
  std::span<const generator_parameter> parameters;
};

/// Every generator, for help texts and for tests that go through all of them.
std::span<const generator_info> generators();

/// Whether the whole text has the form NAME(...), as a file name such as "dir/a(1).mtx" has not. Mistakes
/// inside the parentheses do not count: generate names them.
bool is_specification(std::string_view text) noexcept;

/// The text NAME(key=value, ...) taken apart, before anything is known of NAME. An empty key stands for the
/// first parameter.
struct specification_parts {
  std::string name;
  std::vector<std::pair<std::string, std::string>> assignments;
};

/// Throws invalid_argument for a text that is not of that form.
specification_parts parse_specification(std::string_view text);

/// Makes the matrix of a specification: NAME(key=value, ...), for example "stencil(nx=100, ny=100,
/// points=5)". Whole numbers may end in k, M or G (10^3, 10^6, 10^9) or be written 1e6; the name of a
/// generator's first parameter may be left out: "diagonal(1M)". generators() lists what each one takes.
///
/// Columns ascend within a row and do not repeat. Every generator takes seed=1 and values=
///   distinct    (default) of either sign, magnitude in [0.5, 2); f64: all different; f32: all different up
///               to 2^25 entries, then 2^25 values in another order
///   few(K)      exactly min(K, nnz) different values, the same in f32 and f64
///   constant    1
///   f32_exact   the values that f32 has, so that f64 ones can be stored in f32
/// Throws invalid_argument that names the generator, the parameter and its value; unsupported for a dimension
/// over 2^31 - 1; out_of_memory; cancelled. Progress is of the stage "generate".
template <value V>
csr_matrix<V, std::int64_t> generate(std::string_view specification, const progress_callback& progress = {});

/// Gives a matrix other values, named as by `values` above: entry k has the value that generate gives entry
/// k. Throws invalid_argument for another text, and where the matrix does not own its values.
template <value V, offset O>
void assign_values(csr_matrix<V, O>& a, std::string_view values, std::uint64_t seed = 1);

}  // namespace gossamer::bench_support
