// SPDX-License-Identifier: BSD-3-Clause
// The costs of sorting and cutting in docs/notes/brc.md and brc-widths.md, counted from the arrays of
// stand-ins.
#include <gtest/gtest.h>

#include <set>

#include "bench_support/generate/generate.hpp"
#include "formats/brc/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/stored_arrays.hpp"

namespace gossamer::testing_support {
namespace {

using testing_support::on_cuda;

using formats::brc;
using formats::brc_accumulate;
using formats::brc_widths;
using formats::published_number;
using matrix = csr_matrix<double, std::int64_t>;

constexpr std::int64_t lanes = 32;

auto built(const matrix& a, brc::options o) {
  o.block_rows = lanes;
  return brc::build(a.view(), brc::resolve(o, measure_rows(a.view()), on_cuda), on_cuda);
}

struct sectors {
  double of_x = 0;  ///< for each nonzero
  double of_y = 0;  ///< for each item: a row, or a segment of one that is cut
};

/// Distinct sectors of 32 bytes that each block refers to, added up.
template <class Stored>
sectors count_sectors(const Stored& s) {
  constexpr std::int64_t of_sector = 32 / sizeof(double);
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t items = 0;
  for (std::int64_t b = 0; b < s.meta.filled_blocks; ++b) {
    const auto block = static_cast<std::size_t>(b);
    std::set<std::int64_t> of_x;
    for (auto k = s.block_offset[block]; k < s.block_offset[block + 1]; ++k)
      if (const std::int32_t col = s.col[static_cast<std::size_t>(k)]; col >= 0) of_x.insert(col / of_sector);
    std::set<std::int64_t> of_y;
    for (std::int64_t r = b * lanes; r < (b + 1) * lanes; ++r)
      if (const std::int32_t row = s.row_perm[static_cast<std::size_t>(r)]; row >= 0) {
        of_y.insert(row / of_sector);
        ++items;
      }
    x += static_cast<std::int64_t>(of_x.size());
    y += static_cast<std::int64_t>(of_y.size());
  }
  return {.of_x = static_cast<double>(x) / static_cast<double>(s.meta.nnz),
          .of_y = static_cast<double>(y) / static_cast<double>(items)};
}

struct sorting_cost {
  const char* matrix;
  double x[3], y[3], slots[3];  ///< sorted within 1 row, 1024 rows, all
};

constexpr sorting_cost printed_costs[] = {
    {"like(cant)", {0.0285, 0.0439, 0.0450}, {0.25, 0.25, 0.27}, {1.153, 1.015, 1.0003}},
    {"like(consph)", {0.0300, 0.0372, 0.0384}, {0.25, 0.25, 0.28}, {1.121, 1.015, 1.0002}},
    {"like(cop20k_A)", {0.150, 0.216, 0.225}, {0.25, 0.25, 0.27}, {1.646, 1.064, 1.0006}},
    {"like(mac_econ_fwd500)", {0.173, 0.400, 0.407}, {0.31, 0.82, 0.82}, {1.778, 1.066, 1.0008}},
    {"like(mc2depi)", {0.207, 0.209, 0.208}, {0.25, 0.27, 0.27}, {1.001, 1.001, 1.0000}},
    {"like(rma10)", {0.0351, 0.0427, 0.0442}, {0.25, 0.26, 0.27}, {1.350, 1.044, 1.0014}},
    {"like(scircuit)", {0.181, 0.342, 0.353}, {0.28, 0.68, 0.68}, {1.837, 1.068, 1.002}},
    {"like(webbase-1M)", {0.240, 0.372, 0.388}, {0.26, 0.47, 0.47}, {4.064, 1.191, 1.004}},
};

TEST(brc_counts, of_sorting) {
  for (const sorting_cost& printed : printed_costs) {
    const auto a = bench_support::generate<double>(printed.matrix);
    const std::int64_t windows[] = {1, 1024, a.rows};
    for (int w = 0; w < 3; ++w) {
      SCOPED_TRACE(testing::Message() << printed.matrix << ", sort_window " << windows[w]);
      // Atomic additions: a segment of a cut row writes that row too.
      const auto s = built(
          a,
          {.block_width = published_number, .sort_window = windows[w], .accumulate = brc_accumulate::atomic});
      const sectors found = count_sectors(s);
      EXPECT_NEAR(found.of_x, printed.x[w], printed.x[w] < 0.1 ? 0.00006 : 0.0006);
      EXPECT_NEAR(found.of_y, printed.y[w], 0.006);
      EXPECT_NEAR(static_cast<double>(s.meta.slots) / static_cast<double>(s.meta.nnz), printed.slots[w],
                  printed.slots[w] < 1.0015 ? 0.00006 : 0.0006);
    }
  }
}

struct cutting_cost {
  const char* matrix;
  brc_widths widths;
  std::int64_t width;
  std::int64_t blocks, cut_rows, segments, vertical;
  double slots;
};

constexpr cutting_cost printed_cuts[] = {
    {"like(scircuit)", brc_widths::fixed, 10, 5615, 6742, 15424, 36, 1.0018},
    {"like(scircuit)", brc_widths::by_position, 10, 5367, 722, 1444, 2, 1.0079},
    {"like(scircuit)", brc_widths::by_position, 1, 5718, 11962, 23924, 2, 1.0079},
    {"like(webbase-1M)", brc_widths::fixed, 28, 31838, 4674, 23481, 168, 1.0036},
    {"like(webbase-1M)", brc_widths::by_position, 28, 31334, 1716, 4399, 24, 1.0102},
    {"like(webbase-1M)", brc_widths::by_position, 1, 31454, 5526, 12019, 24, 1.0113},
    {"like(cop20k_A)", brc_widths::fixed, 36, 4235, 12021, 26344, 3, 1.0006},
    {"like(cop20k_A)", brc_widths::by_position, 36, 3864, 2429, 4858, 2, 1.0005},
    {"like(cop20k_A)", brc_widths::by_position, 1, 4307, 16604, 33208, 2, 1.0005},
    {"like(mac_econ_fwd500)", brc_widths::fixed, 10, 7122, 20512, 41899, 5, 1.0008},
    {"like(mac_econ_fwd500)", brc_widths::by_position, 10, 6473, 624, 1248, 2, 1.0005},
    {"like(mac_econ_fwd500)", brc_widths::by_position, 1, 6946, 15743, 31486, 2, 1.0005},
};

TEST(brc_counts, of_cutting) {
  for (const cutting_cost& printed : printed_cuts) {
    const auto a = bench_support::generate<double>(printed.matrix);
    SCOPED_TRACE(testing::Message() << printed.matrix << ", width " << printed.width << ", "
                                    << (printed.widths == brc_widths::fixed ? "fixed" : "by position"));
    const auto s = built(a, {.block_width = printed.width, .widths = printed.widths});
    EXPECT_EQ(s.meta.blocks, printed.blocks);
    EXPECT_EQ(static_cast<std::int64_t>(s.carries.row.size()), printed.cut_rows);
    EXPECT_EQ(s.meta.carries.slots, printed.segments);
    EXPECT_EQ(s.meta.carries.longest, printed.vertical);
    EXPECT_NEAR(static_cast<double>(s.meta.slots) / static_cast<double>(s.meta.nnz), printed.slots, 0.00006);
  }
}

}  // namespace
}  // namespace gossamer::testing_support
