// SPDX-License-Identifier: BSD-3-Clause
// bench_columns f64|f32 MATRIX...: by count, what other ways of coding columns would save packed on a device,
// and what other numbers for columns would. For each matrix, a file or a specification, a line of CSV: bytes
// that a product has to move (slices, x, y), those of them that are columns, and how many fewer they would be
//   nibbles    with 4 bits for slices whose columns are at most 15 apart in each step,
//   by_step    with as many bytes as each step needs, or 4 bits, and a byte a step that says how many,
//   runs       without the columns of steps in which each lane has the column behind its last one,
//   equal_runs the same where all of a slice are of 2, or of 3, or of 4 columns,
//   repeats without the columns of steps that are equally far from the step before in all lanes, which packed
//   does (elided_deltas), groups without those of the last three of four such steps alone, three with 3 bytes
//   for slices that need no more,
// all over the bytes that are moved; and of gathering x: 32-byte sectors that 32 rows touch in the mean, and
// how many do where columns are numbered by how often they occur, the most frequent first; the shares of
// entries in the columns that fill 32 and 192 KiB then.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "formats/packed/format.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/io.hpp"

namespace {

namespace formats = gossamer::formats;
using formats::packed;
using formats::packed_columns;
using formats::packed_lanes;
using formats::packed_slice;
using formats::packed_starts;

constexpr gossamer::exec::target on_device{.kind = gossamer::device_set::cuda, .compute_capability = 90};

template <class V>
using matrix = gossamer::csr_matrix<V, std::int64_t>;

struct column_bytes {
  double now = 0;
  double nibbles = 0;  ///< saved, as the others are
  double by_step = 0;
  double runs = 0;
  double equal_runs = 0;
  double repeats = 0;
  double groups = 0;
  double three = 0;
};

double bytes_apart(std::int64_t widest) {
  if (widest > 0 && widest <= 15) return 0.5;
  return formats::packed_column_bytes(formats::packed_code::columns_for(widest));
}

/// How far apart the columns of a step are, counted as the slice counts them; whether each lane has the
/// column behind that of the step before, and whether all have one equally far from it.
struct step_columns {
  std::int64_t widest = 0;
  bool follows = true;
  bool repeats = true;
};

template <class V>
step_columns columns_of_step(const matrix<V>& a, const formats::packed_code::lanes<V, std::int64_t>& of,
                             packed_starts starts, std::int64_t step) {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  step_columns found{.follows = step > 0, .repeats = step > 0};
  std::int64_t further = 0;
  bool any = false;
  for (int l = 0; l < packed_lanes; ++l) {
    if (step >= of.count[static_cast<std::size_t>(l)]) continue;
    const std::int64_t column = a.col.data()[of.entry(l, step)];
    if (step > 0) {
      const std::int64_t distance = column - a.col.data()[of.entry(l, step - 1)];
      if (distance != 1) found.follows = false;
      if (any && distance != further) found.repeats = false;
      further = distance;
    }
    const std::int64_t start = starts == packed_starts::row     ? of.row[static_cast<std::size_t>(l)]
                               : starts == packed_starts::given ? a.col.data()[of.entry(l, 0)]
                                                                : 0;
    least = any ? std::min(least, column - start) : column - start;
    greatest = any ? std::max(greatest, column - start) : column - start;
    any = true;
  }
  found.widest = greatest - least;
  return found;
}

template <class V>
void add_lanes(const matrix<V>& a, const formats::packed_code::slice_plan& slice, column_bytes& sum) {
  const packed_slice& s = slice.header;
  const double now = formats::packed_column_bytes(s.columns());
  if (now == 0) return;
  const formats::packed_code::lanes<V, std::int64_t> lanes(a.view(), slice.rows);
  std::int64_t widest = 0;
  double by_step = 0;
  int following = 0;
  int repeating = 0;
  int in_groups = 0;
  int in_group = 0;
  std::array<bool, 3> may_be_equal{true, true, true};  // runs of 2, 3, 4
  for (std::int64_t j = 0; j < s.steps; ++j) {
    const step_columns step = columns_of_step(a, lanes, s.starts(), j);
    widest = std::max(widest, step.widest);
    by_step += bytes_apart(step.widest) * packed_lanes + 1;
    following += step.follows ? 1 : 0;
    repeating += step.repeats ? 1 : 0;
    in_group = j % 4 != 0 && step.repeats ? in_group + 1 : 0;
    in_groups += in_group == 3 ? 3 : 0;
    for (std::int64_t length = 2; length <= 4; ++length)
      if (j % length != 0 && !step.follows) may_be_equal[static_cast<std::size_t>(length - 2)] = false;
  }
  const double all = now * packed_lanes * s.steps;
  sum.now += all;
  if (widest <= 15) sum.nibbles += all / 2;
  sum.by_step += std::max(0.0, all - by_step);
  sum.runs += now * packed_lanes * following;
  sum.repeats += now * packed_lanes * repeating;
  sum.groups += now * packed_lanes * in_groups;
  for (int length = 4; length >= 2; --length) {
    if (!may_be_equal[static_cast<std::size_t>(length - 2)]) continue;
    sum.equal_runs += now * packed_lanes * (s.steps - (s.steps + length - 1) / length);
    break;
  }
  if (s.columns() == packed_columns::four && widest < 1 << 24) sum.three += all / 4;
}

template <class V>
void add_entries(const matrix<V>& a, const formats::packed_code::slice_plan& slice, column_bytes& sum) {
  const packed_slice& s = slice.header;
  const std::int64_t first = a.row_ptr.data()[slice.rows.row[0]];
  const auto [least, greatest] = std::minmax_element(a.col.data() + first, a.col.data() + first + s.steps);
  const double all = 1.0 * s.steps * formats::packed_column_bytes(s.columns());
  sum.now += all;
  if (s.steps == 0) return;
  if (*greatest - *least <= 15) sum.nibbles += all / 2;
  if (s.columns() == packed_columns::four && *greatest - *least < 1 << 24) sum.three += all / 4;
}

template <class V>
column_bytes count_columns(const formats::packed_code::matrix_plan<V>& planned, const matrix<V>& a) {
  column_bytes sum;
  for (const auto& window : planned.windows) {
    for (const formats::packed_code::slice_plan& slice : window.slices) {
      if (slice.rows.is_coo_slice)
        add_entries(a, slice, sum);
      else if (!slice.header.is_diagonal_slice())
        add_lanes(a, slice, sum);
    }
  }
  return sum;
}

/// Of each column its place among all, the most frequent first, and the shares of entries in the first
/// `counts` of them.
struct frequency {
  std::vector<std::int32_t> place;
  std::array<double, 2> share{};
};

template <class V>
frequency by_frequency(const matrix<V>& a, const std::array<std::int64_t, 2>& counts) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(a.cols), 0);
  for (const std::int32_t c : a.col.span()) ++times[static_cast<std::size_t>(c)];
  std::vector<std::int32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    return times[static_cast<std::size_t>(i)] > times[static_cast<std::size_t>(j)];
  });
  frequency found{.place = std::vector<std::int32_t>(order.size())};
  std::int64_t entries = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    found.place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    entries += times[static_cast<std::size_t>(order[k])];
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (static_cast<std::int64_t>(k) < counts[i])
        found.share[i] = static_cast<double>(entries) / static_cast<double>(a.nnz());
  }
  return found;
}

