// SPDX-License-Identifier: BSD-3-Clause
// Forecast, inspect, check: in this order, and what each of them may throw; then all are timed.
#include "bench/measure.hpp"

#include "bench_support/compare/time_inspections.hpp"
#include "bench_support/compare/time_updates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "arguments/option_texts.hpp"
#include "bench/rounds.hpp"
#include "bench/timed_product.hpp"
#include "bench_support/oracle/columns.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/error.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"
#include "output/blind_rows.hpp"
#include "output/output.hpp"
#include "output/rounding_text.hpp"
#include "output/table.hpp"

namespace gossamer::cli {
namespace {

template <value V, offset O>
class member_timing {
 public:
  /// `multiplied`: `original` or its transpose, by the operation.
  member_timing(const bench_member& member, const csr_view<V, O>& original, const csr_view<V, O>& multiplied,
                operation op, std::int64_t columns, const bench_settings& settings, double copy_gbs,
                progress_bar& bar)
      : original_(original),
        multiplied_(multiplied),
        op_(op),
        columns_(columns),
        settings_(settings),
        bar_(bar),
        statistics_(measure_rows(multiplied)) {
    const std::int64_t vectors =
        (original.rows + original.cols) * columns * static_cast<std::int64_t>(sizeof(V));
    blank_ = {.matrix = member,
              .rows = original.rows,
              .cols = original.cols,
              .nnz = original.nnz(),
              .value = std::string(value_name<V>()),
              .op = op,
              .columns = columns,
              .device = settings.shared ? "hybrid" : name(settings.where),
              .csr_equivalent_bytes = csr_bytes() + vectors,
              .vector_bytes = vectors,
              .llc_bytes = settings.llc_bytes,
              .copy_gbs = copy_gbs};
  }

  void add_all() {
    for (const bench_format& format : settings_.formats) {
      add_format(format);
      ++request_;
    }
    for (const std::string& peer : settings_.peers) {
      if (is_timed(peer, op_, columns_)) prepare_peer(add(peer, true));
      ++request_;
    }
    if (!settings_.break_even || plain_csr(timed_products_) != nullptr || timed_products_.empty()) return;
    timed_product<V>& csr = add(std::string(plain_format()), false);
    csr.shown = false;
    csr.result.by_default = true;
    prepare_ours(csr, {});
  }

  std::vector<bench_result> time_all() {
    std::vector<bench_result> results;
    for (const cache_state state : settings_.caches) {
      time_rounds(timed_products_, state, settings_, vectors_ ? &*vectors_ : nullptr, bar_);
      for (const timed_product<V>& c : timed_products_) {
        if (!c.shown) continue;
        results.push_back(c.result);
        results.back().samples = c.samples;
        if (c.ours) results.back().parts = c.ours->parts();
        if (c.split) results.back().parts = c.split->parts();
      }
    }
    return results;
  }

 private:
  [[nodiscard]] std::int64_t csr_bytes() const {
    return multiplied_.nnz() * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) +
           (multiplied_.rows + 1) * static_cast<std::int64_t>(sizeof(O));
  }
  [[nodiscard]] inspect_options options_for(const std::string& format, const option_texts& options) const {
    inspect_options how{.format = format, .options = options, .memory_limit = settings_.memory_limit};
    how.reorder = settings_.reorder;
    how.operations = op_ == operation::forward ? operation_set::forward : operation_set::transposed;
    how.values_change = settings_.values_change;
    how.vectors = columns_;
    how.progress = bar_.callback();
    return how;
  }
  [[nodiscard]] bool on_gpu() const { return std::holds_alternative<cuda>(settings_.where); }

  timed_product<V>& add(const std::string& format, bool peer) {
    timed_product<V>& c = timed_products_.emplace_back();
    c.result = blank_;
    c.result.format = format;
    c.result.peer = peer;
    c.result.answers = request_;
    return c;
  }

