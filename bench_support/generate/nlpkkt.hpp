// SPDX-License-Identifier: BSD-3-Clause
// The optimality system of a control problem on a cube: SuiteSparse's nlpkkt80 ... nlpkkt240.
#pragma once

#include <algorithm>
#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// [D A'; A 0] with a diagonal D over n^3 states and 6 n^2 controls, one a boundary face's node, and n^3
/// constraints: each couples the 27 states around it and, at a face, the 9 controls next to it. The
/// collection's sizes follow: 2 n^3 + 6 n^2 rows and n^3 + 6 n^2 + 2 ((3n - 2)^3 + 6 (3n - 2)^2) entries.
class nlpkkt final : public pattern {
 public:
  static constexpr std::string_view name = "nlpkkt";
  static constexpr std::string_view help =
      "the optimality system of a problem on n x n x n nodes with controls on its six faces";
  static constexpr std::array<generator_parameter, 1> parameters{{
      {"n", "", "nodes along an edge"},
  }};

  explicit nlpkkt(const arguments& given) : nlpkkt(given, given.whole("n", 1, 1000)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    if (row < states_) return 1 + box(place_of(row));
    if (row < states_ + 6 * face_) {
      const std::int64_t at = (row - states_) % face_;
      return 1 + near(at % n_) * near(at / n_);
    }
    const place p = place_of(row - states_ - 6 * face_);
    std::int64_t length = box(p);
    for (int side = 0; side < 6; ++side) {
      if (touches(p, side)) length += near(across(p, side, 0)) * near(across(p, side, 1));
    }
    return length;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::int32_t* out = columns.data();
    const std::int64_t constraints = states_ + 6 * face_;
    if (row < states_) {
      *out++ = static_cast<std::int32_t>(row);
      write_box(place_of(row), constraints, out);
    } else if (row < constraints) {
      *out++ = static_cast<std::int32_t>(row);
      const std::int64_t side = (row - states_) / face_;
      const std::int64_t at = (row - states_) % face_;
      write_square(at % n_, at / n_, [&](std::int64_t u, std::int64_t v) {
        place p{};
        p[static_cast<std::size_t>(side / 2)] = side % 2 == 0 ? 0 : n_ - 1;
        p[side / 2 == 0 ? 1 : 0] = u;
        p[side / 2 == 2 ? 1 : 2] = v;
        *out++ = static_cast<std::int32_t>(constraints + p[0] + n_ * (p[1] + n_ * p[2]));
      });
    } else {
      const place p = place_of(row - constraints);
      write_box(p, 0, out);
      for (int side = 0; side < 6; ++side) {
        if (!touches(p, side)) continue;
        write_square(across(p, side, 0), across(p, side, 1), [&](std::int64_t u, std::int64_t v) {
          *out++ = static_cast<std::int32_t>(states_ + side * face_ + v * n_ + u);
        });
      }
    }
  }

 private:
  using place = std::array<std::int64_t, 3>;

  static std::int64_t size_of(const arguments& given, std::int64_t n) {
    given.check_dimension("2 n^3 + 6 n^2", 2 * n * n * n + 6 * n * n);
    return 2 * n * n * n + 6 * n * n;
  }
  nlpkkt(const arguments& given, std::int64_t n)
      : pattern{size_of(given, n), size_of(given, n)}, n_(n), face_(n * n), states_(n * n * n) {}

  [[nodiscard]] place place_of(std::int64_t node) const { return {node % n_, node / n_ % n_, node / face_}; }
  /// Neighbours along a line, the node itself included.
  [[nodiscard]] std::int64_t near(std::int64_t at) const { return 1 + (at > 0) + (at + 1 < n_); }
  [[nodiscard]] std::int64_t box(const place& p) const { return near(p[0]) * near(p[1]) * near(p[2]); }
  [[nodiscard]] bool touches(const place& p, int side) const {
    return p[static_cast<std::size_t>(side / 2)] == (side % 2 == 0 ? 0 : n_ - 1);
  }
  /// The place on a face: its two directions are those that the face is not across, x before y before z.
  [[nodiscard]] static std::int64_t across(const place& p, int side, int which) {
    return which == 0 ? p[side / 2 == 0 ? 1 : 0] : p[side / 2 == 2 ? 1 : 2];
  }

  template <class Write>
  void write_square(std::int64_t u, std::int64_t v, Write&& write) const {
    for (std::int64_t b = std::max<std::int64_t>(v - 1, 0); b <= std::min(v + 1, n_ - 1); ++b) {
      for (std::int64_t a = std::max<std::int64_t>(u - 1, 0); a <= std::min(u + 1, n_ - 1); ++a) write(a, b);
    }
  }
  void write_box(const place& p, std::int64_t first, std::int32_t*& out) const {
    for (std::int64_t z = std::max<std::int64_t>(p[2] - 1, 0); z <= std::min(p[2] + 1, n_ - 1); ++z)
      write_square(p[0], p[1], [&](std::int64_t x, std::int64_t y) {
        *out++ = static_cast<std::int32_t>(first + x + n_ * (y + n_ * z));
      });
  }

  std::int64_t n_;
  std::int64_t face_;
  std::int64_t states_;
};

}  // namespace gossamer::bench_support::generation