/// A file's name without its folder and its endings.
std::string title(const std::string& name) {
  if (gossamer::bench_support::is_specification(name)) return name;
  const std::string file = std::filesystem::path(name).filename().string();
  return file.substr(0, file.find(".mtx"));
}

template <class V>
void count(const std::string& name) {
  auto a = gossamer::bench_support::is_specification(name) ? gossamer::bench_support::generate<V>(name)
                                                           : gossamer::read_matrix_market<V>(name).matrix;
  const gossamer::row_statistics statistics = gossamer::measure_rows(std::as_const(a).view());
  const packed::options o =
      packed::resolve({.elided_deltas = formats::packed_elided_deltas::never}, statistics, on_device);
  const auto view = std::as_const(a).view();
  const auto size = packed::measure(view, statistics, o, on_device);
  const column_bytes columns = count_columns(*size.planned, a);
  const double moved =
      static_cast<double>(size.bytes) + static_cast<double>(a.rows + a.cols) * static_cast<double>(sizeof(V));
  constexpr std::int64_t kib = 1024 / sizeof(V);
  const frequency hot = by_frequency(a, {32 * kib, 192 * kib});
  const double sectors_now = gossamer::measure_entries(view).sectors_per_32_rows;
  for (std::int32_t& c : a.col.span()) c = hot.place[static_cast<std::size_t>(c)];
  const double sectors = gossamer::measure_entries(std::as_const(a).view()).sectors_per_32_rows;
  std::printf("\"%s\",%s,%lld,%.0f,%.3f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f,%.1f,%.3f,%.3f\n",
              title(name).c_str(), sizeof(V) == sizeof(double) ? "f64" : "f32",
              static_cast<long long>(a.nnz()), moved, columns.now / moved, columns.nibbles / moved,
              columns.by_step / moved, columns.runs / moved, columns.equal_runs / moved,
              columns.repeats / moved, columns.groups / moved, columns.three / moved, sectors_now, sectors,
              hot.share[0], hot.share[1]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || (std::string_view(argv[1]) != "f64" && std::string_view(argv[1]) != "f32")) {
    std::fprintf(stderr, "usage: %s f64|f32 MATRIX...\n", argv[0]);
    return 2;
  }
  std::puts(
      "matrix,precision,nnz,moved,columns,nibbles,by_step,runs,equal_runs,repeats,groups,three,sectors,"
      "sectors_by_frequency,in_32_kib,in_192_kib");
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    try {
      if (std::string_view(argv[1]) == "f64")
        count<double>(argv[i]);
      else
        count<float>(argv[i]);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s: %s\n", argv[i], problem.what());
      failed = 1;
    }
  }
  return failed;
}