  /// The settings of one format: as asked, or its default and every other that is worth timing.
  void add_format(const bench_format& format) {
    if (settings_.shared) return add_hybrid_parts(format, *settings_.shared);
    if (format.shared) return add_hybrid(format);
    if (format.split) return add_split(format);
    if (format.name == choice_of_format) return add_automatic();
    std::vector<option_texts> settings{format.options};
    if (format.asked == "all") {
      const auto more = candidates(format.name, statistics_, settings_.where);
      settings.insert(settings.end(), more.begin(), more.end());
    }
    const std::string by_default = resolved(format.name, {});
    std::vector<std::string> known;
    for (const option_texts& options : settings) {
      const std::string all_options = resolved(format.name, options);
      if (std::find(known.begin(), known.end(), all_options) != known.end()) continue;
      known.push_back(all_options);
      timed_product<V>& c = add(format.name, false);
      c.result.options = all_options;
      c.result.asked = format.asked;
      c.result.by_default = options.empty() || all_options == by_default;
      prepare_ours(c, options);
    }
  }

  /// All parts together, and each alone with the whole matrix, by the same vectors.
  void add_hybrid_parts(const bench_format& format, const hybrid& given) {
    const inspect_options how = options_for(format.name, {});
    timed_product<V>& together = add(format.name, false);
    together.result.asked = format.asked;
    together.result.by_default = true;
    hybrid settled = given;
    attempt(together, [&] {
      settled = settings_.shares.settled(given, original_, how);
      prepare_shared(together, settled, how);
    });
    const auto powered = std::count_if(settled.parts.begin(), settled.parts.end(),
                                       [](const hybrid_part& each) { return each.power > 0; });
    for (std::size_t k = 0; k < given.parts.size(); ++k) {
      if (powered == 1 && settled.parts[k].power > 0) continue;  // the same plan as above
      timed_product<V>& alone = add(format.name, false);
      alone.result.asked = format.asked;
      hybrid where = given;
      for (std::size_t other = 0; other < where.parts.size(); ++other)
        where.parts[other].power = other == k ? 1 : 0;
      const auto* cores = std::get_if<cpu>(&given.parts[k].where);
      alone.alone = cores != nullptr && cores->threads > 0 ? fmt::format("cpu:{}", cores->threads)
                                                           : name(given.parts[k].where);
      attempt(alone, [&] { prepare_shared(alone, where, how); });
    }
  }

  /// The parts together, beside what else runs on host vectors.
  void add_hybrid(const bench_format& format) {
    const inspect_options how = options_for(format.name, format.options);
    timed_product<V>& together = add("hybrid", false);
    together.result.device = "hybrid";
    together.result.asked = format.asked;
    attempt(together,
            [&] { prepare_shared(together, format.shares.settled(*format.shared, original_, how), how); });
  }

  /// Diagonal blocks and the other entries on two resources.
  void add_split(const bench_format& format) {
    timed_product<V>& c = add("hybrid", false);
    bench_result& r = c.result;
    r.device = "hybrid";
    r.asked = format.asked;
    attempt(c, [&] {
      c.split.emplace(original_, *format.split, options_for(format.name, format.options));
      r.options =
          fmt::format("blocks={} {},rest={} {}", name(format.split->blocks.where),
                      format.split->blocks.format, name(format.split->rest.where), format.split->rest.format);
      r.inspect_seconds = c.split->inspect_seconds();
      r.bytes = r.streamed_bytes = c.split->bytes();
      r.slots = c.split->slots();
      check(c, *c.split);
    });
  }

  void prepare_shared(timed_product<V>& c, const hybrid& where, const inspect_options& how) {
    bench_result& r = c.result;
    r.powers.clear();
    for (const hybrid_part& each : where.parts) r.powers.push_back(each.power);
    c.ours.emplace(inspect(original_, where, how));
    note_plan(r, *c.ours);
    if (!settings_.device_vectors) return check_ours(c);
    if (c.alone.empty()) {
      c.spread.emplace(*c.ours);
      c.call = c.spread->call(*c.ours);
      return check_call(c, *c.spread);
    }
    c.on_one_gpu.emplace(multiplied_.rows, multiplied_.cols, parse_resource(c.alone));
    c.call = c.on_one_gpu->call(*c.ours);
    check_call(c, *c.on_one_gpu);
  }

  std::string resolved(const std::string& format, const option_texts& options) {
    try {
      return joined(forecast(multiplied_, statistics_, format, options, settings_.where).options);
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported) throw;
      return joined(options);
    }
  }

  /// Building takes about as much again as what is kept.
  void need_memory(std::int64_t bytes) const {
    const std::int64_t free = available_memory(cpu{});
    if (bytes > free / 2)
      throw error(errc::out_of_memory,
                  fmt::format("out of memory: building {} needs about {}, {} are free", bytes_text(bytes),
                              bytes_text(2 * bytes), bytes_text(free)));
  }

