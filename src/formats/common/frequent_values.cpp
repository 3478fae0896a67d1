// SPDX-License-Identifier: BSD-3-Clause
#include "formats/common/frequent_values.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>

#include "core/parallel.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class Bits>
struct counted {
  Bits bits;
  std::int64_t times;
};

/// Open addressing with room for so many different patterns, which stand one after another beside the slots:
/// to go through them costs nothing, and a free slot is seen without looking further.
template <class Bits>
class count_table {
 public:
  explicit count_table(std::size_t room) { empty(room); }

  /// As a new one, in the memory that it has.
  void empty(std::size_t room) {
    room_ = room;
    all_.clear();
    number_.assign(std::bit_ceil(2 * room + 2), 0);
  }

  /// False where the pattern is a new one and there is no room left.
  bool add(Bits bits, std::uint64_t hash, std::int64_t times = 1) {
    std::uint32_t& number = number_[slot_of(bits, hash)];
    if (number != 0) {
      all_[number - 1].times += times;
      return true;
    }
    if (all_.size() == room_) return false;
    all_.push_back({.bits = bits, .times = times});
    number = static_cast<std::uint32_t>(all_.size());
    return true;
  }

  [[nodiscard]] bool has(Bits bits, std::uint64_t hash) const { return number_[slot_of(bits, hash)] != 0; }

  [[nodiscard]] std::vector<counted<Bits>>& all() { return all_; }

 private:
  [[nodiscard]] std::size_t slot_of(Bits bits, std::uint64_t hash) const {
    std::size_t at = hash & (number_.size() - 1);
    while (number_[at] != 0 && all_[number_[at] - 1].bits != bits) at = (at + 1) & (number_.size() - 1);
    return at;
  }

  std::size_t room_ = 0;
  std::vector<std::uint32_t> number_;  ///< 1 + the place in all_, or 0
  std::vector<counted<Bits>> all_;
};

/// The first `most` by frequency.
template <class Bits>
void keep_most_frequent(std::vector<counted<Bits>>& all, std::size_t most) {
  const auto before = [](const counted<Bits>& a, const counted<Bits>& b) {
    return a.times != b.times ? a.times > b.times : a.bits < b.bits;
  };
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), before);
  all.resize(kept);
}

/// Counts in two steps. Each part of the values counts in a table small enough for a core's own cache; that
/// ends it where there are few different values. What finds no room there is scheduled dynamically by hash
/// into buckets, whose tables again fit in a cache.
template <value V>
class counting {
 public:
  using pattern = bits_of_value<V>;

  counting(const V* values, std::int64_t size)
      : values_(values),
        size_(size),
        parts_(std::clamp<std::int64_t>(size / values_of_a_part, 1, core::default_threads())),
        buckets_(std::clamp<std::int64_t>(size / values_of_a_bucket, 1, 1024)) {
    for (std::int64_t p = 0; p < parts_; ++p) {
      often_.emplace_back(different_in_a_part);
      place_.emplace_back(static_cast<std::size_t>(buckets_) + 1);
    }
  }

  std::vector<counted<pattern>> most_frequent(std::size_t most) {
    count_parts();
    parallel_for_dynamic();
    std::vector<std::vector<counted<pattern>>> found(static_cast<std::size_t>(buckets_));
    core::parallel_for(buckets_, 1, [&](std::int64_t begin, std::int64_t end) {
      count_table<pattern> table(0);
      for (std::int64_t b = begin; b < end; ++b) {
        count_bucket(static_cast<std::size_t>(b), table);
        keep_most_frequent(table.all(), most);
        found[static_cast<std::size_t>(b)] = table.all();
      }
    });
    std::vector<counted<pattern>> all;
    for (const auto& of_bucket : found) all.insert(all.end(), of_bucket.begin(), of_bucket.end());
    keep_most_frequent(all, most);
    return all;
  }

 private:
  static constexpr std::int64_t values_of_a_part = 1 << 16;
  static constexpr std::size_t different_in_a_part = 2048;
  static constexpr std::int64_t values_of_a_bucket = 1 << 13;

  /// Of the hash's high half; tables take its low bits.
  [[nodiscard]] std::size_t bucket_of(std::uint64_t hash) const {
    return (hash >> 32) * static_cast<std::uint64_t>(buckets_) >> 32;
  }

