// SPDX-License-Identifier: BSD-3-Clause
// Shares of an array: together they are all of it but its ends, and none is behind it.
#include "exec/cuda/block_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace gossamer::exec {
namespace {

const void* at(std::uint64_t address) {
  return reinterpret_cast<const void*>(address);
}

/// Bytes that the blocks have together; each share begins where the one before it ends.
std::uint64_t covered(const block_partition& s, unsigned blocks) {
  std::uint64_t sum = 0;
  for (unsigned b = 0; b < blocks; ++b) {
    const std::uint64_t first = std::uint64_t{s.each} * b;
    if (first < s.bytes) sum += std::min<std::uint64_t>(s.each, s.bytes - first);
  }
  return sum;
}

TEST(block_partition, are_all_of_an_array_together) {
  for (const unsigned blocks : {1u, 2u, 3u, 7u, 1000u}) {
    for (const std::int64_t size : {16, 32, 48, 4096, 4112, 1'000'000}) {
      SCOPED_TRACE(testing::Message() << size << " bytes, " << blocks << " blocks");
      const block_partition s = block_partition::of(at(0x1000), size, blocks);
      EXPECT_EQ(s.from, 0x1000u);
      EXPECT_EQ(s.each % block_partition::piece, 0u);
      EXPECT_EQ(s.bytes, static_cast<std::uint64_t>(size) / block_partition::piece * block_partition::piece);
      EXPECT_EQ(covered(s, blocks), s.bytes);
    }
  }
}

TEST(block_partition, omits_partial_pieces) {
  const block_partition s = block_partition::of(at(0x1008), 56, 2);  // 0x1008 to 0x1040
  EXPECT_EQ(s.from, 0x1010u);
  EXPECT_EQ(s.bytes, 48u);
  EXPECT_EQ(s.each, 32u);
  EXPECT_EQ(block_partition::of(at(0x1008), 16, 2).bytes, 0u) << "no whole piece lies in it";
  EXPECT_EQ(block_partition::of(at(0x1008), 0, 2).bytes, 0u);
  EXPECT_EQ(block_partition::of(nullptr, 0, 1).bytes, 0u);
}

TEST(block_partition, are_none_where_one_would_be_too_large) {
  const std::int64_t most = (std::int64_t{1} << 32) - 16;
  EXPECT_EQ(block_partition::of(at(0x1000), most, 1).each, static_cast<std::uint32_t>(most));
  EXPECT_EQ(block_partition::of(at(0x1000), most + 16, 1).bytes, 0u);
  EXPECT_EQ(block_partition::of(at(0x1000), most + 16, 2).bytes, static_cast<std::uint64_t>(most) + 16);
}

}  // namespace
}  // namespace gossamer::exec
