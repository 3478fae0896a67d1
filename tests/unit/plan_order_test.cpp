// SPDX-License-Identifier: BSD-3-Clause
// In which order plans have a format go through its units: by one that notes what it is asked for, and
// multiplies nothing.
#include <gmock/gmock.h>

#include <mutex>
#include <utility>
#include <vector>

#include "formats/contract/format.hpp"
#include "gossamer/gossamer.hpp"
#include "plans/cpu_plan.hpp"
#if defined(GOSSAMER_HAVE_CUDA)
#include "plans/gpu_plan.hpp"
#endif
#include "support/variable.hpp"

namespace gossamer {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing_support::variable;

using asked = std::pair<std::int64_t, std::int64_t>;  ///< units [first, second)

std::mutex noting;
std::vector<asked> noted;
std::vector<bool> noted_backwards;  ///< of launches

struct recorder_meta {
  std::int64_t units = 0;
  int passes = 1;
};
struct recorder_view {
  recorder_meta meta;
};

template <class T, template <class> class Buffer>
struct recorder_storage {
  recorder_meta meta;
  Buffer<T> val;
  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("val", self.val);
  }
  [[nodiscard]] recorder_view view() const { return {meta}; }
};

struct recorder {
  static constexpr std::string_view name = "recorder";
  static constexpr std::string_view source = "a test";
  static constexpr std::string_view help = "notes the units that it is asked for";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};

  struct options {
    template <class Self, class F>
    static void fields(Self&, F&&) {}
  };
  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics&, const exec::target&) { return {options{}}; }
  template <class V, offset O>
  static formats::footprint measure(const csr_view<V, O>&, const row_statistics&, const options&,
                                    const exec::target&) {
    return {};
  }
  template <class V, offset O>
  static double cost(const row_statistics&, const options&, const exec::target&, const formats::machine&) {
    return 0;
  }

  template <class T, offset O, template <class> class Buffer>
  using storage = recorder_storage<T, Buffer>;
  template <class T, offset O>
  static recorder_storage<T, host_buffer> build(const csr_view<T, O>&, const options&, const exec::target&) {
    return {};
  }
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const recorder_storage<V, host_buffer>&) {
    return {};
  }
  template <scalar_types S>
  static std::int64_t scratch(const recorder_view&) {
    return 0;
  }
  template <scalar_types S>
  static auto passes(const recorder_view& a, isa) {
    formats::cpu_passes<recorder_view, S> all;
    for (int pass = 0; pass < a.meta.passes; ++pass)
      all.push_back(
          {.run =
               [](const recorder_view&, const product<S>&, std::int64_t first, std::int64_t last, sum_t<S>*) {
                 const std::lock_guard lock(noting);
                 noted.emplace_back(first, last);
               },
           .units = a.meta.units,
           .carries = {}});
    return all;
  }
  template <scalar_types S>
  static void launch(const recorder_view&, const product<S>& p, sum_t<S>*, cuda_stream) {
    noted_backwards.push_back(p.backwards);
  }
};

recorder::storage<double, std::int64_t, host_buffer> stored(std::int64_t units, std::int64_t bytes,
                                                            int passes = 1) {
  return {.meta = {.units = units, .passes = passes},
          .val = host_buffer<double>(static_cast<std::size_t>(bytes / 8))};
}

/// What each of three products of a plan asks for, in turn.
template <class Plan>
std::vector<std::vector<asked>> products_of(const Plan& plan) {
  const auto room = plan.make_workspace();
  std::vector<std::vector<asked>> all;
  for (int k = 0; k < 3; ++k) {
    noted.clear();
    plan.multiply_host({.alpha = 1}, *room);
    all.push_back(noted);
  }
  return all;
}

using plan_of_a_cpu = plans::cpu_plan<recorder, f64, std::int64_t>;
constexpr std::int64_t mib = 1 << 20;

TEST(cpu_plan, alternates_the_sweep_direction) {
  const variable set("GOSSAMER_SWEEPS", "alternating");
  const plan_of_a_cpu plan({}, {.threads = 1}, stored(4, mib), {});
  const auto forwards = ElementsAre(Pair(0, 4));
  const auto backwards = ElementsAre(Pair(3, 4), Pair(2, 3), Pair(1, 2), Pair(0, 1));
  EXPECT_THAT(products_of(plan), ElementsAre(forwards, backwards, forwards));
  EXPECT_THAT(products_of(plan), ElementsAre(forwards, backwards, forwards))
      << "each workspace begins forwards";
}

TEST(cpu_plan, sweeps_forward_on_request) {
  const variable set("GOSSAMER_SWEEPS", "forward");
  const plan_of_a_cpu plan({}, {.threads = 1}, stored(4, mib), {});
  EXPECT_THAT(products_of(plan), Each(ElementsAre(Pair(0, 4))));
}

TEST(cpu_plan, of_several_passes_goes_forwards) {
  const variable set("GOSSAMER_SWEEPS", "alternating");
  const plan_of_a_cpu plan({}, {.threads = 1}, stored(4, mib, 2), {});
  EXPECT_THAT(products_of(plan), Each(ElementsAre(Pair(0, 4), Pair(0, 4))));
}

/// Who takes what is left to chance; but what is begun first is the end of a share where the product goes
/// backwards, and else its beginning.
TEST(cpu_plan, alternates_the_sweep_direction_of_long_shares) {
  const variable set("GOSSAMER_SWEEPS", "alternating");
  const plan_of_a_cpu plan({}, {.threads = 2}, stored(64, 32 * mib), {});
  const auto products = products_of(plan);
  ASSERT_THAT(products, SizeIs(3));
  for (const std::size_t forwards : {0, 2}) EXPECT_THAT(products[forwards][0].first % 32, 0);
  EXPECT_THAT(products[1][0].second % 32, 0);
  EXPECT_EQ(products[1][0].second - products[1][0].first, 1)
      << "a piece: units of half a megabyte, one by one";
}

#if defined(GOSSAMER_HAVE_CUDA)
TEST(gpu_plan, alternates_the_sweep_direction_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const plans::gpu_plan<recorder, f64, std::int64_t> plan({.rows = 1}, {.kind = device_set::cuda},
                                                          stored(4, mib), {}, {});
  for (int times = 0; times < 2; ++times) {
    const auto room = plan.make_workspace();
    noted_backwards.clear();
    for (int k = 0; k < 3; ++k) plan.multiply_device({.alpha = 1}, {}, *room);
    EXPECT_THAT(noted_backwards, ElementsAre(false, true, false));
  }
}
#endif

}  // namespace
}  // namespace gossamer
