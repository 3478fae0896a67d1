// SPDX-License-Identifier: BSD-3-Clause
// bench_epilogues cpu|cuda:N f32|f64 hot|solver SECONDS FORMAT MATRIX...: what epilogues cost. A line of CSV
// for each matrix, a file or a specification: the time of the product alone in microseconds, and the times of
// products with an epilogue relative to it:
//   residual  r = b - A x                          residual_norm  and r . r
//   x_dot     y . x                                two_dots       y . x and y . y
//   jacobi    x + w D^-1 (b - A x)                 chebyshev      a second vector, too
//   parts     the product, then a pass over the vectors with the two dot products of two_dots
// Then the bytes of the vectors that each of them reads and writes beyond x and y, relative to those that the
// product alone moves. All products of a line are timed alternately.
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"

namespace {

using gossamer::plan;
using gossamer::product_call;
using gossamer::product_vectors;

template <class V, class Space>
struct spans {
  gossamer::span_in<const V, Space> x, b, d;
  gossamer::span_in<V, Space> y, out;
  gossamer::span_in<double, Space> dots;
};

template <class Span>
Span one(const Span& all, std::size_t i) {
  return {all.data() + i, 1};
}

struct named_case {
  const char* name;
  double more_vectors;  ///< of y's length
  product_call call;
};

/// `stream...` is the stream of a call with device vectors.
template <class V, class Space>
std::vector<named_case> cases_of(const plan<V>& made, const spans<V, Space>& s) {
  using gossamer::epilogue;
  const auto call = [&made](V alpha, auto x, V beta, auto y, const epilogue<V, Space>& e) -> product_call {
    return [=, &made](gossamer::cuda_stream stream) {
      if constexpr (std::is_same_v<Space, gossamer::host_space>)
        made.multiply(alpha, x, beta, y, e);
      else
        made.multiply(alpha, x, beta, y, e, stream);
    };
  };
  const product_call alone = [=, &made](gossamer::cuda_stream stream) {
    if constexpr (std::is_same_v<Space, gossamer::host_space>)
      made.multiply(V{1}, s.x, V{0}, s.y);
    else
      made.multiply(V{1}, s.x, V{0}, s.y, stream);
  };
  epilogue<V, Space> residual{.z = s.b};
  epilogue<V, Space> norm = residual;
  norm.dots[0] = {.with = s.y, .result = one(s.dots, 0)};
  epilogue<V, Space> x_dot;
  x_dot.dots[0] = {.with = s.x, .result = one(s.dots, 0)};
  epilogue<V, Space> two_dots = x_dot;
  two_dots.dots[1] = {.with = s.y, .result = one(s.dots, 1)};
  epilogue<V, Space> jacobi{.z = s.b, .scale = s.d, .u = s.x};
  epilogue<V, Space> chebyshev = jacobi;
  chebyshev.second = {.out = s.out, .add = s.b};
  const product_call pass = call(V{0}, s.x, V{1}, s.y, two_dots);
  return {{"alone", 0, alone},
          {"residual", 1, call(V{-1}, s.x, V{1}, s.y, residual)},
          {"residual_norm", 1, call(V{-1}, s.x, V{1}, s.y, norm)},
          {"x_dot", 0, call(V{1}, s.x, V{0}, s.y, x_dot)},
          {"two_dots", 0, call(V{1}, s.x, V{0}, s.y, two_dots)},
          {"jacobi", 2, call(V{-1}, s.x, V{1}, s.y, jacobi)},
          {"chebyshev", 3, call(V{-1}, s.x, V{1}, s.y, chebyshev)},
          {"parts", 2, [alone, pass](gossamer::cuda_stream stream) {
             alone(stream);
             pass(stream);
           }}};
}

template <class V>
void time_matrix(const std::string& name, const gossamer::resource& where, gossamer::interleaving how,
                 const std::string& format) {
  const auto a = std::filesystem::exists(name) ? gossamer::read_matrix_market<V>(name).matrix
                                               : gossamer::bench_support::generate<V>(name);
  if (a.rows != a.cols) return;
  const plan<V> made = gossamer::inspect(a.view(), where, {.format = format});
  product_vectors<V> x(a.rows, a.rows, where), b(a.rows, a.rows, where), out(a.rows, a.rows, where);
  product_vectors<double> dots(2, 2, where);
  const std::vector<named_case> cases =
      std::holds_alternative<gossamer::cuda>(where)
          ? cases_of<V, gossamer::device_space>(made, {.x = x.device_x(),
                                                       .b = b.device_x(),
                                                       .d = out.device_x(),
                                                       .y = x.device_y(),
                                                       .out = out.device_y(),
                                                       .dots = dots.device_y()})
          : cases_of<V, gossamer::host_space>(
                made, {.x = x.x(), .b = b.x(), .d = out.x(), .y = x.y(), .out = out.y(), .dots = dots.y()});
  std::vector<product_call> calls;
  for (const named_case& each : cases) calls.push_back(each.call);
  if (how.cache == gossamer::cache_state::solver) how.kernels = x.solver_kernels();
  const gossamer::comparison timed = gossamer::time_interleaved(calls, where, how);
  const double alone_bytes =
      static_cast<double>(made.streamed_bytes()) + 2.0 * static_cast<double>(a.rows) * sizeof(V);
  std::printf("\"%s\",%lld,%lld,%s,%.3f", name.c_str(), static_cast<long long>(a.rows),
              static_cast<long long>(a.nnz()), std::string(made.format()).c_str(),
              gossamer::summarise(timed.seconds[0]).median * 1e6);
  for (std::size_t k = 1; k < cases.size(); ++k)
    std::printf(",%.3f", gossamer::ratio_of(timed.seconds[k], timed.seconds[0]).ratio);
  for (std::size_t k = 1; k < cases.size(); ++k)
    std::printf(",%.3f", 1 + cases[k].more_vectors * static_cast<double>(a.rows) * sizeof(V) / alone_bytes);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> all(arguments + 1, arguments + count);
  if (all.size() < 6) {
    std::fputs("usage: bench_epilogues cpu|cuda:N f32|f64 hot|solver SECONDS FORMAT MATRIX...\n", stderr);
    return 2;
  }
  try {
    const gossamer::resource where = gossamer::parse_resource(all[0]);
    const gossamer::interleaving how{
        .cache = all[2] == "solver" ? gossamer::cache_state::solver : gossamer::cache_state::hot,
        .seconds = std::stod(all[3])};
    std::printf("matrix,rows,nnz,format,alone_us");
    constexpr std::array names{"residual", "residual_norm", "x_dot", "two_dots",
                               "jacobi",   "chebyshev",     "parts"};
    for (const char* name : names) std::printf(",%s", name);
    for (const char* name : names) std::printf(",%s_bytes", name);
    std::printf("\n");
    for (std::size_t i = 5; i < all.size(); ++i)
      all[1] == "f32" ? time_matrix<float>(all[i], where, how, all[4])
                      : time_matrix<double>(all[i], where, how, all[4]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_epilogues: %s\n", problem.what());
    return 1;
  }
  return 0;
}
