// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "experiments/all_experiments.hpp"
#include "experiments/conclude.hpp"

namespace gossamer::experiments::arg_csr {

experiment block() {
  experiment e{.name = "arg_csr/block",
               .source = "paper 003, section 5",
               .shows = "ARG-CSR with 64, 128 and 256 threads a block",
               .value = "f64",
               .matrices = {"@gallery", "@csr_m"},
               .every_file = true,
               .compared = comparison::of_subject,
               .subject = "128 threads",
               .report = speed_ups,
               .draw = speed_up_curves};
  for (const char* threads : {"64", "128", "256"})
    e.all_series.push_back({.label = fmt::format("{} threads", threads),
                            .format = "arg_csr",
                            .options = {{"desired_chunk_size", "1"}, {"block", threads}}});
  return e;
}

}  // namespace gossamer::experiments::arg_csr
