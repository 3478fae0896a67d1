// SPDX-License-Identifier: BSD-3-Clause
#include "output/wrap.hpp"

#include <algorithm>

namespace gossamer::cli {
namespace {

/// At most `end`, and not within a character of UTF-8.
std::size_t character_end(std::string_view line, std::size_t end) {
  std::size_t at = end;
  while (at > 0 && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) --at;
  return at > 0 ? at : end;
}

/// Where a line that is too long ends. Its first `begin` characters are indentation; `indent` is that of the
/// next line. A word that does not fit the next line either begins in this one.
std::size_t break_of(std::string_view line, std::size_t begin, std::size_t indent) {
  const std::size_t space = line.rfind(' ', line_width);
  const std::size_t comma = line.rfind(',', line_width - 1);
  const bool has_comma = comma != std::string_view::npos && comma > begin;
  if (space != std::string_view::npos && space > begin) {
    const std::size_t word = std::min(line.find(' ', space + 1), line.size()) - space - 1;
    return has_comma && comma > space && indent + word > line_width ? comma + 1 : space;
  }
  return has_comma ? comma + 1 : character_end(line, line_width);
}

std::string_view without_spaces_in_front(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string_view without_spaces_behind(std::string_view text) {
  const std::size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string wrapped_line(std::string_view line, std::size_t indent) {
  std::string text;
  std::string rest(line);
  std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
  while (rest.size() > line_width) {
    const std::size_t end = break_of(rest, begin, indent);
    text.append(without_spaces_behind(std::string_view(rest).substr(0, end))).append("\n");
    rest = std::string(indent, ' ').append(without_spaces_in_front(std::string_view(rest).substr(end)));
    begin = indent;
  }
  return text + rest;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    all += wrapped_line(text.substr(begin, end - begin), indent);
    if (end < text.size()) all += '\n';
    begin = end + 1;
  }
  return all;
}

std::string shortened(std::string_view text, std::size_t width) {
  constexpr std::string_view mark = " ...";
  if (text.size() <= width) return std::string(text);
  const std::size_t most = width - mark.size();
  const std::size_t space = text.rfind(' ', most);
  const std::size_t end =
      space == std::string_view::npos || space < most / 2 ? character_end(text, most) : space;
  std::string_view begin = text.substr(0, end);
  while (!begin.empty() && (begin.back() == ' ' || begin.back() == ',')) begin.remove_suffix(1);
  return std::string(begin).append(mark);
}

}  // namespace gossamer::cli
