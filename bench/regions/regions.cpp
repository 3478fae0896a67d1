// SPDX-License-Identifier: BSD-3-Clause
// bench_regions f64|f32 THREADS MATRIX...: where the time of a short product on a CPU goes, csr's and that of
// MKL. For each matrix, a file or a specification, and each of the two a line of CSV, medians in
// microseconds: the whole product, timed in batches with nothing else; what goes before its parallel region,
// since the one before it ended; when in the region the first and the last thread begin; the least, mean and
// greatest share; from the last share's end to the region's; and each thread's share. Both are asked in
// turns. A clock read by each thread costs some 0.05 us. Both have to run on GNU's OpenMP.
#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/io.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using region = void (*)(void*);

constexpr int most_threads = 256;

double us(clock_type::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

/// What one thread did in the last region that was traced.
struct alignas(128) share {
  clock_type::time_point begin;
  clock_type::time_point end;
};

struct tracing {
  bool on = false;
  int regions = 0;
  int threads = 0;
  clock_type::time_point begin;
  clock_type::time_point end;
  std::array<share, most_threads> shares;
};
tracing traced;

struct wrapped {
  region body;
  void* data;
};

void timed(void* given) {
  const auto* const inner = static_cast<wrapped*>(given);
  const int thread = omp_get_thread_num();
  if (thread == 0) traced.threads = omp_get_num_threads();
  share& own = traced.shares[static_cast<std::size_t>(thread % most_threads)];
  own.begin = clock_type::now();
  inner->body(inner->data);
  own.end = clock_type::now();
}

}  // namespace

extern "C" void GOMP_parallel(region body, void* data, unsigned threads, unsigned flags) {
  using entry = void (*)(region, void*, unsigned, unsigned);
  static const auto of_openmp = reinterpret_cast<entry>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  if (!traced.on) return of_openmp(body, data, threads, flags);
  wrapped inner{body, data};
  ++traced.regions;
  traced.begin = clock_type::now();
  of_openmp(timed, &inner, threads, flags);
  traced.end = clock_type::now();
}

namespace {

double median(std::vector<double> of) {
  if (of.empty()) return 0;
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

/// Of the products of one library.
struct samples {
  std::vector<double> whole, before, first, last, least, mean, greatest, join;
  std::vector<std::vector<double>> by_thread;

  void add(clock_type::time_point previous_end) {
    const auto all = std::span(traced.shares).first(static_cast<std::size_t>(traced.threads));
    std::vector<double> begins, takes;
    clock_type::time_point last_end = traced.begin;
    for (const share& s : all) {
      begins.push_back(us(s.begin - traced.begin));
      takes.push_back(us(s.end - s.begin));
      last_end = std::max(last_end, s.end);
    }
    before.push_back(us(traced.begin - previous_end));
    first.push_back(std::ranges::min(begins));
    last.push_back(std::ranges::max(begins));
    least.push_back(std::ranges::min(takes));
    greatest.push_back(std::ranges::max(takes));
    mean.push_back(std::accumulate(takes.begin(), takes.end(), 0.0) / static_cast<double>(takes.size()));
    join.push_back(us(traced.end - last_end));
    by_thread.resize(takes.size());
    for (std::size_t t = 0; t < takes.size(); ++t) by_thread[t].push_back(takes[t]);
  }

  void print(const std::string& matrix, const char* value, int threads, const char* library) const {
    std::printf("\"%s\",%s,%d,%s", matrix.c_str(), value, threads, library);
    for (const auto* each : {&whole, &before, &first, &last, &least, &mean, &greatest, &join})
      std::printf(",%.2f", median(*each));
    std::printf(",");
    for (const auto& thread : by_thread)
      std::printf("%s%.1f", &thread == &by_thread[0] ? "" : " ", median(thread));
    std::printf("\n");
    std::fflush(stdout);
  }
};

template <class Product>
void take_samples(const Product& product, samples& of) {
  constexpr int warm = 50;
  constexpr int batch = 200;
  constexpr int followed = 100;
  for (int k = 0; k < warm; ++k) product();
  const auto start = clock_type::now();
  for (int k = 0; k < batch; ++k) product();
  of.whole.push_back(us(clock_type::now() - start) / batch);
  traced.on = true;
  clock_type::time_point previous_end;
  for (int k = 0; k < followed; ++k) {
    traced.regions = 0;
    product();
    if (traced.regions != 1) break;  // more have no one beginning, and one thread has none
    if (k > 0) of.add(previous_end);
    previous_end = traced.end;
  }
  traced.on = false;
}

template <class V>
void measure(const std::string& name, const char* value, int threads) {
  constexpr int rounds = 20;
  const auto a = gossamer::bench_support::is_specification(name)
                     ? gossamer::bench_support::generate<V>(name)
                     : gossamer::read_matrix_market<V>(name).matrix;
  const std::vector<std::int32_t> row_ptr(a.row_ptr.span().begin(), a.row_ptr.span().end());
  const gossamer::csr_view<V, std::int32_t> view{
      .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr, .col = a.view().col, .val = a.view().val};
  const gossamer::resource where = gossamer::cpu{.threads = threads};
  const auto plan = gossamer::inspect(view, where, {.format = "pattern_csr"});
  auto room = plan.make_workspace();
  const auto mkl = gossamer::bench_support::inspect_peer("mkl", view, where);
  const std::vector<V> x(static_cast<std::size_t>(a.cols), V{1});
  std::vector<V> y(static_cast<std::size_t>(a.rows));
  samples ours, theirs;
  for (int k = 0; k < rounds; ++k) {
    take_samples([&] { plan.multiply(V{1}, std::span<const V>(x), V{0}, std::span<V>(y), room); }, ours);
    take_samples([&] { mkl.multiply(V{1}, std::span<const V>(x), V{0}, std::span<V>(y)); }, theirs);
  }
  const std::string matrix =
      name.substr(gossamer::bench_support::is_specification(name) ? 0 : name.rfind('/') + 1);
  ours.print(matrix, value, threads, "pattern_csr");
  theirs.print(matrix, value, threads, "mkl");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string_view value = count > 1 ? arguments[1] : "";
    int threads = 0;
    const std::string_view number = count > 2 ? arguments[2] : "";
    std::from_chars(number.data(), number.data() + number.size(), threads);
    if (count < 4 || (value != "f64" && value != "f32") || threads < 2 || threads > most_threads) {
      std::fprintf(stderr, "usage: bench_regions f64|f32 THREADS MATRIX...   (2 to %d threads)\n",
                   most_threads);
      return 2;
    }
    std::printf(
        "matrix,value,threads,library,whole_us,before_us,first_begins_us,last_begins_us,least_share_us,"
        "mean_share_us,greatest_share_us,join_us,shares_us\n");
    for (int i = 3; i < count; ++i)
      value == "f64" ? measure<double>(arguments[i], "f64", threads)
                     : measure<float>(arguments[i], "f32", threads);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_regions: %s\n", e.what());
    return 1;
  }
}
