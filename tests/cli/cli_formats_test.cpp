// SPDX-License-Identifier: BSD-3-Clause
// gossamer formats
#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace gossamer::test {
namespace {

using json = nlohmann::ordered_json;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

void expect_devices(const json& devices) {
  ASSERT_TRUE(devices.is_array());
  for (const json& device : devices) EXPECT_THAT(device.get<std::string>(), AnyOf("cpu", "cuda"));
}

void expect_choices(const json& option) {
  EXPECT_THAT(members(option), ElementsAre("name", "help", "devices", "choices", "default"));
  std::vector<std::string> names;
  for (const json& choice : option.at("choices")) {
    EXPECT_THAT(members(choice), ElementsAre("name", "help", "devices"));
    expect_devices(choice.at("devices"));
    names.push_back(choice.at("name"));
  }
  EXPECT_THAT(names, testing::Contains(option.at("default").get<std::string>()));
}

void expect_range(const json& option) {
  EXPECT_THAT(members(option), ElementsAre("name", "help", "devices", "min", "max", "default"));
  EXPECT_LE(option.at("min").get<std::int64_t>(), option.at("max").get<std::int64_t>());
  EXPECT_TRUE(option.at("default").is_string());
}

TEST(cli_formats, json_has_these_members) {
  const json all = cli_json({"formats", "--json"});
  ASSERT_TRUE(all.is_array());
  ASSERT_FALSE(all.empty());
  for (const json& format : all) {
    SCOPED_TRACE(format.dump());
    EXPECT_THAT(members(format), ElementsAre("name", "source", "help", "devices", "keeps", "options"));
    EXPECT_THAT(members(format.at("keeps")), ElementsAre("order", "explicit_zeros", "duplicates"));
    expect_devices(format.at("devices"));
    for (const json& option : format.at("options")) {
      expect_devices(option.at("devices"));
      if (option.contains("choices"))
        expect_choices(option);
      else
        expect_range(option);
    }
  }
}

TEST(cli_formats, csr_is_there) {
  for (const json& format : cli_json({"formats", "--json"})) {
    if (format.at("name") != "csr") continue;
    EXPECT_THAT(format.at("devices"), ElementsAre("cpu", "cuda"));
    EXPECT_EQ(format.at("options").at(0).at("name"), "kernel");
    return;
  }
  FAIL() << "no csr";
}

TEST(cli_formats, text_names_every_format_and_option) {
  const outcome text = cli({"formats"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  const std::string whole = unwrapped(text.out);
  for (const json& format : cli_json({"formats", "--json"})) {
    EXPECT_THAT(whole, HasSubstr(format.at("name").get<std::string>() + "  ["));
    EXPECT_THAT(whole, HasSubstr(format.at("source").get<std::string>()));
    for (const json& option : format.at("options"))
      EXPECT_THAT(whole, HasSubstr(option.at("name").get<std::string>() + ": "));
  }
}

}  // namespace
}  // namespace gossamer::test
