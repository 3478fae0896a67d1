// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "arguments/usage_error.hpp"
#include "bench/schema.hpp"
#include "commit.hpp"
#include "experiment/schema_1.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

bool has_texts(const json& object, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return object.contains(name) && object.at(name).is_string(); });
}

bool are_parts(const json& parts) {
  const auto is_part = [](const json& part) {
    return part.is_object() && has_texts(part, {"where", "format"});
  };
  return parts.is_null() || (parts.is_array() && std::all_of(parts.begin(), parts.end(), is_part));
}

/// What is read of a row later is there and of the right kind.
bool is_row(const json& row) {
  const auto object_or_null = [&](const char* name) {
    return row.contains(name) && (row.at(name).is_object() || row.at(name).is_null());
  };
  return row.is_object() &&
         has_texts(row, {"matrix", "source", "values", "series", "format", "options", "status", "reason"}) &&
         object_or_null("seconds") && object_or_null("speed_up") && row.contains("stand_in") &&
         are_parts(row.value("parts", json())) && row.contains("peer") &&
         row.value("row_mean", json()).is_number() && row.value("row_sd", json()).is_number();
}

json parsed_experiment(const std::string& file, bool resumes = false) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_usage("{}: cannot open", file);
  json document = parse_json(in);
  const auto all_are = [](const json& list, const auto& right) {
    return list.is_array() && std::all_of(list.begin(), list.end(), right);
  };
  const auto is_refused = [](const json& each) {
    return each.is_object() && has_texts(each, {"matrix", "values", "reason"});
  };
  const json schema = document.is_object() ? document.value("schema", json()) : json();
  const bool ours = (schema == 1 || schema == record_schema) &&
                    has_texts(document, {"commit", "experiment", "value", "device"}) &&
                    document.value("machine", json()).is_object() &&
                    document["machine"].value("copy_gbs", json()).is_number() &&
                    all_are(document.value("rows", json()), is_row) &&
                    all_are(document.value("refused", json()), is_refused);
  if (!ours) fail_usage("{}: not a document of gossamer experiment (schema 1 or {})", file, record_schema);
  if (schema == 1) {
    if (resumes) fail_schema_1(file);
    rename_formats_of_schema_1(document["rows"]);
  }
  document["schema"] = record_schema;
  // Older documents have neither.
  if (!document.contains("powers")) document["powers"] = "measured";
  if (!document.contains("beta")) document["beta"] = 0.0;
  return document;
}

/// Throws where rows of the two may not stand in one document.
void check_joinable(const std::string& file, const json& document, const json& wanted) {
  for (const char* key : {"experiment", "value", "device", "powers", "beta", "commit"}) {
    if (document.at(key) != wanted.at(key))
      fail_usage("{}: its {} is {}, not {}", file, key, document.at(key).dump(), wanted.at(key).dump());
  }
  if (const std::string what = difference(document.at("machine"), wanted.at("machine")); !what.empty())
    fail_usage("{}: measured on another machine ({})", file, what);
}

bool is_of(const json& row, const bench_member& member) {
  return row.at("matrix") == member.name && row.at("values") == member.values;
}

void remove_if_of(json& list, const json& one) {
  const auto same = [&](const json& each) {
    return each.at("matrix") == one.at("matrix") && each.at("values") == one.at("values");
  };
  list.erase(std::remove_if(list.begin(), list.end(), same), list.end());
}

/// Rows of another experiment's document, of which this one may have fewer series.
void keep_series_of(const experiments::experiment& what, json& rows) {
  const auto other = [&](const json& row) {
    return std::none_of(what.all_series.begin(), what.all_series.end(),
                        [&](const experiments::series& each) { return row.at("series") == each.label; });
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), other), rows.end());
}

}  // namespace

experiment_record::experiment_record(const experiment_settings& s, bench_machine machine, std::string file,
                                     bool resume)
    : what_(*s.what), file_(std::move(file)) {
  document_ = {{"schema", record_schema},         {"commit", commit()},     {"experiment", s.what->name},
               {"source", s.what->source},        {"shows", s.what->shows}, {"value", s.value},
               {"device", name(s.asked().where)}, {"powers", s.powers},     {"beta", s.asked().beta},
               {"machine", to_json(machine)},     {"rows", json::array()},  {"refused", json::array()}};
  if (resume && !is_stream(file_) && std::filesystem::exists(file_)) {
    json before = parsed_experiment(file_, true);
    check_joinable(file_, before, document_);
    before["machine"]["peers"].update(document_["machine"]["peers"]);
    document_ = std::move(before);
    return;
  }
  progress_bar bar("machine");
  bar.show("bandwidth", 0);
  measure_bandwidths(machine, s.asked());
  document_["machine"] = to_json(machine);
}

experiment_record::experiment_record(const experiments::experiment& what,
                                     const std::vector<std::string>& parts, std::string file)
    : what_(what), file_(std::move(file)) {
  for (const std::string& part : parts) {
    json next = parsed_experiment(part);
    if (document_.is_null()) {
      const std::vector<std::string>& others = what.drawn_from;
      if (next.at("experiment") != what.name &&
          std::find(others.begin(), others.end(), next.at("experiment").get<std::string>()) == others.end())
        fail_usage("{}: its experiment is {}, not \"{}\"{}", part, next.at("experiment").dump(), what.name,
                   others.empty() ? "" : fmt::format(" or one of {}", fmt::join(others, ", ")));
      document_ = next;
      document_["rows"] = json::array();
      document_["refused"] = json::array();
    }
    check_joinable(part, next, document_);
    // What an earlier part has of the same matrices goes first, else the rows of one part would remove each
    // other.
    for (const char* list : {"rows", "refused"}) {
      for (const json& each : next.at(list)) {
        remove_if_of(document_["rows"], each);
        remove_if_of(document_["refused"], each);
      }
    }
    for (const char* list : {"rows", "refused"}) {
      for (const json& each : next.at(list)) document_[list].push_back(each);
    }
  }
  if (document_.at("experiment") == what.name) return;
  document_["experiment"] = what.name;
  document_["source"] = what.source;
  document_["shows"] = what.shows;
  keep_series_of(what, document_["rows"]);
}

double experiment_record::copy_gbs() const {
  return document_.at("machine").at("copy_gbs").get<double>();
}

bool experiment_record::has(const bench_member& member) const {
  return std::all_of(what_.all_series.begin(), what_.all_series.end(), [&](const experiments::series& each) {
    return std::any_of(rows().begin(), rows().end(),
                       [&](const json& row) { return row.at("series") == each.label && is_of(row, member); });
  });
}

void experiment_record::remove(const bench_member& member) {
  const json one = {{"matrix", member.name}, {"values", member.values}};
  remove_if_of(document_["rows"], one);
  remove_if_of(document_["refused"], one);
}

void experiment_record::add(const bench_member& member, const experiments::rows& rows) {
  remove(member);
  for (const json& row : rows) document_["rows"].push_back(row);
  if (!is_stream(file_)) write();
}

void experiment_record::refuse(const bench_member& member, const std::string& reason) {
  note(fmt::format("{} is left out: {}", member.title(), reason));
  remove(member);
  document_["refused"].push_back(
      {{"matrix", member.name}, {"values", member.values}, {"reason", without_folder(reason, member)}});
}

bool experiment_record::any_failed() const {
  return std::any_of(rows().begin(), rows().end(),
                     [](const json& row) { return row.at("status") == "failed" && row.at("peer") == false; });
}

void experiment_record::write() const {
  if (!file_.empty()) write_text_file(file_, to_line(document_));
}

}  // namespace gossamer::cli
