// SPDX-License-Identifier: BSD-3-Clause
// A format names each option once, in options::fields(); parsing, printing, help and enumeration are made
// from that.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/fail.hpp"
#include "exec/target.hpp"
#include "gossamer/format_info.hpp"

namespace gossamer::inline v0::formats {

/// An option that is one of a few words; the member is an enum whose values number the words from 0.
struct choice_field {
  std::string_view name;
  std::string_view help;
  std::span<const option_choice> choices;
  device_set devices = device_set::both;
};

/// An option that is a whole number. With has_auto, auto_number in the member means "auto"; with
/// has_unbounded, unbounded_number means "unbounded"; with has_published, published_number means
/// "published". With is_limit, a larger number refuses fewer matrices, and no array depends on it.
struct number_field {
  std::string_view name;
  std::string_view help;
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool has_auto = false;
  bool has_unbounded = false;
  bool has_published = false;
  bool is_limit = false;
  device_set devices = device_set::both;
  std::int64_t auto_number = 0;  ///< no setting
  std::int64_t test_value = 0;   ///< a setting that reaches code which the ends do not; 0 where there is none
};

/// The options of a format that has none.
struct no_options {
  template <class Self, class F>
  static void fields(Self&, F&&) {}
};

inline constexpr std::string_view auto_text = "auto";
inline constexpr std::string_view unbounded_text = "unbounded";
inline constexpr std::int64_t unbounded_number = std::numeric_limits<std::int64_t>::max();
inline constexpr std::string_view published_text = "published";
inline constexpr std::int64_t published_number = unbounded_number - 1;

namespace detail {

inline std::string_view word(device_set one) {
  return one == device_set::cpu ? "cpu" : "cuda";
}

template <class T>
std::string text(const choice_field& field, T member) {
  return std::string(field.choices[static_cast<std::size_t>(member)].name);
}
inline std::string text(const number_field& field, std::int64_t member) {
  if (field.has_auto && member == field.auto_number) return std::string(auto_text);
  if (field.has_unbounded && member == unbounded_number) return std::string(unbounded_text);
  if (field.has_published && member == published_number) return std::string(published_text);
  return std::to_string(member);
}

template <class T>
void parse(std::string_view format, const choice_field& field, std::string_view value, T& member) {
  std::string known;
  for (std::size_t i = 0; i < field.choices.size(); ++i) {
    if (field.choices[i].name == value) {
      member = static_cast<T>(i);
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(field.choices[i].name);
  }
  fail(errc::invalid_argument, "{}: option {} = \"{}\" is not one of {}", format, field.name, value, known);
}
inline void parse(std::string_view format, const number_field& field, std::string_view value,
                  std::int64_t& member) {
  if (field.has_auto && value == auto_text) {
    member = field.auto_number;
    return;
  }
  if (field.has_unbounded && value == unbounded_text) {
    member = unbounded_number;
    return;
  }
  if (field.has_published && value == published_text) {
    member = published_number;
    return;
  }
  std::int64_t number = 0;
  const auto [stop, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (code != std::errc{} || stop != value.data() + value.size() || number < field.min || number > field.max)
    fail(errc::invalid_argument, "{}: option {} = \"{}\" is not {}{}{}a whole number from {} to {}", format,
         field.name, value, field.has_auto ? "auto or " : "", field.has_published ? "published or " : "",
         field.has_unbounded ? "unbounded or " : "", field.min, field.max);
  member = number;
}

template <class T>
void check_device(std::string_view format, const choice_field& field, T member, device_set kind) {
  const option_choice& chosen = field.choices[static_cast<std::size_t>(member)];
  if (!contains(chosen.devices, kind))
    fail(errc::unsupported, "unsupported: {}: option {} = {} exists on {} only", format, field.name,
         chosen.name, word(chosen.devices));
}
inline void check_device(std::string_view, const number_field&, std::int64_t, device_set) {}

}  // namespace detail

/// Reads texts into the options of a format; what is not named keeps its default.
/// Throws invalid_argument that lists what is known, or unsupported for what the target does not have.
template <class Format>
typename Format::options parse_options(const option_texts& texts, device_set kind) {
  using options = typename Format::options;
  options result;
  for (const auto& [key, value] : texts) {
    const auto times =
        std::count_if(texts.begin(), texts.end(), [&, &key = key](const auto& t) { return t.first == key; });
    if (times > 1) fail(errc::invalid_argument, "{}: option {} is given {} times", Format::name, key, times);
    bool found = false;
    std::string known;
    options::fields(result, [&, &key = key, &value = value](const auto& field, auto& member) {
      known += (known.empty() ? "" : ", ") + std::string(field.name);
      if (field.name != key) return;
      found = true;
      if (!contains(field.devices, kind))
        fail(errc::unsupported, "unsupported: {}: option {} exists on {} only", Format::name, key,
             detail::word(field.devices));
      detail::parse(Format::name, field, value, member);
      detail::check_device(Format::name, field, member, kind);
    });
    if (!found)
      fail(errc::invalid_argument, "{}: unknown option \"{}\"; {}", Format::name, key,
           known.empty() ? std::string("it has none") : "it has " + known);
  }
  return result;
}

/// The reverse: every option that exists on the device, in the order of fields().
template <class Options>
option_texts texts_of(const Options& options, device_set kind) {
  option_texts texts;
  Options::fields(options, [&](const auto& field, const auto& member) {
    if (contains(field.devices, kind)) texts.emplace_back(field.name, detail::text(field, member));
  });
  return texts;
}

template <class Options>
std::vector<option_info> describe_options() {
  std::vector<option_info> infos;
  const Options defaults;
  Options::fields(defaults, [&](const auto& field, const auto& member) {
    option_info info{.name = field.name,
                     .help = field.help,
                     .devices = field.devices,
                     .choices = {},
                     .default_text = detail::text(field, member)};
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, choice_field>) {
      info.choices = field.choices;
    } else {
      info.min = field.min;
      info.max = field.max;
      info.has_auto = field.has_auto;
      info.has_unbounded = field.has_unbounded;
      info.has_published = field.has_published;
      info.is_limit = field.is_limit;
      info.test_value = field.test_value;
    }
    infos.push_back(std::move(info));
  });
  return infos;
}

/// Throws invalid_argument where the number that an option of `format` was given, or that it chose, is not a
/// power of two.
inline void require_power_of_two(std::string_view format, std::string_view option, std::int64_t number) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(number)))
    fail(errc::invalid_argument, "{}: option {} = \"{}\" is not a power of two", format, option, number);
}

}  // namespace gossamer::inline v0::formats
