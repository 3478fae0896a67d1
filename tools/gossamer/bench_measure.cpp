// SPDX-License-Identifier: BSD-3-Clause
// Forecast, inspect, check, time: in this order, and what each of them may throw.
#include "bench_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <new>
#include <optional>

#include "bench_gathered.hpp"
#include "bench_shared.hpp"
#include "blind_rows.hpp"
#include "gossamer/error.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/peers.hpp"
#include "gossamer/plan.hpp"
#include "option_texts.hpp"
#include "output.hpp"
#include "rounding_text.hpp"
#include "table.hpp"
#include "without_prefix.hpp"

namespace gossamer::cli {
namespace {

/// One product: prepared, and ready to be called as long as this stands where it is.
template <value V>
struct contestant {
  bench_result result;
  bool shown = true;  ///< false: measured only because others are compared with it
  std::optional<plan<V>> ours;
  std::optional<peer_product<V>> theirs;
  product_call call;
  std::optional<workspace>
      gathered;  ///< where products have a gather step, which is then timed by itself too
  product_call gather;
  std::string alone;                             ///< the part of a hybrid that has the whole matrix here
  std::optional<spread_vectors<V>> spread;       ///< of parts on GPUs, or
  std::optional<product_vectors<V>> on_one_gpu;  ///< of the one that is alone
  std::vector<double> samples;                   ///< of the cache state that is being measured
};

template <value V, offset O>
class member_timing {
 public:
  member_timing(const bench_member& member, const csr_view<V, O>& a, const bench_settings& settings,
                double copy_gbs, progress_bar& bar)
      : a_(a), settings_(settings), bar_(bar), statistics_(measure_rows(a)) {
    const std::int64_t vectors = (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(V));
    blank_ = {.matrix = member,
              .rows = a.rows,
              .cols = a.cols,
              .nnz = a.nnz(),
              .value = std::string(value_name<V>()),
              .device = settings.shared ? "hybrid" : name(settings.where),
              .csr_equivalent_bytes = csr_bytes() + vectors,
              .vector_bytes = vectors,
              .llc_bytes = settings.llc_bytes,
              .copy_gbs = copy_gbs};
  }

  void invite_all() {
    for (const bench_format& format : settings_.formats) {
      invite(format);
      ++asking_;
    }
    for (const std::string& peer : settings_.peers) {
      prepare_peer(add(peer, true));
      ++asking_;
    }
    if (!settings_.break_even || plain_csr() != nullptr || contestants_.empty()) return;
    contestant<V>& csr = add("csr", false);
    csr.shown = false;
    csr.result.by_default = true;
    prepare_ours(csr, {});
  }

  std::vector<bench_result> time_all() {
    std::vector<bench_result> results;
    for (const cache_state state : settings_.caches) {
      time_in(state);
      for (const contestant<V>& c : contestants_) {
        if (!c.shown) continue;
        results.push_back(c.result);
        results.back().samples = c.samples;
        if (c.ours) results.back().parts = c.ours->parts();
      }
    }
    return results;
  }

 private:
  [[nodiscard]] std::int64_t csr_bytes() const {
    return a_.nnz() * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) +
           (a_.rows + 1) * static_cast<std::int64_t>(sizeof(O));
  }
  [[nodiscard]] bool on_gpu() const { return std::holds_alternative<cuda>(settings_.where); }

  contestant<V>& add(const std::string& format, bool peer) {
    contestant<V>& c = contestants_.emplace_back();
    c.result = blank_;
    c.result.format = format;
    c.result.peer = peer;
    c.result.answers = asking_;
    return c;
  }

  contestant<V>* plain_csr() {
    const auto is_plain = [](const contestant<V>& c) {
      return !c.result.peer && c.result.format == "csr" && c.result.by_default;
    };
    const auto found = std::find_if(contestants_.begin(), contestants_.end(), is_plain);
    return found == contestants_.end() ? nullptr : &*found;
  }

  /// The settings of one format: as asked, or its default and every other that is worth timing.
  void invite(const bench_format& format) {
    if (settings_.shared) return invite_parts(format, *settings_.shared);
    if (format.shared) return invite_together(format);
    if (format.name == choice_of_format) return invite_choice();
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
      contestant<V>& c = add(format.name, false);
      c.result.options = all_options;
      c.result.asked = format.asked;
      c.result.by_default = options.empty() || all_options == by_default;
      prepare_ours(c, options);
      if (format.gathered) attempt(c, [&] { leave_gather_out(c); });
    }
  }

