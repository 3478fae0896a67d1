// SPDX-License-Identifier: BSD-3-Clause
// bench_pairs f64|f32 SET FOLDER: y = A x and then x = A^T y on the first GPU with hot caches, by one plan of
// packed, and by cuSPARSE with A and an explicit transpose. SET is a name such as headline; FOLDER has its
// real matrices. A x and A^T y do not share vectors. Results are not checked: gossamer bench does that.
// Writes CSV with a line for each matrix: class, name, precision, and
//   transposed_over_explicit  time of A^T y over that of A^T y by a plan of the explicit transpose
//   pair_us                   microseconds of both products
//   csr_pair_over_pair        time of both products with cuSPARSE's faster CSR algorithm, over pair_us
//   best_pair_over_pair       time with the fastest of its CSR algorithms and its sliced ELL, over pair_us
//   bytes_over_csr            bytes of A and its transpose in packed over the bytes of A in CSR
//   inspect_ms                milliseconds of inspect() for both products, from arrays on the device
//   inspect_products          the same in products A x of cuSPARSE's faster CSR algorithm
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bench_support/catalog/matrix_sets.hpp"
#include "bench_support/compare/time_inspections.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"

namespace {

using namespace gossamer;

constexpr cuda gpu{0};

/// Makes multiply() compute A^T y, for product_vectors::call().
template <value V>
struct transposed_product {
  const plan<V>& both;

  template <class... Arguments>
  void multiply(const Arguments&... all) const {
    both.multiply_transposed(all...);
  }
};

product_call in_turn(product_call first, product_call second) {
  return [first = std::move(first), second = std::move(second)](cuda_stream stream) {
    first(stream);
    second(stream);
  };
}

template <value V>
any_csr<V> load(const bench_support::matrix_set_member& member, const std::string& folder) {
  if (member.file.empty()) return narrow_offsets(bench_support::generate<V>(member.specification));
  auto read = read_matrix_market<V>(folder + "/" + member.file + ".mtx.gz");
  if (!member.values.empty()) bench_support::assign_values(read.matrix, member.values);
  return narrow_offsets(std::move(read.matrix));
}

template <value V, offset O>
void measure(const csr_matrix<V, O>& matrix, const std::string& title) {
  const auto a = matrix.view();
  const auto explicit_transpose = transpose(a);
  const auto t = explicit_transpose.view();
  const inspect_options how{.format = "packed", .operations = operation_set::both};
  const auto both = inspect(a, gpu, how);
  const auto of_transpose = inspect(t, gpu, {.format = "packed"});
  product_vectors<V> forward(a.rows, a.cols, gpu);
  product_vectors<V> transposed(a.cols, a.rows, gpu);

  const transposed_product<V> back{both};
  std::vector<product_call> calls{transposed.call(back), transposed.call(of_transpose),
                                  in_turn(forward.call(both), transposed.call(back))};
  struct timed_peer {
    bool csr;
    bench_support::peer_product<V> a;
    bench_support::peer_product<V> t;
  };
  std::vector<timed_peer> peers;
  peers.reserve(3);  // calls refer to them
  for (const char* const name : {"cusparse_csr_alg1", "cusparse_csr_alg2", "cusparse_sliced_ell"}) {
    try {
      peers.push_back({.csr = std::string_view(name) != "cusparse_sliced_ell",
                       .a = bench_support::inspect_peer(name, a, gpu, 1),
                       .t = bench_support::inspect_peer(name, t, gpu, 1)});
    } catch (const error& refusal) {
      std::fprintf(stderr, "%s: %s\n", title.c_str(), refusal.what());
      continue;
    }
    calls.push_back(forward.call(peers.back().a));
    calls.push_back(in_turn(forward.call(peers.back().a), transposed.call(peers.back().t)));
  }

  const comparison times = time_interleaved(calls, gpu, {.seconds = 0.03});
  const auto median = [&](std::size_t call) { return summarise(times.seconds[call]).median; };
  double csr_product = std::numeric_limits<double>::quiet_NaN();  // printed as nan where cuSPARSE refuses
  double csr_pair = csr_product;
  double best_pair = csr_product;
  for (std::size_t p = 0; p < peers.size(); ++p) {
    const double pair = median(4 + 2 * p);
    best_pair = std::fmin(best_pair, pair);
    if (!peers[p].csr) continue;
    csr_pair = std::fmin(csr_pair, pair);
    csr_product = std::fmin(csr_product, median(3 + 2 * p));
  }
  const double inspection = bench_support::time_device_inspections(a, gpu, how, 3).median;
  const auto csr_bytes =
      static_cast<double>(a.row_ptr.size_bytes() + a.col.size_bytes() + a.val.size_bytes());
  std::printf("%s,%s,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f\n", title.c_str(), sizeof(V) == 8 ? "f64" : "f32",
              median(0) / median(1), median(2) * 1e6, csr_pair / median(2), best_pair / median(2),
              static_cast<double>(both.bytes()) / csr_bytes, inspection * 1e3, inspection / csr_product);
  std::fflush(stdout);
}

template <value V>
int measure_set(const char* set, const std::string& folder) {
  std::puts(
      "class,matrix,precision,transposed_over_explicit,pair_us,csr_pair_over_pair,best_pair_over_pair,bytes_"
      "over_"
      "csr,"
      "inspect_ms,inspect_products");
  int failed = 0;
  for (const auto& member : bench_support::find_matrix_set(set).members) {
    const std::string name = member.file.empty()     ? "\"" + member.specification + "\""
                             : member.values.empty() ? member.file
                                                     : member.file + " " + member.values;
    try {
      std::visit([&](const auto& matrix) { measure(matrix, member.group + "," + name); },
                 load<V>(member, folder));
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), problem.what());
      failed = 1;
    }
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view precision = argc == 4 ? argv[1] : "";
  if (precision == "f64") return measure_set<double>(argv[2], argv[3]);
  if (precision == "f32") return measure_set<float>(argv[2], argv[3]);
  std::fprintf(stderr, "usage: %s f64|f32 SET FOLDER\n", argv[0]);
  return 2;
}
