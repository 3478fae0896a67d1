// SPDX-License-Identifier: BSD-3-Clause
// Counts the instructions of one product on one core, exactly, without performance counters (Linux, x86-64):
// it runs with the trap flag set, so that each instruction ends in a signal, whose handler counts it by its
// place. Each line of the standard input is a product: TYPE MATRIX PRODUCT [KEY=VALUE,...], where PRODUCT is
// a format or a peer, for example
//
//   f64 like(mc2depi) csr
//   f32 m/tri_basker_matrix1.mtx.gz mkl
//   f64 uniform(rows=20000,per_row=10) bccoo codes=tuples
//
// Three products go before. A line of the standard output for each: the line's number, rows, nonzeros,
// instructions. With a prefix as the program's argument, PREFIX<number> says how often each instruction was
// executed: a line a place, MODULE OFFSET COUNT, which instructions.py adds up by kinds. Some 75 000
// instructions take a second.
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
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

/// How often each place was executed: an open hash table, since a signal handler may not ask for memory.
struct counted_place {
  std::uintptr_t at;
  std::uint64_t times;
};
constexpr std::size_t most_places = std::size_t{1} << 16;
counted_place places[most_places];

void count_one(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const auto at = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  std::size_t slot = (at * 0x9e3779b97f4a7c15u) >> 48;
  while (places[slot].at != at && places[slot].times != 0) slot = (slot + 1) % most_places;
  places[slot].at = at;
  ++places[slot].times;
}

/// The trap flag of this thread, from the instruction behind on.
void trap_each() {
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}
void trap_none() {
  asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

/// The instructions of f, and of what is around it.
template <class F>
[[gnu::noinline]] std::uint64_t traced(F&& f) {
  std::ranges::fill(places, counted_place{});
  trap_each();
  f();
  trap_none();
  std::uint64_t all = 0;
  for (const counted_place& each : places) all += each.times;
  return all;
}

struct line_words {
  std::string value, matrix, product, options;
};

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

template <class Product, class V>
void count(const Product& product, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  std::vector<V> x(static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = V{1} + static_cast<V>(i % 97) / 97;
  std::vector<V> y(static_cast<std::size_t>(rows));
  const auto multiply = [&] { product.multiply(V{1}, std::span<const V>(x), V{0}, std::span<V>(y)); };
  for (int i = 0; i < 3; ++i) multiply();
  const std::uint64_t around = traced([] {});
  const std::uint64_t all = traced(multiply);
  std::printf("%lld %lld %llu\n", static_cast<long long>(rows), static_cast<long long>(nnz),
              static_cast<unsigned long long>(all - around));
}

template <class V>
void count_product(const line_words& words) {
  const gossamer::any_csr<V> matrix =
      gossamer::narrow_offsets(gossamer::bench_support::is_specification(words.matrix)
                                   ? gossamer::bench_support::generate<V>(words.matrix)
                                   : std::move(gossamer::read_matrix_market<V>(words.matrix).matrix));
  std::visit(
      [&](const auto& a) {
        const auto view = a.view();
        const gossamer::resource one_core = gossamer::cpu{.threads = 1};
        if (is_peer(words.product)) {
          const auto made = gossamer::bench_support::inspect_peer(words.product, view, one_core);
          count<decltype(made), V>(made, view.rows, view.cols, view.nnz());
        } else {
          gossamer::inspect_options options;
          options.format = words.product;
          options.options = options_from(words.options);
          const auto made = gossamer::inspect(view, one_core, options);
          count<decltype(made), V>(made, view.rows, view.cols, view.nnz());
        }
      },
      matrix);
}

/// Writes how often each place was executed, by the file that is mapped there.
void write_places(const std::string& file) {
  struct mapping {
    std::uintptr_t first, last, offset;
    std::string name;
  };
  std::vector<mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    mapping m{};
    std::string range, rights, offset, device, inode;
    std::istringstream words(line);
    words >> range >> rights >> offset >> device >> inode >> m.name;
    m.first = std::stoull(range, nullptr, 16);
    m.last = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
    m.offset = std::stoull(offset, nullptr, 16);
    mappings.push_back(std::move(m));
  }
  std::ofstream out(file);
  std::map<std::uintptr_t, std::uint64_t> sorted;
  for (const counted_place& each : places)
    if (each.times != 0) sorted[each.at] = each.times;
  for (const auto& [at, n] : sorted)
    for (const mapping& m : mappings)
      if (at >= m.first && at < m.last)
        out << (m.name.empty() ? "?" : m.name) << ' ' << std::hex << at - m.first + m.offset << std::dec
            << ' ' << n << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction action {};
  action.sa_sigaction = count_one;
  action.sa_flags = SA_SIGINFO;
  (void)sigaction(SIGTRAP, &action, nullptr);
  int number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    line_words each;
    if (!(words >> each.value >> each.matrix >> each.product)) continue;
    words >> each.options;
    std::printf("%d ", ++number);
    try {
      if (each.value == "f64")
        count_product<double>(each);
      else if (each.value == "f32")
        count_product<float>(each);
      else
        throw std::runtime_error("the type \"" + each.value + "\" is neither f32 nor f64");
      if (argc > 1) write_places(argv[1] + std::to_string(number));
    } catch (const std::exception& e) {
      std::printf("refused %s\n", e.what());
    }
    std::fflush(stdout);
  }
}
