// SPDX-License-Identifier: BSD-3-Clause
// Short rows of a chunk on one core: first the products of many entries by whole vectors, whatever their
// rows, then the rows from a buffer. A row of four entries alone leaves half of a gather's lanes empty, and
// its loads wait for where it ends.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

/// Rows with fewer entries in the mean of a chunk.
constexpr std::int64_t mean_of_short_rows = 8;

/// Products of neighbouring entries of a chunk. On the stack:
/// NOLINTBEGIN(clang-analyzer-optin.performance.Padding)
template <class V>
class product_buffer {
 public:
  /// Whether those of [begin, end) are there, made if need be; not where they are too many. `begin` never
  /// falls.
  template <class Entries>
  [[nodiscard, gnu::always_inline]] bool hold(const Entries& all, std::int64_t begin, std::int64_t end) {
    if (end <= made_) return true;
    if (end - begin > most - vec<V>::lanes) return false;
    make(all, begin);
    return true;
  }
  /// Lanes whose sum is that of `length` products from `begin` on, which are there. The order of additions
  /// depends on `length` alone.
  [[nodiscard, gnu::always_inline]] short_vec<V> row_lanes(std::int64_t begin, std::int64_t length) const {
    using few = short_vec<V>;
    constexpr int width = few::lanes;
    const V* const product = product_ + (begin - from_);
    few sum = few::load_first_of_more(product, static_cast<int>(std::min<std::int64_t>(length, width)));
    for (std::int64_t k = width; k < length; k += width)
      sum = few::add(sum, few::load_first_of_more(
                              product + k, static_cast<int>(std::min<std::int64_t>(length - k, width))));
    return sum;
  }

 private:
  static constexpr std::int64_t most = 512;

  /// Keeps what is there from `begin` on.
  template <class Entries>
  void make(const Entries& all, std::int64_t begin) {
    using lanes = vec<V>;
    constexpr std::int64_t width = lanes::lanes;
    std::int64_t k = std::max(begin, made_);
    if (made_ > begin) std::copy(product_ + (begin - from_), product_ + (made_ - from_), product_);
    from_ = begin;
    const std::int64_t end = std::min(all.size, begin + most);
    for (; end - k >= 2 * width; k += 2 * width) {
      all.prefetch_entries(k, 2 * width);
      all.template prefetch_x_of<2 * width>(k);
      V* const to = product_ + (k - begin);
      all.template multiply<lanes>(k).store(to);
      all.template multiply<lanes>(k + width).store(to + width);
    }
    for (; end - k >= width; k += width) all.template multiply<lanes>(k).store(product_ + (k - begin));
    if (end == all.size && k < end) {
      all.template multiply_first<lanes>(k, static_cast<int>(end - k)).store(product_ + (k - begin));
      k = end;
    }
    made_ = k;
  }

  std::int64_t from_ = 0;
  std::int64_t made_ = 0;
  alignas(64) V product_[most + vec<V>::lanes];
};
// NOLINTEND(clang-analyzer-optin.performance.Padding)

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