  /// body(p, values of part p).
  template <class Body>
  void for_each_part(Body&& body) {
    core::parallel_for(parts_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const core::range share = core::share(size_, static_cast<int>(p), static_cast<int>(parts_));
        body(static_cast<std::size_t>(p), std::span(values_ + share.begin, values_ + share.end));
      }
    });
  }

  void count_parts() {
    for_each_part([&](std::size_t p, std::span<const V> values) {
      for (const V each : values) {
        const auto bits = std::bit_cast<pattern>(each);
        const std::uint64_t hash = mixed(bits);
        if (!often_[p].add(bits, hash)) ++place_[p][bucket_of(hash)];
      }
    });
  }

  /// Into `rest_`, bucket by bucket. A part's table had no room for what it does not have now, since it only
  /// ever grew.
  void parallel_for_dynamic() {
    bucket_begin_.assign(static_cast<std::size_t>(buckets_) + 1, 0);
    std::int64_t at = 0;
    for (std::size_t b = 0; b < static_cast<std::size_t>(buckets_); ++b) {
      bucket_begin_[b] = at;
      for (auto& place : place_) {
        const std::int64_t here = place[b];
        place[b] = at;
        at += here;
      }
    }
    bucket_begin_.back() = at;
    rest_ = std::make_unique_for_overwrite<pattern[]>(static_cast<std::size_t>(at));
    if (at > 0)
      for_each_part([&](std::size_t p, std::span<const V> values) {
        for (const V each : values) {
          const auto bits = std::bit_cast<pattern>(each);
          const std::uint64_t hash = mixed(bits);
          if (!often_[p].has(bits, hash))
            rest_[static_cast<std::size_t>(place_[p][bucket_of(hash)]++)] = bits;
        }
      });
    kept_.resize(static_cast<std::size_t>(buckets_));
    for (auto& table : often_)
      for (const counted<pattern>& each : table.all()) kept_[bucket_of(mixed(each.bits))].push_back(each);
  }

  void count_bucket(std::size_t b, count_table<pattern>& table) const {
    const auto size = static_cast<std::size_t>(bucket_begin_[b + 1] - bucket_begin_[b]);
    table.empty(size + kept_[b].size());
    for (const counted<pattern>& each : kept_[b]) table.add(each.bits, mixed(each.bits), each.times);
    for (const pattern bits : std::span(rest_.get() + bucket_begin_[b], size)) table.add(bits, mixed(bits));
  }

  const V* values_;
  std::int64_t size_;
  std::int64_t parts_;
  std::int64_t buckets_;
  std::vector<count_table<pattern>> often_;          ///< parts
  std::vector<std::vector<std::int64_t>> place_;     ///< parts x buckets
  std::vector<std::int64_t> bucket_begin_;           ///< buckets + 1
  std::unique_ptr<pattern[]> rest_;                  ///< what has no place in its part's table
  std::vector<std::vector<counted<pattern>>> kept_;  ///< buckets: what the parts' tables hold
};

template <class Bits>
struct sample_counts {
  std::size_t different = 0;
  std::vector<Bits> frequent;  ///< `most` of them at most, in tabulate()'s order
  std::int64_t others = 0;     ///< finite samples that are none of these
};

/// Of the finite ones among so many values. Each thread counts the patterns of some hashes: it looks at all,
/// which are few, and no two have to agree.
template <value V>
sample_counts<bits_of_value<V>> count_sample(std::span<const V> values, std::int64_t samples,
                                             std::size_t most) {
  using pattern = bits_of_value<V>;
  constexpr std::int64_t min_units_per_thread = 2048;
  const auto size = static_cast<std::int64_t>(values.size());
  std::vector<pattern> sample(static_cast<std::size_t>(samples));
  core::parallel_for(samples, min_units_per_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      sample[static_cast<std::size_t>(k)] = std::bit_cast<pattern>(
          values[static_cast<std::size_t>(size > samples ? sampled_place(k, size) : k)]);
  });

  struct place {
    pattern bits;
    std::int64_t times;
    std::int64_t first;  ///< where it was met
  };
  const auto before = [](const place& a, const place& b) {
    return a.times != b.times ? a.times > b.times : a.first < b.first;
  };
  const auto keep_first = [&](std::vector<place>& some) {
    const std::size_t kept = std::min(most, some.size());
    std::partial_sort(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(kept), some.end(), before);
    some.resize(kept);
  };
  const auto buckets = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(samples / min_units_per_thread, 1, core::default_threads()))));
  std::vector<std::vector<place>> found(static_cast<std::size_t>(buckets));
  std::vector<std::size_t> different(static_cast<std::size_t>(buckets));
  std::vector<std::int64_t> finite(static_cast<std::size_t>(buckets));
  core::parallel_for(buckets, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      std::vector<std::int64_t> mine;
      for (std::int64_t k = 0; k < samples; ++k) {
        const pattern bits = sample[static_cast<std::size_t>(k)];
        // Of the hash's upper half: tables take the low bits.
        const auto bucket =
            static_cast<std::int64_t>(mixed(bits) >> 32 & static_cast<std::uint64_t>(buckets - 1));
        if (bucket == b && std::isfinite(std::bit_cast<V>(bits))) mine.push_back(k);
      }
      count_table<pattern> counts(mine.size());
      std::vector<std::int64_t> first;
      for (const std::int64_t k : mine) {
        const pattern bits = sample[static_cast<std::size_t>(k)];
        counts.add(bits, mixed(bits));
        if (counts.all().size() > first.size()) first.push_back(k);
      }
      std::vector<place>& here = found[static_cast<std::size_t>(b)];
      for (std::size_t i = 0; i < first.size(); ++i)
        here.push_back({.bits = counts.all()[i].bits, .times = counts.all()[i].times, .first = first[i]});
      different[static_cast<std::size_t>(b)] = here.size();
      finite[static_cast<std::size_t>(b)] = static_cast<std::int64_t>(mine.size());
      keep_first(here);
    }
  });
  std::vector<place> all;
  for (const std::vector<place>& here : found) all.insert(all.end(), here.begin(), here.end());
  keep_first(all);
  sample_counts<pattern> counts;
  for (const std::size_t n : different) counts.different += n;
  for (const std::int64_t n : finite) counts.others += n;
  for (const place& each : all) {
    counts.frequent.push_back(each.bits);
    counts.others -= each.times;
  }
  return counts;
}

}  // namespace

