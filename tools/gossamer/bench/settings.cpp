// SPDX-License-Identifier: BSD-3-Clause
#include "bench/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/number_argument.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/usage_error.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/io.hpp"
#include "gossamer/timer.hpp"
#include "output/output.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

constexpr std::int64_t most_columns = 1'000'000;  // so that sizes of vectors do not overflow

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

template <class T>
std::vector<T> once_each(const std::vector<T>& given) {
  std::vector<T> all;
  for (const T& each : given) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

std::vector<cache_state> caches_of(const bench_options& o) {
  std::vector<cache_state> states;
  for (const std::string& given : o.caches) {
    for (const cache_state state : {cache_state::hot, cache_state::solver, cache_state::cold}) {
      const bool wanted = given == "all" || given == name(state);
      if (wanted && std::find(states.begin(), states.end(), state) == states.end()) states.push_back(state);
    }
  }
  return states;
}

/// Of a hybrid: each part's own choice where none is named.
std::vector<bench_format> shared_formats_of(const bench_options& o, const hybrid& where) {
  if (!o.options.empty() || o.all_options)
    fail_usage("bench: --device hybrid takes no --option and no --all-options");
  std::vector<bench_format> formats;
  for (const std::string& given : o.formats) {
    if (given == "none") continue;
    const std::string name = given == "all" ? "auto" : given;
    if (name != "auto") {
      for (const hybrid_part& each : where.parts) check_options(name, {}, each.where);
    }
    formats.push_back({name,
                       {},
                       fmt::format("parts={},powers={},algorithm={},rebalance={}{}", o.shared.parts,
                                   o.shared.powers, o.shared.algorithm, o.shared.rebalance,
                                   o.vectors == "device" ? ",vectors=device" : "")});
  }
  return formats;
}

/// What times are taken on. Products of host vectors, and of parts on cores, are synchronous, which a stream
/// cannot time; only the first GPU's caches are emptied.
resource vectors_of(const bench_options& o, const hybrid& where) {
  if (o.vectors == "host") return cpu{};
  if (caches_of(o) != std::vector{cache_state::hot}) fail_usage("bench: --vectors device needs --cache hot");
  if (o.shared.powers.empty() || o.shared.powers == "measured" || o.shared.rebalance)
    fail_usage(
        "bench: --vectors device needs numbers for --powers, such as 1,1, and no --rebalance: powers are "
        "measured only with host vectors");
  for (const hybrid_part& each : where.parts) {
    if (std::holds_alternative<cpu>(each.where))
      fail_usage("bench: --vectors device needs --parts on GPUs only, not {}", name(each.where));
  }
  return where.parts.front().where;
}

device_set device_of(const resource& where) {
  return std::holds_alternative<cuda>(where) ? device_set::cuda : device_set::cpu;
}

std::vector<bench_format> formats_of(const bench_options& o, const resource& where) {
  std::vector<std::string> names;
  for (const std::string& given : o.formats) {
    if (given == "none") continue;
    if (given != "all") {
      add_once(names, given == choice_of_format ? std::string(given) : std::string(find_format(given).name));
      continue;
    }
    for (const format_info& format : list_formats()) {
      if (contains(format.devices, device_of(where))) add_once(names, format.name);
    }
  }
  if (!o.options.empty() && names.size() != 1) fail_usage("bench: --option needs --format with one format");
  if (o.all_options && !o.options.empty()) fail_usage("bench: give --all-options or --option, not both");
  const option_texts options = parse_option_texts(o.options);
  std::vector<bench_format> formats;
  for (const std::string& name : names) {
    if (name == choice_of_format && (o.all_options || !options.empty()))
      fail_usage("bench: --format auto takes no --option and no --all-options");
    if (name != choice_of_format) check_options(name, options, where);
    formats.push_back({name, options, o.all_options ? "all" : joined(options)});
  }
  return formats;
}

/// One line of at most 100 columns, or the whole reason, which ends with the advice for a missing library.
std::string absence_of(const std::string& peer, const std::string& reason, bool verbose) {
  const std::size_t advice = reason.rfind("; set ");
  const bool is_missing = reason.find(": not found by the loader") != std::string::npos;
  if (verbose) return fmt::format("peer {} is absent: {}", peer, reason);
  if (is_missing && advice != std::string::npos)
    return shortened(fmt::format("peer {} is absent: not found{}", peer, reason.substr(advice)));
  return shortened(fmt::format("peer {} is absent: {}", peer, reason));
}

/// `widest`: transposed where some products are; `most`: the largest number of columns.
std::vector<std::string> peers_of(const bench_options& o, const resource& where, operation widest,
                                  std::int64_t most) {
  const device_set device = device_of(where);
  std::vector<std::string> wanted;
  for (const std::string& given : o.peers) {
    if (given == "none") continue;
    if (given == "all") {
      for (const bench_support::peer_info& peer : bench_support::list_peers()) {
        if (contains(peer.devices, device) && is_timed(peer.name, widest, most)) add_once(wanted, peer.name);
      }
      continue;
    }
    const bench_support::peer_info& peer = bench_support::find_peer(given);
    if (!contains(peer.devices, device))
      fail_usage("bench: --peer {} does not run on {}", given, name(where));
    if (!is_timed(peer.name, widest, std::numeric_limits<std::int64_t>::max()))
      fail_usage("bench: --peer {} needs --op transposed", given);
    if (!is_timed(peer.name, widest, most)) fail_usage("bench: --peer {} needs --columns 2 or more", given);
    add_once(wanted, peer.name);
  }
  std::vector<std::string> here;
  for (const std::string& name : wanted) {
    const bench_support::peer_presence presence = bench_support::find_peer_here(name);
    if (presence.present)
      here.push_back(name);
    else
      note(absence_of(name, presence.reason, o.verbose));
  }
  return here;
}

}  // namespace

