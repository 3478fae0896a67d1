// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/oracle/columns.hpp"

#include <vector>

#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"

namespace gossamer::bench_support {

template <value V, offset O>
verification verify_columns(const csr_view<V, O>& a, std::int64_t columns, layout order, V alpha,
                            std::span<const V> x, V beta, std::span<const V> y, std::span<const V> got,
                            bool flushes) {
  return naming_out_of_memory("verify_columns", [&] {
    const bool by_columns = order == layout::column_major;
    const auto column_of = [&](std::span<const V> all, std::int64_t j) {
      std::vector<V> column(all.size() / static_cast<std::size_t>(columns));
      const std::size_t first = static_cast<std::size_t>(j) * (by_columns ? column.size() : 1);
      const std::size_t step = by_columns ? 1 : static_cast<std::size_t>(columns);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = all[first + i * step];
      return column;
    };
    verification worst;
    for (std::int64_t j = 0; j < columns; ++j) {
      verification each =
          verify<V, O>(a, alpha, column_of(x, j), beta, column_of(y, j), column_of(got, j), flushes);
      each.column = j;
      if (j == 0 || each.error_ratio > worst.error_ratio) worst = each;
    }
    return worst;
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                            \
  template verification verify_columns(const csr_view<V, O>&, std::int64_t, layout, V, std::span<const V>, \
                                       V, std::span<const V>, std::span<const V>, bool);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