  void prepare_ours(timed_product<V>& c, const option_texts& options) {
    bench_result& r = c.result;
    attempt(c, [&] {
      const format_forecast expected =
          forecast(multiplied_, statistics_, r.format, options, settings_.where, r.copy_gbs);
      if (columns_ == 1) r.predicted_seconds = expected.seconds;
      if (!expected.options.empty()) r.options = joined(expected.options);
      // A format may borrow the matrix's own arrays; only what goes beyond them is new for sure.
      // A plan of the transpose makes its own.
      const std::int64_t arrays = op_ == operation::forward ? -csr_bytes() : csr_bytes();
      if (expected.refusal.empty()) need_memory(expected.bytes + arrays);
      inspect_ours(c, options_for(r.format, options));
    });
  }

  static void note_plan(bench_result& r, const plan<V>& made) {
    r.options = joined(made.options());
    r.inspect_seconds = made.inspect_seconds();
    r.bytes = made.bytes();
    r.streamed_bytes = made.streamed_bytes();
    r.bus_bytes = made.bus_bytes();
    r.slots = made.slots();
  }

  void inspect_ours(timed_product<V>& c, const inspect_options& how) {
    bench_result& r = c.result;
    c.ours.emplace(inspect(original_, settings_.where, how));
    note_plan(r, *c.ours);
    if (settings_.inspections > 1) inspect_again(r, how);
    check_ours(c);
    if (settings_.values_change) time_updates(r, *c.ours);
  }

  void check_ours(timed_product<V>& c) {
    c.planned.emplace(*c.ours, op_, columns_);
    check(c, *c.planned);
  }

  /// What inspect() chooses: its options begin with which format.
  void add_automatic() {
    timed_product<V>& c = add(std::string(choice_of_format), false);
    c.result.by_default = true;
    attempt(c, [&] {
      inspect_ours(c, options_for(std::string(choice_of_format), {}));
      c.result.options = fmt::format("format={}{}{}", c.ours->format(), c.result.options.empty() ? "" : ",",
                                     c.result.options);
    });
  }

  void inspect_again(bench_result& r, const inspect_options& how) {
    r.inspect_seconds =
        bench_support::time_inspections(original_, settings_.where, how, settings_.inspections).median;
    const auto* gpu = std::get_if<cuda>(&settings_.where);
    if (gpu == nullptr) return;
    try {
      r.device_inspect_seconds =
          bench_support::time_device_inspections(original_, *gpu, how, settings_.inspections).median;
    } catch (const error& problem) {  // a second copy of the matrix may be too much where its product is not
      if (problem.code() != errc::out_of_memory) throw;
    }
  }

  void time_updates(bench_result& r, plan<V>& made) {
    bar_.show("update", 0);
    const auto values = original_.val;
    r.update_seconds = bench_support::time_updates(made, values, settings_.seconds).median;
    if (on_gpu() && !made.reencodes())
      r.device_update_seconds = bench_support::time_device_updates(made, values, settings_.seconds).median;
  }

  void prepare_peer(timed_product<V>& c) {
    bench_result& r = c.result;
    attempt(c, [&] {
      need_memory(csr_bytes());
      bar_.show(r.format, 0);
      const bool transposes = bench_support::find_peer(r.format).transposed;
      c.theirs.emplace(bench_support::inspect_peer(r.format, transposes ? original_ : multiplied_,
                                                   settings_.where, columns_));
      r.options = std::string(c.theirs->settings());
      r.inspect_seconds = c.theirs->inspect_seconds();
      if (c.theirs->bytes() > 0) r.bytes = r.streamed_bytes = c.theirs->bytes();
      check(c, *c.theirs);
    });
    if (r.status != bench_status::ok)
      remark(fmt::format("{} {}: peer {}: {}", r.matrix.title(), r.value, r.format, r.reason));
  }

  template <class Product>
  void check(timed_product<V>& c, const Product& product) {
    bar_.show("check", 0);
    if (!vectors_)
      vectors_.emplace(multiplied_.rows * columns_, multiplied_.cols * columns_, settings_.where);
    c.call = vectors_->call(product);
    check_call(c, *vectors_);
    if (settings_.beta != 0 && c.result.status == bench_status::ok) c.call = accumulating(product);
  }

