// SPDX-License-Identifier: BSD-3-Clause
// One valid call of every public function on the host, for tests that make something fail inside. A test holds the list to the headers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/compare.hpp"
#include "gossamer/distributed_vector.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/measure.hpp"
#include "gossamer/peers.hpp"

namespace gossamer::testing_support {

struct public_call {
  std::string_view function;  ///< its name in the headers
  std::function<std::string()>
      call;  ///< what it returns as text, where that is the same in every run; else an empty text
};

/// 30 rows with values 1 and 2: sums are exact, whatever their order.
inline const csr_matrix<double, std::int64_t>& small_matrix() {
  static const auto a = [] {
    auto made = generate<double>("stencil(nx=6,ny=5,points=5,values=constant)");
    made.val[3] = 2;
    return made;
  }();
  return a;
}

template <class Numbers>
std::string text_of(const Numbers& numbers) {
  std::string text;
  for (const auto each : numbers) text += std::to_string(each) + " ";
  return text;
}

inline std::string text_of_csr(const csr_matrix<double, std::int64_t>& a) {
  return text_of(a.row_ptr.span()) + text_of(a.col.span()) + text_of(a.val.span());
}

inline std::string product_of(const plan<double>& made) {
  std::vector<double> y(static_cast<std::size_t>(made.rows()));
  const std::vector<double> x(static_cast<std::size_t>(made.cols()), 1.0);
  made.multiply(1.0, x, 0.0, y);
  return text_of(y);
}

/// Files are written to and read from the folder.
inline std::vector<public_call> public_calls(const std::filesystem::path& folder) {
  static const std::vector<double> samples{1, 2, 3, 4, 5, 6, 7};
  static const std::vector<double> x(30, 1.0);
  static const std::vector<double> powers{1, 2};
  static const row_statistics statistics = measure_rows(small_matrix().view());
  const auto a = [] { return small_matrix().view(); };
  const cpu one{.threads = 1};
  const auto matrix_file = folder / "matrix.mtx";
  const auto gzip_file = folder / "matrix.mtx.gz";
  const auto vector_file = folder / "vector.mtx";
  write_matrix_market(matrix_file, a());
  write_matrix_market(gzip_file, a());
  write_vector<double>(vector_file, x);
  return {
      // compare.hpp
      {"time_interleaved",
       [=] {
         const std::vector<product_call> products(2, [](cuda_stream) {});
         return std::to_string(time_interleaved(products, one, {.seconds = 0, .rounds = 2}).seconds.size());
       }},
      {"call_latency", [=] { return call_latency([](cuda_stream) {}, one, 1), std::string(); }},
      {"ratio_of", [] { return std::to_string(ratio_of(samples, samples).ratio); }},
      {"product_vectors",
       [=] {
         product_vectors<double> vectors(30, 30, one);
         vectors.poison();
         const auto made = inspect(a(), one);
         vectors.call(made)({});
         return text_of(vectors.result());
       }},
      // csr_matrix.hpp
      {"csr_from_coo",
       [] {
         const std::vector<std::int32_t> row{1, 0, 1};
         const std::vector<std::int32_t> col{0, 1, 1};
         const std::vector<double> val{1, 2, 3};
         return text_of_csr(csr_from_coo(coo_view<double>{2, 2, row, col, val}));
       }},
      {"copy", [=] { return text_of_csr(copy<double, std::int64_t>(a())); }},
      {"narrow_offsets",
       [=] { return std::to_string(narrow_offsets(copy<double, std::int64_t>(a())).index()); }},
      // diagonal_blocks.hpp
      {"split_diagonal_blocks", [=] { return text_of_csr(split_diagonal_blocks(a(), 4).rest); }},
      // distributed_vector.hpp
      {"distributed_vector",
       [] {
         const std::vector<device_share> shares{{.device = 0, .size = 4}};
         return std::to_string(distributed_vector<double>(shares).size());
       }},
      // error.hpp, formats.hpp
      {"name", [] { return std::string(name(errc::busy)) + name(resource(cuda{7})); }},
      {"list_formats", [] { return std::to_string(list_formats().size()); }},
      {"find_format", [] { return std::string(find_format("csr").help); }},
      {"plain_format", [] { return std::string(plain_format()); }},
      {"forecast", [=] { return std::to_string(forecast(a(), statistics, "packed", {}, one).bytes); }},
      {"candidates", [=] { return std::to_string(candidates("brc", statistics, one).size()); }},
      {"variants", [=] { return std::to_string(variants("coo", one).size()); }},
      // generate.hpp
      {"generators", [] { return std::to_string(generators().size()); }},
      {"is_specification", [] { return std::to_string(is_specification("a(1)")); }},
      {"parse_specification", [] { return parse_specification("a_long_name_of_a_generator(b=1)").name; }},
      {"generate", [] { return text_of_csr(generate<double>("uniform(rows=20,per_row=3)")); }},
      {"assign_values",
       [=] {
         auto own = copy<double, std::int64_t>(a());
         assign_values(own, "few(3)");
         return text_of_csr(own);
       }},
      // host_buffer.hpp, memory.hpp
      {"allocate_host", [] { return std::to_string(host_buffer<double>(100).size()); }},
      {"release_host", [] { return std::to_string(host_buffer<double>(100).size()); }},
      {"set_host_allocation_hook", [] { return set_host_allocation_hook({}), std::string(); }},
      {"set_device_allocation_hook", [] { return set_device_allocation_hook({}), std::string(); }},
      {"available_memory", [=] { return available_memory(one), std::string(); }},
      // hybrid.hpp
      {"parse_hybrid", [] { return std::to_string(parse_hybrid("cpu:1,cuda:0", powers).parts.size()); }},
      {"measure_powers", [] { return std::to_string(measure_powers<double>({}).parts.size()); }},
      // matrix_catalog.hpp, matrix_sets.hpp
      {"sectors_per_entry", [] { return std::to_string(sectors_per_entry(matrix_class::lp).most); }},
      {"known_matrices", [] { return std::to_string(known_matrices().size()); }},
      {"find_known_matrix", [] { return std::string(find_known_matrix("rail4284").name); }},
      {"divide_as_cusp",
       [] {
         return std::to_string(divide_as_cusp({{3, 10}}).coo_percent);
       }},
      {"matrix_sets", [] { return std::to_string(matrix_sets().size()); }},
      {"find_matrix_set", [] { return std::string(find_matrix_set("gallery").help); }},
      // matrix_market.hpp
      {"read_matrix_market", [=] { return text_of_csr(read_matrix_market<double>(matrix_file).matrix); }},
      {"read_matrix_market", [=] { return text_of_csr(read_matrix_market<double>(gzip_file).matrix); }},
      {"gzip_library", [] { return std::string(gzip_library()); }},
      {"parse_matrix_market",
       [] {
         constexpr std::string_view text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
         return text_of_csr(parse_matrix_market<double>(text, "text").matrix);
       }},
      {"read_vector", [=] { return text_of(read_vector<double>(vector_file).span()); }},
      {"write_matrix_market",
       [=] {
         write_matrix_market(folder / "written.mtx", a());
         return text_of_csr(read_matrix_market<double>(folder / "written.mtx").matrix);
       }},
      {"write_matrix_market",
       [=] {
         write_matrix_market(folder / "written.mtx.gz", a());
         return text_of_csr(read_matrix_market<double>(folder / "written.mtx.gz").matrix);
       }},
      {"write_vector",
       [=] {
         write_vector<double>(folder / "vector_written.mtx", x);
         return text_of(read_vector<double>(folder / "vector_written.mtx").span());
       }},
      // measure.hpp
      {"verify", [=] { return std::to_string(verify<double>(a(), 0, x, 1, x, x).right()); }},
      {"ramp", [] { return text_of(ramp<double>(9)); }},
      {"summarise", [] { return std::to_string(summarise(samples).median); }},
      {"time_repeatedly", [] { return time_repeatedly([] {}, 0), std::string(); }},
      {"time_products", [=] { return time_products(inspect(a(), one), 0), std::string(); }},
      {"time_inspections",
       [=] { return std::to_string(time_inspections(a(), one, inspect_options{}, 1).count); }},
      {"time_inspections_there",
       [=] { return std::to_string(time_inspections_there(a(), cuda{}, inspect_options{}, 1).count); }},
      {"last_level_cache_bytes", [=] { return std::to_string(last_level_cache_bytes(one)); }},
      {"copy_bandwidth", [=] { return copy_bandwidth(cuda{}), std::string(); }},
      {"host_to_device_bandwidth", [] { return host_to_device_bandwidth({}), std::string(); }},
      {"stream_triad_bandwidth", [] { return stream_triad_bandwidth(1, 1), std::string(); }},
      // partition.hpp
      {"slots", [] { return std::to_string(row_set{.rows = 2, .nnz = 3, .width = 2}.slots()); }},
      {"density", [] { return std::to_string(row_set{.rows = 2, .nnz = 3, .width = 2}.density()); }},
      {"mean_density", [=] { return std::to_string(mean_density(partition_rows(a(), powers).sets)); }},
      {"padded_slots", [=] { return std::to_string(padded_slots(partition_rows(a(), powers).sets)); }},
      {"partition_rows", [=] { return text_of(partition_rows(a(), powers).row.span()); }},
      {"relative_difference",
       [=] { return std::to_string(relative_difference(partition_rows(a(), powers))); }},
      {"ell_bytes", [] { return std::to_string(ell_bytes({.rows = 2, .nnz = 3, .width = 2}, 8)); }},
      {"transfer_seconds",
       [=] { return std::to_string(transfer_seconds(partition_rows(a(), powers).sets, 8, 1e9)); }},
      {"least_block_density", [] { return std::to_string(least_block_density()); }},
      // peers.hpp
      {"list_peers", [] { return std::to_string(list_peers().size()); }},
      {"find_peer", [] { return std::string(find_peer("eigen").help); }},
      {"find_peer_here", [] { return find_peer_here("eigen"), std::string(); }},
      {"inspect_peer", [=] { return std::to_string(inspect_peer("eigen", a(), one).nnz()); }},
      // plan.hpp
      {"inspect", [=] { return product_of(inspect(a(), one, {.format = "packed"})); }},
      {"inspect", [=] { return product_of(inspect(a(), one, {.format = "auto"})); }},
      {"inspect",
       [=] {
         const csr_view<double, std::int64_t, device_space> there{.rows = 1, .cols = 1};
         return product_of(inspect(there, cuda{}));
       }},
      {"multiply",
       [=] {
         const auto made = inspect(a(), one);
         auto scratch = made.make_workspace();
         std::vector<double> y(30);
         made.multiply(1.0, x, 0.0, y, scratch);
         return text_of(y) + std::to_string(made.parts().size());
       }},
      {"gather",
       [=] {
         const auto made = inspect(a(), one, {.format = "csr_gathered"});
         auto scratch = made.make_workspace();
         std::vector<double> y(30);
         made.gather(x, scratch);
         made.multiply_gathered(1.0, 0.0, y, scratch);
         return text_of(y);
       }},
      {"update_values",
       [=] {
         auto made = inspect(a(), one, {.format = "brc", .values_change = true});
         made.update_values(a().val);
         return product_of(made);
       }},
      {"to_csr", [=] { return text_of_csr(inspect(a(), one).to_csr()); }},
      {"stored_values",
       [=] {
         const auto made = inspect(a(), one, {.format = "packed", .options = {{"precision", "f32"}}});
         return text_of(made.stored_values(a()).span()) + std::to_string(made.rounding()->changed);
       }},
      // resource.hpp
      {"thread_count", [=] { return std::to_string(thread_count(one)); }},
      {"parse_resource", [] { return name(parse_resource("cuda:1")); }},
      {"parse_isa", [] { return std::string(name(parse_isa("avx2"))); }},
      {"runs_here", [] { return std::to_string(runs_here(isa::baseline)); }},
      {"automatic_isa", [] { return std::string(name(automatic_isa())); }},
      {"cpu_model", [] { return cpu_model(), std::string(); }},
      {"cuda_device_count", [] { return std::to_string(cuda_device_count()); }},
      {"built_with_cuda", [] { return std::to_string(built_with_cuda()); }},
      {"cuda_properties", [] { return cuda_properties(0).name; }},
      // statistics.hpp, tune.hpp, validate.hpp
      {"measure_rows", [=] { return std::to_string(measure_rows(a()).spread); }},
      {"measure_row_lengths", [=] { return std::to_string(measure_row_lengths(a()).size()); }},
      {"measure_entries", [=] { return std::to_string(measure_entries(a()).bandwidth); }},
      {"rank_formats", [=] { return std::to_string(rank_formats(a(), statistics, one).size()); }},
      {"validate", [=] { return validate(a()), std::string(); }},
  };
}

/// Calls that make JSON inside, or read it. Where memory runs out as nlohmann-json 3.11 destroys an object, it ends the program.
inline std::vector<public_call> public_calls_with_json() {
  const auto a = [] { return small_matrix().view(); };
  const auto two_cores = [] { return parse_hybrid("cpu:1,cpu:1"); };
  const cpu one{.threads = 1};
  return {
      {"tune",
       [=] {
         const format_setting best = tune(a(), one, {.calls = 10, .budget_seconds = 0}).best();
         return product_of(inspect(a(), one, {.format = best.format, .options = best.options}));
       }},
      {"describe", [=] { return product_of(inspect(a(), description{inspect(a(), one).describe()})); }},
      {"inspect", [=] { return product_of(inspect(a(), two_cores())); }},
      {"device_shares", [=] { return std::to_string(device_shares(inspect(a(), two_cores()), 30).size()); }},
      {"rebalance",
       [=] {
         const rebalance_options how{.rounds = 1, .products = 1, .tolerance = 1e9, .pairs = 6};
         return std::to_string(rebalance(a(), two_cores(), {}, how).parts.size());
       }},
  };
}

}  // namespace gossamer::testing_support