bool is_timed(std::string_view peer, operation op, std::int64_t columns) {
  const bench_support::peer_info& info = bench_support::find_peer(peer);
  return (op == operation::transposed || !info.transposed) && (columns > 1 || !info.several);
}

void take_shard(std::string_view command, const std::string& shard, std::vector<bench_member>& members) {
  std::size_t i = 0;
  std::size_t n = 0;
  const char* const end = shard.data() + shard.size();
  const auto first = std::from_chars(shard.data(), end, i);
  const bool slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, n) : first;
  if (!slash || second.ec != std::errc{} || second.ptr != end || i < 1 || i > n)
    fail_usage("{}: --shard \"{}\" is not i/n with 1 <= i <= n", command, shard);
  std::vector<bench_member> mine;
  for (std::size_t at = i - 1; at < members.size(); at += n) mine.push_back(members[at]);
  members = std::move(mine);
}

void bench_options::add_to(subcommand& command) {
  bench_command = command;
  command.add_option("MATRIX", matrices, matrices_help).required();
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* help) {
    return command.add_option(name, into, help).delimiter(',').allow_extra_args(false).capture_default_str();
  };
  list("--format", formats,
       "Formats to time: all, none, or names joined by commas (gossamer formats lists them). The name auto "
       "stands for the format that the library chooses");
  command.add_option("--option", options, "Option of the format, if --format names only one; may be repeated")
      .allow_extra_args(false)
      .type_name("NAME=VALUE");
  command.add_flag("--all-options", all_options,
                   "Time each format with all combinations of options that are worth timing");
  list("--peer", peers,
       "Other libraries (peers) to time: all that are installed, none, or names joined by commas");
  list("--value", values, "Type of the values of A, x and y; both are timed if joined by a comma")
      .check(is_member({"f32", "f64"}));
  list(
      "--op", operations,
      "Products to time: forward (A x), transposed (A^T x), or both joined by a comma. For A^T x, peers with "
      "names that end in _transposed get A; the other peers get the transposed matrix")
      .check(is_member({"forward", "transposed"}));
  command
      .add_option(
          "--columns", columns,
          "Numbers of columns k, joined by commas. For k > 1, X and Y are row-major dense matrices of k "
          "columns, and peers for several vectors are timed too")
      .delimiter(',')
      .allow_extra_args(false)
      .check(range(1, most_columns))
      .capture_default_str();
  list("--cache", caches,
       "Contents of the caches before a timed product. hot: data of the previous product; solver: what is "
       "left after vector kernels ran; cold: none of the data; all: one after the other")
      .check(is_member({"hot", "solver", "cold", "all"}));
  where.add_device_to(command, true);
  shared.add_to(command);
  command
      .add_option("--vectors", vectors,
                  "With --device hybrid: x and y in host memory, or distributed over the GPUs of the parts")
      .check(is_member({"host", "device"}))
      .capture_default_str();
  command.add_option("--seconds", seconds, "Time to spend on each product; at least 11 samples are taken")
      .check(number_between(0, 3600))
      .capture_default_str();
  add_memory_limit_to(command, memory_limit);
  add_reorder_to(command, reorder);
  command
      .add_option("--inspections", inspections,
                  "How often to prepare the matrix; the median time is shown. With 2 or more on a GPU, a "
                  "matrix that is in its memory already is timed too")
      .check(range(1, 1000))
      .capture_default_str();
  command.add_flag("--values-change", values_change,
                   "Build plans for matrices whose values change, and time updates of all values too");
  writes_file(command.add_option("--json", json, "Write all results as one JSON document; - is stdout"));
  command.add_flag("--resume", resume,
                   "Continue the document of --json: measure only the matrices that it lacks");
  command.add_flag("--verbose", verbose,
                   "Print one wide table with options, predicted times, bandwidths and errors");
  add_matrices_to(command, folder);
  command
      .add_option("--shard", shard,
                  "Measure every n-th matrix, beginning with the i-th, to divide a set among n machines")
      .type_name("I/N");
  command
      .add_option("--time-limit", time_limit,
                  "Start no further matrix if it may not finish within this many seconds")
      .check(number_between(0, 1e9))
      .type_name("SECONDS");
  command
      .add_option("--llc-bytes", llc_bytes, "Size of the last-level cache, if the system reports a wrong one")
      .check(range(1, std::int64_t{1} << 40))
      .type_name("BYTES");
}

