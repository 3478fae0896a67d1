// SPDX-License-Identifier: BSD-3-Clause
// Count, allocate, write offsets, write entries: nothing per entry is kept beside the matrix itself.
#include "bench_support/generate/build.hpp"

#include <atomic>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/fail.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::generation {
namespace {

/// Tells the caller how far the work is, and all threads when the caller has had enough.
class reporter {
 public:
  reporter(const progress_callback& callback, std::int64_t total) : callback_(callback), total_(total) {}

  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

  /// On the calling thread only.
  void tell(std::int64_t done) {
    if (!callback_ || stopped()) return;
    // One thread speaks for all, so its guess may pass the end.
    const double fraction = done < total_ ? static_cast<double>(done) / static_cast<double>(total_) : 1.0;
    try {
      if (!callback_(progress{.stage = "generate", .fraction = fraction})) stopped_ = true;
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  void check() const {
    if (stopped()) fail(errc::cancelled, "generate: cancelled by the progress callback");
  }

 private:
  const progress_callback& callback_;
  const std::int64_t total_;
  std::atomic<bool> stopped_{false};
};

/// body(part, rows of that part) for parts cut by rows; the parts are the same in every call.
template <class Body>
void over_parts(std::int64_t rows, int parts, Body&& body) {
  core::parallel(parts, [&](int thread, int team) {
    for (int part = thread; part < parts; part += team)
      body(static_cast<std::size_t>(part), core::share(rows, part, parts));
  });
}

}  // namespace

template <value V>
csr_matrix<V, std::int64_t> build(const pattern& where, const value_source& values,
                                  const progress_callback& report) {
  const std::int64_t rows = where.rows;
  const int threads = rows <= core::default_grain ? 1 : core::default_threads();

  std::vector<std::int64_t> starts(static_cast<std::size_t>(threads) + 1, 0);
  over_parts(rows, threads, [&](std::size_t part, core::range r) {
    std::int64_t sum = 0;  // at most 2^31 rows of 2^31 entries
    for (std::int64_t i = r.begin; i < r.end; ++i) sum += where.row_length(i);
    starts[part + 1] = sum;
  });
  for (std::size_t part = 0; part < starts.size() - 1; ++part) starts[part + 1] += starts[part];
  const std::int64_t nnz = starts.back();

  auto a = csr_of_size<V>(rows, where.cols, nnz);
  std::int64_t* const row_ptr = a.row_ptr.data();
  row_ptr[rows] = nnz;
  over_parts(rows, threads, [&](std::size_t part, core::range r) {
    std::int64_t at = starts[part];
    for (std::int64_t i = r.begin; i < r.end; ++i) {
      row_ptr[i] = at;
      at += where.row_length(i);
    }
  });

  reporter reports(report, nnz);
  reports.tell(0);
  reports.check();
  const int fillers = nnz <= core::default_grain ? 1 : core::default_threads();
  core::parallel(fillers, [&](int thread, int team) {
    // Cut to equal entries; a row belongs to the thread in whose part it begins.
    const core::range part = core::share(nnz, thread, team);
    const std::int64_t first = std::lower_bound(row_ptr, row_ptr + rows, part.begin) - row_ptr;
    const std::int64_t last = std::lower_bound(row_ptr + first, row_ptr + rows, part.end) - row_ptr;
    constexpr std::int64_t tick = 1 << 20;
    std::int64_t work = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const auto begin = static_cast<std::size_t>(row_ptr[i]);
      const auto length = static_cast<std::size_t>(row_ptr[i + 1]) - begin;
      if (length > 0) {
        where.fill_row(i, a.col.span().subspan(begin, length));
        values.fill(static_cast<std::int64_t>(begin), a.val.span().subspan(begin, length));
      }
      work += static_cast<std::int64_t>(length) + 1;
      if (work < tick) continue;
      work = 0;
      if (thread == 0) reports.tell((row_ptr[i + 1] - row_ptr[first]) * team);
      if (reports.stopped()) return;
    }
  });
  reports.check();
  reports.tell(nnz);
  reports.check();
  return a;
}

template csr_matrix<float, std::int64_t> build(const pattern&, const value_source&, const progress_callback&);
template csr_matrix<double, std::int64_t> build(const pattern&, const value_source&,
                                                const progress_callback&);

}  // namespace gossamer::bench_support::generation