  /// y = A x + beta y; y was finite after the check and grows by A x in each product.
  template <class Product>
  product_call accumulating(const Product& product) {
    const V beta = static_cast<V>(settings_.beta);
    if (on_gpu())
      return [&product, beta, x = vectors_->device_x(), y = vectors_->device_y()](cuda_stream stream) {
        product.multiply(V{1}, x, beta, y, stream);
      };
    return [&product, beta, x = vectors_->x(), y = vectors_->y()](cuda_stream) {
      product.multiply(V{1}, x, beta, y);
    };
  }

  template <class Vectors>
  void check_call(timed_product<V>& c, Vectors& vectors) {
    bar_.show("check", 0);
    vectors.poison();
    c.call({});
    bench_result& r = c.result;
    csr_view<V, O> multiplied = multiplied_;
    host_buffer<V> stored;
    csr_matrix<V, O> transposed;
    if (c.ours && c.ours->rounding()) {
      stored = c.ours->stored_values(original_);
      multiplied = original_;
      multiplied.val = stored.span();
      if (op_ == operation::transposed) {
        transposed = transpose(multiplied);
        multiplied = transposed.view();
      }
    }
    const bench_support::peer_info peer =
        r.peer ? bench_support::find_peer(r.format) : bench_support::peer_info{.order = layout::row_major};
    const bench_support::verification checked =
        bench_support::verify_columns<V, O>(multiplied, columns_, peer.order, V{1}, vectors.x(), V{0}, {},
                                            vectors.result(), peer.template flushes<V>());
    if (c.ours) r.rounding = c.ours->rounding();
    if (r.rounding)
      remark(fmt::format("{} {} {}: {}", r.matrix.title(), r.value, r.format, rounding_text(*r.rounding)));
    r.error_ratio = checked.error_ratio;
    r.blind_rows = checked.blind_rows;
    if (checked.blind_rows > 0 && timed_products_.size() == 1)
      remark(fmt::format("{} {}: {}", r.matrix.title(), r.value, blind_rows_text(checked.blind_rows)));
    if (checked.passed()) {
      if (on_gpu()) r.latency_seconds = call_latency(c.call, settings_.where);
      return;
    }
    r.status = bench_status::failed;
    const std::string column = columns_ > 1 ? fmt::format(" of column {}", checked.column + 1) : "";
    r.reason =
        fmt::format("wrong in row {}{}: error ratio {:.3g}", checked.row + 1, column, checked.error_ratio);
  }

  csr_view<V, O> original_;
  csr_view<V, O> multiplied_;
  operation op_;
  std::int64_t columns_;
  const bench_settings& settings_;
  progress_bar& bar_;
  row_statistics statistics_;
  bench_result blank_;
  std::size_t request_ = 0;  // which of formats and peers is being prepared
  std::optional<product_vectors<V>> vectors_;
  timed_products<V> timed_products_;
};

}  // namespace

template <value V, offset O>
std::vector<bench_result> measure(const bench_member& member, const csr_view<V, O>& a,
                                  const bench_settings& settings, double copy_gbs, progress_bar& bar) {
  std::vector<bench_result> results;
  for (const operation op : settings.operations) {
    const bool is_transposed = op == operation::transposed;
    const csr_matrix<V, O> transposed = is_transposed ? transpose(a) : csr_matrix<V, O>();
    for (const std::int64_t columns : settings.columns) {
      member_timing<V, O> all(member, a, is_transposed ? transposed.view() : a, op, columns, settings,
                              copy_gbs, bar);
      all.add_all();
      std::vector<bench_result> timed = all.time_all();
      results.insert(results.end(), std::make_move_iterator(timed.begin()),
                     std::make_move_iterator(timed.end()));
    }
  }
  return results;
}

template std::vector<bench_result> measure(const bench_member&, const csr_view<float, std::int32_t>&,
                                           const bench_settings&, double, progress_bar&);
template std::vector<bench_result> measure(const bench_member&, const csr_view<float, std::int64_t>&,
                                           const bench_settings&, double, progress_bar&);
template std::vector<bench_result> measure(const bench_member&, const csr_view<double, std::int32_t>&,
                                           const bench_settings&, double, progress_bar&);
template std::vector<bench_result> measure(const bench_member&, const csr_view<double, std::int64_t>&,
                                           const bench_settings&, double, progress_bar&);

}  // namespace gossamer::cli
