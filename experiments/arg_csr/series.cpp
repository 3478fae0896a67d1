// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/arg_csr/series.hpp"

#include <fmt/format.h>

namespace gossamer::experiments::arg_csr {

experiment of_formats(std::string_view name, std::string_view figure, std::string_view shows) {
  return {.name = fmt::format("arg_csr/{}", name),
          .source = fmt::format("paper 003, {}", figure),
          .shows = std::string(shows),
          .value = "f64",
          .matrices = {"@gallery"},
          .every_file = true,
          .all_series =
              {// The paper's results are of desired chunk size 1.
               {.label = "ARG-CSR", .format = "arg_csr", .options = {{"desired_chunk_size", "1"}}},
               {.label = "ARG-CSR, auto", .format = "arg_csr"},
               {.label = "HYB", .format = "hyb"},
               {.label = "row-grouped CSR", .format = "row_grouped_csr"},
               // Slices of a warp, in the order of the matrix.
               {.label = "sliced ELLPACK",
                .format = "sliced_ell",
                .options = {{"slice_rows", "32"}, {"sort_window", "1"}}},
               {.label = "cuSPARSE CSR", .peer = "cusparse_csr_alg1"},
               {.label = "cuSPARSE ALG2", .peer = "cusparse_csr_alg2", .drawn = false},
               {.label = "cuSPARSE CSR, faster", .fastest_of = {"cuSPARSE CSR", "cuSPARSE ALG2"}}},
          .compared = comparison::none,
          .subject = {},
          .orders = {},
          .report = speed_ups,
          .draw = speed_up_curves};
}

}  // namespace gossamer::experiments::arg_csr
