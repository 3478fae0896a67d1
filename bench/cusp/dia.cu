// SPDX-License-Identifier: BSD-3-Clause
// cusp_dia NX NY NZ POINTS [...]: what CUSP's dia format takes for products of stencils of 5 and 9 (NZ = 1),
// 7 and 27 points, f64. For each four numbers a line of CSV: microseconds of a product, the median of a
// hundred batches timed on the device, and the largest difference of y from that of CUSP on the host. Alone,
// since CUSP is of C++17. It is headers only; with a clone of cusplibrary/cusplibrary at CUSP:
//   nvcc -std=c++17 -O3 -arch=native -I CUSP bench/cusp/dia.cu -o cusp_dia
// Its 0.6.1 needs one change for the Thrust of CUDA 13: in cusp/detail/memory.inl, `typename
// thrust::detail::minimum_system<...>::type` instead of `thrust::detail::minimum_system_t<...>`.
#include <cuda_runtime.h>
#include <cusp/array1d.h>
#include <cusp/dia_matrix.h>
#include <cusp/multiply.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

struct grid {
  int nx, ny, nz, points;
  [[nodiscard]] int rows() const { return nx * ny * nz; }
};

struct neighbour {
  int dx, dy, dz;
};

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

std::vector<neighbour> neighbours_of(const grid& g) {
  const bool diagonal_ones = g.points == 9 || g.points == 27;
  const int depth = g.nz > 1 ? 1 : 0;
  std::vector<neighbour> all;
  for (int dz = -depth; dz <= depth; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (diagonal_ones || std::abs(dx) + std::abs(dy) + std::abs(dz) <= 1) all.push_back({dx, dy, dz});
  if (static_cast<int>(all.size()) != g.points)
    throw std::runtime_error("such a grid has other numbers of points");
  return all;
}

cusp::dia_matrix<int, double, cusp::host_memory> stencil(const grid& g) {
  constexpr int alignment = 32;
  const auto neighbours = neighbours_of(g);
  cusp::dia_matrix<int, double, cusp::host_memory> a(g.rows(), g.rows(), 0, neighbours.size(), alignment);
  const auto inside = [](int at, int size) { return at >= 0 && at < size; };
  for (int d = 0; d < g.points; ++d) {
    const auto [dx, dy, dz] = neighbours[static_cast<std::size_t>(d)];
    a.diagonal_offsets[d] = (dz * g.ny + dy) * g.nx + dx;
    for (int i = 0; i < g.rows(); ++i) {
      const bool is_there = inside(i % g.nx + dx, g.nx) && inside(i / g.nx % g.ny + dy, g.ny) &&
                            inside(i / g.nx / g.ny + dz, g.nz);
      a.num_entries += is_there ? 1 : 0;
      a.values(i, d) = is_there ? 1 + (i * 7LL + d) % 13 : 0;
    }
  }
  return a;
}

/// Of one product, in microseconds.
template <class Product>
double median_time(const Product& multiply) {
  constexpr int batches = 100;
  constexpr int products = 50;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> us;
  for (int b = 0; b < batches; ++b) {
    check(cudaEventRecord(begin));
    for (int k = 0; k < products; ++k) multiply();
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    us.push_back(ms * 1e3 / products);
  }
  std::nth_element(us.begin(), us.begin() + batches / 2, us.end());
  return us[batches / 2];
}

void measure(const char* device, const grid& g) {
  const auto a = stencil(g);
  const cusp::array1d<double, cusp::host_memory> x(g.rows(), 0.5);
  cusp::array1d<double, cusp::host_memory> y(g.rows());
  cusp::multiply(a, x, y);
  const cusp::dia_matrix<int, double, cusp::device_memory> a_there(a);
  const cusp::array1d<double, cusp::device_memory> x_on_device(x);
  cusp::array1d<double, cusp::device_memory> y_on_device(g.rows(), 0.0);
  const double us = median_time([&] { cusp::multiply(a_there, x_on_device, y_on_device); });
  const cusp::array1d<double, cusp::host_memory> y_back(y_on_device);
  double difference = 0;
  for (int i = 0; i < g.rows(); ++i) difference = std::max(difference, std::abs(y[i] - y_back[i]));
  std::printf("%s,%d,%d,%d,%d,%lld,%.2f,%g\n", device, g.nx, g.ny, g.nz, g.points,
              static_cast<long long>(a.num_entries), us, difference);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5 || count % 4 != 1) {
    std::fprintf(stderr, "usage: cusp_dia NX NY NZ POINTS [...]\n");
    return 2;
  }
  try {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    std::printf("device,nx,ny,nz,points,nnz,us,difference\n");
    for (int i = 1; i < count; i += 4)
      measure(device.name, {std::atoi(arguments[i]), std::atoi(arguments[i + 1]), std::atoi(arguments[i + 2]),
                            std::atoi(arguments[i + 3])});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cusp_dia: %s\n", e.what());
    return 1;
  }
}
