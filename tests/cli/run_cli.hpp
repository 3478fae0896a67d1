// SPDX-License-Identifier: BSD-3-Clause
// Runs the program and catches what it writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gossamer::test {

struct outcome {
  int status = -1;  ///< exit status; 128 + the signal's number where a signal ended it
  std::string out;
  std::string err;
};

struct run_settings {
  std::vector<std::string> environment;  ///< "NAME=value", beside this process's own
  std::string out_file;                  ///< where stdout goes, instead of being caught
  std::string program = {};              ///< run instead of gossamer, where not empty
};

/// The program named by its path, with arguments; stdin is empty.
outcome run(const std::vector<std::string>& command, const run_settings& settings = {});

/// gossamer with these arguments.
outcome cli(const std::vector<std::string>& arguments, const run_settings& settings = {});

/// The same, which must succeed and print one JSON document and nothing else to stdout.
nlohmann::ordered_json cli_json(const std::vector<std::string>& arguments);

/// Lines of a text; a last line that does not end counts.
std::vector<std::string> lines(const std::string& text);

/// The text before the program wrapped it: an indented line goes on with the line before it.
std::string unwrapped(const std::string& text);

/// Names of the members of an object, in order.
std::vector<std::string> members(const nlohmann::ordered_json& object);

/// Numbers of a Matrix Market array of one column; a failure where the text is none.
std::vector<double> vector_of(const std::string& text);
/// The same of an array of several columns, one after another.
std::vector<double> columns_of(const std::string& text, std::size_t columns);

}  // namespace gossamer::test
