// SPDX-License-Identifier: BSD-3-Clause
// HYB: the first entries of every row in one format, the head, and the rest of the long rows in another, the
// tail.
#pragma once

#include <array>
#include <type_traits>

#include "core/row_lengths.hpp"
#include "formats/brc/format.hpp"
#include "formats/common/parts.hpp"
#include "formats/common/row_order.hpp"
#include "formats/common/stored_as.hpp"
#include "formats/coo/format.hpp"
#include "formats/ellpack/format.hpp"

namespace gossamer::inline v0::formats {

enum class hyb_head : std::int32_t { ell, brc };
enum class hyb_tail : std::int32_t { coo, brc };

struct hyb_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t width = 0;  ///< entries of a row in the head, at most
  hyb_head head = hyb_head::ell;
  hyb_tail tail = hyb_tail::coo;
  bool has_head = false;
  bool has_tail = false;  ///< where there is no head, everything is in the tail, even nothing
};

template <class V>
struct hyb_pointers {
  hyb_meta meta;
  ellpack_pointers<V> head_ell;
  brc_pointers<V> head_brc;
  coo_pointers<V> tail_coo;
  brc_pointers<V> tail_brc;
};

enum class hyb_place { head, tail };

/// f(std::type_identity<Part>, place, member) for each part that is there, the head first. Whole is the
/// storage or the view.
template <class Whole, class F>
void for_each_part(const hyb_meta& m, F&& f) {
  if (m.has_head && m.head == hyb_head::ell)
    f(std::type_identity<ellpack>{}, hyb_place::head, &Whole::head_ell);
  if (m.has_head && m.head == hyb_head::brc) f(std::type_identity<brc>{}, hyb_place::head, &Whole::head_brc);
  if (m.has_tail && m.tail == hyb_tail::coo) f(std::type_identity<coo>{}, hyb_place::tail, &Whole::tail_coo);
  if (m.has_tail && m.tail == hyb_tail::brc) f(std::type_identity<brc>{}, hyb_place::tail, &Whole::tail_brc);
}

template <class T, template <class> class Buffer>
struct hyb_storage {
  hyb_meta meta;
  ellpack_storage<T, Buffer> head_ell;
  brc_storage<T, Buffer> head_brc;
  coo_storage<T, Buffer> tail_coo;
  brc_storage<T, Buffer> tail_brc;

  /// Those of the parts that are there, as head_col, tail_row and so on.
  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    for_each_part<hyb_storage>(self.meta, [&](auto, hyb_place place, auto member) {
      arrays_of_part(place == hyb_place::head ? "head_" : "tail_", self.*member, f);
    });
  }

  template <class From, class To, class F>
  static void parts(const From& from, To& to, F&& f) {
    f(from.head_ell, to.head_ell);
    f(from.head_brc, to.head_brc);
    f(from.tail_coo, to.tail_coo);
    f(from.tail_brc, to.tail_brc);
  }

  [[nodiscard]] hyb_pointers<T> view() const {
    return {.meta = meta,
            .head_ell = head_ell.view(),
            .head_brc = head_brc.view(),
            .tail_coo = tail_coo.view(),
            .tail_brc = tail_brc.view()};
  }
};

struct hyb : stored_as<hyb_storage, hyb_pointers> {
  static constexpr std::string_view name = "hyb";
  static constexpr std::string_view source = "paper 000, sections 2.4 and 5 (Bell and Garland 2009)";
  static constexpr std::string_view help =
      "the first entries of each row in a padded table, the others as coo";

  static constexpr std::array<option_choice, 2> heads{option_choice{"ell", "as ellpack, the paper's HYB"},
                                                      option_choice{"brc", "as brc"}};
  static constexpr std::array<option_choice, 2> tails{
      option_choice{"coo", "as coo, the paper's HYB"},
      option_choice{"brc", "as brc, which is always better in the paper"}};

  static constexpr std::int64_t auto_width = -1;

