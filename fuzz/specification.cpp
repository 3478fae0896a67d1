// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a generator's specification and as a number in one: taken apart, or refused by the library's
// error.
#include <cmath>
#include <string_view>

#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/numbers.hpp"
#include "bench_support/generate/specification.hpp"
#include "fuzz/target.hpp"
#include "gossamer/error.hpp"

namespace gossamer::fuzz {
namespace {

bool inside(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_numbers(std::string_view text) {
  const bench_support::generation::whole_number n = bench_support::generation::parse_whole(text);
  const auto real = bench_support::generation::parse_real(text);
  if (real && !std::isfinite(*real)) found("a number that is not finite");
  if (n.status == bench_support::generation::number_status::ok && real &&
      std::abs(*real - static_cast<double>(n.value)) > 1e-9 * std::abs(*real))
    found("a whole number and a real one of the same text differ");
}

void check(std::string_view text) {
  check_numbers(text);
  try {
    const bench_support::generation::specification parsed = bench_support::generation::parse(text);
    if (!bench_support::is_specification(text)) found("parsed, but no specification");
    if (parsed.name.empty() || !inside(parsed.name, text)) found("the name is not in the text");
    for (const bench_support::generation::assignment& each : parsed.assignments) {
      if (!each.key.empty() && !inside(each.key, text)) found("a key is not in the text");
      if (!each.value.empty() && !inside(each.value, text)) found("a value is not in the text");
      check_numbers(each.value);
    }
  } catch (const error& problem) {
    if (problem.code() != errc::invalid_argument)
      found(std::string("an unexpected error: ") + problem.what());
  }
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
