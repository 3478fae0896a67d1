// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "bench_support/generate/numbers.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support::generation {

arguments::arguments(const generator_info& generator, const specification& given) : generator_(generator) {
  for (assignment a : given.assignments) {
    if (a.key.empty()) a.key = generator.parameters.front().name;
    if (find(a.key) == nullptr) {
      std::string known;
      for (const generator_parameter& p : generator.parameters)
        known.append(known.empty() ? "" : ", ").append(p.name);
      fail(errc::invalid_argument, "generate: {}: {} = \"{}\": there is no such parameter (known: {})",
           generator.name, a.key, a.value, known);
    }
    if (is_given(a.key))
      fail(errc::invalid_argument, "generate: {}: {} = \"{}\" is given twice", generator.name, a.key,
           a.value);
    given_.push_back(a);
  }
  for (const generator_parameter& p : generator.parameters) {
    if (p.default_text.empty() && !is_given(p.name))
      fail(errc::invalid_argument, "generate: {}: {} is missing ({})", generator.name, p.name, p.help);
  }
}

const generator_parameter* arguments::find(std::string_view parameter) const {
  for (const generator_parameter& p : generator_.parameters) {
    if (p.name == parameter) return &p;
  }
  return nullptr;
}

std::string_view arguments::default_of(std::string_view parameter) const {
  const generator_parameter* const p = find(parameter);
  return p != nullptr ? p->default_text : std::string_view{};
}

bool arguments::is_given(std::string_view parameter) const {
  for (const assignment& a : given_) {
    if (a.key == parameter) return true;
  }
  return false;
}

std::string_view arguments::text(std::string_view parameter) const {
  for (const assignment& a : given_) {
    if (a.key == parameter) return a.value;
  }
  return default_of(parameter);
}

std::int64_t arguments::whole(std::string_view parameter, std::int64_t least, std::int64_t most) const {
  const std::string_view other = default_of(parameter);
  if (text(parameter) == other && find(other) != nullptr) return whole(other, least, most);
  const whole_number number = parse_whole(text(parameter));
  if (number.status == number_status::not_a_number) reject(parameter, "is not a whole number");
  if (number.status == number_status::too_large || number.value < least || number.value > most)
    reject(parameter, fmt::format("is outside [{}, {}]", least, most));
  return number.value;
}

std::int64_t arguments::dimension(std::string_view parameter, std::int64_t least) const {
  const std::int64_t size = whole(parameter, least, std::numeric_limits<std::int64_t>::max());
  check_dimension(parameter, size);
  return size;
}

void arguments::check_dimension(std::string_view what, std::int64_t size) const {
  if (size > max_dimension)
    fail(errc::unsupported, "generate: {}: {} = {} is over {}, the largest int32 index", generator_.name,
         what, size, max_dimension);
}

std::int64_t arguments::entries(std::string_view parameter, std::int64_t cols) const {
  const std::int64_t n = whole(parameter, 0, std::numeric_limits<std::int64_t>::max());
  if (n > cols) reject(parameter, fmt::format("is more than cols = {}", cols));
  return n;
}

double arguments::real(std::string_view parameter, double least, double most) const {
  const std::optional<double> number = parse_real(text(parameter));
  if (!number) reject(parameter, "is not a number");
  if (!(*number >= least && *number <= most))
    reject(parameter, fmt::format("is outside [{}, {}]", least, most));
  return *number;
}

std::uint64_t arguments::seed() const {
  return static_cast<std::uint64_t>(whole("seed", 0, std::numeric_limits<std::int64_t>::max()));
}

void arguments::reject(std::string_view parameter, std::string_view reason) const {
  fail(errc::invalid_argument, "generate: {}: {} = \"{}\" {}", generator_.name, parameter, text(parameter),
       reason);
}

}  // namespace gossamer::bench_support::generation