  /// All parts together, and each alone with the whole matrix, by the same vectors.
  void invite_parts(const bench_format& format, const hybrid& given) {
    inspect_options wanted{.format = format.name, .memory_limit = settings_.memory_limit};
    wanted.progress = bar_.callback();
    contestant<V>& together = add(format.name, false);
    together.result.asked = format.asked;
    together.result.by_default = true;
    hybrid settled = given;
    attempt(together, [&] {
      settled = settings_.shares.settled(given, a_, wanted);
      prepare_shared(together, settled, wanted);
    });
    const auto powered = std::count_if(settled.parts.begin(), settled.parts.end(),
                                       [](const hybrid_part& each) { return each.power > 0; });
    for (std::size_t k = 0; k < given.parts.size(); ++k) {
      if (powered == 1 && settled.parts[k].power > 0) continue;  // the same plan as above
      contestant<V>& alone = add(format.name, false);
      alone.result.asked = format.asked;
      hybrid where = given;
      for (std::size_t other = 0; other < where.parts.size(); ++other)
        where.parts[other].power = other == k ? 1 : 0;
      const auto* cores = std::get_if<cpu>(&given.parts[k].where);
      alone.alone = cores != nullptr && cores->threads > 0 ? fmt::format("cpu:{}", cores->threads)
                                                           : name(given.parts[k].where);
      attempt(alone, [&] { prepare_shared(alone, where, wanted); });
    }
  }

  /// The parts together, beside what else runs on host vectors.
  void invite_together(const bench_format& format) {
    inspect_options wanted{
        .format = format.name, .options = format.options, .memory_limit = settings_.memory_limit};
    wanted.progress = bar_.callback();
    contestant<V>& together = add("hybrid", false);
    together.result.device = "hybrid";
    together.result.asked = format.asked;
    attempt(together,
            [&] { prepare_shared(together, format.shares.settled(*format.shared, a_, wanted), wanted); });
  }

  void prepare_shared(contestant<V>& c, const hybrid& where, const inspect_options& wanted) {
    bench_result& r = c.result;
    r.powers.clear();
    for (const hybrid_part& each : where.parts) r.powers.push_back(each.power);
    c.ours.emplace(inspect(a_, where, wanted));
    note_plan(r, *c.ours);
    if (!settings_.device_vectors) return check(c, *c.ours);
    if (c.alone.empty()) {
      c.spread.emplace(*c.ours);
      c.call = c.spread->call(*c.ours);
      return check_call(c, *c.spread);
    }
    c.on_one_gpu.emplace(a_.rows, a_.cols, parse_resource(c.alone));
    c.call = c.on_one_gpu->call(*c.ours);
    check_call(c, *c.on_one_gpu);
  }

  /// From here on the contestant's products are the second half alone.
  void leave_gather_out(contestant<V>& c) {
    if (!c.ours) return;
    c.gather = {};
    c.gathered.reset();
    c.call = gathered_product(*c.ours, *vectors_, on_gpu());
    if (!c.call)
      throw error(errc::unsupported, "unsupported: " + c.result.format + ": products have no gather step");
    check_call(c, *vectors_);
  }

