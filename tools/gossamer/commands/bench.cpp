// SPDX-License-Identifier: BSD-3-Clause
// gossamer bench: how fast each format and other libraries multiply each matrix.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "arguments/value_argument.hpp"
#include "bench/measure.hpp"
#include "bench/record.hpp"
#include "bench/settings.hpp"
#include "commands/commands.hpp"
#include "gossamer/error.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"
#include "output/stopwatch.hpp"

namespace gossamer::cli {
namespace {

using clock = std::chrono::steady_clock;

template <value V>
std::vector<bench_result> measure_member(const bench_member& member, const bench_settings& s,
                                         double copy_gbs) {
  const any_csr<V> loaded = load<V>(member);
  progress_bar bar(fmt::format("{} {}", member.name, value_name<V>()));
  return std::visit(
      [&](const auto& matrix) {
        const auto a = matrix.view();
        if (s.verbose)
          note(fmt::format("{}: {} x {}, {} nonzeros, {}", member.title(), a.rows, a.cols, a.nnz(),
                           value_name<V>()));
        return measure(member, a, s, copy_gbs, bar);
      },
      loaded);
}

struct one_run {
  const bench_member* member = nullptr;
  std::string value;
};

std::vector<one_run> runs_of(const bench_settings& s, const bench_record& record) {
  std::vector<one_run> runs;
  std::size_t there = 0;
  for (const bench_member& member : s.members) {
    for (const std::string& value : s.values) {
      if (record.has(member, value, s))
        ++there;
      else
        runs.push_back({&member, value});
    }
  }
  if (there > 0) note(fmt::format("{} of {} runs are in the document already", there, there + runs.size()));
  return runs;
}

/// A matrix that memory does not hold is left out; the others go on.
void measure_into(bench_record& record, const one_run& run, const bench_settings& s) {
  bench_member missing = *run.member;
  try {
    record.add(with_value_type(
        run.value, [&]<class V>() { return measure_member<V>(*run.member, s, record.machine().copy_gbs); }));
    return;
  } catch (const std::bad_alloc&) {
    missing.absent = "out of memory";
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory) throw;
    missing.absent = problem.what();
  }
  record.add_absent(missing, true);
}

std::string machine_text(const bench_machine& m) {
  const std::string device = m.gpu ? fmt::format("; {}:", *m.gpu) : ",";
  return fmt::format("{}: {} threads, STREAM triad {:.1f} GB/s{} copy {:.1f} GB/s, cache {}", m.cpu,
                     m.threads, m.stream_gbs, device, m.copy_gbs, bytes_text(m.llc_bytes));
}

int bench(const bench_options& o) {
  const auto begin = clock::now();
  const bench_settings s = checked(o);
  bench_record record(identify_machine(s), s, o.json, o.resume);
  for (const bench_member& member : s.absent) record.add_absent(member, false);
  const bench_machine& machine = record.machine();
  remark(machine_text(machine));
  const std::vector<one_run> runs = runs_of(s, record);
  std::size_t widest = 0;
  for (const one_run& run : runs) widest = std::max(widest, run.member->name.size());
  record.begin_report(widest);
  double longest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double before = seconds_since(begin);
    if (s.time_limit > 0 && i > 0 && before + longest > s.time_limit) {
      remark(fmt::format("time limit: {} of {} runs are left, from {} {} on; --resume continues",
                         runs.size() - i, runs.size(), runs[i].member->title(), runs[i].value));
      break;
    }
    measure_into(record, runs[i], s);
    longest = std::max(longest, seconds_since(begin) - before);
  }
  record.finish();
  return record.any_failed() ? 1 : 0;
}

}  // namespace

void add_bench(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("bench", "Time the product in each format and in other libraries");
  const auto o = std::make_shared<bench_options>();
  o->add_to(command);
  command.callback([&chosen, o] { chosen = [o] { return bench(*o); }; });
}

}  // namespace gossamer::cli
