// SPDX-License-Identifier: BSD-3-Clause
// bench_floor f64|f32 MATRIX...: what gathering x alone takes on a GPU, beside packed. For each matrix, a file or a specification, hot and cold, a
// line of CSV: microseconds of an empty kernel; of one that reads the columns, 4 bytes each, in the order of the matrix, loads x where they
// say, adds that up without regard to rows, and writes y; of one whose blocks, eight to a sum, as parts of a long row are, also add up what they
// have; of one that does that too and has to read first where its columns begin, as a slice's header says; of a whole product of few waits, where blocks have
// equally many entries (even_product.cuh); and of packed. But for the last two there are no values, rows or headers in them, and in the first no sum waits for another. Each thread has eight entries:
// neighbours, or, so that a warp loads neighbours at once, 32 apart; the less counts. All are launched as packed's products are, so that each
// begins while the one before it ends.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "even_product.cuh"
#include "gossamer/compare.hpp"
#include "gossamer/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/matrix_market.hpp"
#include "launch.cuh"

namespace {

using gossamer::cuda_stream;

constexpr int entries_of_a_thread = 8;

__global__ void nothing_at_all() {
  take_turn();
}

constexpr int parts = 8;

/// Adds up what the threads of `parts` blocks have, as packed adds the parts of a row: a slot is empty while it is zero, each block fills its own and
/// counts itself, and the last waits for the slots, leaving them as they were. `sum` is not zero.
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
enum class beside { nothing, adds, adds_behind_headers };

template <bool Neighbours, beside Does, class V>
__global__ void __launch_bounds__(threads)
    gather(const std::int32_t* column, std::int64_t nnz, const V* x, V* y, std::int64_t rows, V* slots,
           unsigned* counts, const std::int64_t* first_block) {
  const std::int64_t block =
      Does == beside::adds_behind_headers ? first_block[blockIdx.x] : static_cast<std::int64_t>(blockIdx.x);
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
  take_turn();
  V sum{0};
#pragma unroll
  for (int i = 0; i < entries_of_a_thread; ++i) sum += load(x + c[i]);
  if constexpr (Does != beside::nothing) {
    add_parts(sum + V{1}, slots, counts, y);
  } else {
    for (std::int64_t r = thread; r < rows; r += static_cast<std::int64_t>(gridDim.x) * threads) y[r] = sum;
  }
}

/// Throws where the product on the device is not the host's.
template <class Matrix, class V>
void expect_right(const Matrix& even, const gossamer::csr_matrix<V>& a) {
  std::vector<V> x(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = V{1} + static_cast<V>(i % 97) / V{64};
  const device_array<V> on_device(x);
  const device_array<V> result(static_cast<std::size_t>(a.rows));
  std::vector<V> y(static_cast<std::size_t>(a.rows));
  for (int twice = 0; twice < 2; ++twice) {
    even.multiply(on_device.data(), result.data(), {});
    check(cudaMemcpy(y.data(), result.data(), y.size() * sizeof(V), cudaMemcpyDeviceToHost));
    const double error = even.error(a, x, y);
    if (!(error < (sizeof(V) == 8 ? 1e-13 : 1e-5)))
      throw std::runtime_error("the even product is off by " + std::to_string(error) + " of its terms");
  }
}

template <class V>
void measure(const std::string& name, const char* value) {
  const auto a = gossamer::is_specification(name) ? gossamer::generate<V>(name)
                                                  : gossamer::read_matrix_market<V>(name).matrix;
  const auto columns = a.col.span();
  const device_array<std::int32_t> column(std::vector<std::int32_t>(columns.begin(), columns.end()));
  const auto plan = gossamer::inspect(a.view(), gossamer::cuda{0}, {.format = "packed"});
  gossamer::product_vectors<V> vectors(a.rows, a.cols, gossamer::cuda{0});
  const V* const x = vectors.device_x().data();
  V* const y = vectors.device_y().data();
  const std::int64_t nnz = a.nnz();
  const std::int64_t rows = a.rows;
  constexpr std::int64_t of_a_block = threads * entries_of_a_thread;
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, (nnz + of_a_block - 1) / of_a_block));
  const device_array<V> slots(blocks, 0);
  const device_array<V> sums(blocks);
  const device_array<unsigned> counts(blocks, 0);
  std::vector<std::int64_t> numbers(blocks);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  const device_array<std::int64_t> first_block(numbers);
  const even_matrix<8, V> of_eight(a);
  const even_matrix<4, V> of_four(a);
  expect_right(of_eight, a);
  expect_right(of_four, a);
  const auto run = [&](auto kernel, V* to) {
    return [=, in_order = static_cast<const std::int32_t*>(column.data()), at = slots.data(),
            count = counts.data(), first = static_cast<const std::int64_t*>(first_block.data())](
               cuda_stream s) { launch(kernel, blocks, s, in_order, nnz, x, to, rows, at, count, first); };
  };
  using enum beside;
  const std::vector<gossamer::product_call> calls = {[](cuda_stream s) { launch(nothing_at_all, 1, s); },
                                                     run(gather<true, nothing, V>, y),
                                                     run(gather<false, nothing, V>, y),
                                                     run(gather<true, adds, V>, sums.data()),
                                                     run(gather<false, adds, V>, sums.data()),
                                                     run(gather<true, adds_behind_headers, V>, sums.data()),
                                                     run(gather<false, adds_behind_headers, V>, sums.data()),
                                                     [&](cuda_stream s) { of_eight.multiply(x, y, s); },
                                                     [&](cuda_stream s) { of_four.multiply(x, y, s); },
                                                     vectors.call(plan)};
  for (const auto cache : {gossamer::cache_state::hot, gossamer::cache_state::cold}) {
    const auto times =
        gossamer::time_interleaved(calls, gossamer::cuda{0}, {.cache = cache, .seconds = 0.05, .rounds = 21});
    const auto us = [&](std::size_t i) { return gossamer::summarise(times.seconds[i]).median * 1e6; };
    std::printf("\"%s\",%s,%s,%lld,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f\n",
                name.substr(gossamer::is_specification(name) ? 0 : name.rfind('/') + 1).c_str(), value,
                std::string(gossamer::name(cache)).c_str(), static_cast<long long>(nnz), us(0),
                std::min(us(1), us(2)), std::min(us(3), us(4)), std::min(us(5), us(6)),
                std::min(us(7), us(8)), us(9));
    std::fflush(stdout);
  }
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
        "matrix,value,cache,nnz,empty_us,gather_us,added_us,behind_headers_us,even_product_us,packed_us\n");
    for (int i = 2; i < count; ++i)
      value == "f64" ? measure<double>(arguments[i], "f64") : measure<float>(arguments[i], "f32");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_floor: %s\n", e.what());
    return 1;
  }
}
