// SPDX-License-Identifier: BSD-3-Clause
// CSR-M: compressed sparse rows whose products read the values of x from beside the entries' values, where a
// gather step has put them.
#pragma once

#include "formats/common/borrowed_csr.hpp"
#include "formats/common/equal_cuts.hpp"

namespace gossamer::inline v0::formats {

struct csr_gathered_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t units = 0;  ///< cpu: of the product
  unit_size gather;        ///< cpu: units of the gather step, in entries
  exec::carry_counts carries;
};

template <class V, offset O>
struct csr_gathered_pointers {
  csr_gathered_meta meta;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* cut_row;
  const std::int64_t* cut_entry;
  exec::carry_view carries;
};

/// Col_x of paper 002: x[col[k]] at place k. It follows the slots of shared rows in the scratch and has their
/// type.
template <class A, class V, offset O>
A* gathered_in(const csr_gathered_pointers<V, O>& a, A* scratch) {
  return scratch + exec::scratch_values<A>(a.carries);
}

template <class T, offset O, template <class> class Buffer>
struct csr_gathered_storage {
  csr_gathered_meta meta;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> cut_row;    ///< cpu: units + 1; see cut_equally()
  Buffer<std::int64_t> cut_entry;  ///< cpu: units + 1; see cut_entries()
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row_ptr", self.row_ptr);
    f("col", self.col);
    f("val", self.val);
    f("cut_row", self.cut_row);
    f("cut_entry", self.cut_entry);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] csr_gathered_pointers<T, O> view() const {
    return {.meta = meta,
            .row_ptr = row_ptr.data(),
            .col = col.data(),
            .val = val.data(),
            .cut_row = cut_row.data(),
            .cut_entry = cut_entry.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

struct csr_gathered : borrowed_csr<csr_gathered_storage, csr_gathered_pointers> {
  static constexpr std::string_view name = "csr_gathered";
  static constexpr std::string_view source = "paper 002, sections 3.1 and 5.1 (CSR-M)";
  static constexpr std::string_view help = "compressed sparse rows; x is gathered in a separate step";

  using options = no_options;

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics&, const exec::target&) { return {options{}}; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  static constexpr core_work work(const options&) { return zen4::csr_gathered; }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::csr_gathered, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    const double nnz = static_cast<double>(s.nnz);
    const double gather = nnz * (sizeof(std::int32_t) + sizeof(V)) + static_cast<double>(s.cols) * sizeof(V);
    const double multiply = nnz * 2 * sizeof(V) + static_cast<double>(s.rows + 1) * sizeof(O) +
                            static_cast<double>(s.rows) * sizeof(V);
    return roofline(gather + multiply, 2, m);
  }

  template <class T, offset O>
  static csr_gathered_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                       const exec::target& target);
  template <scalar_types S, offset O>
  static std::int64_t scratch(const csr_gathered_pointers<matrix_t<S>, O>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries) + a.meta.nnz;
  }
  template <scalar_types S, offset O>
  static cpu_passes<csr_gathered_pointers<matrix_t<S>, O>, S> passes(
      const csr_gathered_pointers<matrix_t<S>, O>&, isa);
  template <scalar_types S, offset O>
  static void launch(const csr_gathered_pointers<matrix_t<S>, O>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class T, offset O>
csr_gathered_storage<T, O, host_buffer> csr_gathered::build(const csr_view<T, O>& a, const options&,
                                                            const exec::target& target) {
  csr_gathered_storage<T, O, host_buffer> s;
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz()};
  borrow_arrays(s, a);
  if (target.kind == device_set::cpu) {
    const unit_size cuts = cpu_units(a.rows + a.nnz());
    s.meta.units = cuts.units;
    s.meta.gather = cpu_units(a.nnz());
    s.cut_row = cut_equally(a, cuts.units, cuts.weight);
    s.cut_entry = cut_entries(a, s.cut_row, cuts.weight);
    s.carries = exec::list_carries(
        s.meta.units, [&](std::int64_t u) { return row_across_cut(a, s.cut_row, s.cut_entry, u); },
        s.meta.carries);
  }
  return s;
}

template <class V, offset O>
footprint csr_gathered::measure(const csr_view<V, O>&, const row_statistics& s, const options&,
                                const exec::target& target) {
  footprint f{.bytes = csr_bytes<V, O>(s)};
  if (target.kind == device_set::cpu) {
    const std::int64_t units = cpu_units(s.rows + s.nnz).units;
    f.exact = units <= 1;  // which cuts fall inside rows is known only by cutting
    f.bytes += (units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(std::int64_t)) +
               exec::carry_bytes_bound(units, units - 1);
  }
  return f;
}

}  // namespace gossamer::inline v0::formats
