// SPDX-License-Identifier: BSD-3-Clause
// Enough of XML to say whether a figure is well-formed, and what is in it.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer_test {

struct xml_element {
  std::string name;
  std::map<std::string, std::string> attributes;  ///< as written: entities stay
  std::string text;                               ///< directly inside, all pieces joined
};

/// The elements in the order in which they begin, of a document that is an optional declaration and one root.
/// No comments, no CDATA, no document type.
class xml_document {
 public:
  explicit xml_document(std::string_view text) : rest_(text) { parse(); }

  /// Empty where it is well-formed.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::vector<xml_element>& elements() const { return elements_; }
  [[nodiscard]] std::vector<xml_element> named(std::string_view name) const {
    std::vector<xml_element> found;
    for (const xml_element& each : elements_) {
      if (each.name == name) found.push_back(each);
    }
    return found;
  }

 private:
  void parse() {
    if (rest_.substr(0, 5) == "<?xml") {
      const std::size_t end = rest_.find("?>");
      if (end == std::string_view::npos) return fail("declaration");
      rest_.remove_prefix(end + 2);
    }
    std::vector<std::size_t> open;
    bool root_seen = false;
    while (problem_.empty() && !rest_.empty()) {
      if (rest_.front() != '<') {
        const std::string_view words = rest_.substr(0, rest_.find('<'));
        if (open.empty()) {
          if (words.find_first_not_of(" \n\r\t") != std::string_view::npos)
            return fail("text outside the root");
        } else {
          check_text(words);
          elements_[open.back()].text += words;
        }
        rest_.remove_prefix(words.size());
        continue;
      }
      rest_.remove_prefix(1);
      if (take('/')) {
        const std::string name = take_name();
        if (open.empty() || elements_[open.back()].name != name || !take('>')) return fail("end of " + name);
        open.pop_back();
        continue;
      }
      if (open.empty() && root_seen) return fail("two roots");
      root_seen = true;
      elements_.push_back({take_name(), {}, {}});
      if (elements_.back().name.empty()) return fail("no name");
      take_attributes();
      if (take('/')) {
        if (!take('>')) return fail("/ without >");
        continue;
      }
      if (!take('>')) return fail("element " + elements_.back().name + " is not closed");
      open.push_back(elements_.size() - 1);
    }
    if (problem_.empty() && (!open.empty() || !root_seen)) fail("unfinished");
  }

  void fail(const std::string& what) { problem_ = what + " before: " + std::string(rest_.substr(0, 60)); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_blank() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
  }

  std::string take_name() {
    std::size_t size = 0;
    while (size < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[size])) || rest_[size] == '-'))
      ++size;
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  void take_attributes() {
    for (skip_blank(); problem_.empty() && !rest_.empty() && rest_.front() != '>' && rest_.front() != '/';
         skip_blank()) {
      const std::string name = take_name();
      if (name.empty() || !take('=') || !take('"')) return fail("attribute");
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos) return fail("attribute's end");
      check_text(rest_.substr(0, end));
      if (!elements_.back().attributes.emplace(name, rest_.substr(0, end)).second)
        return fail("attribute twice");
      rest_.remove_prefix(end + 1);
    }
  }

  void check_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == '<' || (c < 0x20 && c != '\n' && c != '\t' && c != '\r'))
        return fail("a character that is not allowed");
      if (c != '&') continue;
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        known = known || text.substr(i).starts_with(entity);
      if (!known) return fail("&");
    }
  }

  std::string_view rest_;
  std::string problem_;
  std::vector<xml_element> elements_;
};

}  // namespace gossamer_test
