// SPDX-License-Identifier: BSD-3-Clause
// posix_spawn with the outputs in files: nothing can block, whatever the program writes.
#include "run_cli.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regex>
#include <sstream>

#include "scratch_folder.hpp"

namespace gossamer::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : more) replaced = replaced || other.rfind(name, 0) == 0;
    if (!replaced) all.push_back(text);
  }
  return all;
}

}  // namespace

outcome run(const std::vector<std::string>& command, const run_settings& settings) {
  const scratch_folder scratch;
  const std::string out = settings.out_file.empty() ? scratch.path("out") : settings.out_file;
  const std::string err = scratch.path("err");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);

  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(settings.environment);
  pid_t child = -1;
  const int failure = posix_spawn(&child, command.front().c_str(), &files, nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(failure, 0) << "cannot start " << command.front();
  if (failure != 0) return {};

  int status = 0;
  waitpid(child, &status, 0);
  outcome result{.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
  if (settings.out_file.empty()) result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

outcome cli(const std::vector<std::string>& arguments, const run_settings& settings) {
  std::vector<std::string> command{settings.program.empty() ? GOSSAMER_CLI : settings.program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, settings);
}

nlohmann::ordered_json cli_json(const std::vector<std::string>& arguments) {
  const outcome done = cli(arguments);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto document = nlohmann::ordered_json::parse(done.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << done.out;
  return document;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\n +"), " ");
}

std::vector<std::string> members(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

std::vector<double> vector_of(const std::string& text) {
  return columns_of(text, 1);
}

std::vector<double> columns_of(const std::string& text, std::size_t columns) {
  const std::vector<std::string> all = lines(text);
  if (all.size() < 2) {
    ADD_FAILURE() << "no Matrix Market array: " << text;
    return {};
  }
  EXPECT_EQ(all[0], "%%MatrixMarket matrix array real general");
  EXPECT_EQ(all[1], std::to_string((all.size() - 2) / columns) + " " + std::to_string(columns));
  std::vector<double> numbers;
  for (std::size_t i = 2; i < all.size(); ++i) numbers.push_back(std::stod(all[i]));
  return numbers;
}

}  // namespace gossamer::test
