// SPDX-License-Identifier: BSD-3-Clause
// bench_streams THREADS: how fast each of so many threads reads an array of its own again and again. A line
// of CSV for each size, kind of pages and way: forwards; forwards in two arrays of which one has twice the
// bytes of the other, as values and columns have; and in alternating directions, backwards by pieces of so
// many KiB. GB/s of a thread, medians of passes that all threads begin together.
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

constexpr double sizes_mb[] = {0.3, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5.3, 8, 12, 16, 24, 32};
constexpr std::int64_t piece_kib[] = {16, 64, 128, 256};
constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = kib * kib;
constexpr std::int64_t room = 34 * mib;

/// Aligned to a huge page, written once by the calling thread; null where there is no memory.
double* pages(bool huge) {
  constexpr std::size_t huge_page = 2 * mib;
  std::size_t space = room + huge_page;
  void* begin = ::mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED || std::align(huge_page, room, begin, space) == nullptr) return nullptr;
  ::madvise(begin, room, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  std::memset(begin, 0, room);
  return static_cast<double*>(begin);
}

__attribute__((target_clones("default", "avx2", "avx512f"))) double sum(const double* p, std::int64_t n) {
  constexpr int lanes = 32;
  std::array<double, lanes> sums{};
  for (std::int64_t i = 0; i + lanes <= n; i += lanes)
    for (int k = 0; k < lanes; ++k) sums[static_cast<std::size_t>(k)] += p[i + k];
  double all = 0;
  for (const double s : sums) all += s;
  return all;
}

__attribute__((target_clones("default", "avx2", "avx512f"))) double sum_of_two(const double* p,
                                                                               std::int64_t n,
                                                                               const std::int32_t* q) {
  constexpr int lanes = 32;
  std::array<double, lanes> sums{};
  std::array<std::int32_t, lanes> numbers{};
  for (std::int64_t i = 0; i + lanes <= n; i += lanes)
    for (int k = 0; k < lanes; ++k) {
      sums[static_cast<std::size_t>(k)] += p[i + k];
      numbers[static_cast<std::size_t>(k)] += q[i + k];
    }
  double all = 0;
  for (std::size_t k = 0; k < lanes; ++k) all += sums[k] + numbers[k];
  return all;
}

double backwards(const double* p, std::int64_t n, std::int64_t piece) {
  double all = 0;
  for (std::int64_t end = n; end > 0; end -= piece) {
    const std::int64_t begin = std::max<std::int64_t>(0, end - piece);
    all += sum(p + begin, end - begin);
  }
  return all;
}

/// body(pass) on all threads; GB/s of one that reads `bytes` in each.
template <class Body>
double rate(std::int64_t bytes, int threads, Body&& body) {
  constexpr std::int64_t bytes_at_least = 300 * mib;
  const auto passes = static_cast<std::size_t>(std::max<std::int64_t>(20, bytes_at_least / bytes));
  std::vector<double> seconds;
  double unused = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const auto begin = clock_type::now();
#pragma omp parallel num_threads(threads) reduction(+ : unused)
    unused += body(pass);
    seconds.push_back(std::chrono::duration<double>(clock_type::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(passes / 2), seconds.end());
  const double gigabyte = 1e9;
  return static_cast<double>(bytes) / seconds[passes / 2] / gigabyte + (unused > 0 ? 1 : 0);  // all are zeros
}

}  // namespace

int main(int count, char** arguments) {
  int threads = 0;
  const std::string_view given = count == 2 ? arguments[1] : "";
  const auto read = std::from_chars(given.data(), given.data() + given.size(), threads);
  if (read.ec != std::errc{} || read.ptr != given.data() + given.size() || threads < 1 ||
      threads > omp_get_num_procs()) {
    std::fprintf(stderr, "bench_streams: THREADS = \"%.*s\" is not a number of processors\n",
                 static_cast<int>(given.size()), given.data());
    return 2;
  }
  std::printf("threads,pages,mb_a_thread,way,gbs_a_thread\n");
  for (const bool huge : {false, true}) {
    std::vector<double*> of_thread(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    of_thread[static_cast<std::size_t>(omp_get_thread_num())] = pages(huge);
    if (std::find(of_thread.begin(), of_thread.end(), nullptr) != of_thread.end()) {
      std::fprintf(stderr, "bench_streams: no memory for %d arrays of 34 MiB\n", threads);
      return 1;
    }
    const auto mine = [&] { return of_thread[static_cast<std::size_t>(omp_get_thread_num())]; };
    for (const double mb : sizes_mb) {
      constexpr std::int64_t lines = 96;
      const std::int64_t n = static_cast<std::int64_t>(mb * 1e6 / sizeof(double)) / lines * lines;
      const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(double));
      const auto say = [&](const char* way, std::int64_t piece, double gbs) {
        std::printf("%d,%s,%g,", threads, huge ? "huge" : "small", mb);
        if (piece > 0)
          std::printf("%s %lld KiB,%.1f\n", way, static_cast<long long>(piece), gbs);
        else
          std::printf("%s,%.1f\n", way, gbs);
        std::fflush(stdout);
      };
      say("forwards", 0, rate(bytes, threads, [&](std::size_t) { return sum(mine(), n); }));
      say("values and columns", 0, rate(bytes, threads, [&](std::size_t) {
            const std::int64_t values = n * 2 / 3;
            return sum_of_two(mine(), values, reinterpret_cast<const std::int32_t*>(mine() + values));
          }));
      for (const std::int64_t piece : piece_kib)
        say("in turns by", piece, rate(bytes, threads, [&](std::size_t pass) {
              return pass % 2 == 0
                         ? sum(mine(), n)
                         : backwards(mine(), n, piece * kib / static_cast<std::int64_t>(sizeof(double)));
            }));
    }
  }
}
