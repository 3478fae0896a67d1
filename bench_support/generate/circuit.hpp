// SPDX-License-Identifier: BSD-3-Clause
// Circuits: short rows, mostly near the diagonal, and a few nets that nearly everything is connected with.
#pragma once

#include <array>
#include <vector>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// Nets are rows and columns of the same numbers. A row that is no net has its diagonal, entries within
/// `band` of it, some anywhere else, and one in a net's column with the chance heavy / rows.
class circuit final : public pattern {
 public:
  static constexpr std::string_view name = "circuit";
  static constexpr std::string_view help =
      "short rows near the diagonal with some entries far away, and a few huge rows and columns";
  static constexpr std::array<generator_parameter, 6> parameters{{
      {"rows", "", "number of rows and columns"},
      {"per_row", "6", "entries in other rows, nets' columns not counted: from half to one and a half of it"},
      {"band", "16", "entries near the diagonal are at most so far from it"},
      {"far", "0.1", "the share of entries anywhere else, 0 to 1"},
      {"nets", "4", "huge rows, and huge columns"},
      {"heavy", "auto", "entries in each huge row, and about as many in each huge column; auto: rows / 5"},
  }};

  explicit circuit(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  struct row_shape {
    std::int64_t near, far;   ///< entries
    std::int64_t low, width;  ///< the window that the near ones lie in
  };
  [[nodiscard]] row_shape shape_of(std::int64_t row) const;
  [[nodiscard]] bool is_net(std::int64_t row) const;
  [[nodiscard]] bool meets(std::int64_t row, std::int64_t net, const row_shape& shape) const;

  std::int64_t per_row_;
  std::int64_t band_;
  std::int64_t heavy_ = 0;
  std::uint64_t far_;  ///< times 2^32
  std::uint64_t key_;
  std::uint64_t choice_;
  std::vector<std::int64_t> nets_;  ///< ascending
};

}  // namespace gossamer::bench_support::generation
