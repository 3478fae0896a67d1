// SPDX-License-Identifier: BSD-3-Clause
// Parses arbitrary bytes as options of a format (its name on the first line, then one KEY=VALUE per line), as
// a resource, as an instruction set and as a hybrid. An accepted text must survive a round trip. A rejected
// one must give a one-line error.
#include <optional>
#include <string_view>

#include "formats/all_formats.hpp"
#include "fuzz/target.hpp"
#include "gossamer/error.hpp"
#include "gossamer/hybrid.hpp"

namespace gossamer::fuzz {
namespace {

void check_refusal(const error& problem) {
  const std::string message = problem.what();
  if (problem.code() != errc::invalid_argument && problem.code() != errc::unsupported)
    found("an unexpected error: " + message);
  if (message.empty() || message.find('\n') != std::string::npos) found("not one line: " + message);
}

/// accepted() of what parse() returns; a refusal is looked at, too.
template <class Parse, class Accepted>
void check_text(Parse&& parse, Accepted&& accepted) {
  std::optional<decltype(parse())> result;
  try {
    result = parse();
  } catch (const error& problem) {
    return check_refusal(problem);
  }
  accepted(*result);
}

std::string text_of_part(const hybrid_part& part) {
  const auto* host = std::get_if<cpu>(&part.where);
  return name(part.where) + (host != nullptr && host->threads > 0 ? ":" + std::to_string(host->threads) : "");
}

void check_resources(std::string_view text) {
  if (!text.starts_with('c'))
    return check_text([&] { return parse_isa(text); },
                      [&](isa level) {
                        if (name(level) != text) found("an instruction set of another name");
                      });
  check_text([&] { return parse_resource(text); },
             [&](const resource& where) {
               if (name(parse_resource(name(where))) != name(where)) found("a resource of another name");
             });
  check_text([&] { return parse_hybrid(text); },
             [&](const hybrid& all) {
               std::string again;
               for (const hybrid_part& each : all.parts)
                 again += (again.empty() ? "" : ",") + text_of_part(each);
               const hybrid second = parse_hybrid(again);
               if (second.parts.size() != all.parts.size()) found("a hybrid of other parts: " + again);
               for (std::size_t k = 0; k < all.parts.size(); ++k) {
                 if (text_of_part(second.parts[k]) != text_of_part(all.parts[k]))
                   found("another part: " + again);
               }
             });
}

constexpr row_statistics kinds_of_rows[] = {
    {},
    {.rows = 1000,
     .cols = 900,
     .nnz = 9000,
     .mean = 9,
     .standard_deviation = 30,
     .max = 600,
     .empty = 10,
     .common_length = 7,
     .sliced_slots = 40000,
     .spread = 0.5},
};

/// Options that are resolved have no "auto", and resolving them again changes nothing.
template <class F>
void check_resolved(const typename F::options& options, const row_statistics& rows,
                    const exec::target& target) {
  typename F::options resolved;
  try {
    resolved = F::resolve(options, rows, target);
  } catch (const error& problem) {
    return check_refusal(problem);
  }
  const option_texts texts = formats::texts_of(resolved, target.kind);
  const auto again = F::resolve(formats::parse_options<F>(texts, target.kind), rows, target);
  if (formats::texts_of(again, target.kind) != texts)
    found(std::string(F::name) + ": resolved options resolve to others");
}

template <class F>
void check_options(const option_texts& given, const exec::target& target) {
  if (!contains(F::devices, target.kind)) return;
  check_text([&] { return formats::parse_options<F>(given, target.kind); },
             [&](const typename F::options& options) {
               const option_texts texts = formats::texts_of(options, target.kind);
               const auto again = formats::parse_options<F>(texts, target.kind);
               if (formats::texts_of(again, target.kind) != texts)
                 found(std::string(F::name) + ": options read back as others");
               for (const row_statistics& rows : kinds_of_rows) check_resolved<F>(options, rows, target);
             });
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

/// Throwing takes most of a run, so that each text is given to those alone whose it may be.
void check(std::string_view text) {
  const std::string_view whole = text;
  const std::string_view format = take_line(text);
  option_texts given;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t sign = std::min(line.find('='), line.size());
    given.emplace_back(line.substr(0, sign), line.substr(std::min(line.size(), sign + 1)));
  }
  const exec::target targets[] = {{.kind = device_set::cpu, .level = isa::baseline},
                                  {.kind = device_set::cuda, .compute_capability = 90}};
  bool is_format = false;
  formats::all_formats::for_each([&]<class F>() {
    if (F::name != format) return;
    is_format = true;
    check_options<F>(given, targets[whole.size() % 2]);
  });
  if (!is_format) check_resources(whole);
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
