// SPDX-License-Identifier: BSD-3-Clause
// The derived figures, and the member names that scripts read.
#include "bench/result.hpp"

#include <fmt/format.h>

#include "bench/summary.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json to_json(const timing& t, std::int64_t preempted) {
  return {{"median", t.median}, {"min", t.min},   {"max", t.max},       {"count", t.count},
          {"low", t.low},       {"high", t.high}, {"spread", t.spread}, {"preempted", preempted}};
}

json to_json(const rounding_error& r) {
  return {{"to", r.to},
          {"changed", r.changed},
          {"to_zero", r.to_zero},
          {"largest_relative", r.largest_relative},
          {"largest_absolute", r.largest_absolute},
          {"largest_row_sum", r.largest_row_sum}};
}

json to_json(const std::optional<advantage>& a) {
  if (!a) return nullptr;
  return {{"peer", a->peer}, {"ratio", a->over.ratio}, {"low", a->over.low}, {"high", a->over.high}};
}

json to_json(const std::vector<advantage>& all) {
  json object = json::object();
  for (const advantage& a : all)
    object[a.peer] = {{"ratio", a.over.ratio}, {"low", a.over.low}, {"high", a.over.high}};
  return object;
}

}  // namespace

const char* word(bench_status status) {
  switch (status) {
    case bench_status::ok:
      return "ok";
    case bench_status::unsupported:
      return "unsupported";
    default:
      return "failed";
  }
}

bool advantage::lost() const noexcept {
  return over.high < lost_below;
}

const char* advantage::outcome() const noexcept {
  if (lost()) return "slower";
  if (over.low > won_above) return "faster";
  return over.low >= lost_below && over.high <= won_above ? "same" : "unclear";
}

std::string situation_text(std::string_view cache, operation op, std::int64_t columns, bool all) {
  std::string text =
      cache == "solver" ? std::string("between vector kernels of a solver") : fmt::format("{} cache", cache);
  if (op == operation::transposed)
    text += ", y = A^T x";
  else if (all)
    text += ", y = A x";
  if (columns > 1 || all) text += fmt::format(", {} column{}", columns, columns > 1 ? "s" : "");
  return text;
}

double bench_result::gflops() const {
  return 2.0 * static_cast<double>(nnz) * static_cast<double>(columns) / seconds.median * 1e-9;
}

std::optional<double> bench_result::bytes_per_nonzero() const {
  if (nnz == 0 || !bytes) return std::nullopt;
  return static_cast<double>(*bytes) / static_cast<double>(nnz);
}

double bench_result::csr_equivalent_gbs() const {
  return static_cast<double>(csr_equivalent_bytes) / seconds.median * 1e-9;
}

std::optional<double> bench_result::stream_fraction() const {
  if (!streamed_bytes) return std::nullopt;
  return static_cast<double>(*streamed_bytes + vector_bytes) / seconds.median * 1e-9 / copy_gbs;
}

bool bench_result::exceeds_llc() const {
  return streamed_bytes.value_or(csr_equivalent_bytes - vector_bytes) + vector_bytes > 2 * llc_bytes;
}

json to_json(const std::vector<plan_part>& parts) {
  json all = json::array();
  for (const plan_part& each : parts) {
    const auto* host = std::get_if<cpu>(&each.where);
    all.push_back({{"where", name(each.where)},
                   {"threads", host != nullptr ? json(host->threads) : json(nullptr)},
                   {"format", each.format},
                   {"rows", each.rows},
                   {"nnz", each.nnz},
                   {"seconds", each.seconds}});
  }
  return all;
}