bench_settings checked(const bench_options& o) {
  if (o.resume && o.json.empty()) fail_usage("bench: --resume needs --json");
  check_files({}, {o.json});
  bench_settings s;
  if (o.shared.asked(o.where)) {
    s.shared = o.shared.present();
    s.shares = o.shared;
    s.formats = shared_formats_of(o, *s.shared);
    s.break_even = false;
    s.device_vectors = o.vectors == "device";
    s.where = vectors_of(o, *s.shared);
  } else {
    if (o.vectors != "host") fail_usage("bench: --vectors {} needs --device hybrid", o.vectors);
    s.formats = formats_of(o, o.where.planned());
  }
  s.members = bench_members(o.matrices, o.folder);
  if (!o.shard.empty()) take_shard("bench", o.shard, s.members);
  s.values = once_each(o.values);
  std::vector<std::string> files;
  for (const bench_member& member : s.members) files.push_back(member.from.path);
  check_files(files, {o.json});
  for (const std::string& file : files) {
    if (s.values.size() > 1 && own_descriptor(file) >= 0)
      fail_usage("{}: can be read only once, but bench --value {} reads it for each type", file,
                 fmt::join(s.values, ","));
  }
  s.caches = caches_of(o);
  s.operations.clear();
  for (const std::string& each : once_each(o.operations)) s.operations.push_back(parse_operation(each));
  const bool transposed =
      std::find(s.operations.begin(), s.operations.end(), operation::transposed) != s.operations.end();
  if (transposed && s.device_vectors) fail_usage("bench: --vectors device needs --op forward");
  s.columns = once_each(o.columns);
  const std::int64_t most = *std::max_element(s.columns.begin(), s.columns.end());
  if (most > 1 && s.device_vectors) fail_usage("bench: --vectors device needs --columns 1, not {}", most);
  if (!s.shared) s.where = o.where.present();
  s.seconds = o.seconds;
  s.time_limit = o.time_limit;
  if (o.bench_command) {
    const option threads = o.bench_command->get_option("--threads");
    if (!threads.empty()) s.threads = threads.as_int();
  }
  s.verbose = o.verbose;
  s.memory_limit = o.memory_limit;
  s.reorder = parse_reordering(o.reorder);
  s.inspections = o.inspections;
  s.values_change = o.values_change;
  if (!s.shared) check_memory_limit("bench", s.memory_limit, s.where);
  s.llc_bytes = o.llc_bytes > 0 ? o.llc_bytes : last_level_cache_bytes(s.where);
  s.peers = peers_of(o, s.where, transposed ? operation::transposed : operation::forward, most);
  if (s.formats.empty() && s.peers.empty())
    fail_usage("bench: there is nothing to measure: neither a format nor a peer");
  const auto here = std::stable_partition(s.members.begin(), s.members.end(),
                                          [](const bench_member& m) { return m.absent.empty(); });
  s.absent.assign(here, s.members.end());
  s.members.erase(here, s.members.end());
  return s;
}

}  // namespace gossamer::cli
