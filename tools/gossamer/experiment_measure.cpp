// SPDX-License-Identifier: BSD-3-Clause
#include "experiment_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "bench_measure.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "value_argument.hpp"

namespace gossamer::cli {
namespace {

using experiments::comparison;
using experiments::place;
using experiments::series;
using json = nlohmann::ordered_json;

/// What a series came to: a result, or why there is none.
struct outcome {
  const series* what = nullptr;
  const bench_result* result = nullptr;
  std::string absent;

  [[nodiscard]] bool measured() const { return result != nullptr && result->status == bench_status::ok; }
};

struct ratio_row {
  double ratio = 0;
  double low = 0;
  double high = 0;
  bool paired = false;
};

/// slow's time over fast's. Results of one resource were taken in turn, round by round; those of two were not, and the
/// interval is then that of the medians' own.
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
  const ratio_row r = faster_by(*slow.result, *fast.result, slow.what->where == fast.what->where);
  return {{"of", fast.what->label}, {"over", slow.what->label}, {"ratio", r.ratio},
          {"low", r.low},           {"high", r.high},           {"paired", r.paired}};
}

const char* status_of(const outcome& each) {
  if (each.result == nullptr) return "absent";
  switch (each.result->status) {
    case bench_status::ok:
      return "ok";
    case bench_status::unsupported:
      return "unsupported";
    default:
      return "failed";
  }
}

/// The members that all rows of a matrix share.
template <value V, offset O>
json matrix_part(const bench_member& member, const csr_view<V, O>& a) {
  const row_statistics statistics = measure_rows(a);
  return {{"matrix", member.name},
          {"class", member.class_name.empty() ? json(nullptr) : json(member.class_name)},
          {"source", member.source},
          {"stand_in", member.source == "like"},
          {"values", member.values},
          {"rows", a.rows},
          {"cols", a.cols},
          {"nnz", a.nnz()},
          {"row_mean", statistics.mean},
          {"row_sd", statistics.standard_deviation},
          {"value", std::string(value_name<V>())}};
}

json row_of(const json& matrix, const experiments::experiment& e, const outcome& each, const outcome* subject,
            const resource& where) {
  json row = matrix;
  const bool ok = each.measured();
  const bench_result* r = each.result;
  const auto measured = [&](const char* name, const auto& value) {
    row[name] = ok ? json(value()) : json(nullptr);
  };
  const std::string named = each.what->peer.empty() ? each.what->format : each.what->peer;
  row["series"] = each.what->label;
  row["format"] = r != nullptr ? r->format : named;
  row["options"] = r != nullptr ? r->options : std::string();
  row["gathered"] = each.what->gathered;
  row["peer"] = r != nullptr ? r->peer : !each.what->peer.empty();
  row["device"] = name(where);
  row["threads"] =
      std::holds_alternative<cpu>(where) ? json(thread_count(std::get<cpu>(where))) : json(nullptr);
  row["status"] = status_of(each);
  row["reason"] = r != nullptr ? r->reason : each.absent;
  measured("seconds", [&] {
    const timing& t = r->seconds;
    return json{{"median", t.median}, {"min", t.min},   {"max", t.max},      {"count", t.count},
                {"low", t.low},       {"high", t.high}, {"spread", t.spread}};
  });
  measured("gflops", [&] { return experiments::gflops(r->nnz, r->seconds.median); });
  row["formula"] = std::string(number_of(each.what->formula));
  row["paper_bandwidth_gbs"] = nullptr;
  if (ok && each.what->formula != experiments::bandwidth_formula::none) {
    const experiments::product_size size{
        .rows = r->rows, .nnz = r->nnz, .value_bytes = row.at("value") == "f32" ? 4 : 8};
    row["paper_bandwidth_gbs"] = paper_bandwidth(each.what->formula, size, r->seconds.median);
  }
  measured("bytes", [&] { return r->bytes ? json(*r->bytes) : json(nullptr); });
  measured("slots_per_nonzero", [&] {
    return r->slots && r->nnz > 0 ? json(static_cast<double>(*r->slots) / static_cast<double>(r->nnz))
                                  : json(nullptr);
  });
  measured("inspect_seconds", [&] { return r->inspect_seconds; });
  row["error_ratio"] = r != nullptr && r->error_ratio ? json(*r->error_ratio) : json(nullptr);
  row["speed_up"] = speed_up_of(e, each, subject);
  return row;
}

const outcome* labelled(const std::vector<outcome>& all, const std::string& label) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const outcome& each) { return each.what->label == label; });
  return found == all.end() ? nullptr : &*found;
}

/// The fastest of the series that it names; they stand before it.
outcome fastest(const series& what, const std::vector<outcome>& all) {
  outcome best{.what = &what, .result = nullptr, .absent = {}};
  for (const std::string& label : what.fastest_of) {
    const outcome* each = labelled(all, label);
    if (each == nullptr || !each->measured()) continue;
    if (best.result == nullptr || each->result->seconds.median < best.result->seconds.median)
      best.result = each->result;
  }
  if (best.result == nullptr)
    best.absent = fmt::format("none of {} was measured", fmt::join(what.fastest_of, ", "));
  return best;
}

}  // namespace

experiments::rows measure_rows_of(const bench_member& member, const experiment_settings& s, double copy_gbs) {
  const auto rows_of = [&]<class V>() {
    const any_csr<V> loaded = load<V>(member);
    progress_bar bar(fmt::format("{} {}", member.name, value_name<V>()));
    return std::visit(
        [&](const auto& matrix) {
          const auto a = matrix.view();
          note(fmt::format("{}: {} x {}, {} nonzeros, {}", member.title(), a.rows, a.cols, a.nnz(),
                           value_name<V>()));
          const auto measured_on = [&](const bench_settings& at) {
            return at.formats.empty() && at.peers.empty() ? std::vector<bench_result>()
                                                          : measure(member, a, at, copy_gbs, bar);
          };
          const std::vector<bench_result> asked = measured_on(s.asked);
          const std::vector<bench_result> one_core =
              s.one_core ? measured_on(*s.one_core) : std::vector<bench_result>();
          std::vector<outcome> all;
          for (const planned_series& each : s.all_series) {
            const auto& results = each.what->where == place::asked ? asked : one_core;
            if (!each.what->fastest_of.empty())
              all.push_back(fastest(*each.what, all));
            else
              all.push_back(
                  {each.what, each.absent.empty() ? &results.at(each.result) : nullptr, each.absent});
          }
          const outcome* subject = labelled(all, s.what->subject);
          const json shared = matrix_part(member, a);
          experiments::rows rows = json::array();
          for (const outcome& each : all)
            rows.push_back(row_of(shared, *s.what, each, subject,
                                  each.what->where == place::asked ? s.asked.where : s.one_core->where));
          return rows;
        },
        loaded);
  };
  return with_value_type(s.value, rows_of);
}

}  // namespace gossamer::cli
