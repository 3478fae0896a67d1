// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/values.hpp"

#include <string>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/numbers.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support::generation {

value_source::value_source(std::string_view text, std::uint64_t seed, std::string_view prefix)
    : key_(key_of(seed, purpose::values)), doubles_(54, key_), floats_(25, key_) {
  const auto reject = [&](std::string_view reason) {
    fail(errc::invalid_argument, "{}: values = \"{}\" {}", prefix, text, reason);
  };
  if (text == "distinct") {
    kind_ = kind::distinct;
  } else if (text == "constant") {
    kind_ = kind::constant;
  } else if (text == "f32_exact") {
    kind_ = kind::f32_exact;
  } else if (text.starts_with("few(") && text.ends_with(')')) {
    constexpr std::int64_t most = 1 << 25;
    std::string_view count = text.substr(4, text.size() - 5);
    while (count.starts_with(' ')) count.remove_prefix(1);
    while (count.ends_with(' ')) count.remove_suffix(1);
    const whole_number k = parse_whole(count);
    if (k.status != number_status::ok || k.value < 1 || k.value > most)
      reject("needs a whole number of values from 1 to 33554432");
    kind_ = kind::few;
    few_ = k.value;
  } else {
    reject("is not distinct, few(K), constant or f32_exact");
  }
}

value_source::value_source(const arguments& given)
    : value_source(given.text("values"), given.seed(), "generate: " + std::string(given.generator())) {}

}  // namespace gossamer::bench_support::generation
