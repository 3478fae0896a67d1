// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/number_argument.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/powers_argument.hpp"
#include "arguments/usage_error.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/peers.hpp"
#include "experiment/loops/measure_loops.hpp"
#include "experiments/all_experiments.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"
#include "output/output.hpp"

namespace gossamer::cli {
namespace {

namespace fs = std::filesystem;
using experiments::effort;
using experiments::parties;
using experiments::place;
using experiments::portion;
using experiments::series;

/// NAME.mtx.gz and NAME.mtx, by name; of both, the first.
std::vector<std::string> matrix_files(const std::string& folder) {
  std::map<std::string, std::string> by_name;
  std::error_code code;
  fs::directory_iterator files(folder, code);
  if (code) fail_usage("{}: cannot open: {}", folder, code.message());
  for (const fs::directory_entry& entry : files) {
    const fs::path& path = entry.path();
    const bool packed = path.extension() == ".gz";
    const fs::path inner = packed ? path.stem() : path.filename();
    std::error_code ignored;
    if (inner.extension() != ".mtx" || !entry.is_regular_file(ignored)) continue;
    std::string& known = by_name[inner.stem().string()];
    if (known.empty() || packed) known = path.string();
  }
  std::vector<std::string> paths;
  paths.reserve(by_name.size());
  for (const auto& [name, path] : by_name) paths.push_back(path);
  return paths;
}

std::vector<experiment_member> members_of(const experiment_options& o, const experiments::experiment& e) {
  std::vector<std::string> arguments = o.only.empty() ? e.matrices : o.only;
  const std::vector<bench_member> named = bench_members(arguments, o.folder);
  std::vector<bench_member> all = named;
  if (o.only.empty() && e.every_file) {
    if (o.folder.empty())
      note("no folder of matrices is given (--matrices, GOSSAMER_MATRICES): only those that are made");
    else
      for (const std::string& file : matrix_files(o.folder)) arguments.push_back(file);
    all = bench_members(arguments, o.folder);
  }
  if (!o.shard.empty()) take_shard("experiment", o.shard, all);
  std::vector<experiment_member> members;
  for (const bench_member& member : all) {
    const auto same = [&](const bench_member& other) {
      return other.name == member.name && other.values == member.values;
    };
    members.push_back({member, std::none_of(named.begin(), named.end(), same)});
  }
  return members;
}

option_texts options_on(const series& s, const resource& where) {
  option_texts all = s.options;
  if (std::holds_alternative<cuda>(where)) all.insert(all.end(), s.gpu_options.begin(), s.gpu_options.end());
  return all;
}

std::string reason_format_is_absent(const series& s, const option_texts& options, const resource& where) {
  const auto formats = list_formats();
  const auto same = [&](const format_info& info) { return info.name == s.format; };
  if (std::none_of(formats.begin(), formats.end(), same))
    return fmt::format("this build has no format {}", s.format);
  try {
    check_options(s.format, options, where);
  } catch (const usage_error& problem) {
    return problem.what();
  } catch (const error& problem) {
    // What the device does not have is found again by measuring, and has its own status.
    if (problem.code() != errc::unsupported) return problem.what();
  }
  return {};
}

std::string reason_peer_is_absent(const series& s, const resource& where) {
  const device_set device = std::holds_alternative<cuda>(where) ? device_set::cuda : device_set::cpu;
  const auto peers = bench_support::list_peers();
  const auto found = std::find_if(peers.begin(), peers.end(),
                                  [&](const bench_support::peer_info& info) { return info.name == s.peer; });
  if (found == peers.end()) return fmt::format("this build has no peer {}", s.peer);
  if (!contains(found->devices, device)) return fmt::format("{} does not run on {}", s.peer, name(where));
  const bench_support::peer_presence presence = bench_support::find_peer_here(s.peer);
  return presence.present ? std::string() : presence.reason;
}

bench_settings settings_on(const resource& where, const experiment_options& o, std::int64_t llc_bytes) {
  bench_settings s;
  s.caches = {cache_state::hot};
  s.where = where;
  s.seconds = o.seconds;
  s.llc_bytes = llc_bytes > 0 ? llc_bytes : last_level_cache_bytes(where);
  s.break_even = false;
  s.beta = o.beta;
  return s;
}

bench_settings settings_at(place where, const experiment_options& o) {
  switch (where) {
    case place::one_cpu_core:
      return settings_on(cpu{.threads = 1}, o, 0);
    case place::all_of_cpu:
      return settings_on(cpu{}, o, 0);
    default:
      return settings_on(o.where.present(), o, o.llc_bytes);
  }
}

/// The one of a place and portion, made where it is not there.
std::size_t meeting_of(experiment_settings& s, place where, portion of, const experiment_options& o) {
  for (std::size_t i = 0; i < s.meetings.size(); ++i) {
    if (s.meetings[i].where == where && s.meetings[i].of == of) return i;
  }
  s.meetings.push_back({where, of, settings_at(where, o)});
  return s.meetings.size() - 1;
}

std::string reason_portion_is_absent(const experiments::experiment& e, const series& each) {
  if (each.of == portion::whole) return {};
  const auto formats = list_formats();
  const auto splits = [&](const format_info& info) { return info.name == e.split.format; };
  return std::any_of(formats.begin(), formats.end(), splits)
             ? std::string()
             : fmt::format("this build has no format {}, which divides the matrix", e.split.format);
}

/// Who multiplies, with powers of 1. `host` has the threads of the command line.
std::vector<hybrid_part> parts_of(const series& s, const cpu& host) {
  const int threads = thread_count(host);
  const hybrid_part on_cores{.where = cpu{.threads = 1}, .format = s.format, .options = s.options};
  std::vector<hybrid_part> parts;
  if (s.among == parties::each_core) {
    parts.assign(static_cast<std::size_t>(threads), on_cores);
    return parts;
  }
  const bool one = s.among == parties::one_gpu || s.among == parties::blocks_on_gpu;
  const int gpus = one ? std::min(cuda_device_count(), 1) : cuda_device_count();
  for (int gpu = 0; gpu < gpus; ++gpu) {
    hybrid_part part{.where = cuda{gpu}, .format = s.gpu_format, .options = s.gpu_options};
    if (s.gpu_format.empty()) {
      part.format = s.format;
      part.options = options_on(s, part.where);
    }
    parts.push_back(std::move(part));
  }
  if (s.among == parties::one_gpu) return parts;
  parts.push_back(on_cores);
  parts.back().where = cpu{.threads = std::max(1, threads - gpus)};
  return parts;
}

/// A GPU counts as so many cores; nothing where powers are to be measured.
std::optional<double> cores_of_gpu(const experiment_options& o) {
  if (o.powers == "measured") return std::nullopt;
  const std::vector<double> powers = parse_powers("experiment", o.powers);
  if (powers.size() != 1) fail_usage("experiment: --powers {} is neither measured nor one number", o.powers);
  return powers.front();
}

void set_powers(std::vector<hybrid_part>& parts, double gpu) {
  for (hybrid_part& each : parts) {
    const auto* group = std::get_if<cpu>(&each.where);
    each.power = group != nullptr ? std::max(1, group->threads) : gpu;
  }
}

/// A series of several parts, or why there is none.
bench_format shared_format(const series& s, const cpu& host, const experiment_options& o,
                           std::string& absent) {
  bench_format format{.name = s.format, .options = s.options, .asked = s.label};
  hybrid where{.parts = parts_of(s, host)};
  if (!s.algorithm.empty()) where.sharing.algorithm = algorithm_of(s.algorithm);
  if (s.among != parties::each_core && cuda_device_count() == 0) absent = "there is no GPU here";
  for (const hybrid_part& each : where.parts) {
    if (!absent.empty()) break;
    series own = s;
    own.format = each.format;
    absent = reason_format_is_absent(own, each.options, each.where);
  }
  if (s.among == parties::blocks_on_gpu) {
    if (absent.empty()) format.split = bench_support::split_sides{where.parts.front(), where.parts.back()};
    return format;
  }
  const std::optional<double> gpu = s.rebalanced ? std::nullopt : cores_of_gpu(o);
  if (s.among == parties::gpus_and_cores && gpu) set_powers(where.parts, *gpu);
  if (s.among != parties::gpus_and_cores || gpu) format.shares.powers = "given";
  format.shares.rebalance = s.rebalanced;
  format.shared = std::move(where);
  return format;
}

/// Loops have no results of a meeting: all of them are measured together.
void plan_loops(experiment_settings& s) {
  for (const series& each : s.what->all_series)
    s.all_series.push_back(
        {.what = &each, .options = {}, .absent = reason_loop_is_absent(*s.what, each, s.asked().where)});
}

/// Fills the meetings and says where each series finds its result.
void plan_series(experiment_settings& s, const experiment_options& o) {
  for (const series& each : s.what->all_series) {
    const bool shared = each.among != parties::none;
    planned_series planned{.what = &each,
                           .options = {},
                           .absent = {},
                           .meeting = meeting_of(s, shared ? place::all_of_cpu : each.where, each.of, o)};
    bench_settings& at = s.meetings[planned.meeting].settings;
    if (shared) {
      bench_format format = shared_format(each, std::get<cpu>(at.where), o, planned.absent);
      planned.answer = at.formats.size();
      if (planned.absent.empty()) at.formats.push_back(std::move(format));
    } else if (!each.format.empty()) {
      planned.options = options_on(each, at.where);
      planned.absent = reason_format_is_absent(each, planned.options, at.where);
      if (planned.absent.empty()) planned.absent = reason_portion_is_absent(*s.what, each);
      if (planned.absent.empty() && each.how != effort::forecast) {
        planned.answer = at.formats.size();
        const bool all = each.how == effort::searched;
        at.formats.push_back({each.format, planned.options, all ? "all" : joined(planned.options)});
      }
    } else if (!each.peer.empty()) {
      planned.absent = reason_peer_is_absent(each, at.where);
      if (planned.absent.empty()) planned.absent = reason_portion_is_absent(*s.what, each);
      if (planned.absent.empty()) at.peers.push_back(each.peer);
    }
    s.all_series.push_back(std::move(planned));
  }
  // Results of peers stand behind those of all formats.
  std::vector<std::size_t> next(s.meetings.size());
  for (planned_series& each : s.all_series) {
    if (each.what->peer.empty() || !each.absent.empty()) continue;
    each.answer = s.meetings[each.meeting].settings.formats.size() + next[each.meeting]++;
  }
}

}  // namespace

bench_settings experiment_settings::everything() const {
  bench_settings all = asked();
  for (std::size_t i = 1; i < meetings.size(); ++i) {
    const bench_settings& other = meetings[i].settings;
    all.formats.insert(all.formats.end(), other.formats.begin(), other.formats.end());
    all.peers.insert(all.peers.end(), other.peers.begin(), other.peers.end());
  }
  return all;
}

void experiment_options::add_to(subcommand& command) {
  command.add_flag("--list", list, "List the experiments with their sources");
  command.add_option("NAME", name, "Name of an experiment as --list shows it, such as csr_m/fig12");
  command
      .add_option("--only", only, "Measure this matrix instead of those of the experiment; may be repeated")
      .allow_extra_args(false)
      .type_name("MATRIX");
  add_matrices_to(command, folder);
  where.add_device_to(command);
  command.add_option("--value", value, "Type of the values of A, x and y (default: the type in the paper)")
      .check(is_member({"f32", "f64"}));
  command
      .add_option("--powers", powers,
                  "For partition/fig11 to fig14: how many cores a GPU counts as, or measured; the paper: 75")
      .capture_default_str()
      .type_name("N");
  command.add_option("--beta", beta, "Time y = A x + beta y, with beta 0 or 1")
      .check(number_between(0, 1))
      .capture_default_str();
  command.add_option("--seconds", seconds, "Time to spend on each product; at least 11 samples are taken")
      .check(number_between(0, 3600))
      .capture_default_str();
  option limit = command
                     .add_option("--time-limit", time_limit,
                                 "Start no further matrix if it may not finish within this many seconds")
                     .check(number_between(0, 1e9))
                     .type_name("SECONDS");
  option part = command.add_option("--shard", shard, "Measure every n-th matrix, beginning with the i-th")
                    .type_name("I/N");
  command
      .add_option("--llc-bytes", llc_bytes, "Size of the last-level cache, if the system reports a wrong one")
      .check(range(1, std::int64_t{1} << 40))
      .type_name("BYTES");
  writes_file(command.add_option("--json", json, "Write all rows as one JSON document; - is stdout"));
  writes_file(command.add_option("--svg", svg, "Write the figure as an SVG file; - is stdout"));
  option more = command.add_flag("--resume", resume,
                                 "Continue the document of --json: measure only the matrices that it lacks");
  reads_file(
      command.add_option(
          "--from", from,
          "Measure nothing; evaluate and plot these documents of --json, joined by commas; - is stdin"))
      .delimiter(',')
      .allow_extra_args(false)
      .excludes(limit)
      .excludes(part)
      .excludes(more);
}

const experiments::experiment& experiment_named(const std::string& name) {
  if (name.empty()) fail_usage("experiment: NAME is missing; --list shows the names");
  const experiments::experiment* found = experiments::find_experiment(name);
  if (found == nullptr)
    fail_usage("experiment: there is no \"{}\"; similar names are {} (--list shows all)", name,
               fmt::join(experiments::near_names(name), ", "));
  return *found;
}

experiment_settings checked(const experiment_options& o) {
  experiment_settings s;
  s.what = &experiment_named(o.name);
  if (!s.what->made_by.empty())
    fail_usage("experiment: {} is measured by {} where PETSc is installed; --from FILE shows their document",
               o.name, s.what->made_by);
  if (o.resume && o.json.empty()) fail_usage("experiment: --resume needs --json");
  check_files({}, {o.json, o.svg});
  static_cast<void>(o.where.planned());
  const std::vector<experiment_member> all = members_of(o, *s.what);
  std::vector<std::string> files;
  for (const experiment_member& member : all) files.push_back(member.matrix.from.path);
  check_files(files, {o.json, o.svg});
  if (std::find(files.begin(), files.end(), stdin_name) != files.end())
    fail_usage("experiment: a matrix cannot be read from stdin, since it may be read several times");
  s.value = o.value.empty() ? s.what->value : o.value;
  s.time_limit = o.time_limit;
  if (o.beta != 0 && o.beta != 1) fail_usage("experiment: --beta is 0 or 1");
  static_cast<void>(cores_of_gpu(o));
  s.powers = o.powers;
  static_cast<void>(meeting_of(s, place::asked, portion::whole, o));
  if (s.what->loop.empty())
    plan_series(s, o);
  else
    plan_loops(s);
  for (const experiment_member& member : all) {
    if (member.matrix.absent.empty())
      s.members.push_back(member);
    else
      s.absent.push_back(member.matrix);
  }
  for (const planned_series& each : s.all_series) {
    if (!each.absent.empty()) note(fmt::format("{} is absent: {}", each.what->label, each.absent));
  }
  return s;
}

}  // namespace gossamer::cli
