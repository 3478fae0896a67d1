// SPDX-License-Identifier: BSD-3-Clause
// One valid call of every public function on the host, for tests that make something fail inside the library.
// A test compares the list with the headers.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/catalog/matrix_sets.hpp"
#include "bench_support/compare/time_inspections.hpp"
#include "bench_support/compare/time_updates.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/loops/device_vector.hpp"
#include "bench_support/loops/loops.hpp"
#include "bench_support/loops/problems.hpp"
#include "bench_support/oracle/columns.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::testing_support {

struct public_call {
  std::string_view function;  ///< its name in the headers
  std::function<std::string()>
      call;  ///< what it returns as text, where that is the same in every run; else an empty text
};

/// Whether the call that a test is about runs, on any thread: only memory and system calls of it are to fail.
inline std::atomic<bool> library_runs = false;

/// f(), which only calls the library. Its arguments and the text of its result are made outside.
template <class F>
decltype(auto) in_library(F&& f) {
  struct mark {
    mark() { library_runs = true; }
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;
    ~mark() { library_runs = false; }
  };
  const mark now;
  return std::forward<F>(f)();
}

/// 30 rows with values 1 and 2: sums are exact, whatever their order.
inline const csr_matrix<double, std::int64_t>& small_matrix() {
  static const auto a = [] {
    auto made = bench_support::generate<double>("stencil(nx=6,ny=5,points=5,values=constant)");
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
  in_library([&] { made.multiply(1.0, x, 0.0, y); });
  return text_of(y);
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline plan<double> plan_of_two_cores() {
  return inspect(small_matrix().view(), parse_hybrid("cpu:1,cpu:1"));
}

/// Files are written to and read from the folder.
inline std::vector<public_call> public_calls(const std::filesystem::path& folder) {
  static const std::vector<double> samples{1, 2, 3, 4, 5, 6, 7};
  static const std::vector<double> x(30, 1.0);
  static const std::vector<double> powers{1, 2};
  static const row_statistics statistics = measure_rows(small_matrix().view());
  static const inspect_options defaults;
  const auto a = [] { return small_matrix().view(); };
  const cpu one{.threads = 1};
  const auto copied = [] { return copy<double, std::int64_t>(small_matrix().view()); };
  const auto planned = [=](const inspect_options& how) { return inspect(small_matrix().view(), one, how); };
  const auto narrow = [] { return copy<double, std::int32_t>(small_matrix().view()); };
  /// The solution that solver(plan, b, x) finds.
  const auto solution_by = [=](auto&& solver) {
    const auto made = planned({.operations = operation_set::both});
    std::vector<double> found(30, 1.0);
    in_library([&] { solver(made, x, std::span(found)); });
    return text_of(found);
  };
  const auto parted = [] { return partition_rows(small_matrix().view(), powers); };
  const auto matrix_file = folder / "matrix.mtx";
  const auto gzip_file = folder / "matrix.mtx.gz";
  const auto vector_file = folder / "vector.mtx";
  const auto written_matrix = folder / "written.mtx";
  const auto written_gzip = folder / "written.mtx.gz";
  const auto written_vector = folder / "vector_written.mtx";
  const auto written_text = folder / "written.txt";
  const auto read_matrix = [](const std::filesystem::path& file) {
    return text_of_csr(in_library([&] { return read_matrix_market<double>(file); }).matrix);
  };
  write_matrix_market(matrix_file, a());
  write_matrix_market(gzip_file, a());
  write_vector<double>(vector_file, x);
  return {
      // compare.hpp
      {"time_interleaved",
       [=] {
         const std::vector<product_call> products(2, [](cuda_stream) {});
         const interleaving how{.seconds = 0, .rounds = 2};
         return std::to_string(
             in_library([&] { return time_interleaved(products, one, how); }).seconds.size());
       }},
      {"call_latency",
       [=] { return in_library([&] { return call_latency([](cuda_stream) {}, one, 1); }), std::string(); }},
      {"ratio_of",
       [] { return std::to_string(in_library([] { return ratio_of(samples, samples); }).ratio); }},
      {"product_vectors",
       [=] {
         const auto made = planned({});
         auto vectors = in_library([&] { return product_vectors<double>(30, 30, one); });
         in_library([&] { vectors.poison(); });
         const vector_kernels kernels = in_library([&] { return vectors.solver_kernels(); });
         kernels.before({});
         vectors.call(made)({});
         kernels.after({});
         return text_of(in_library([&] { return vectors.result(); }));
       }},
      // csr_matrix.hpp
      {"csr_from_coo",
       [] {
         const std::vector<std::int32_t> row{1, 0, 1};
         const std::vector<std::int32_t> col{0, 1, 1};
         const std::vector<double> val{1, 2, 3};
         const coo_view<double> coo{2, 2, row, col, val};
         return text_of_csr(in_library([&] { return csr_from_coo(coo); }));
       }},
      {"transpose", [=] { return text_of_csr(in_library([&] { return transpose(a()); })); }},
      {"parse_operation",
       [] { return std::string(in_library([] { return name(parse_operation("transposed")); })); }},
      {"parse_operations",
       [] { return std::string(in_library([] { return name(parse_operations("both")); })); }},
      // reorder.hpp
      {"parse_reordering",
       [] { return std::string(in_library([] { return name(parse_reordering("rcm")); })); }},
      {"reverse_cuthill_mckee",
       [=] { return text_of(in_library([&] { return reverse_cuthill_mckee(a()); })); }},
      {"permuted",
       [=] {
         std::vector<std::int32_t> backwards;
         for (std::int32_t i = 30; i > 0; --i) backwards.push_back(i - 1);
         return text_of_csr(in_library([&] { return permuted(a(), backwards); }));
       }},
      {"copy", [=] { return text_of_csr(in_library(copied)); }},
      {"narrow_offsets",
       [=] {
         auto own = copied();
         return std::to_string(in_library([&] { return narrow_offsets(std::move(own)); }).index());
       }},
      // diagonal_blocks.hpp
      {"split_diagonal_blocks",
       [=] { return text_of_csr(in_library([&] { return split_diagonal_blocks(a(), 4); }).rest); }},
      // distributed_vector.hpp
      {"distributed_vector",
       [] {
         const std::vector<device_share> shares{{.device = 0, .size = 4}};
         return std::to_string(in_library([&] { return distributed_vector<double>(shares); }).size());
       }},
      // error.hpp, formats.hpp
      {"name",
       [] {
         const auto device = in_library([] { return name(resource(cuda{7})); });
         return std::string(in_library([] { return name(errc::busy); })) + device;
       }},
      {"list_formats", [] { return std::to_string(in_library([] { return list_formats(); }).size()); }},
      {"find_format",
       [] { return std::string(in_library([]() -> const auto& { return find_format("csr"); }).help); }},
      {"plain_format", [] { return std::string(in_library([] { return plain_format(); })); }},
      {"forecast",
       [=] {
         return std::to_string(
             in_library([&] { return forecast(a(), statistics, "packed", {}, one); }).bytes);
       }},
      {"candidates",
       [=] { return std::to_string(in_library([&] { return candidates("brc", statistics, one); }).size()); }},
      {"variants", [=] { return std::to_string(in_library([&] { return variants("coo", one); }).size()); }},
      // generate.hpp
      {"generators",
       [] { return std::to_string(in_library([] { return bench_support::generators(); }).size()); }},
      {"is_specification",
       [] { return std::to_string(in_library([] { return bench_support::is_specification("a(1)"); })); }},
      {"parse_specification",
       [] {
         return in_library(
                    [] { return bench_support::parse_specification("a_long_name_of_a_generator(b=1)"); })
             .name;
       }},
      {"generate",
       [] {
         return text_of_csr(
             in_library([] { return bench_support::generate<double>("uniform(rows=20,per_row=3)"); }));
       }},
      {"assign_values",
       [=] {
         auto own = copied();
         in_library([&] { bench_support::assign_values(own, "few(3)"); });
         return text_of_csr(own);
       }},
      // host_buffer.hpp, memory.hpp
      {"allocate_host",
       [] { return std::to_string(in_library([] { return host_buffer<double>(100); }).size()); }},
      {"release_host",
       [] { return std::to_string(in_library([] { return host_buffer<double>(100).size(); })); }},
      {"set_host_allocation_hook",
       [] { return in_library([] { set_host_allocation_hook({}); }), std::string(); }},
      {"set_device_allocation_hook",
       [] { return in_library([] { set_device_allocation_hook({}); }), std::string(); }},
      {"available_memory", [=] { return in_library([&] { available_memory(one); }), std::string(); }},
      // hybrid.hpp
      {"parse_hybrid",
       [] {
         return std::to_string(in_library([] { return parse_hybrid("cpu:1,cuda:0", powers); }).parts.size());
       }},
      {"measure_powers",
       [] { return std::to_string(in_library([] { return measure_powers<double>({}); }).parts.size()); }},
      {"inspect",
       [=] {
         const hybrid where = parse_hybrid("cpu:1,cpu:1");
         return product_of(in_library([&] { return inspect(a(), where); }));
       }},
      {"device_shares",
       [=] {
         const auto made = plan_of_two_cores();
         return std::to_string(in_library([&] { return device_shares(made, 30); }).size());
       }},
      {"rebalance",
       [=] {
         hybrid where = parse_hybrid("cpu:1,cpu:1");
         const rebalance_options how{.rounds = 1, .products = 1, .tolerance = 1e9, .pairs = 6};
         return std::to_string(
             in_library([&] { return rebalance(a(), std::move(where), {}, how); }).parts.size());
       }},
      // machine.hpp
      {"describe_machine",
       [=] { return std::to_string(in_library([&] { return describe_machine(one); }).threads); }},
      // matrix_catalog.hpp, matrix_sets.hpp
      {"name",
       [] {
         return std::string(in_library([] { return bench_support::name(bench_support::matrix_class::lp); }));
       }},
      {"sectors_per_entry",
       [] {
         return std::to_string(in_library([] {
                                 return bench_support::sectors_per_entry(bench_support::matrix_class::lp);
                               }).most);
       }},
      {"known_matrices",
       [] { return std::to_string(in_library([] { return bench_support::known_matrices(); }).size()); }},
      {"find_known_matrix",
       [] {
         return std::string(
             in_library([]() -> const auto& { return bench_support::find_known_matrix("rail4284"); }).name);
       }},
      {"divide_as_cusp",
       [] {
         const row_length_distribution lengths{{3, 10}};
         return std::to_string(
             in_library([&] { return bench_support::divide_as_cusp(lengths); }).coo_percent);
       }},
      {"matrix_sets",
       [] { return std::to_string(in_library([] { return bench_support::matrix_sets(); }).size()); }},
      {"find_matrix_set",
       [] {
         return std::string(
             in_library([]() -> const auto& { return bench_support::find_matrix_set("gallery"); }).help);
       }},
      // matrix_market.hpp
      {"read_matrix_market", [=] { return read_matrix(matrix_file); }},
      {"read_matrix_market", [=] { return read_matrix(gzip_file); }},
      {"gzip_library", [] { return std::string(in_library([] { return gzip_library(); })); }},
      {"parse_matrix_market",
       [] {
         constexpr std::string_view text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
         return text_of_csr(in_library([&] { return parse_matrix_market<double>(text, "text"); }).matrix);
       }},
      {"read_vector",
       [=] { return text_of(in_library([&] { return read_vector<double>(vector_file); }).span()); }},
      {"write_matrix_market",
       [=] {
         in_library([&] { write_matrix_market(written_matrix, a()); });
         return read_matrix(written_matrix);
       }},
      {"write_matrix_market",
       [=] {
         in_library([&] { write_matrix_market(written_gzip, a()); });
         return read_matrix(written_gzip);
       }},
      {"write_vector",
       [=] {
         in_library([&] { write_vector<double>(written_vector, x); });
         return text_of(in_library([&] { return read_vector<double>(written_vector); }).span());
       }},
      // oracle.hpp, timer.hpp, time_inspections.hpp
      {"verify",
       [=] {
         return std::to_string(
             in_library([&] { return bench_support::verify<double>(a(), 0, x, 1, x, x); }).passed());
       }},
      {"verify_columns",
       [=] {
         return std::to_string(in_library([&] {
                                 return bench_support::verify_columns<double>(a(), 1, layout::row_major, 0, x,
                                                                              1, x, x);
                               }).passed());
       }},
      {"ramp", [] { return text_of(in_library([] { return ramp<double>(9); })); }},
      {"summarise", [] { return std::to_string(in_library([] { return summarise(samples); }).median); }},
      {"time_repeatedly", [] { return in_library([] { return time_repeatedly([] {}, 0); }), std::string(); }},
      {"time_product",
       [] { return in_library([] { return time_product([](cuda_stream) {}, cpu{}, 0); }), std::string(); }},
      {"time_inspections",
       [=] {
         return std::to_string(
             in_library([&] { return bench_support::time_inspections(a(), one, defaults, 1); }).count);
       }},
      {"time_device_inspections",
       [=] {
         return std::to_string(in_library([&] {
                                 return bench_support::time_device_inspections(a(), cuda{}, defaults, 1);
                               }).count);
       }},
      {"time_updates",
       [=] {
         plan<double> made = inspect(a(), one, {.values_change = true});
         return std::to_string(
             in_library([&] { return bench_support::time_updates(made, a().val, 0); }).count);
       }},
      {"time_device_updates",
       [=] {
         plan<double> made = inspect(a(), cuda{}, {.values_change = true});
         return std::to_string(
             in_library([&] { return bench_support::time_device_updates(made, a().val, 0); }).count);
       }},
      {"last_level_cache_bytes",
       [=] { return std::to_string(in_library([&] { return last_level_cache_bytes(one); })); }},
      {"copy_bandwidth", [=] { return in_library([] { return copy_bandwidth(cuda{}); }), std::string(); }},
      {"host_to_device_bandwidth",
       [] { return in_library([] { return host_to_device_bandwidth({}); }), std::string(); }},
      {"stream_triad_bandwidth",
       [] { return in_library([] { return stream_triad_bandwidth(1, 1); }), std::string(); }},
      // output.hpp
      {"write_file",
       [=] {
         in_library([&] { write_file(written_text, "text\n"); });
         return read_file(written_text);
       }},
      {"check_output", [=] { return in_library([&] { check_output(written_text); }), std::string(); }},
      {"is_stream", [=] { return std::to_string(in_library([&] { return is_stream(matrix_file); })); }},
      {"remove_unfinished_files", [] { return in_library(remove_unfinished_files), std::string(); }},
      {"own_descriptor",
       [=] { return std::to_string(in_library([&] { return own_descriptor(matrix_file); })); }},
      // partition.hpp
      {"slots", [] { return std::to_string(row_set{.rows = 2, .nnz = 3, .width = 2}.slots()); }},
      {"density", [] { return std::to_string(row_set{.rows = 2, .nnz = 3, .width = 2}.density()); }},
      {"mean_density",
       [=] {
         const auto shares = parted();
         return std::to_string(in_library([&] { return mean_density(shares.sets); }));
       }},
      {"padded_slots",
       [=] {
         const auto shares = parted();
         return std::to_string(in_library([&] { return padded_slots(shares.sets); }));
       }},
      {"partition_rows", [=] { return text_of(in_library(parted).row.span()); }},
      {"relative_difference",
       [=] {
         const auto shares = parted();
         return std::to_string(in_library([&] { return relative_difference(shares); }));
       }},
      {"ell_bytes",
       [] {
         return std::to_string(in_library([] { return ell_bytes({.rows = 2, .nnz = 3, .width = 2}, 8); }));
       }},
      {"transfer_seconds",
       [=] {
         const auto shares = parted();
         return std::to_string(in_library([&] { return transfer_seconds(shares.sets, 8, 1e9); }));
       }},
      {"least_block_density",
       [] { return std::to_string(in_library([] { return least_block_density(); })); }},
      // peers.hpp
      {"list_peers",
       [] { return std::to_string(in_library([] { return bench_support::list_peers(); }).size()); }},
      {"find_peer",
       [] {
         return std::string(
             in_library([]() -> const auto& { return bench_support::find_peer("eigen"); }).help);
       }},
      {"find_peer_here",
       [] { return in_library([] { return bench_support::find_peer_here("eigen"); }), std::string(); }},
      {"inspect_peer",
       [=] {
         const auto made = in_library([&] { return bench_support::inspect_peer("eigen", a(), one); });
         std::vector<double> y(30);
         in_library([&] { made.multiply(1.0, x, 0.0, y); });
         return text_of(y);
       }},
      // plan.hpp
      {"inspect", [=] { return product_of(in_library([&] { return planned({.format = "packed"}); })); }},
      {"inspect", [=] { return product_of(in_library([&] { return planned({.format = "auto"}); })); }},
      {"inspect",
       [=] {
         const csr_view<double, std::int64_t, device_space> there{.rows = 1, .cols = 1};
         return product_of(in_library([&] { return inspect(there, cuda{}); }));
       }},
      {"inspect",
       [=] {
         const auto made = planned({});
         const description like{made.describe()};
         return product_of(in_library([&] { return inspect(a(), like); }));
       }},
      {"describe",
       [=] {
         const auto made = planned({});
         const description like{in_library([&] { return made.describe(); })};
         return product_of(inspect(a(), like));
       }},
      {"multiply", [=] { return product_of(plan_of_two_cores()); }},
      {"multiply",
       [=] {
         const auto made = planned({});
         auto scratch = in_library([&] { return made.make_workspace(); });
         std::vector<double> y(30);
         in_library([&] { made.multiply(1.0, x, 0.0, y, scratch); });
         return text_of(y);
       }},
      {"parts",
       [=] {
         const auto made = plan_of_two_cores();
         return std::to_string(in_library([&] { return made.parts(); }).size());
       }},
      {"update_values",
       [=] {
         auto made = planned({.format = "brc", .values_change = true});
         in_library([&] { made.update_values(a().val); });
         return product_of(made);
       }},
      {"to_csr",
       [=] {
         const auto made = planned({});
         return text_of_csr(in_library([&] { return made.to_csr(); }));
       }},
      {"stored_values",
       [=] {
         const auto made = planned({.format = "packed", .options = {{"precision", "f32"}}});
         const auto changed = in_library([&] { return made.rounding(); })->changed;
         return text_of(in_library([&] { return made.stored_values(a()); }).span()) + std::to_string(changed);
       }},
      // solve.hpp
      {"cg",
       [=] { return solution_by([](const auto& made, const auto& b, auto to) { solve::cg(made, b, to); }); }},
      {"bicgstab",
       [=] {
         return solution_by([](const auto& made, const auto& b, auto to) { solve::bicgstab(made, b, to); });
       }},
      {"minres",
       [=] {
         return solution_by([](const auto& made, const auto& b, auto to) { solve::minres(made, b, to); });
       }},
      {"chebyshev",
       [=] {
         return solution_by([](const auto& made, const auto& b, auto to) {
           solve::chebyshev(made, b, to, {.lower = 0.1, .upper = 12});
         });
       }},
      {"lsqr",
       [=] {
         return solution_by([](const auto& made, const auto& b, auto to) { solve::lsqr(made, b, to); });
       }},
      {"power",
       [=] {
         return solution_by(
             [](const auto& made, const auto&, auto to) { solve::power(made, to, {.maxiter = 3}); });
       }},
      // loops of other libraries
      {"list_loops",
       [] { return std::to_string(in_library([] { return bench_support::list_loops(); }).size()); }},
      {"find_loop",
       [] {
         return std::string(in_library([]() -> const auto& {
                              return bench_support::find_loop(bench_support::loop_method::cg, "eigen_cg");
                            }).library);
       }},
      {"find_loop_here",
       [] {
         return in_library(
                    [] { return bench_support::find_loop_here(bench_support::loop_method::cg, "eigen_cg"); }),
                std::string();
       }},
      {"make_spd_system",
       [=] { return text_of(in_library([&] { return bench_support::make_spd_system(a()); }).a.val.span()); }},
      {"make_linear_program",
       [=] { return text_of(in_library([&] { return bench_support::make_linear_program(a()); }).c); }},
      {"relative_residual",
       [=] {
         const auto a32 = narrow();
         return std::to_string(
             in_library([&] { return bench_support::relative_residual<double>(a32.view(), x, x); }));
       }},
      {"inspect_loop",
       [=] {
         const auto a32 = narrow();
         return in_library([&] {
                  return bench_support::inspect_loop<double>(bench_support::loop_method::cg, "eigen_cg",
                                                             a32.view(), {.b = x}, one);
                }),
                std::string();
       }},
      {"wait_for", [] { return in_library([] { bench_support::wait_for({}); }), std::string(); }},
      // resource.hpp
      {"thread_count", [=] { return std::to_string(in_library([&] { return thread_count(one); })); }},
      {"parse_resource",
       [] {
         const resource parsed = in_library([] { return parse_resource("cuda:1"); });
         return in_library([&] { return name(parsed); });
       }},
      {"parse_isa",
       [] { return std::to_string(static_cast<int>(in_library([] { return parse_isa("avx2"); }))); }},
      {"runs_here", [] { return std::to_string(in_library([] { return runs_here(isa::baseline); })); }},
      {"automatic_isa",
       [] { return std::to_string(static_cast<int>(in_library([] { return automatic_isa(); }))); }},
      {"cpu_model", [] { return in_library([] { return cpu_model(); }), std::string(); }},
      {"cuda_device_count", [] { return std::to_string(in_library([] { return cuda_device_count(); })); }},
      {"built_with_cuda", [] { return std::to_string(in_library([] { return built_with_cuda(); })); }},
      {"cuda_properties", [] { return in_library([] { return cuda_properties(0); }).name; }},
      // statistics.hpp, tune.hpp, validate.hpp
      {"measure_rows", [=] { return std::to_string(in_library([&] { return measure_rows(a()); }).spread); }},
      {"measure_row_lengths",
       [=] { return std::to_string(in_library([&] { return measure_row_lengths(a()); }).size()); }},
      {"measure_entries",
       [=] { return std::to_string(in_library([&] { return measure_entries(a()); }).bandwidth); }},
      {"rank_formats",
       [=] { return std::to_string(in_library([&] { return rank_formats(a(), statistics, one); }).size()); }},
      {"tune",
       [=] {
         const tune_options how{.calls = 10, .budget_seconds = 0};
         const tuning_result found = in_library([&] { return tune(a(), one, how); });
         return product_of(planned({.format = found.best().format, .options = found.best().options}));
       }},
      {"validate", [=] { return in_library([&] { validate(a()); }), std::string(); }},
  };
}

}  // namespace gossamer::testing_support
