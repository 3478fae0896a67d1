// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue and vectors in device memory: of every format, in the kernels of the product or
// behind them, launched one by one and from a CUDA graph.
#include "bench_support/generate/generate.hpp"
#include "property/property.hpp"
#include "support/device_vectors.hpp"
#include "support/epilogues.hpp"

namespace gossamer::testing_support::epilogues_on_device {
namespace {

std::vector<subject> device_subjects() {
  std::vector<subject> on_gpu = subjects();
  std::erase_if(on_gpu, [](const subject& s) { return !s.on_gpu; });
  return on_gpu;
}

class epilogues_device : public property_test {};

/// epilogue_vectors in device memory.
template <class V>
struct vectors_there {
  explicit vectors_there(const epilogue_vectors<V>& from)
      : x(from.x),
        y(from.y),
        z(from.z),
        scale(from.scale),
        u(from.u),
        lower(from.lower),
        upper(from.upper),
        add(from.add),
        out(from.out),
        w(from.w),
        factors(from.factors),
        dots(from.dots) {}
  device_vector<V> x, y, z, scale, u, lower, upper, add, out, w, factors;
  device_vector<double> dots;

  void fill(const epilogue_vectors<V>& from) {
    y.fill(from.y);
    out.fill(from.out);
    dots.fill(from.dots);
  }
  [[nodiscard]] epilogue_vectors<V> fetch(epilogue_vectors<V> to) const {
    to.y = y.fetch();
    to.out = out.fetch();
    to.dots = dots.fetch();
    return to;
  }
};

template <class V, class O>
void check_case(const csr_matrix<V, O>& a, const inspect_options& how, const epilogue_parts& parts) {
  SCOPED_TRACE(parts.name);
  const plan<V> made = inspect(a.view(), cuda{0}, how);
  const host_buffer<V> stored = made.stored_values(a.view());
  csr_view<V, O> multiplied = a.view();
  multiplied.val = stored.span();
  const auto before = vectors_for<V>(a.rows, a.cols, parts);
  vectors_there<V> v(before);
  const auto e = epilogue_of<device_space, V>(parts, v, [](auto& each) { return each.span(); });
  const V alpha = given_alpha<V>(parts);
  const V beta = given_beta<V>(parts);
  stream on;
  const auto multiply = [&] { made.multiply(alpha, v.x.span(), beta, v.y.span(), e, on.handle); };
  multiply();
  const auto after = v.fetch(before);
  EXPECT_EQ(wrong_element(multiplied, parts, before, after), "") << made.describe();
  if (!is_deterministic(made.describe())) return;
  // The next product of a workspace goes backwards.
  v.fill(before);
  multiply();
  expect_same_bits(after, v.fetch(before));

  workspace captured = made.make_workspace();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launched = nullptr;
  check(cudaStreamBeginCapture(on.handle, cudaStreamCaptureModeThreadLocal));
  made.multiply(alpha, v.x.span(), beta, v.y.span(), e, on.handle, captured);
  check(cudaStreamEndCapture(on.handle, &graph));
  check(cudaGraphInstantiate(&launched, graph, 0));
  for (int i = 0; i < 3; ++i) {
    v.fill(before);
    check(cudaGraphLaunch(launched, on.handle));
    expect_same_bits(after, v.fetch(before));
  }
  check(cudaGraphExecDestroy(launched));
  check(cudaGraphDestroy(graph));
}

TEST_P(epilogues_device, are_within_the_bounds_of_rounding_and_repeat_their_bits) {
  std::size_t next = 0;
  const bool fused = format() == "packed" || format() == "csr";
  const auto check_entry = [&](const battery_entry& entry, const option_texts& options) {
    const std::size_t n = next++;
    const epilogue_parts& parts = epilogue_cases[n % std::size(epilogue_cases)];
    const inspect_options how{.format = format(), .options = options};
    if (n % 2 == 0)
      check_case(converted<double, std::int64_t>(entry.matrix), how, parts);
    else
      check_case(converted<float, std::int32_t>(entry.matrix), how, parts);
  };
  if (fused)
    for_each_case(check_entry);
  else
    for_some_cases(check_entry);
}

class epilogues_of_many_blocks : public testing::TestWithParam<const char*> {};

/// Matrices of thousands of blocks, whose partial dot products several blocks add: diagonal, lane and COO
/// slices, and cut rows. Of the last, with a cut row, one block adds them.
constexpr const char* matrices_of_many_blocks[] = {"stencil(nx=100,ny=100,nz=100)",
                                                   "stencil(nx=100,ny=100,nz=100,values=few(3))",
                                                   "fem(nx=81,dof=1)",
                                                   "power_law(rows=600k,mean=6,max=30000)",
                                                   "uniform(rows=3M,per_row=3)",
                                                   "heavy_row(rows=20k,cols=20k,per_row=4,heavy=19000)"};

TEST_P(epilogues_of_many_blocks, are_within_the_bounds_of_rounding_and_repeat_their_bits_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto a = bench_support::generate<double>(GetParam());
  for (const epilogue_parts& parts : epilogue_cases)
    if (parts.dot_with_y && parts.dot_with_w) check_case(a, {.format = "packed"}, parts);
}

INSTANTIATE_TEST_SUITE_P(matrices, epilogues_of_many_blocks, testing::ValuesIn(matrices_of_many_blocks),
                         [](const auto& each) { return "matrix_" + std::to_string(each.index); });

/// New values may need more blocks than the old ones, and more room for their partial dot products. With 27
/// points, those of many values are computed in a pass behind the product, and those of one value are not.
class epilogues_device_values : public testing::TestWithParam<int> {};

TEST_P(epilogues_device_values, have_room_after_values_that_need_more_blocks_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  auto a = bench_support::generate<double>(
      "stencil(nx=40,ny=40,nz=40,values=constant,points=" + std::to_string(GetParam()) + ")");
  auto made = inspect(a.view(), cuda{0},
                      {.format = "packed",
                       .options = {{"values", "encoded"}, {"warps_on_diagonals", "by_rows"}},
                       .values_change = true});
  const std::vector<double> ones(static_cast<std::size_t>(a.rows), 1.0);
  const device_vector<double> x{std::span<const double>(ones)};
  device_vector<double> y{std::span<const double>(ones)};
  device_vector<double> dots(2);
  workspace scratch = made.make_workspace();
  epilogue<double, device_space> both;
  both.dots = {{{.with = x.span(), .result = {dots.span().data(), 1}},
                {.with = y.span(), .result = {dots.span().data() + 1, 1}}}};
  const auto check_sums = [&] {
    made.multiply(1.0, x.span(), 0.0, y.span(), both, {}, scratch);
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      double row = 0;
      for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1];
           ++k)
        row += a.val[static_cast<std::size_t>(k)];
      sum += row;
      squares += row * row;
    }
    EXPECT_EQ(dots.fetch(), (std::vector<double>{sum, squares}));  // whole numbers
  };
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = 2;
  made.update_values(std::span<const double>(a.val.data(), a.val.size()));
  check_sums();
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<double>(k * 7919 % 1009);
  made.update_values(std::span<const double>(a.val.data(), a.val.size()));
  check_sums();
  check_sums();
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = 3;
  made.update_values(std::span<const double>(a.val.data(), a.val.size()));
  check_sums();
}

INSTANTIATE_TEST_SUITE_P(stencils, epilogues_device_values, testing::Values(7, 27),
                         testing::PrintToStringParamName());

TEST(epilogues_device_vectors, are_refused_by_a_plan_on_the_cpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto a = battery().front().matrix.view();
  const auto made = inspect(a);
  device_vector<double> x(static_cast<std::size_t>(a.cols));
  device_vector<double> y(static_cast<std::size_t>(a.rows));
  try {
    made.multiply(1.0, x.span(), 0.0, y.span(), epilogue<double, device_space>{}, {});
    FAIL() << "nothing was thrown";
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::unsupported);
    EXPECT_STREQ(problem.what(), "multiply: device vectors given to a plan on the cpu");
  }
}

INSTANTIATE_TEST_SUITE_P(all, epilogues_device, testing::ValuesIn(device_subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support::epilogues_on_device
