// SPDX-License-Identifier: BSD-3-Clause
// bcoo: its arrays, where chunks cut rows, and what is refused before anything is allocated.
#include <gmock/gmock.h>

#include "bench_support/generate/generate.hpp"
#include "formats/papers/bcoo/format.hpp"
#include "support/stored_arrays.hpp"

namespace gossamer::formats {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;

/// Rows of 0, 2, 7, 0, 1 and 0 entries.
struct sample {
  std::vector<std::int32_t> row_ptr{0, 0, 2, 9, 9, 10, 10};
  std::vector<std::int32_t> col{1, 3, 2, 4, 0, 1, 2, 4, 5, 3};
  std::vector<double> val{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  [[nodiscard]] csr_view<double, std::int32_t> view() const {
    return {.rows = 6, .cols = 6, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

/// 0 0 0 1 | 2 2 2 | 2 2 2 | 4 with chunks of three: row 2 is in three of them.
TEST(bcoo, arrays_of_a_small_matrix) {
  const sample a;
  const auto s = bcoo::build(a.view(), {.chunk = 3}, on_cpu);
  EXPECT_EQ(s.meta.chunks, 4);
  EXPECT_THAT(list(s.row), ElementsAre(1, 1, 2, 2, 2, 2, 2, 2, 2, 4));
  EXPECT_EQ(s.col.data(), a.col.data());
  EXPECT_EQ(s.val.data(), a.val.data());
  EXPECT_THAT(list(s.carries.row), ElementsAre(2));
  EXPECT_THAT(list(s.carries.first), ElementsAre(1));
  EXPECT_THAT(list(s.carries.last), ElementsAre(5));
  EXPECT_THAT(list(s.carries.run_at_cut), ElementsAre(-1, 0, 0, -1, -1));
  EXPECT_EQ(s.meta.carries.slots, 8);
  const footprint f = bcoo::measure(a.view(), measure_rows(a.view()), {.chunk = 3}, on_cpu);
  EXPECT_EQ(f.bytes, 10 * 16 + 20 + 5 * 4);
  EXPECT_TRUE(f.exact);
}

TEST(bcoo, a_chunk_may_end_where_a_row_does) {
  const sample a;
  EXPECT_EQ(bcoo::build(a.view(), {.chunk = 9}, on_cpu).carries.row.size(), 0u);
  EXPECT_THAT(list(bcoo::build(a.view(), {.chunk = 2}, on_cpu).carries.run_at_cut),
              ElementsAre(-1, -1, 0, 0, 0, -1));
  EXPECT_EQ(bcoo::build(a.view(), {.chunk = 10}, on_cpu).meta.chunks, 1);
  EXPECT_EQ(bcoo::build(a.view(), {.chunk = 1024}, on_cpu).meta.carries.slots, 0);
}

TEST(bcoo, the_default_is_the_papers_chunk) {
  EXPECT_EQ(bcoo::options{}.chunk, 1024);
  const auto a = bench_support::generate<double>("heavy_row(rows=100,cols=9000,per_row=5,heavy=8000)");
  EXPECT_EQ(bcoo::build(a.view(), {}, on_cpu).meta.chunks, (a.nnz() + 1023) / 1024);
}

/// Atomic additions need no lists. A second kernel adds what is in the slots.
TEST(bcoo, arrays_of_a_small_matrix_for_a_gpu) {
  const sample a;
  const auto ordered = bcoo::build(a.view(), {.chunk = 3}, on_cuda);
  EXPECT_THAT(list(ordered.carries.run_at_cut), ElementsAre(-1, 0, 0, -1, -1));
  EXPECT_TRUE(ordered.meta.carries.apart);
  EXPECT_FALSE(ordered.meta.device.adds);
  const bcoo::options atomic{.chunk = 3, .accumulate = chunk_accumulate::atomic};
  const auto added = bcoo::build(a.view(), atomic, on_cuda);
  EXPECT_EQ(added.meta.carries.slots, 0);
  EXPECT_TRUE(added.meta.device.adds);
  EXPECT_EQ(bcoo::measure(a.view(), measure_rows(a.view()), atomic, on_cuda).bytes, 10 * 16);
  EXPECT_EQ(ordered.meta.device.entries_per_thread, 8);
  for (const int entries : {2, 4, 8})
    EXPECT_EQ(bcoo::resolve({.entries_per_thread = entries}, {}, on_cuda).entries_per_thread, entries);
  for (const int entries : {3, 5, 6, 7})
    EXPECT_THROW(bcoo::resolve({.entries_per_thread = entries}, {}, on_cuda), error) << entries;
}

/// The offsets of a matrix that nobody has the memory for; measure() looks at nothing else.
TEST(bcoo, refuses_more_chunks_than_can_be_numbered) {
  const std::vector<std::int64_t> row_ptr{0, std::int64_t{3} << 30};
  const csr_view<float, std::int64_t> a{.rows = 1, .cols = 9, .row_ptr = row_ptr, .col = {}, .val = {}};
  const row_statistics s{.rows = 1, .cols = 9, .nnz = std::int64_t{3} << 30};
  const footprint refused = bcoo::measure(a, s, {.chunk = 1}, on_cpu);
  EXPECT_THAT(refused.refusal, HasSubstr("3221225472 chunks of 1; there may be 2147483647"));
  EXPECT_GE(refused.bytes, s.nnz * 12);
}

}  // namespace
}  // namespace gossamer::formats
