// SPDX-License-Identifier: BSD-3-Clause
// The sample of the columns of a matrix in device memory.
#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/temporary_array.hpp"
#include "formats/common/gather_sample.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int gather_sample_threads = 256;

__global__ void gather_sample_per_thread(const std::int32_t* col, std::int64_t nnz, std::int64_t value_bytes,
                                         sampled_gather* to) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * gather_sample_threads + threadIdx.x;
  if (k < gather_samples) to[k] = gather_sample(col, nnz, value_bytes, k);
}

}  // namespace

std::vector<sampled_gather> sample_columns_on_device(const std::int32_t* col, std::int64_t nnz,
                                                     std::size_t value_bytes) {
  int device = 0;
  exec::check_cuda(static_cast<int>(cudaGetDevice(&device)), "cudaGetDevice");
  const exec::temporary_array<sampled_gather> there(static_cast<std::size_t>(gather_samples), device);
  gather_sample_per_thread<<<exec::blocks_for(gather_samples, gather_sample_threads),
                             gather_sample_threads>>>(col, nnz, static_cast<std::int64_t>(value_bytes),
                                                      there.data());
  exec::check_launch("sample columns");
  std::vector<sampled_gather> samples(static_cast<std::size_t>(gather_samples));
  exec::copy_async(samples.data(), there.data(), samples.size() * sizeof(sampled_gather),
                   exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  return samples;
}

}  // namespace gossamer::inline v0::formats
