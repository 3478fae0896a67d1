// SPDX-License-Identifier: BSD-3-Clause
// Multiplies each matrix of its standard input once under a profiler, a line each: TYPE MATRIX PRODUCT
// [KEY=VALUE,...], where PRODUCT is a format or a peer. Three products go before. A kernel named mark, of as
// many blocks as the line has as its number, tells a reader of the profile whose kernels come next; a line on
// standard output names what was multiplied, or the reason if nothing was.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/io.hpp"

namespace {

__global__ void mark() {}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class V>
class device_vector {
 public:
  explicit device_vector(const std::vector<V>& from) : size_(from.size()) {
    check(cudaMalloc(&data_, std::max<std::size_t>(1, size_) * sizeof(V)));
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(V), cudaMemcpyHostToDevice));
  }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;
  ~device_vector() { (void)cudaFree(data_); }
  gossamer::device_span<V> span() { return {data_, size_}; }

 private:
  V* data_ = nullptr;
  std::size_t size_;
};

/// One product by a format or a peer, the fourth in a row, is what the profiler sees.
template <class Product, class V>
void count(const Product& product, gossamer::device_span<const V> x, gossamer::device_span<V> y,
           unsigned line) {
  const gossamer::cuda_stream stream;
  for (int i = 0; i < 3; ++i) product.multiply(V{1}, x, V{0}, y, stream);
  check(cudaDeviceSynchronize());
  check(cudaProfilerStart());
  mark<<<line, 32>>>();
  product.multiply(V{1}, x, V{0}, y, stream);
  check(cudaDeviceSynchronize());
  check(cudaProfilerStop());
}

bool is_peer(const std::string& name) {
  return std::ranges::any_of(gossamer::bench_support::list_peers(),
                             [&](const auto& peer) { return peer.name == name; });
}

gossamer::option_texts options_from(const std::string& text) {
  gossamer::option_texts options;
  std::istringstream all(text);
  for (std::string each; std::getline(all, each, ',');)
    options.emplace_back(each.substr(0, each.find('=')), each.substr(each.find('=') + 1));
  return options;
}

/// The last matrix that was asked for in a value type.
template <class V>
class counted_matrix {
 public:
  void count_product(unsigned line, const std::string& matrix, const std::string& product,
                     const std::string& options) {
    if (matrix != name_) {
      name_.clear();
      a_ = gossamer::narrow_offsets(gossamer::bench_support::is_specification(matrix)
                                        ? gossamer::bench_support::generate<V>(matrix)
                                        : std::move(gossamer::read_matrix_market<V>(matrix).matrix));
      name_ = matrix;
    }
    std::visit([&](const auto& a) { count_product(line, a.view(), product, options); }, a_);
  }

 private:
  template <gossamer::offset O>
  void count_product(unsigned line, const gossamer::csr_view<V, O>& a, const std::string& product,
                     const std::string& options) {
    std::vector<V> ramp(static_cast<std::size_t>(a.cols));
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = V{1} + static_cast<V>(i % 97) / 97;
    device_vector<V> x(ramp);
    device_vector<V> y(std::vector<V>(static_cast<std::size_t>(a.rows)));
    const gossamer::resource gpu = gossamer::cuda{0};
    long long bytes = 0;
    if (is_peer(product)) {
      const auto made = gossamer::bench_support::inspect_peer<V, O>(product, a, gpu);
      count<decltype(made), V>(made, x.span(), y.span(), line);
      bytes = made.bytes();
    } else {
      const auto made = gossamer::inspect(a, gpu, {.format = product, .options = options_from(options)});
      count<decltype(made), V>(made, x.span(), y.span(), line);
      bytes = made.streamed_bytes();
    }
    std::printf("%u ok %lld %lld %lld %lld\n", line, static_cast<long long>(a.rows),
                static_cast<long long>(a.cols), static_cast<long long>(a.nnz()), bytes);
  }

  std::string name_;
  gossamer::any_csr<V> a_;
};

}  // namespace

int main() {
  counted_matrix<double> f64;
  counted_matrix<float> f32;
  unsigned number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string value, matrix, product, options;
    words >> value >> matrix >> product >> options;
    ++number;
    try {
      if (value == "f64")
        f64.count_product(number, matrix, product, options);
      else if (value == "f32")
        f32.count_product(number, matrix, product, options);
      else
        throw std::runtime_error("the type \"" + value + "\" is neither f32 nor f64");
    } catch (const std::exception& e) {
      std::printf("%u refused %s\n", number, e.what());
    }
    std::fflush(stdout);
  }
}