template <value V>
std::vector<V> frequent_values(std::span<const V> values, std::size_t most) {
  counting<V> counts(values.data(), static_cast<std::int64_t>(values.size()));
  std::vector<V> frequent;
  for (const auto& each : counts.most_frequent(most)) frequent.push_back(std::bit_cast<V>(each.bits));
  return frequent;
}

template <value V>
value_table<V> tabulate(std::span<const V> values, std::size_t most) {
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t samples = std::min(size, sampled_values);
  const sample_counts<bits_of_value<V>> found = count_sample(values, samples, most);
  const bool fit = found.different <= most;
  value_table<V> table;
  for (const bits_of_value<V> bits : found.frequent) table.values.push_back(std::bit_cast<V>(bits));
  if (!fit || size == samples) {
    table.holds_all = fit;
    return table;
  }
  const value_index<V> index(table.values);
  const std::size_t room = most - table.values.size();
  std::set<bits_of_value<V>> missed;
  std::mutex alone;
  std::atomic<bool> too_many = false;
  core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    std::set<bits_of_value<V>> here;
    for (std::int64_t k = begin; k < end && !too_many; ++k) {
      const V v = values[static_cast<std::size_t>(k)];
      if (index.find(v) >= 0 || !std::isfinite(v)) continue;
      here.insert(std::bit_cast<bits_of_value<V>>(v));
      if (here.size() > room) too_many = true;
    }
    const std::lock_guard lock(alone);
    missed.merge(here);
  });
  table.holds_all = !too_many && missed.size() <= room;
  if (table.holds_all)
    for (const bits_of_value<V> bits : missed) table.values.push_back(std::bit_cast<V>(bits));
  return table;
}

template <value V>
double most_in_table(std::span<const V> values, std::size_t most) {
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t samples = std::min(size, sampled_values);
  if (samples == 0) return 1;
  const double others =
      static_cast<double>(count_sample(values, samples, most).others) / static_cast<double>(samples);
  // The true part is further from the sample's by chance: 0.0083 is three standard deviations at most.
  return size > samples ? std::min(1.0, 1.01 - others) : 1 - others;
}

template <value V>
std::uint64_t different_values(std::span<const V> values, std::size_t most) {
  constexpr std::int64_t looked_at = 1024;
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t samples = std::min(size, looked_at);
  std::vector<bits_of_value<V>> seen;
  for (std::int64_t k = 0; k < samples && seen.size() <= most; ++k) {
    const V v = values[static_cast<std::size_t>(sampled_place(k, size, samples))];
    const auto bits = std::bit_cast<bits_of_value<V>>(v);
    if (std::isfinite(v) && std::find(seen.begin(), seen.end(), bits) == seen.end()) seen.push_back(bits);
  }
  return seen.size();
}

template std::uint64_t different_values(std::span<const float>, std::size_t);
template std::uint64_t different_values(std::span<const double>, std::size_t);
template double most_in_table(std::span<const float>, std::size_t);
template double most_in_table(std::span<const double>, std::size_t);
template value_table<float> tabulate(std::span<const float>, std::size_t);
template value_table<double> tabulate(std::span<const double>, std::size_t);
template std::vector<float> frequent_values(std::span<const float>, std::size_t);
template std::vector<double> frequent_values(std::span<const double>, std::size_t);

}  // namespace gossamer::inline v0::formats
