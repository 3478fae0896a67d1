// SPDX-License-Identifier: BSD-3-Clause
// Products that go backwards: in which pieces, over which shares, and by whose word.
#include "exec/cpu/sweep_direction.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "gossamer/error.hpp"
#include "support/variable.hpp"

namespace {

namespace exec = gossamer::exec;
using enum exec::sweep_rule;
using gossamer::testing_support::variable;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

std::vector<std::int64_t> units_of(gossamer::core::range units, std::int64_t piece) {
  std::vector<std::int64_t> all;
  exec::sweep(units, piece, [&](gossamer::core::range part) {
    EXPECT_LT(part.begin, part.end);
    for (std::int64_t u = part.begin; u < part.end; ++u) all.push_back(u);
  });
  return all;
}

TEST(sweep, takes_pieces_from_the_last_to_the_first) {
  EXPECT_THAT(units_of({3, 8}, 2), ElementsAre(6, 7, 4, 5, 3));
  EXPECT_THAT(units_of({3, 8}, 1), ElementsAre(7, 6, 5, 4, 3));
  EXPECT_THAT(units_of({3, 8}, 9), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_THAT(units_of({3, 8}, 0), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_THAT(units_of({3, 3}, 2), IsEmpty());
}

TEST(backward_chunk, is_of_shares_that_are_somewhat_more_than_a_core_holds) {
  constexpr std::int64_t cache = 2 * mib;
  const auto piece = [](std::int64_t bytes, int threads) {
    return exec::backward_chunk(bytes, 1000, 1, threads, cache, by_size);
  };
  EXPECT_EQ(piece(2 * mib - 2, 2), 0) << "two shares that fit";
  EXPECT_GT(piece(2 * mib, 2), 0);
  EXPECT_GT(piece(32 * mib, 2), 0);
  EXPECT_EQ(piece(32 * mib + 2, 2), 0) << "two long shares";
  EXPECT_GT(piece(32 * mib + 2, 3), 0);
}

TEST(backward_chunk, has_units_of_128_KiB_in_all_or_as_many_as_are_taken_together) {
  const auto piece = [](std::int64_t bytes, std::int64_t units, std::int64_t together = 1) {
    return exec::backward_chunk(bytes, units, together, 1, 2 * mib, by_size);
  };
  EXPECT_EQ(piece(4 * mib, 320), 10);
  EXPECT_EQ(piece(4 * mib, 7), 1);
  EXPECT_EQ(piece(4 * mib, 320, 4), 8);
  EXPECT_EQ(piece(4 * mib, 320, 16), 16);
  EXPECT_EQ(piece(4 * mib, 0), 0);
}

TEST(backward_chunk, is_a_part_of_each_share_where_products_alternate_whatever_their_size) {
  const auto piece = [](std::int64_t bytes, std::int64_t units, int threads) {
    return exec::backward_chunk(bytes, units, 1, threads, 2 * mib, alternating);
  };
  EXPECT_EQ(piece(64 * kib, 80, 1), 20);
  EXPECT_EQ(piece(64 * kib, 80, 5), 4);
  EXPECT_EQ(piece(64 * kib, 7, 2), 1);
  EXPECT_EQ(piece(0, 0, 2), 0);
  EXPECT_EQ(piece(0, 9, 2), 0);
  EXPECT_GT(piece(std::int64_t{1} << 40, 1 << 20, 2), 0);
}

TEST(backward_chunk, is_none_where_products_go_forwards) {
  EXPECT_EQ(exec::backward_chunk(8 * mib, 100, 1, 2, 2 * mib, forward), 0);
}

TEST(sweep_rule, obeys_GOSSAMER_SWEEPS) {
  const auto rule = [](const char* text) {
    const variable set("GOSSAMER_SWEEPS", text);
    return exec::detect_sweep_rule();
  };
  EXPECT_EQ(rule("forward"), forward);
  EXPECT_EQ(rule("alternating"), alternating);
  EXPECT_NE(rule("auto"), alternating) << "a processor is never known to gain for shares of any size";
  EXPECT_EQ(rule(""), rule("auto"));
  EXPECT_EQ(rule(nullptr), rule("auto"));
  try {
    rule("backward");
    FAIL() << "it took \"backward\"";
  } catch (const gossamer::error& e) {
    EXPECT_EQ(e.code(), gossamer::errc::invalid_argument);
    EXPECT_STREQ(e.what(), "GOSSAMER_SWEEPS = \"backward\" is not one of auto, forward, alternating");
  }
}

}  // namespace