  struct options {
    std::int64_t width = auto_width;
    hyb_tail tail = hyb_tail::coo;
    hyb_head head = hyb_head::ell;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "width",
                     .help = "entries of a row in the head; auto: the most that max(4096, rows / 3) rows "
                             "have; 0: all in the tail",
                     .min = 0,
                     .max = 1 << 30,
                     .has_auto = true,
                     .auto_number = auto_width,
                     .test_value = 4},
        self.width);
      f(choice_field{.name = "tail", .help = "how the rest is stored", .choices = tails}, self.tail);
      f(choice_field{.name = "head", .help = "how the first entries are stored", .choices = heads},
        self.head);
      f(max_padding_field(100), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target&) {
    if (o.width == auto_width) o.width = s.common_length;
    return o;
  }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  static device_work gpu_work(const row_statistics& s, const options& o) {
    return {.kernel = hopper::hyb, .usual_steps = static_cast<double>(o.width), .long_rows = s.max > o.width};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target&, const machine& m,
                     const footprint& size) {
    const bool split = o.width > 0 && s.max > o.width;
    // The tail reads and writes y again. Fewer than a third of the rows are longer than the automatic width.
    const double again = split ? 2.0 / 3 * static_cast<double>(s.rows) : 0;
    const double vectors = (static_cast<double>(s.rows + s.cols) + again) * sizeof(V);
    return roofline(static_cast<double>(size.bytes) + vectors, split ? 2 : 1, m);
  }

  template <class T, offset O>
  static hyb_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                           const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const hyb_storage<V, host_buffer>& stored) {
    return parts_to_csr<V>(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const hyb_pointers<matrix_t<S>>& a) {
    return scratch_of_parts<S>(a);
  }
  template <scalar_types S>
  static cpu_passes<hyb_pointers<matrix_t<S>>, S> passes(const hyb_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const hyb_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

/// What is decided from the row lengths before anything is split: which parts there are, and what their
/// options are chosen by.
struct hyb_split {
  hyb_meta meta;
  row_statistics head;
  row_statistics tail;

  template <class V, offset O>
  hyb_split(const csr_view<V, O>& a, const hyb::options& o) {
    const row_length_distribution lengths = measure_row_lengths(a);
    const std::int64_t longest = lengths.empty() ? 0 : lengths.back().first;
    meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .width = o.width,
            .head = o.head,
            .tail = o.tail,
            .has_head = o.width > 0,
            .has_tail = o.width == 0 || longest > o.width};
    head = statistics_of(lengths_up_to(lengths, o.width), a.cols);
    row_length_distribution beyond = lengths_beyond(lengths, o.width);
    tail = statistics_of(beyond, a.cols);
    if (!is_split()) return;
    // Added to y, the tail has no work with rows that are empty in it, so the usual row is that of the
    // others.
    if (!beyond.empty() && beyond.front().first == 0) beyond.erase(beyond.begin());
    const row_statistics others = statistics_of(beyond, a.cols);
    tail.mean = others.mean;
    tail.standard_deviation = others.standard_deviation;
  }

  [[nodiscard]] bool is_split() const { return meta.has_head && meta.has_tail; }
  [[nodiscard]] const row_statistics& of(hyb_place place) const {
    return place == hyb_place::head ? head : tail;
  }
};

/// Entries of row i in the head or the tail.
template <class V, offset O>
std::int64_t hyb_row_length(const csr_view<V, O>& a, std::int64_t width, hyb_place place, std::int64_t i) {
  const std::int64_t in_head = std::min(row_length(a, i), width);
  return place == hyb_place::head ? in_head : row_length(a, i) - in_head;
}

template <class V, offset O>
footprint hyb::measure(const csr_view<V, O>& a, const row_statistics&, const options& o,
                       const exec::target& target) {
  const hyb_split division(a, o);
  footprint whole;
  for_each_part<hyb_pointers<V>>(
      division.meta, [&]<class Part>(std::type_identity<Part>, hyb_place place, auto) {
        const char* const name = place == hyb_place::head ? "head" : "tail";
        const row_statistics& s = division.of(place);
        const auto part_options = options_of_part<Part>(o, s, target);
        if (!division.is_split()) return add_part(whole, name, Part::measure(a, s, part_options, target));
        std::vector<O> row_ptr(static_cast<std::size_t>(a.rows) + 1);  // no part of a plan's memory
        write_offsets(
            a.rows, [&](std::int64_t i) { return hyb_row_length(a, division.meta.width, place, i); },
            row_ptr.data());
        // The part's row lengths; no format that can be a part looks at columns or values here.
        const auto entries = static_cast<std::size_t>(s.nnz);
        const csr_view<V, O> rows{.rows = a.rows,
                                  .cols = a.cols,
                                  .row_ptr = row_ptr,
                                  .col = a.col.first(entries),
                                  .val = a.val.first(entries)};
        add_part(whole, name, Part::measure(rows, s, part_options, target));
      });
  return whole;
}

template <class T, offset O>
hyb_storage<T, host_buffer> hyb::build(const csr_view<T, O>& a, const options& o,
                                       const exec::target& target) {
  hyb_storage<T, host_buffer> stored;
  const hyb_split division(a, o);
  stored.meta = division.meta;
  for_each_part<hyb_storage<T, host_buffer>>(
      division.meta, [&]<class Part>(std::type_identity<Part>, hyb_place place, auto member) {
        const auto part_options = options_of_part<Part>(o, division.of(place), target);
        if (!division.is_split()) {
          stored.*member = Part::build(a, part_options, target);
          return;
        }
        const std::int64_t width = division.meta.width;
        stored.*member = build_part<Part>(
            chosen_entries(
                a, [&](std::int64_t i) { return hyb_row_length(a, width, place, i); },
                [&](std::int64_t i, std::int64_t k) {
                  const bool in_head = k - static_cast<std::int64_t>(a.row_ptr.data()[i]) < width;
                  return in_head == (place == hyb_place::head);
                }),
            part_options, target);
      });
  return stored;
}

}  // namespace gossamer::inline v0::formats
