// SPDX-License-Identifier: BSD-3-Clause
// bench_floor f64|f32 MATRIX...: the time of gathering x alone on a GPU, next to packed's. For each matrix, a
// file or a specification, hot and cold, a line of CSV: microseconds of an empty kernel; of one that reads
// the columns, 4 bytes each, in the order of the matrix, loads x where they say, adds that up without regard
// to rows, and writes y; of one whose blocks, eight to a sum, as parts of a long row are, also add up what
// they have; of one that does that too and has to read first where its columns begin, as a slice's header
// says; of packed; of one that only reads, 16 bytes of a thread each time, as many as packed, x and y have;
// and twice the bound of a small product: an empty kernel, launched as usual, and the bytes of packed, x and
// y at what a kernel that only reads has from the second-level cache. There are no values, rows or headers in
// them, and in the first no sum waits for another. Each thread has eight entries: neighbours, or, so that a
// warp loads neighbours at once, 32 apart; the less counts. All but the one that only reads are launched as
// packed's products are, so that each begins while the one before it ends.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/io.hpp"
#include "gossamer/timer.hpp"

namespace {

using gossamer::cuda_stream;

constexpr int threads = 128;
constexpr int entries_of_a_thread = 8;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

__device__ void wait_and_trigger() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__global__ void nothing_at_all() {
  wait_and_trigger();
}

/// Not through the read-only cache, as packed loads x (docs/decisions/0017-dependent-launch.md); and one load
/// for each.
__device__ double load(const double* from) {
  double v = 0;
  asm volatile("ld.global.f64 %0, [%1];" : "=d"(v) : "l"(from));
  return v;
}
__device__ float load(const float* from) {
  float v = 0;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
  return v;
}

/// Reads `count` pieces of 16 bytes, as many blocks as there are places for.
__global__ void __launch_bounds__(1024) reads(const uint4* from, unsigned count, unsigned* never) {
  uint4 all{};
  for (unsigned i = blockIdx.x * 1024 + threadIdx.x; i < count; i += gridDim.x * 1024) {
    const uint4 one = from[i];
    all.x ^= one.x;
    all.y ^= one.y;
    all.z ^= one.z;
    all.w ^= one.w;
  }
  if ((all.x ^ all.y ^ all.z ^ all.w) == 1u) *never = 1;
}

/// What a small product is measured against: an empty kernel behind another, and what a kernel that only
/// reads has from the second-level cache beyond that.
struct device_limits {
  double launch;             ///< seconds
  double l2_bytes_a_second;  ///< the most of arrays of 8 to 32 MiB
};

device_limits measure_limits() {
  constexpr unsigned mib = 1u << 20;
  uint4* array = nullptr;
  unsigned* never = nullptr;
  check(cudaMalloc(&array, 32 * mib));
  check(cudaMalloc(&never, sizeof(unsigned)));
  check(cudaMemset(array, 0, 32 * mib));
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::vector<gossamer::product_call> calls = {
      [](cuda_stream s) { nothing_at_all<<<1, threads, 0, static_cast<cudaStream_t>(s.handle())>>>(); }};
  const std::vector<unsigned> sizes = {8 * mib, 16 * mib, 24 * mib, 32 * mib};
  for (const unsigned bytes : sizes)
    calls.push_back([=](cuda_stream s) {
      reads<<<2 * device.multiProcessorCount, 1024, 0, static_cast<cudaStream_t>(s.handle())>>>(
          array, static_cast<unsigned>(bytes / sizeof(uint4)), never);
    });
  const auto times = gossamer::time_interleaved(
      calls, gossamer::cuda{0}, {.cache = gossamer::cache_state::hot, .seconds = 0.05, .rounds = 21});
  const auto median = [&](std::size_t i) { return gossamer::summarise(times.seconds[i]).median; };
  device_limits limits{.launch = median(0), .l2_bytes_a_second = 0};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    limits.l2_bytes_a_second = std::max(limits.l2_bytes_a_second, sizes[i] / (median(i + 1) - limits.launch));
  check(cudaFree(array));
  check(cudaFree(never));
  return limits;
}

constexpr int parts = 8;

/// Adds up what the threads of `parts` blocks have, as packed adds the parts of a row: a slot is empty while
/// it is zero, each block fills its own and counts itself, and the last waits for the slots, leaving them as
/// they were. `sum` is not zero.
template <class V>
__device__ void add_parts(V sum, V* slots, unsigned* counts, V* y) {
  __shared__ V of_warp[threads / 32];
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const unsigned row = blockIdx.x / parts;
  const unsigned count = min(gridDim.x - row * parts, unsigned{parts});
  unsigned before = 0;
  if (threadIdx.x == 0) {
    sum = of_warp[0];
    for (int w = 1; w < threads / 32; ++w) sum += of_warp[w];
    *static_cast<volatile V*>(slots + blockIdx.x) = sum;
    before = atomicAdd(counts + row, 1);
  }
  if (__shfl_sync(~0u, before, 0) != count - 1) return;
  V part{0};
  if (threadIdx.x < count) {
    volatile V* const slot = slots + row * parts + threadIdx.x;
    while ((part = *slot) == V{0}) {
    }
    *slot = V{0};
  }
  for (int apart = parts / 2; apart > 0; apart /= 2) part += __shfl_xor_sync(~0u, part, apart);
  if (threadIdx.x == 0) {
    y[row] = part;
    counts[row] = 0;
  }
}

/// What a kernel does beside gathering.
enum class extra_work { nothing, adds, adds_behind_headers };

template <bool Neighbours, extra_work Does, class V>
__global__ void __launch_bounds__(threads)
    gather(const std::int32_t* column, std::int64_t nnz, const V* x, V* y, std::int64_t rows, V* slots,
           unsigned* counts, const std::int64_t* first_block) {
  const std::int64_t block = Does == extra_work::adds_behind_headers ? first_block[blockIdx.x]
                                                                     : static_cast<std::int64_t>(blockIdx.x);
  const std::int64_t thread = block * threads + threadIdx.x;
  const std::int64_t lane = threadIdx.x % 32;
  const std::int64_t first =
      Neighbours ? thread * entries_of_a_thread : (thread - lane) * entries_of_a_thread + lane;
  constexpr int stride = Neighbours ? 1 : 32;
  std::int32_t c[entries_of_a_thread];
  if (Neighbours && first + entries_of_a_thread <= nnz) {
#pragma unroll
    for (int i = 0; i < entries_of_a_thread; i += 4) {
      const int4 four = __ldcs(reinterpret_cast<const int4*>(column + first + i));
      c[i] = four.x;
      c[i + 1] = four.y;
      c[i + 2] = four.z;
      c[i + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < entries_of_a_thread; ++i)
      c[i] = first + i * stride < nnz ? __ldcs(column + first + i * stride) : 0;
  }
  wait_and_trigger();
  V sum{0};
#pragma unroll
  for (int i = 0; i < entries_of_a_thread; ++i) sum += load(x + c[i]);
  if constexpr (Does != extra_work::nothing) {
    add_parts(sum + V{1}, slots, counts, y);
  } else {
    for (std::int64_t r = thread; r < rows; r += static_cast<std::int64_t>(gridDim.x) * threads) y[r] = sum;
  }
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, unsigned blocks, cuda_stream stream, Arguments... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = static_cast<cudaStream_t>(stream.handle());
  config.attrs = &early;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <class V>
void measure(const std::string& name, const char* value, const device_limits& limits) {
  const auto a = gossamer::bench_support::is_specification(name)
                     ? gossamer::bench_support::generate<V>(name)
                     : gossamer::read_matrix_market<V>(name).matrix;
  std::int32_t* column = nullptr;
  check(cudaMalloc(&column, std::max<std::size_t>(1, a.col.size()) * sizeof(std::int32_t)));
  check(cudaMemcpy(column, a.col.data(), a.col.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice));
  const auto plan = gossamer::inspect(a.view(), gossamer::cuda{0}, {.format = "packed"});
  gossamer::product_vectors<V> vectors(a.rows, a.cols, gossamer::cuda{0});
  const V* const x = vectors.device_x().data();
  V* const y = vectors.device_y().data();
  const std::int64_t nnz = a.nnz();
  const std::int64_t rows = a.rows;
  constexpr std::int64_t of_a_block = threads * entries_of_a_thread;
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, (nnz + of_a_block - 1) / of_a_block));
  V* slots = nullptr;
  V* sums = nullptr;
  unsigned* counts = nullptr;
  std::int64_t* first_block = nullptr;
  check(cudaMalloc(&slots, blocks * sizeof(V)));
  check(cudaMalloc(&sums, blocks * sizeof(V)));
  check(cudaMalloc(&counts, blocks * sizeof(unsigned)));
  check(cudaMalloc(&first_block, blocks * sizeof(std::int64_t)));
  check(cudaMemset(slots, 0, blocks * sizeof(V)));
  check(cudaMemset(counts, 0, blocks * sizeof(unsigned)));
  std::vector<std::int64_t> numbers(blocks);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  check(cudaMemcpy(first_block, numbers.data(), blocks * sizeof(std::int64_t), cudaMemcpyHostToDevice));
  const auto run = [=](auto kernel, V* to) {
    return [=](cuda_stream s) {
      launch(kernel, blocks, s, column, nnz, x, to, rows, slots, counts, first_block);
    };
  };
  const double bytes =
      static_cast<double>(plan.streamed_bytes()) + static_cast<double>(a.rows + a.cols) * sizeof(V);
  const auto pieces = static_cast<unsigned>(bytes / sizeof(uint4));
  uint4* as_many = nullptr;
  unsigned* never = nullptr;
  check(cudaMalloc(&as_many, pieces * sizeof(uint4)));
  check(cudaMalloc(&never, sizeof(unsigned)));
  check(cudaMemset(as_many, 0, pieces * sizeof(uint4)));
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  using enum extra_work;
  const std::vector<gossamer::product_call> calls = {
      [](cuda_stream s) { launch(nothing_at_all, 1, s); },
      run(gather<true, nothing, V>, y),
      run(gather<false, nothing, V>, y),
      run(gather<true, adds, V>, sums),
      run(gather<false, adds, V>, sums),
      run(gather<true, adds_behind_headers, V>, sums),
      run(gather<false, adds_behind_headers, V>, sums),
      vectors.call(plan),
      [=](cuda_stream s) {
        reads<<<2 * device.multiProcessorCount, 1024, 0, static_cast<cudaStream_t>(s.handle())>>>(
            as_many, pieces, never);
      }};
  const double twice = 2e6 * (limits.launch + bytes / limits.l2_bytes_a_second);
  for (const auto cache : {gossamer::cache_state::hot, gossamer::cache_state::cold}) {
    const auto times =
        gossamer::time_interleaved(calls, gossamer::cuda{0}, {.cache = cache, .seconds = 0.05, .rounds = 21});
    const auto us = [&](std::size_t i) { return gossamer::summarise(times.seconds[i]).median * 1e6; };
    std::printf(
        "\"%s\",%s,%s,%lld,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f\n",
        name.substr(gossamer::bench_support::is_specification(name) ? 0 : name.rfind('/') + 1).c_str(), value,
        std::string(gossamer::name(cache)).c_str(), static_cast<long long>(nnz), us(0),
        std::min(us(1), us(2)), std::min(us(3), us(4)), std::min(us(5), us(6)), us(7), us(8), twice);
    std::fflush(stdout);
  }
  for (void* each : {static_cast<void*>(column), static_cast<void*>(slots), static_cast<void*>(counts),
                     static_cast<void*>(sums), static_cast<void*>(first_block), static_cast<void*>(as_many),
                     static_cast<void*>(never)})
    check(cudaFree(each));
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string value = count > 1 ? arguments[1] : "";
    if (count < 3 || (value != "f64" && value != "f32")) {
      std::fprintf(stderr, "usage: bench_floor f64|f32 MATRIX...\n");
      return 2;
    }
    std::printf(
        "matrix,value,cache,nnz,empty_us,gather_us,added_us,behind_headers_us,packed_us,reads_us,twice_"
        "the_bound_us\n");
    const device_limits limits = measure_limits();
    std::fprintf(stderr, "an empty kernel: %.2f us; the second-level cache: %.2f TB/s\n", limits.launch * 1e6,
                 limits.l2_bytes_a_second * 1e-12);
    for (int i = 2; i < count; ++i)
      value == "f64" ? measure<double>(arguments[i], "f64", limits)
                     : measure<float>(arguments[i], "f32", limits);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_floor: %s\n", e.what());
    return 1;
  }
}
