// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/loops/loop_row.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

json loop_timing_json(const std::vector<double>& samples) {
  if (samples.empty()) return nullptr;
  const timing t = summarise(samples);
  return {{"median", t.median}, {"min", t.min},   {"max", t.max},      {"count", t.count},
          {"low", t.low},       {"high", t.high}, {"spread", t.spread}};
}

/// Null where one of the two was not measured, and for the subject itself.
template <value V>
json loop_speed_up(const experiments::experiment& e, const timed_loop<V>& each, const timed_loop<V>* subject,
                   std::vector<double> timed_loop<V>::*samples) {
  if (e.compared == experiments::comparison::none || subject == nullptr || &each == subject) return nullptr;
  const timed_loop<V>& fast = e.compared == experiments::comparison::over_subject ? each : *subject;
  const timed_loop<V>& slow = e.compared == experiments::comparison::over_subject ? *subject : each;
  if (!fast.ok() || !slow.ok() || (fast.*samples).empty() || (slow.*samples).empty()) return nullptr;
  const paired_ratio r = ratio_of(slow.*samples, fast.*samples);
  return {{"of", fast.what->label}, {"over", slow.what->label}, {"ratio", r.ratio},
          {"low", r.low},           {"high", r.high},           {"paired", true}};
}

template <value V>
json solve_part(const timed_loop<V>& each, const loop_setting& setting) {
  if (each.true_residual == std::nullopt) return nullptr;
  return {{"rtol", setting.rtol},
          {"converged", each.result.converged},
          {"iterations", each.result.iterations},
          {"residual", each.result.residual},
          {"true_relative_residual", *each.true_residual},
          {"same_bits_again", *each.repeatable},
          {"seconds", loop_timing_json(each.solution_samples)},
          {"speed_up", nullptr},
          {"history", each.norms}};
}

}  // namespace

template <value V>
json loop_rows(const json& shared, const experiments::experiment& e, const std::vector<timed_loop<V>>& all,
               const loop_setting& setting) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const timed_loop<V>& each) { return each.what->label == e.subject; });
  const timed_loop<V>* subject = found == all.end() ? nullptr : &*found;
  json rows = json::array();
  for (const timed_loop<V>& each : all) {
    const bool ok = each.ok();
    json row = shared;
    row["series"] = each.what->label;
    row["portion"] = "whole";
    row["portion_nnz"] = shared.at("nnz");
    row["format"] = each.format;
    row["options"] = each.options;
    row["peer"] = each.peer;
    row["device"] = name(setting.where);
    const auto* host = std::get_if<cpu>(&setting.where);
    row["threads"] = host == nullptr ? json(nullptr) : json(thread_count(*host));
    row["status"] = each.status.word;
    row["reason"] = each.status.reason;
    row["seconds"] = ok ? loop_timing_json(each.iteration_samples) : json(nullptr);
    row["gflops"] = nullptr;
    row["formula"] = "";
    row["paper_bandwidth_gbs"] = nullptr;
    row["bytes"] = each.bytes ? json(*each.bytes) : json(nullptr);
    row["slots_per_nonzero"] = nullptr;
    row["inspect_seconds"] = ok ? json(each.inspect_seconds) : json(nullptr);
    row["error_ratio"] = nullptr;
    row["tried"] = nullptr;
    row["speed_up"] = loop_speed_up(e, each, subject, &timed_loop<V>::iteration_samples);
    row["parts"] = nullptr;
    row["partition"] = nullptr;
    row["method"] = std::string(bench_support::name(setting.method));
    row["made_definite"] = setting.made;
    row["iterations_timed"] = ok ? json{setting.few, setting.many} : json(nullptr);
    row["solve"] = solve_part(each, setting);
    if (row["solve"].is_object())
      row["solve"]["speed_up"] = loop_speed_up(e, each, subject, &timed_loop<V>::solution_samples);
    rows.push_back(std::move(row));
  }
  return rows;
}

template json loop_rows(const json&, const experiments::experiment&, const std::vector<timed_loop<float>>&,
                        const loop_setting&);
template json loop_rows(const json&, const experiments::experiment&, const std::vector<timed_loop<double>>&,
                        const loop_setting&);

}  // namespace gossamer::cli
