// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/row.hpp"

#include <string>
#include <variant>

#include "arguments/option_texts.hpp"

namespace gossamer::cli {
namespace {

using experiments::comparison;
using experiments::parties;
using json = nlohmann::ordered_json;

struct ratio_row {
  double ratio = 0;
  double low = 0;
  double high = 0;
  bool paired = false;
};

/// slow's time over fast's. Results of one resource were taken in turn, round by round; those of two were
/// not, and the interval is then that of the medians' own.
ratio_row faster_by(const bench_result& slow, const bench_result& fast, bool one_resource) {
  if (one_resource && slow.samples.size() == fast.samples.size()) {
    const paired_ratio pairs = ratio_of(slow.samples, fast.samples);
    return {pairs.ratio, pairs.low, pairs.high, true};
  }
  return {slow.seconds.median / fast.seconds.median, slow.seconds.low / fast.seconds.high,
          slow.seconds.high / fast.seconds.low, false};
}

json speed_up_of(const experiments::experiment& e, const outcome& each, const outcome* subject) {
  if (e.compared == comparison::none || subject == nullptr || each.what == subject->what) return nullptr;
  if (!each.measured() || !subject->measured()) return nullptr;
  const outcome& fast = e.compared == comparison::over_subject ? each : *subject;
  const outcome& slow = e.compared == comparison::over_subject ? *subject : each;
  const ratio_row r = faster_by(*slow.result, *fast.result, slow.meeting == fast.meeting);
  return {{"of", fast.what->label}, {"over", slow.what->label}, {"ratio", r.ratio},
          {"low", r.low},           {"high", r.high},           {"paired", r.paired}};
}

const char* status_of(const outcome& each, const meeting_results& at) {
  if (each.expected) return each.expected->refusal.empty() ? "forecast" : "unsupported";
  if (each.shared_out && each.what->among == parties::none) return "partitioned";
  if (each.absent.empty() && !at.unsupported.empty()) return "unsupported";
  return each.result == nullptr ? "absent" : word(each.result->status);
}

std::string reason_of(const outcome& each, const meeting_results& at) {
  if (each.expected) return each.expected->refusal;
  if (!each.absent.empty()) return each.absent;
  if (!at.unsupported.empty()) return at.unsupported;
  return each.result != nullptr ? each.result->reason : std::string();
}

/// The settings of a search and their times; null where there was none.
json tried_by(const outcome& each) {
  if (each.tried.empty()) return nullptr;
  json all = json::array();
  for (const bench_result* r : each.tried) {
    const bool ok = r->status == bench_status::ok;
    all.push_back({{"options", r->options},
                   {"default", r->by_default},
                   {"median", ok ? json(r->seconds.median) : json(nullptr)},
                   {"reason", r->reason}});
  }
  return all;
}

json to_json(const timing& t) {
  return {{"median", t.median}, {"min", t.min},   {"max", t.max},      {"count", t.count},
          {"low", t.low},       {"high", t.high}, {"spread", t.spread}};
}

/// Null where the series is of no algorithm.
json partition_of(const outcome& each) {
  if (!each.shared_out) return nullptr;
  const partition_figures& p = *each.shared_out;
  return {{"algorithm", each.what->algorithm},
          {"powers", p.powers},
          {"relative_difference", p.relative_difference},
          {"mean_density", p.mean_density},
          {"padded_slots", p.padded_slots},
          {"seconds", to_json(p.seconds)}};
}

}  // namespace

const char* name_of(experiments::portion of) {
  switch (of) {
    case experiments::portion::head:
      return "head";
    case experiments::portion::tail:
      return "tail";
    default:
      return "whole";
  }
}

json matrix_part(const bench_member& member, const row_statistics& statistics, std::string_view value) {
  return {{"matrix", member.name},
          {"class", member.class_name.empty() ? json(nullptr) : json(member.class_name)},
          {"source", member.source},
          {"stand_in", member.source == "like"},
          {"values", member.values},
          {"rows", statistics.rows},
          {"cols", statistics.cols},
          {"nnz", statistics.nnz},
          {"row_mean", statistics.mean},
          {"row_sd", statistics.standard_deviation},
          {"row_min", statistics.min},
          {"row_max", statistics.max},
          {"value", std::string(value)}};
}

json row_of(const json& matrix, const experiments::experiment& e, const outcome& each, const outcome* subject,
            const meeting& place, const meeting_results& at) {
  json row = matrix;
  const resource& where = place.settings.where;
  const bool ok = each.measured();
  const bench_result* r = each.result;
  const auto measured = [&](const char* name, const auto& value) {
    row[name] = ok ? json(value()) : json(nullptr);
  };
  const bool shared = each.what->among != parties::none;
  const std::string named = shared ? "hybrid" : each.what->peer.empty() ? each.what->format : each.what->peer;
  row["series"] = each.what->label;
  row["portion"] = name_of(each.what->of);
  row["portion_nnz"] = at.nnz ? json(*at.nnz) : json(nullptr);
  row["format"] = r != nullptr ? r->format : named;
  row["options"] = r != nullptr ? r->options : each.expected ? joined(each.expected->options) : std::string();
  row["peer"] = r != nullptr ? r->peer : !each.what->peer.empty();
  row["device"] = shared ? "hybrid" : name(where);
  row["threads"] =
      std::holds_alternative<cpu>(where) ? json(thread_count(std::get<cpu>(where))) : json(nullptr);
  row["status"] = status_of(each, at);
  row["reason"] = reason_of(each, at);
  measured("seconds", [&] { return to_json(r->seconds); });
  measured("gflops", [&] { return experiments::gflops(r->nnz, r->seconds.median); });
  row["formula"] = std::string(number_of(each.what->formula));
  row["paper_bandwidth_gbs"] = nullptr;
  if (ok && each.what->formula != experiments::bandwidth_formula::none) {
    const experiments::product_size size{
        .rows = r->rows, .nnz = r->nnz, .value_bytes = row.at("value") == "f32" ? 4 : 8};
    row["paper_bandwidth_gbs"] = paper_bandwidth(each.what->formula, size, r->seconds.median);
  }
  measured("bytes", [&] { return r->bytes ? json(*r->bytes) : json(nullptr); });
  if (row["status"] == "forecast") row["bytes"] = each.expected->bytes;
  measured("slots_per_nonzero", [&] {
    return r->slots && r->nnz > 0 ? json(static_cast<double>(*r->slots) / static_cast<double>(r->nnz))
                                  : json(nullptr);
  });
  measured("inspect_seconds", [&] { return r->inspect_seconds; });
  row["error_ratio"] = r != nullptr && r->error_ratio ? json(*r->error_ratio) : json(nullptr);
  row["tried"] = tried_by(each);
  row["speed_up"] = speed_up_of(e, each, subject);
  row["parts"] = ok && !r->parts.empty() ? cli::to_json(r->parts) : json(nullptr);
  row["partition"] = partition_of(each);
  return row;
}

}  // namespace gossamer::cli
