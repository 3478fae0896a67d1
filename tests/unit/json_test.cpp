// SPDX-License-Identifier: BSD-3-Clause
// Round trip, typed access and rejection of invalid JSON.
#include "core/json.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "helpers.hpp"

namespace gossamer {
namespace {

using gossamer_test::expect_error;

json sample_json() {
  json::object object = json_object({{"text", "a \"quoted\"\nline"}, {"none", json()}, {"flag", true}});
  object.emplace_back("numbers", json_array({-3, 0.1, std::numeric_limits<std::uint64_t>::max(), 1e300}));
  object.emplace_back("empty", json_array({json::array(), json::object()}));
  return object;
}

TEST(json, round_trip_preserves_values) {
  constexpr std::string_view numbers = "[-3,0.1,18446744073709551615,1e+300]";
  const std::string text = sample_json().one_line();
  EXPECT_EQ(text, R"({"text":"a \"quoted\"\nline","none":null,"flag":true,"numbers":)" +
                      std::string(numbers) + R"(,"empty":[[],{}]})");
  for (const std::string& given : {text, sample_json().indented()})
    EXPECT_EQ(parse_json("json", given).one_line(), text);
  EXPECT_EQ(json(json_object({{"a", json_array({1, 2})}})).indented(), "{\n \"a\": [\n  1,\n  2\n ]\n}");
}

TEST(json, accessors_check_types) {
  const json object =
      parse_json("json", R"({"a": 7, "b": 7.0, "c": 18446744073709551615, "a": 8, "d": "text"})");
  EXPECT_EQ(object.find("a")->integer(), 8);  // the last of two
  EXPECT_EQ(object.find("a")->number(), 8.0);
  EXPECT_EQ(object.find("b")->integer(), std::nullopt);
  EXPECT_EQ(object.find("b")->number(), 7.0);
  EXPECT_EQ(object.find("c")->integer(), std::nullopt);
  EXPECT_EQ(object.find("c")->number(), 18446744073709551615.0);
  EXPECT_EQ(object.find("d")->number(), std::nullopt);
  EXPECT_EQ(*object.find("d")->get_if<std::string>(), "text");
  EXPECT_EQ(object.find("d")->get_if<bool>(), nullptr);
  EXPECT_EQ(object.find("e"), nullptr);
  EXPECT_EQ(object.find("d")->find("a"), nullptr);
}

TEST(json, invalid_utf8_and_nan_are_replaced) {
  EXPECT_EQ(json("a\xff").one_line(), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(json(std::numeric_limits<double>::quiet_NaN()).one_line(), "null");
}

TEST(json, invalid_text_is_rejected) {
  for (const std::string text : {"", "{", "[1,]", "{\"a\" 1}", "1 2", "1e999", "\"\xff\"", "NaN"}) {
    SCOPED_TRACE(text);
    expect_error(errc::parse_error, testing::StartsWith("name: "),
                 [&] { static_cast<void>(parse_json("name", text)); });
  }
}

TEST(json, excessive_nesting_is_rejected) {
  EXPECT_EQ(parse_json("name", "[[1]]", 2).one_line(), "[[1]]");
  expect_error(errc::parse_error, testing::HasSubstr("nesting exceeds 2 levels"),
               [&] { static_cast<void>(parse_json("name", "[[{}]]", 2)); });
}

}  // namespace
}  // namespace gossamer