  std::string resolved(const std::string& format, const option_texts& options) {
    try {
      return joined(forecast(a_, statistics_, format, options, settings_.where).options);
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported) throw;
      return joined(options);
    }
  }

  /// Runs `work`; what it cannot do becomes the result's status.
  template <class Work>
  void attempt(contestant<V>& c, Work&& work) {
    bench_result& r = c.result;
    try {
      work();
    } catch (const error& problem) {
      const errc code = problem.code();
      if (code != errc::unsupported && code != errc::out_of_memory && code != errc::device_error) throw;
      r.status = code == errc::unsupported ? bench_status::unsupported : bench_status::failed;
      r.reason = without_prefix(problem.what(), r.format);
    } catch (const std::bad_alloc&) {
      r.status = bench_status::failed;
      r.reason = "out of memory";
    }
    if (r.status == bench_status::ok) return;
    c.call = {};
    c.gather = {};
    c.gathered.reset();
    c.spread.reset();
    c.on_one_gpu.reset();
    c.ours.reset();
    c.theirs.reset();
  }

  /// Building takes about as much again as what is kept.
  void need_memory(std::int64_t bytes) const {
    const std::int64_t free = available_memory(cpu{});
    if (bytes > free / 2)
      throw error(errc::out_of_memory,
                  fmt::format("out of memory: building {} needs about {}, {} are free", bytes_text(bytes),
                              bytes_text(2 * bytes), bytes_text(free)));
  }

  void prepare_ours(contestant<V>& c, const option_texts& options) {
    bench_result& r = c.result;
    attempt(c, [&] {
      const format_forecast expected =
          forecast(a_, statistics_, r.format, options, settings_.where, r.copy_gbs);
      r.predicted_seconds = expected.seconds;
      if (!expected.options.empty()) r.options = joined(expected.options);
      // A format may borrow the matrix's own arrays; only what goes beyond them is new for sure.
      if (expected.refusal.empty()) need_memory(expected.bytes - csr_bytes());
      inspect_ours(c, {.format = r.format, .options = options, .memory_limit = settings_.memory_limit});
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

  void inspect_ours(contestant<V>& c, inspect_options wanted) {
    bench_result& r = c.result;
    wanted.progress = bar_.callback();
    c.ours.emplace(inspect(a_, settings_.where, wanted));
    note_plan(r, *c.ours);
    if (settings_.inspections > 1) inspect_again(r, wanted);
    check(c, *c.ours);
    if (r.status == bench_status::ok && c.ours->gathers()) prepare_gather(c);
  }

  /// What inspect() takes where no format is named: its options begin with which.
  void invite_choice() {
    contestant<V>& c = add(std::string(choice_of_format), false);
    c.result.by_default = true;
    attempt(c, [&] {
      inspect_ours(c, {.format = std::string(choice_of_format), .memory_limit = settings_.memory_limit});
      c.result.options = fmt::format("format={}{}{}", c.ours->format(), c.result.options.empty() ? "" : ",",
                                     c.result.options);
    });
  }

  void inspect_again(bench_result& r, const inspect_options& wanted) {
    r.inspect_seconds = time_inspections(a_, settings_.where, wanted, settings_.inspections).median;
    const auto* gpu = std::get_if<cuda>(&settings_.where);
    if (gpu == nullptr) return;
    try {
      r.inspect_there_seconds = time_inspections_there(a_, *gpu, wanted, settings_.inspections).median;
    } catch (const error& problem) {  // a second copy of the matrix may be too much where its product is not
      if (problem.code() != errc::out_of_memory) throw;
    }
  }

  void prepare_gather(contestant<V>& c) {
    c.gathered.emplace(c.ours->make_workspace());
    const plan<V>& ours = *c.ours;
    workspace& room = *c.gathered;
    if (on_gpu())
      c.gather = [&ours, &room, x = vectors_->device_x()](cuda_stream stream) {
        ours.gather(x, stream, room);
      };
    else
      c.gather = [&ours, &room, x = vectors_->x()](cuda_stream) { ours.gather(x, room); };
  }

  void prepare_peer(contestant<V>& c) {
    bench_result& r = c.result;
    attempt(c, [&] {
      need_memory(csr_bytes());
      bar_.show(r.format, 0);
      c.theirs.emplace(inspect_peer(r.format, a_, settings_.where));
      r.options = std::string(c.theirs->settings());
      r.inspect_seconds = c.theirs->inspect_seconds();
      if (c.theirs->bytes() > 0) r.bytes = r.streamed_bytes = c.theirs->bytes();
      check(c, *c.theirs);
    });
    if (r.status != bench_status::ok)
      note(fmt::format("{} {}: peer {}: {}", r.matrix.title(), r.value, r.format, r.reason));
  }

  template <class Product>
  void check(contestant<V>& c, const Product& product) {
    bar_.show("check", 0);
    if (!vectors_) vectors_.emplace(a_.rows, a_.cols, settings_.where);
    c.call = vectors_->call(product);
    check_call(c, *vectors_);
  }

  template <class Vectors>
  void check_call(contestant<V>& c, Vectors& vectors) {
    bar_.show("check", 0);
    vectors.poison();
    c.call({});
    bench_result& r = c.result;
    const host_buffer<V> stored = c.ours ? c.ours->stored_values(a_) : host_buffer<V>::borrow(a_.val);
    csr_view<V, O> multiplied = a_;
    multiplied.val = stored.span();
    const verification checked = verify<V, O>(multiplied, V{1}, vectors.x(), V{0}, {}, vectors.result());
    if (c.ours) r.rounding = c.ours->rounding();
    if (r.rounding)
      note(fmt::format("{} {} {}: {}", r.matrix.title(), r.value, r.format, rounding_text(*r.rounding)));
    r.error_ratio = checked.error_ratio;
    r.blind_rows = checked.blind_rows;
    if (checked.blind_rows > 0 && contestants_.size() == 1)
      note(fmt::format("{} {}: {}", r.matrix.title(), r.value, blind_rows_text(checked.blind_rows)));
    if (checked.right()) {
      if (on_gpu()) r.latency_seconds = call_latency(c.call, settings_.where);
      return;
    }
    r.status = bench_status::failed;
    r.reason = fmt::format("wrong in row {}: error ratio {:.3g}", checked.row + 1, checked.error_ratio);
  }

  void time_in(cache_state state) {
    std::vector<contestant<V>*> ready;
    std::vector<product_call> calls;
    for (contestant<V>& c : contestants_) {
      c.result.cache = state;
      c.samples.clear();
      if (!c.call) continue;
      ready.push_back(&c);
      calls.push_back(c.call);
    }
    std::vector<contestant<V>*> gathering;
    for (contestant<V>* c : ready) {
      if (!c->gather) continue;
      gathering.push_back(c);
      calls.push_back(c->gather);
    }
    bar_.show(name(state), 0);
    const interleaving how{.cache = state, .seconds = settings_.seconds, .flush_bytes = flush_bytes(state)};
    comparison timed;
    for (contestant<V>* c : ready) {
      // What fails here fails all of them: they run in turn.
      attempt(*c, [&] {
        if (c == ready.front()) timed = time_interleaved(calls, settings_.where, how);
        if (timed.seconds.empty())
          throw error(errc::device_error, "not timed: " + ready.front()->result.reason);
      });
    }
    if (timed.seconds.empty()) return;
    if (timed.exposed > 0)
      note(fmt::format("{} {} {}: {} samples in which the host's launching may show", blank_.matrix.title(),
                       blank_.value, name(state), timed.exposed));
    std::int64_t samples = 0;
    std::int64_t disturbed = 0;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      ready[i]->samples = std::move(timed.seconds[i]);
      ready[i]->result.seconds = summarise(ready[i]->samples);
      ready[i]->result.preempted = timed.preempted[i];
      samples += ready[i]->result.seconds.count;
      disturbed += timed.preempted[i];
    }
    for (std::size_t i = 0; i < gathering.size(); ++i)
      gathering[i]->result.gather_seconds = summarise(timed.seconds[ready.size() + i]).median;
    if (4 * disturbed > samples)
      note(fmt::format("{} {} {}: other programs took processors during {} of {} samples",
                       blank_.matrix.title(), blank_.value, name(state), disturbed, samples));
    compare(ready);
  }

  [[nodiscard]] std::int64_t flush_bytes(cache_state state) const {
    return state == cache_state::hot ? 0 : (on_gpu() ? 4 : 2) * settings_.llc_bytes;
  }

  void compare(const std::vector<contestant<V>*>& ready) {
    const contestant<V>* best_peer = nullptr;
    for (const contestant<V>* c : ready) {
      if (c->result.peer &&
          (best_peer == nullptr || c->result.seconds.median < best_peer->result.seconds.median))
        best_peer = c;
    }
    const contestant<V>* csr = plain_csr();
    for (contestant<V>* c : ready) {
      bench_result& r = c->result;
      r.vs_peers.clear();
      r.vs_best_peer.reset();
      r.break_even_multiplies.reset();
      for (const contestant<V>* peer : ready) {
        if (r.peer || !peer->result.peer) continue;
        r.vs_peers.push_back({peer->result.format, ratio_of(peer->samples, c->samples)});
        if (peer == best_peer) r.vs_best_peer = r.vs_peers.back();
      }
      r.vs_alone.clear();
      for (const contestant<V>* one : ready) {
        if (c->alone.empty() && !one->alone.empty() && one->result.answers == r.answers && !r.peer)
          r.vs_alone.push_back({one->alone, ratio_of(one->samples, c->samples)});
      }
      if (csr == nullptr || csr == c || csr->samples.empty()) continue;
      const double saved = csr->result.seconds.median - r.seconds.median;
      if (saved > 0)
        r.break_even_multiplies = std::max(0.0, (r.inspect_seconds - csr->result.inspect_seconds) / saved);
    }
  }

  csr_view<V, O> a_;
  const bench_settings& settings_;
  progress_bar& bar_;
  row_statistics statistics_;
  bench_result blank_;
  std::size_t asking_ = 0;  // which of formats and peers is being prepared
  std::optional<product_vectors<V>> vectors_;
  std::deque<contestant<V>> contestants_;  // calls refer to what stands in it
};

}  // namespace

template <value V, offset O>
std::vector<bench_result> measure(const bench_member& member, const csr_view<V, O>& a,
                                  const bench_settings& settings, double copy_gbs, progress_bar& bar) {
  member_timing<V, O> all(member, a, settings, copy_gbs, bar);
  all.invite_all();
  return all.time_all();
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
