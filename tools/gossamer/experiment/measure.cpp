// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <variant>

#include "arguments/matrix_portion.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/powers_argument.hpp"
#include "arguments/value_argument.hpp"
#include "bench/measure.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "experiment/loops/measure_loops.hpp"
#include "experiment/outcome.hpp"
#include "experiment/row.hpp"
#include "gossamer/error.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/timer.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {
namespace {

using experiments::effort;
using experiments::parties;
using experiments::portion;
using experiments::series;
using json = nlohmann::ordered_json;

const outcome* labelled(const std::vector<outcome>& all, const std::string& label) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const outcome& each) { return each.what->label == label; });
  return found == all.end() ? nullptr : &*found;
}

/// The fastest of the series that it names; they stand before it.
outcome fastest(const planned_series& planned, const std::vector<outcome>& all) {
  const series& what = *planned.what;
  outcome best{.what = &what, .meeting = planned.meeting};
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

bool faster(const bench_result& a, const bench_result& b) {
  if ((a.status == bench_status::ok) != (b.status == bench_status::ok)) return a.status == bench_status::ok;
  return a.status == bench_status::ok && a.seconds.median < b.seconds.median;
}

/// A series' own result; of a search, the fastest of its settings.
outcome own_result(const planned_series& planned, const meeting_results& at) {
  outcome one{.what = planned.what, .meeting = planned.meeting, .result = nullptr, .absent = planned.absent};
  if (!one.absent.empty() || !at.unsupported.empty()) return one;
  for (const bench_result& r : at.all) {
    if (r.answers != planned.answer) continue;
    if (planned.what->how == effort::searched) one.tried.push_back(&r);
    if (one.result == nullptr || faster(r, *one.result)) one.result = &r;
  }
  return one;
}

/// Everything that is measured of one matrix.
template <value V, offset O>
class measured_matrix {
 public:
  measured_matrix(const bench_member& member, const csr_view<V, O>& a, const experiment_settings& s,
                  double copy_gbs)
      : member_(member),
        a_(a),
        s_(s),
        copy_gbs_(copy_gbs),
        statistics_(measure_rows(a)),
        bar_(fmt::format("{} {}", member.name, value_name<V>())) {
    for (const meeting& each : s.meetings) results_.push_back(results_of(each));
  }

  [[nodiscard]] experiments::rows rows() const {
    std::vector<outcome> all;
    for (const planned_series& each : s_.all_series) {
      if (!each.what->fastest_of.empty())
        all.push_back(fastest(each, all));
      else if (each.what->how == effort::forecast && each.absent.empty())
        all.push_back(forecast_of(each));
      else if (!each.what->algorithm.empty() && each.what->among == parties::none)
        all.push_back(partitioned(each));
      else
        all.push_back(with_sets(own_result(each, results_[each.meeting])));
    }
    const outcome* subject = labelled(all, s_.what->subject);
    const json shared = matrix_part(member_, statistics_, value_name<V>());
    experiments::rows rows = json::array();
    for (const outcome& each : all)
      rows.push_back(
          row_of(shared, *s_.what, each, subject, s_.meetings[each.meeting], results_[each.meeting]));
    return rows;
  }

 private:
  meeting_results results_of(const meeting& at) {
    if (at.of == portion::whole)
      return {.nnz = a_.nnz(), .unsupported = {}, .all = measured(a_, at.settings)};
    meeting_results results;
    // Without a product there it is never asked for, and its format may not be in this build.
    if (at.settings.formats.empty() && at.settings.peers.empty()) return results;
    std::int64_t k = 0;
    try {
      k = width_on(at.settings.where);
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported) throw;
      results.unsupported = problem.what();
      return results;
    }
    const auto part = portion_of(a_, at.of, k);
    results.nnz = part.nnz();
    if (part.nnz() == 0)
      results.unsupported =
          fmt::format("no entry is in the {} (the first {} of each row are the head)", name_of(at.of), k);
    else
      results.all = measured(part.view(), at.settings);
    return results;
  }

  std::vector<bench_result> measured(const csr_view<V, O>& a, const bench_settings& at) {
    if (at.formats.empty() && at.peers.empty()) return {};
    return measure(member_, a, at, copy_gbs_, bar_);
  }

  /// Throws unsupported where the format that divides the matrix refuses it.
  [[nodiscard]] std::int64_t width_on(const resource& where) const {
    const experiments::splitting& split = s_.what->split;
    const format_forecast expected = forecast(a_, statistics_, split.format, {}, where);
    if (!expected.refusal.empty()) throw error(errc::unsupported, split.format + ": " + expected.refusal);
    const auto same = [&](const auto& text) { return text.first == split.option; };
    const auto found = std::find_if(expected.options.begin(), expected.options.end(), same);
    std::int64_t k = -1;
    if (found != expected.options.end())
      std::from_chars(found->second.data(), found->second.data() + found->second.size(), k);
    if (k < 0)
      throw error(errc::unsupported,
                  fmt::format("{} says no width {} for this matrix", split.format, split.option));
    return k;
  }

  [[nodiscard]] outcome forecast_of(const planned_series& planned) const {
    outcome one{.what = planned.what, .meeting = planned.meeting};
    const resource& where = s_.meetings[planned.meeting].settings.where;
    try {
      one.expected = forecast(a_, statistics_, planned.what->format, planned.options, where);
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported) throw;
      one.expected = format_forecast{.refusal = problem.what()};
    }
    return one;
  }

  [[nodiscard]] outcome partitioned(const planned_series& planned) const {
    outcome one{.what = planned.what, .meeting = planned.meeting};
    one.shared_out = sets_of(planned.what->algorithm, s_.what->powers);
    return one;
  }

  /// Of a plan of several parts also what they share, and the time of sharing it out.
  [[nodiscard]] outcome with_sets(outcome one) const {
    if (one.what->algorithm.empty() || !one.measured()) return one;
    std::vector<double> powers;  // parts without power have no set
    for (const double power : one.result->powers) {
      if (power > 0) powers.push_back(power);
    }
    one.shared_out = sets_of(one.what->algorithm, powers);
    return one;
  }

  /// Timed alone, after all products.
  [[nodiscard]] partition_figures sets_of(const std::string& algorithm,
                                          const std::vector<double>& powers) const {
    const partition_options how{.algorithm = algorithm_of(algorithm)};
    const row_partition sets = partition_rows(a_, powers, how);
    const auto share_out = [&] { static_cast<void>(partition_rows(a_, powers, how)); };
    return {.powers = powers,
            .relative_difference = relative_difference(sets),
            .mean_density = mean_density(sets.sets),
            .padded_slots = padded_slots(sets.sets),
            .seconds = time_repeatedly(share_out, s_.asked().seconds)};
  }

  const bench_member& member_;
  csr_view<V, O> a_;
  const experiment_settings& s_;
  double copy_gbs_;
  row_statistics statistics_;
  progress_bar bar_;
  std::vector<meeting_results> results_;
};

}  // namespace

experiments::rows measure_rows_of(const bench_member& member, const experiment_settings& s, double copy_gbs) {
  if (!s.what->loop.empty()) return measure_loops_of(member, s);
  const auto rows_of = [&]<class V>() {
    const any_csr<V> loaded = load<V>(member);
    return std::visit(
        [&](const auto& matrix) {
          const auto a = matrix.view();
          note(fmt::format("{}: {} x {}, {} nonzeros, {}", member.title(), a.rows, a.cols, a.nnz(),
                           value_name<V>()));
          return measured_matrix(member, a, s, copy_gbs).rows();
        },
        loaded);
  };
  return with_value_type(s.value, rows_of);
}

}  // namespace gossamer::cli
