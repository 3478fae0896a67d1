// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK-R: ELLPACK with the length of each row, so that padding is never worked on; and ELLR-T, in which
// several neighbouring threads share a row and its slots lie accordingly.
#pragma once

#include <array>
#include <limits>

#include "core/parallel.hpp"
#include "formats/common/padded_format.hpp"

namespace gossamer::inline v0::formats {

/// Numbers the choices of threads_per_row; 1 << (value - 1) threads.
enum class ellpack_r_threads : std::int32_t { automatic, one, two, four, eight, sixteen, thirty_two };

constexpr std::int64_t number_of(ellpack_r_threads t) {
  return t == ellpack_r_threads::automatic ? 1 : std::int64_t{1} << (static_cast<int>(t) - 1);
}

struct ellpack_r_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t threads = 1;  ///< of a row: T
  std::int64_t stride = 0;   ///< slots of a column of the table: rows T, rounded up
  std::int64_t columns = 0;  ///< of the table: the longest row in steps of T entries

  /// Where entry j of row i stands.
  [[nodiscard]] constexpr std::int64_t slot(std::int64_t i, std::int64_t j) const {
    return j / threads * stride + i * threads + j % threads;
  }
};

template <class V>
struct ellpack_r_pointers {
  ellpack_r_meta meta;
  const std::int32_t* length;
  const std::int32_t* col;  ///< -1 in padding
  const V* val;
};

template <class T, template <class> class Buffer>
struct ellpack_r_storage {
  ellpack_r_meta meta;
  Buffer<std::int32_t> length;  ///< rows; the paper's RL
  Buffer<std::int32_t> col;
  Buffer<T> val;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("length", self.length);
    f("col", self.col);
    f("val", self.val);
  }

  [[nodiscard]] ellpack_r_pointers<T> view() const {
    return {.meta = meta, .length = length.data(), .col = col.data(), .val = val.data()};
  }
};

/// Paper 002, section 5.3 (2): a column of the table is a multiple of 16 slots, so that each begins on a
/// 64-byte line.
inline constexpr std::int64_t ellpack_r_stride_multiple = 16;

/// Rows of a unit of the CPU's work: a 4 KiB page of f64 values in each column.
inline constexpr std::int64_t ellpack_r_unit_rows = 512;

constexpr std::int64_t ellpack_r_stride(std::int64_t rows, std::int64_t threads) {
  return (rows * threads + ellpack_r_stride_multiple - 1) / ellpack_r_stride_multiple *
         ellpack_r_stride_multiple;
}
constexpr std::int64_t ellpack_r_columns(std::int64_t longest, std::int64_t threads) {
  return (longest + threads - 1) / threads;
}

struct ellpack_r : stored_as<ellpack_r_storage, ellpack_r_pointers> {
  static constexpr std::string_view name = "ellpack_r";
  static constexpr std::string_view source = "paper 002, sections 3.2 and 5.3 (ELLPACK-R, ELLR-T)";
  static constexpr std::string_view help = "ellpack with row lengths; on a GPU, several threads for a row";

  static constexpr std::array<option_choice, 7> thread_counts{
      option_choice{"auto", "the fewest that fill the device, at most half the mean row length"},
      option_choice{"1", "neighbouring threads have neighbouring rows"},
      option_choice{"2", "two neighbouring threads share a row"},
      option_choice{"4", "four"},
      option_choice{"8", "eight"},
      option_choice{"16", "sixteen"},
      option_choice{"32", "a warp has a row"}};

  struct options {
    ellpack_r_threads threads_per_row = ellpack_r_threads::automatic;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "threads_per_row",
                     .help = "T of ELLR-T: threads that share a row",
                     .choices = thread_counts,
                     .devices = device_set::cuda},
        self.threads_per_row);
      f(max_padding_field(1000000), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>&, const row_statistics& s, const options& o,
                           const exec::target&) {
    constexpr std::int64_t a_length = sizeof(std::int32_t);
    const std::int64_t threads = number_of(o.threads_per_row);
    footprint f =
        measure_padded_table<V>(s, ellpack_r_stride(s.rows, threads), ellpack_r_columns(s.max, threads),
                                s.rows * a_length, o.max_padding);
    if (s.max > std::numeric_limits<std::int32_t>::max())
      f.refusal = message("a row of {} entries; lengths have 32 bits", {s.max});
    return f;
  }
  /// Padding is stored and not read.
  static constexpr core_work work(const options&) { return zen4::ellpack_r; }
  static device_work gpu_work(const row_statistics& s, const options& o) {
    const auto threads = static_cast<double>(number_of(o.threads_per_row));
    return {.kernel = hopper::ellpack_r,
            .usual_steps = usual_length(s) / threads,
            .longest_steps = static_cast<double>(s.max) / threads};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    return one_pass<V>(static_cast<double>(s.nnz) * (sizeof(V) + sizeof(std::int32_t)) +
                           static_cast<double>(s.rows) * sizeof(std::int32_t),
                       s, m);
  }

  template <class T, offset O>
  static ellpack_r_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                 const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const ellpack_r_storage<V, host_buffer>& stored) {
    const ellpack_r_meta& m = stored.meta;
    return csr_of_slots<V>(stored, [&](auto&& piece) {
      for (std::int64_t i = 0; i < m.rows; ++i)
        for (std::int64_t j = 0; j < stored.length.data()[i]; j += m.threads)
          piece(i, m.slot(i, j), m.slot(i, j) + m.threads, 1);
    });
  }

  template <scalar_types S>
  static cpu_passes<ellpack_r_pointers<matrix_t<S>>, S> passes(const ellpack_r_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const ellpack_r_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class T, offset O>
ellpack_r_storage<T, host_buffer> ellpack_r::build(const csr_view<T, O>& a, const options& o,
                                                   const exec::target&) {
  ellpack_r_storage<T, host_buffer> s;
  const std::int64_t threads = number_of(o.threads_per_row);
  const std::int64_t stride = ellpack_r_stride(a.rows, threads);
  const std::int64_t columns = ellpack_r_columns(measure_rows(a).max, threads);
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .threads = threads,
            .stride = stride,
            .columns = columns};
  s.length = host_buffer<std::int32_t>(static_cast<std::size_t>(a.rows));
  make_slots(s, stride * columns);
  // Blocks of neighbouring slots, so that a thread writes whole lines of each column of the table.
  core::parallel_for(stride / ellpack_r_stride_multiple, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin * ellpack_r_stride_multiple; at < end * ellpack_r_stride_multiple; ++at) {
      const std::int64_t i = at / threads;
      const std::int64_t lane = at % threads;
      const core::range row = entries_of_row(a, i);
      if (i < a.rows && lane == 0) s.length.data()[i] = static_cast<std::int32_t>(row.end - row.begin);
      for (std::int64_t column = 0; column < columns; ++column)
        write_slot(s, column * stride + at, a, row, column * threads + lane);
    }
  });
  return s;
}

}  // namespace gossamer::inline v0::formats
