// SPDX-License-Identifier: BSD-3-Clause
// The table on stdout and the document on disk.
#include "bench_record.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "commit.hpp"
#include "output.hpp"

namespace gossamer::cli {
namespace {

bool is_pipe_or_device(const std::string& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

bench_record::bench_record(const bench_machine& machine, std::string file, std::size_t matrix_width)
    : file_(std::move(file)),
      regular_(!file_.empty() && !is_pipe_or_device(file_)),
      table_(bench_table(matrix_width)),
      document_({{"schema", 1},
                 {"commit", commit()},
                 {"machine", to_json(machine)},
                 {"results", nlohmann::ordered_json::array()}}) {
  print(table_.head());
  flush_output();
}

void bench_record::add(const bench_result& result) {
  any_failed_ = any_failed_ || result.status == bench_status::failed;
  print(table_.row(cells(result)));
  flush_output();
  document_["results"].push_back(to_json(result));
  if (regular_) write_text_file(file_, to_line(document_));
}

void bench_record::finish() const {
  if (!file_.empty()) write_text_file(file_, to_line(document_));
}

}  // namespace gossamer::cli
