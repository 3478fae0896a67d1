// SPDX-License-Identifier: BSD-3-Clause
// A row of an experiment's record: what became of one series of a matrix.
#pragma once

#include <nlohmann/json.hpp>

#include <string_view>

#include "bench/members.hpp"
#include "experiment/outcome.hpp"
#include "experiment/settings.hpp"

namespace gossamer::cli {

const char* name_of(experiments::portion of);

/// The members that all rows of a matrix share.
nlohmann::ordered_json matrix_part(const bench_member& member, const row_statistics& statistics,
                                   std::string_view value);

/// `subject`: the series that the experiment is about; null where it is not among them.
nlohmann::ordered_json row_of(const nlohmann::ordered_json& matrix, const experiments::experiment& e,
                              const outcome& each, const outcome* subject, const meeting& place,
                              const meeting_results& at);

}  // namespace gossamer::cli
