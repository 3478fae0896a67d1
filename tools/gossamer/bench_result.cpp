// SPDX-License-Identifier: BSD-3-Clause
// The derived figures, and the member names that scripts read.
#include "bench_result.hpp"

#include <fmt/format.h>

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

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

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const timing& t) {
  return {{"median", t.median}, {"min", t.min}, {"max", t.max}, {"count", t.count}};
}

}  // namespace

double bench_result::gflops() const {
  return 2.0 * static_cast<double>(nnz) / seconds.median * 1e-9;
}

std::optional<double> bench_result::bytes_per_nonzero() const {
  if (nnz == 0) return std::nullopt;
  return static_cast<double>(bytes) / static_cast<double>(nnz);
}

double bench_result::csr_equivalent_gbs() const {
  return static_cast<double>(csr_equivalent_bytes) / seconds.median * 1e-9;
}

double bench_result::stream_fraction() const {
  return static_cast<double>(least_bytes) / seconds.median * 1e-9 / copy_gbs;
}

json to_json(const bench_result& r) {
  json object = {{"matrix", r.matrix.name},
                 {"class", or_null(r.matrix.generator)},
                 {"rows", r.rows},
                 {"cols", r.cols},
                 {"nnz", r.nnz},
                 {"value", r.value},
                 {"device", r.device},
                 {"format", r.format},
                 {"options", r.options},
                 {"peer", false},
                 {"status", word(r.status)},
                 {"reason", r.reason}};
  const bool ok = r.status == bench_status::ok;
  const auto measured = [&](const char* name, const json& value) {
    object[name] = ok ? value : json(nullptr);
  };
  measured("inspect_seconds", r.inspect_seconds);
  measured("seconds", to_json(r.seconds));
  measured("gflops", r.gflops());
  measured("bytes", r.bytes);
  measured("bytes_per_nonzero", or_null(r.bytes_per_nonzero()));
  measured("csr_equivalent_gbs", r.csr_equivalent_gbs());
  measured("stream_fraction", r.stream_fraction());
  object["vs_best_peer"] = nullptr;
  object["error_ratio"] = or_null(r.error_ratio);
  measured("break_even_multiplies", or_null(r.break_even_multiplies));
  object["cache"] = "hot";
  measured("predicted_seconds", r.predicted_seconds);
  return object;
}

json to_json(const bench_machine& m) {
  return {{"cpu", m.cpu},
          {"threads", m.threads},
          {"stream_gbs", m.stream_gbs},
          {"gpu", or_null(m.gpu)},
          {"copy_gbs", m.copy_gbs}};
}

table bench_table(std::size_t matrix_width) {
  return table({{.title = "matrix", .width = matrix_width, .left = true},
                {.title = "value", .left = true},
                {.title = "format", .width = 14, .left = true},
                {.title = "options", .width = 22, .left = true},
                {.title = "median", .width = 8},
                {.title = "GFLOP/s"},
                {.title = "bytes/nnz"},
                {.title = "csr-GB/s"},
                {.title = "of copy"},
                {.title = "predicted"},
                {.title = "error"},
                {.title = "inspect", .width = 8}});
}

std::vector<std::string> cells(const bench_result& r) {
  std::vector<std::string> line{r.matrix.name, r.value, r.format, r.options};
  if (r.status != bench_status::ok) {
    line.push_back(fmt::format("{}: {}", word(r.status), r.reason));
    return line;
  }
  const auto each = r.bytes_per_nonzero();
  for (std::string& text : std::vector{
           seconds_text(r.seconds.median), number_text(r.gflops()),
           each ? fmt::format("{:.2f}", *each) : std::string("-"), number_text(r.csr_equivalent_gbs()),
           fmt::format("{:.0f} %", 100 * r.stream_fraction()), seconds_text(r.predicted_seconds),
           r.error_ratio ? fmt::format("{:.2g}", *r.error_ratio) : std::string("-"),
           seconds_text(r.inspect_seconds)})
    line.push_back(text);
  return line;
}

}  // namespace gossamer::cli
