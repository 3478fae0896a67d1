// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the file of a search's result: no entry, or a valid one whose own text is read back as the
// same.
#include <cmath>
#include <string_view>

#include "fuzz/target.hpp"
#include "tuning/cache.hpp"

namespace gossamer::fuzz {
namespace {

using tuning::cache_entry;
constexpr std::string_view key = "key";

bool is_time(double seconds) {
  return seconds >= 0 && std::isfinite(seconds);
}

void check_valid(const cache_entry& entry) {
  const tuning_result& result = entry.result;
  if (!is_time(entry.calls) || !is_time(entry.budget_seconds)) found("no number from 0 on");
  if (result.chosen >= result.measurements.size() || !result.measurements[result.chosen].measured())
    found("what was chosen was not measured");
  for (const measurement& each : result.measurements) {
    if (each.expected.bytes < 0 || !is_time(each.expected.seconds)) found("an expectation below 0");
    if (each.measured() && (!is_time(each.inspect_seconds) || !is_time(each.multiply_seconds)))
      found("a time below 0");
  }
}

void check(std::string_view text) {
  const std::optional<cache_entry> entry = tuning::parse_cache(text, key);
  if (!entry) return;
  check_valid(*entry);
  const std::string once = tuning::cache_text(key, *entry);
  const std::optional<cache_entry> again = tuning::parse_cache(once, key);
  if (!again) found("an entry is not read back: " + once);
  const std::string twice = tuning::cache_text(key, *again);
  if (once != twice) found("an entry is read back as another: " + once + " and " + twice);
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
