// SPDX-License-Identifier: BSD-3-Clause
// The tables on stdout and the document on disk.
#include "bench/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "arguments/usage_error.hpp"
#include "bench/schema.hpp"
#include "commit.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

json parsed_bench(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  json document = parse_json(in);
  const json schema = document.is_object() ? document.value("schema", json()) : json();
  const bool ours = (schema == 1 || schema == record_schema) && document.contains("commit") &&
                    document.value("machine", json()).is_object() &&
                    document.value("results", json()).is_array();
  if (!ours)
    fail_usage("{}: not a document of gossamer bench (schema {}), so --resume cannot continue it", file,
               record_schema);
  if (schema == 1) fail_schema_1(file);
  return document;
}

/// Whether `row` has the members of `wanted`.
bool matches(const json& row, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (row.value(key, json()) != value) return false;
  }
  return true;
}

void remove(json& rows, const json& key) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const json& each) { return matches(each, key); }),
             rows.end());
}

/// What tells the rows of a document apart. A peer's options say what its own tuning found, which varies.
json key_of(const json& row) {
  json key;
  for (const char* name : {"matrix", "values", "value", "cache", "device", "peer", "format"})
    key[name] = row.at(name);
  key["op"] = row.value("op", "forward");
  key["columns"] = row.value("columns", 1);
  if (row.at("peer") == false) key["options"] = row.at("options");
  return key;
}

}  // namespace

bench_record::bench_record(bench_machine machine, const bench_settings& settings, std::string file,
                           bool resume)
    : machine_(std::move(machine)),
      file_(std::move(file)),
      regular_(!file_.empty() && !is_stream(file_)),
      report_(settings, file_) {
  if (resume && regular_ && std::filesystem::exists(file_)) {
    go_on_with(file_);
    return;
  }
  progress_bar bar("machine");
  bar.show("bandwidth", 0);
  measure_bandwidths(machine_, settings);
  document_ = {{"schema", record_schema},
               {"commit", commit()},
               {"machine", to_json(machine_)},
               {"results", json::array()},
               {"absent", json::array()}};
}

void bench_record::go_on_with(const std::string& file) {
  document_ = parsed_bench(file);
  const json before = document_["commit"];
  if (before != commit())
    fail_usage("{}: measured at commit {}, but this program is of {}; give another file to --json", file,
               before.dump(), commit());
  if (!document_.contains("absent")) document_["absent"] = json::array();
  json& machine = document_["machine"];
  if (const std::string what = difference(machine, to_json(machine_)); !what.empty())
    fail_usage("{}: measured on another machine ({}); give another file to --json", file, what);
  if (!machine.value("stream_gbs", json()).is_number() || !machine.value("copy_gbs", json()).is_number())
    fail_usage("{}: the bandwidths of the machine are missing; give another file to --json", file);
  machine_.stream_gbs = machine["stream_gbs"];
  machine_.copy_gbs = machine["copy_gbs"];
  for (const auto& [name, version] : machine_.peers) machine["peers"][name] = version;
}

bool bench_record::has(const bench_member& member, const std::string& value, const bench_settings& s) const {
  const json& rows = document_["results"];
  const auto has_row = [&](operation op, std::int64_t columns, const std::string& cache,
                           const std::string& format, json more) {
    more.update({{"op", name(op)},
                 {"columns", columns},
                 {"matrix", member.name},
                 {"values", member.values},
                 {"value", value},
                 {"device", s.shared ? "hybrid" : name(s.where)},
                 {"cache", cache},
                 {"format", format}});
    return std::any_of(rows.begin(), rows.end(), [&](const json& row) { return matches(row, more); });
  };
  const auto has_all = [&](operation op, std::int64_t columns, const std::string& cache) {
    for (const bench_format& f : s.formats) {
      // Options as asked, because what they become takes the matrix.
      const json asked = f.asked.empty() ? json{{"default", true}} : json{{"requested", f.asked}};
      if (!has_row(op, columns, cache, f.name, asked)) return false;
    }
    for (const std::string& peer : s.peers) {
      if (is_timed(peer, op, columns) && !has_row(op, columns, cache, peer, {{"peer", true}})) return false;
    }
    return true;
  };
  for (const operation op : s.operations) {
    for (const std::int64_t columns : s.columns) {
      for (const cache_state state : s.caches) {
        if (!has_all(op, columns, std::string(name(state)))) return false;
      }
    }
  }
  return true;
}

void bench_record::add(const std::vector<bench_result>& results) {
  json& rows = document_["results"];
  for (const bench_result& result : results) {
    any_failed_ = any_failed_ || (result.status == bench_status::failed && !result.peer);
    const json row = to_json(result);
    remove(rows, key_of(row));
    remove(document_["absent"], {{"matrix", result.matrix.name}, {"values", result.matrix.values}});
    rows.push_back(row);
  }
  report_.add(results);
  if (regular_) write_text_file(file_, to_line(document_));
}

void bench_record::add_absent(const bench_member& m, bool failed) {
  remark(fmt::format("{} is absent: {}", m.title(), m.absent));
  any_failed_ = any_failed_ || failed;
  json& all = document_["absent"];
  remove(all, {{"matrix", m.name}, {"values", m.values}});
  all.push_back({{"matrix", m.name},
                 {"values", m.values},
                 {"class", m.class_name},
                 {"reason", without_folder(m.absent, m)}});
}

void bench_record::finish() {
  report_.finish(document_["results"]);
  if (!file_.empty()) write_text_file(file_, to_line(document_));
}

}  // namespace gossamer::cli
