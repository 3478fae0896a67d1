// SPDX-License-Identifier: BSD-3-Clause
// "cpu:8,cuda:0" as parts.
#include <algorithm>
#include <charconv>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/hybrid.hpp"

namespace gossamer::inline v0 {
namespace {

resource parse_part(std::string_view text) {
  constexpr std::string_view cores = "cpu:";
  constexpr std::string_view device = "cuda:";
  if (text == "cpu") return cpu{};
  if (text.substr(0, cores.size()) == cores) {
    cpu where;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data() + cores.size(), end, where.threads);
    if (code == std::errc{} && stop == end && where.threads > 0 && where.threads <= 65536) return where;
  } else if (text.substr(0, device.size()) == device) {
    return parse_resource(text);
  }
  fail(errc::invalid_argument, "hybrid: part \"{}\" is neither cpu, cpu:THREADS nor cuda:N", text);
}

}  // namespace

hybrid parse_hybrid(std::string_view parts, std::span<const double> powers) {
  return naming_out_of_memory("parse_hybrid", [&] {
    hybrid where;
    for (std::size_t begin = 0; begin <= parts.size();) {
      const std::size_t end = std::min(parts.find(',', begin), parts.size());
      where.parts.push_back({.where = parse_part(parts.substr(begin, end - begin))});
      begin = end + 1;
    }
    if (!powers.empty() && powers.size() != where.parts.size())
      fail(errc::invalid_argument, "hybrid: {} powers for {} parts", powers.size(), where.parts.size());
    for (std::size_t k = 0; k < powers.size(); ++k) where.parts[k].power = powers[k];
    return where;
  });
}

}  // namespace gossamer::inline v0