json to_json(const bench_result& r) {
  json object = {{"matrix", r.matrix.name},
                 {"class", or_null(r.matrix.class_name)},
                 {"rows", r.rows},
                 {"cols", r.cols},
                 {"nnz", r.nnz},
                 {"value", r.value},
                 {"op", name(r.op)},
                 {"columns", r.columns},
                 {"device", r.device},
                 {"format", r.format},
                 {"options", r.options},
                 {"peer", r.peer},
                 {"status", word(r.status)},
                 {"reason", r.reason}};
  const bool ok = r.status == bench_status::ok;
  const auto measured = [&](const char* name, const json& value) {
    object[name] = ok ? value : json(nullptr);
  };
  measured("inspect_seconds", r.inspect_seconds);
  measured("device_inspect_seconds", or_null(r.device_inspect_seconds));
  measured("seconds", to_json(r.seconds, r.preempted));
  measured("gflops", r.gflops());
  measured("bytes", or_null(r.bytes));
  measured("bytes_per_nonzero", or_null(r.bytes_per_nonzero()));
  measured("csr_equivalent_gbs", r.csr_equivalent_gbs());
  measured("stream_fraction", or_null(r.stream_fraction()));
  measured("vs_best_peer", to_json(r.vs_best_peer));
  object["error_ratio"] = or_null(r.error_ratio);
  measured("break_even_multiplies", or_null(r.break_even_multiplies));
  object["cache"] = std::string(name(r.cache));
  measured("predicted_seconds", or_null(r.predicted_seconds));
  measured("latency_seconds", or_null(r.latency_seconds));
  object["values"] = r.matrix.values;
  object["source"] = r.matrix.source;
  object["requested"] = r.asked;
  object["default"] = r.by_default;
  measured("exceeds_llc", r.exceeds_llc());
  object["blind_rows"] = r.blind_rows;
  measured("vs_peers", to_json(r.vs_peers));
  measured("vector_seconds", or_null(r.vector_seconds));
  measured("streamed_bytes", or_null(r.streamed_bytes));
  if (!r.parts.empty()) measured("parts", to_json(r.parts));
  if (!r.vs_alone.empty()) measured("vs_alone", to_json(r.vs_alone));
  if (r.update_seconds) measured("update_seconds", *r.update_seconds);
  if (r.device_update_seconds) measured("device_update_seconds", *r.device_update_seconds);
  if (r.bus_bytes > 0) measured("bus_bytes", r.bus_bytes);
  if (r.rounding) object["rounding"] = to_json(*r.rounding);
  return object;
}

table bench_table(std::size_t matrix_width) {
  return table({{.title = "matrix", .width = matrix_width, .left = true},
                {.title = "values", .width = 8, .left = true},
                {.title = "value", .left = true},
                {.title = "cache", .width = 6, .left = true},
                {.title = "format", .width = 14, .left = true},
                {.title = "options", .width = 22, .left = true},
                {.title = "median", .width = 8},
                {.title = "GFLOP/s"},
                {.title = "bytes/nnz"},
                {.title = "csr-GB/s"},
                {.title = "of copy"},
                {.title = "predicted"},
                {.title = "error"},
                {.title = "inspect", .width = 8},
                {.title = "best peer / this", .left = true}});
}

std::vector<std::string> cells(const bench_result& r) {
  std::vector<std::string> line{r.matrix.name, r.matrix.values, r.value, std::string(name(r.cache)),
                                r.format,      r.options};
  if (r.op == operation::transposed) line[2] += " A^T";
  if (r.columns > 1) line[2] += fmt::format(" x{}", r.columns);
  if (r.status != bench_status::ok) {
    line.push_back(fmt::format("{}: {}", word(r.status), r.reason));
    return line;
  }
  const auto each = r.bytes_per_nonzero();
  const auto share = r.stream_fraction();
  for (std::string& text : std::vector{
           seconds_text(r.seconds.median), number_text(r.gflops()),
           each ? fmt::format("{:.2f}", *each) : std::string("-"), number_text(r.csr_equivalent_gbs()),
           share ? fmt::format("{:.0f} %", 100 * *share) : std::string("-"),
           r.predicted_seconds ? seconds_text(*r.predicted_seconds) : std::string("-"),
           r.error_ratio ? fmt::format("{:.2g}", *r.error_ratio) : std::string("-"),
           seconds_text(r.inspect_seconds)})
    line.push_back(text);
  std::string beside;
  if (const auto& a = r.vs_best_peer)
    beside = fmt::format("{:.3f} [{:.3f}, {:.3f}] {}{}", a->over.ratio, a->over.low, a->over.high, a->peer,
                         a->lost() ? " LOST" : "");
  for (const advantage& a : r.vs_alone)
    beside += fmt::format("{}{:.3f} [{:.3f}, {:.3f}] {} alone", beside.empty() ? "" : ", ", a.over.ratio,
                          a.over.low, a.over.high, a.peer);
  if (!beside.empty()) line.push_back(beside);
  return line;
}

}  // namespace gossamer::cli
