// SPDX-License-Identifier: BSD-3-Clause
// Formats made of other formats: each part is built, measured and multiplied by its own format, and these put
// them together.
#pragma once

#include <array>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/make_owned.hpp"
#include "formats/common/chosen_entries.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// The name of a part's array within the whole: "head_" and "col". Allocates nothing, since counting bytes
/// may not throw.
struct part_array_name {
  std::array<char, 64> text{};
  part_array_name(std::string_view part, std::string_view array) {
    std::size_t n = 0;
    for (const std::string_view piece : {part, array}) {
      for (const char c : piece)
        if (n + 1 < text.size()) text[n++] = c;
    }
  }
};

/// What arrays() of a composite's storage does for one part: f, with the part's name in front of the arrays'.
template <class Part, class F>
void arrays_of_part(const char* name, Part& part, F&& f) {
  std::remove_const_t<Part>::arrays(
      part, [&](const char* array, auto& buffer) { f(part_array_name(name, array).text.data(), buffer); });
}

/// The part's own options, with what is automatic filled in from the part's rows. A limit of the whole holds
/// for each part.
template <class Part, class Options>
typename Part::options options_of_part(const Options& whole, const row_statistics& part,
                                       const exec::target& target) {
  typename Part::options o;
  if constexpr (limits_padding<typename Part::options> && limits_padding<Options>)
    o.max_padding = whole.max_padding;
  return Part::resolve(o, part, target);
}

/// A part that borrows from `piece` takes what it borrows; the rest of piece is let go.
template <class Part, class T, offset O>
typename Part::template storage<T, O, host_buffer> build_part(csr_part<T, O>&& piece,
                                                              const typename Part::options& o,
                                                              const exec::target& target) {
  auto stored = Part::build(std::as_const(piece).view(), o, target);
  decltype(stored)::arrays(stored, [&](const char*, auto& array) { core::make_owned(array, &piece); });
  return stored;
}

/// Adds what one part takes to what the parts before it do.
inline void add_part(footprint& whole, const char* name, const footprint& part) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  whole.bytes = whole.bytes > most - part.bytes ? most : whole.bytes + part.bytes;
  whole.exact = whole.exact && part.exact;
  if (whole.refusal.empty() && !part.refusal.empty()) whole.refusal = std::string(name) + ": " + part.refusal;
}

// What follows needs of a composite a function that stands beside its meta,
//   template <class Whole, class F> void for_each_part(const meta&, F&& f);
// and calls f(std::type_identity<Part>, place, member) for each part that is there, in the order in which
// they multiply. Whole is the storage or the view, member its member for the part, and place says to the
// composite which part that is.

/// Scratch of all parts, which stand side by side.
template <class S, class Whole>
std::int64_t scratch_of_parts(const Whole& a) {
  std::int64_t values = 0;
  for_each_part<Whole>(a.meta, [&]<class Part>(std::type_identity<Part>, auto, auto member) {
    values += Part::template scratch<S>(a.*member);
  });
  return values;
}

/// Of one part, or of two: the entries of the first, then those of the second, row by row.
template <value V, class Whole>
csr_matrix<V, std::int64_t> parts_to_csr(const Whole& stored) {
  std::vector<csr_matrix<V, std::int64_t>> parts;
  for_each_part<Whole>(stored.meta, [&]<class Part>(std::type_identity<Part>, auto, auto member) {
    parts.push_back(Part::to_csr(stored.*member));
  });
  return parts.size() == 1 ? std::move(parts.front()) : joined_rows(parts.front(), parts.back());
}

/// Appends a part's passes as passes of the whole, whose view has the part's view as `member`; the part's
/// scratch begins at `scratch`.
template <class Whole, class View, class S>
void append_passes(cpu_passes<Whole, S>& all, cpu_passes<View, S>&& part, View Whole::*member,
                   std::int64_t scratch) {
  for (cpu_pass<View, S>& pass : part)
    all.push_back({.run = [run = std::move(pass.run), member](
                              const Whole& a, const product<S>& p, std::int64_t first, std::int64_t last,
                              sum_t<S>* slots) { run(a.*member, p, first, last, slots); },
                   .units = pass.units,
                   .carries = pass.carries,
                   .cost = pass.cost,
                   .min_units_per_thread = pass.min_units_per_thread,
                   .stealing_threads = pass.stealing_threads,
                   .writes_rows = pass.writes_rows,
                   .scratch = scratch + pass.scratch});
}

/// The passes of all parts, one part after the other.
template <class S, class Whole>
cpu_passes<Whole, S> passes_of_parts(const Whole& a, isa level) {
  cpu_passes<Whole, S> all;
  std::int64_t scratch = 0;
  for_each_part<Whole>(a.meta, [&]<class Part>(std::type_identity<Part>, auto, auto member) {
    append_passes(all, Part::template passes<S>(a.*member, level), member, scratch);
    scratch += Part::template scratch<S>(a.*member);
  });
  return all;
}

}  // namespace gossamer::inline v0::formats
