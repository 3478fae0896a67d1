// SPDX-License-Identifier: BSD-3-Clause
// Error codes are part of the ABI, so their numbers and names are pinned.
#include "gossamer/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <type_traits>

#include "core/fail.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer::errc;

static_assert(std::is_base_of_v<std::runtime_error, gossamer::error>);
static_assert(std::is_nothrow_copy_constructible_v<gossamer::error>);
static_assert(std::is_same_v<std::underlying_type_t<errc>, int>);

TEST(error, numbers_and_names_never_change) {
  struct expected {
    int number;
    errc code;
    const char* name;
  };
  constexpr std::array<expected, 12> all{{
      {1, errc::invalid_argument, "invalid_argument"},
      {2, errc::size_mismatch, "size_mismatch"},
      {3, errc::invalid_matrix, "invalid_matrix"},
      {4, errc::unsupported, "unsupported"},
      {5, errc::parse_error, "parse_error"},
      {6, errc::io_error, "io_error"},
      {7, errc::out_of_memory, "out_of_memory"},
      {8, errc::no_device, "no_device"},
      {9, errc::device_error, "device_error"},
      {10, errc::overlap, "overlap"},
      {11, errc::cancelled, "cancelled"},
      {12, errc::busy, "busy"},
  }};
  for (const expected& e : all) {
    EXPECT_EQ(static_cast<int>(e.code), e.number);
    EXPECT_EQ(gossamer::name(e.code), e.name);
  }
}

TEST(error, a_number_that_is_no_code_is_unknown) {
  EXPECT_EQ(gossamer::name(static_cast<errc>(0)), "unknown");
  EXPECT_EQ(gossamer::name(static_cast<errc>(13)), "unknown");
}

TEST(error, carries_its_code_and_text) {
  const gossamer::error e(errc::busy, "workspace: in use");
  EXPECT_EQ(e.code(), errc::busy);
  EXPECT_STREQ(e.what(), "workspace: in use");
}

TEST(error, is_caught_as_a_runtime_error) {
  try {
    throw gossamer::error(errc::io_error, "a.mtx: no such file");
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "a.mtx: no such file");
  }
}

TEST(error, fail_formats_its_arguments) {
  gossamer_test::expect_error(errc::overlap, "x[3] is y[4]",
                              [] { gossamer::fail(errc::overlap, "x[{}] is y[{}]", 3, 4); });
}

}  // namespace
