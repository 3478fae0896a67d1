// SPDX-License-Identifier: BSD-3-Clause
// Matrices and plans of the C interface: new values, descriptions, files, tuning, progress and ownership.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "capi/capi_support.hpp"
#include "gossamer/gossamer.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::capi::plans {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(capi, versions_are_those_of_the_library) {
  EXPECT_EQ(gossamer_version(), 10000 * version_major + 100 * version_minor + version_patch);
  EXPECT_EQ(gossamer_abi_version(), GOSSAMER_ABI_VERSION);
}

TEST(capi, lists_the_formats_of_the_library) {
  std::int32_t i = 0;
  for (const format_info& format : list_formats())
    EXPECT_STREQ(gossamer_format_name(i++), std::string(format.name).c_str());
  EXPECT_EQ(gossamer_format_name(i), nullptr);
  EXPECT_EQ(gossamer_format_name(-1), nullptr);
}

TEST(capi, counts_the_devices_of_the_library) {
  EXPECT_EQ(gossamer_cuda_device_count(), cuda_device_count());
}

TEST(capi, destroys_null_pointers) {
  gossamer_matrix_destroy(nullptr);
  gossamer_plan_destroy(nullptr);
  gossamer_workspace_destroy(nullptr);
}

TEST(capi_ownership, a_plan_outlives_its_matrix) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class Arrays, class V>(const Arrays& arrays, V) {
    for (const char* options : {"operations=both", "operations=both, format=csr"}) {
      matrix_handle matrix = make_matrix(arrays.all);
      const plan_handle plan = make_plan(matrix, options);
      matrix.reset();
      expect_both_products<V>(plan, a);
    }
  });
}

TEST(capi_ownership, a_plan_with_copy_outlives_the_arrays) {
  const entry_list a = small_matrix();
  for (const char* format : {"auto", "csr"}) {
    auto arrays = std::make_unique<host_arrays<double>>(a, GOSSAMER_CSR, 0);
    const plan_handle plan =
        make_plan(make_matrix(arrays->all), std::string("operations=both, copy=1, format=") + format);
    std::fill(arrays->values.begin(), arrays->values.end(), -100.0);
    std::fill(arrays->indices.begin(), arrays->indices.end(), -100);
    arrays.reset();
    expect_both_products<double>(plan, a);
  }
}

TEST(capi_ownership, a_workspace_outlives_other_workspaces) {
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  const plan_handle plan = make_plan(make_matrix(arrays.all));
  workspace_handle first = make_workspace(plan);
  const workspace_handle second = make_workspace(plan);
  EXPECT_NE(first.get(), second.get());
}

TEST(capi_matrix_arrays, are_the_callers_if_they_can_be_used_as_they_are) {
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC}) {
    const host_arrays<float, std::int64_t> given(small_matrix(), layout, 0);
    const matrix_handle matrix = make_matrix(given.all);
    gossamer_arrays got{};
    got.struct_size = sizeof got;
    ASSERT_EQ(outcome(gossamer_matrix_arrays(matrix.get(), &got)), "success");
    EXPECT_EQ(got.struct_size, sizeof got);
    EXPECT_EQ(got.layout, layout);
    EXPECT_EQ(got.memory, GOSSAMER_HOST);
    EXPECT_EQ(got.value_type, GOSSAMER_F32);
    EXPECT_EQ(got.offset_type, GOSSAMER_I64);
    EXPECT_EQ(got.index_type, GOSSAMER_I32);
    EXPECT_EQ(got.base, 0);
    EXPECT_EQ(got.rows, 7);
    EXPECT_EQ(got.cols, 5);
    EXPECT_EQ(got.nnz, given.all.nnz);
    EXPECT_EQ(got.offsets, given.offsets.data());
    EXPECT_EQ(got.indices, given.indices.data());
    EXPECT_EQ(got.values, given.values.data());
  }
}

TEST(capi_matrix_arrays, have_base_0_and_int32_indices) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class Arrays, class V>(const Arrays& given, V) {
    const matrix_handle matrix = make_matrix(given.all);
    gossamer_arrays got{};
    got.struct_size = sizeof got;
    ASSERT_EQ(outcome(gossamer_matrix_arrays(matrix.get(), &got)), "success");
    EXPECT_EQ(got.base, 0);
    EXPECT_EQ(got.index_type, GOSSAMER_I32);
    EXPECT_EQ(got.value_type, type_of<V>());
    EXPECT_EQ(got.layout, given.all.layout == GOSSAMER_CSC ? GOSSAMER_CSC : GOSSAMER_CSR);
    // They describe the same matrix.
    expect_both_products<V>(make_plan(make_matrix(got), "operations=both"), a);
    const host_arrays<V> sorted(a, got.layout, 0);
    EXPECT_EQ(std::memcmp(got.indices, sorted.indices.data(), sorted.indices.size() * sizeof(std::int32_t)),
              0);
    EXPECT_EQ(std::memcmp(got.values, sorted.values.data(), sorted.values.size() * sizeof(V)), 0);
    // Values of CSR and CSC are the caller's.
    if (given.all.layout != GOSSAMER_COO) {
      EXPECT_EQ(got.values, given.values.data());
    }
  });
}

void expect_new_values(const std::string& where) {
  const entry_list a = small_matrix();
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO})
    for (const char* format : {"auto", "csr", "packed"}) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", " << format);
      const host_arrays<double> arrays(a, layout, 1);
      const plan_handle plan = make_plan(
          make_matrix(arrays.all), std::string("operations=both, values_change=1, format=") + format, where);
      expect_both_products<double>(plan, a);
      entry_list changed = a;
      for (std::size_t k = 0; k < changed.entries.size(); ++k)
        changed.entries[k].value = static_cast<int>(3 * k) - 8;
      // Of COO arrays, values are sorted by row.
      const host_arrays<double> with_new_values(changed, layout == GOSSAMER_COO ? GOSSAMER_CSR : layout, 1);
      ASSERT_EQ(
          outcome(gossamer_update_values(plan.get(), with_new_values.values.data(), GOSSAMER_HOST, nullptr)),
          "success");
      expect_both_products<double>(plan, changed);
    }
}

TEST(capi_update_values, takes_the_order_of_the_arrays) {
  expect_new_values("cpu");
}
TEST(capi_update_values, takes_the_order_of_the_arrays_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_new_values("cuda");
}

TEST(capi_update_values, leaves_the_callers_arrays_unchanged) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const std::vector<double> before = arrays.values;
  const plan_handle plan = make_plan(make_matrix(arrays.all), "values_change=1, format=csr");
  const std::vector<double> zeros(before.size());
  ASSERT_EQ(outcome(gossamer_update_values(plan.get(), zeros.data(), GOSSAMER_HOST, nullptr)), "success");
  EXPECT_EQ(arrays.values, before);
}

void expect_same_plan_from_description(const std::string& where) {
  const entry_list a = small_matrix();
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC})
    for (const char* options : {"operations=both", "format=packed, longest_walk=16", "format=csr"}) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", " << options);
      host_arrays<double> arrays(a, layout, 1);
      arrays.values = random_vector<double>(arrays.all.nnz, 3);
      arrays.all.values = arrays.values.data();
      const matrix_handle matrix = make_matrix(arrays.all);
      const plan_handle plan = make_plan(matrix, options, where);
      const char* description = nullptr;
      ASSERT_EQ(outcome(gossamer_describe(plan.get(), &description)), "success");
      ASSERT_NE(description, nullptr);
      EXPECT_THAT(description, StartsWith("{"));
      gossamer_plan* raw = nullptr;
      ASSERT_EQ(outcome(gossamer_inspect_like(&raw, matrix.get(), description)), "success");
      const plan_handle like(raw);
      EXPECT_STREQ(info_of(like).format, info_of(plan).format);
      EXPECT_STREQ(info_of(like).options, info_of(plan).options);
      const auto x = random_vector<double>(5, 1);
      std::vector<double> y(7);
      std::vector<double> y_like(7);
      ASSERT_EQ(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 1, x.data(), 0, y.data())),
                "success");
      ASSERT_EQ(outcome(gossamer_multiply(like.get(), GOSSAMER_FORWARD, 1, x.data(), 0, y_like.data())),
                "success");
      EXPECT_TRUE(same_bits(y, y_like));
    }
}

TEST(capi_inspect_like, gives_the_same_bits) {
  expect_same_plan_from_description("cpu");
}
TEST(capi_inspect_like, gives_the_same_bits_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  expect_same_plan_from_description("cuda");
}

TEST(capi_plan_info, reports_the_plan) {
  const entry_list a = small_matrix();
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO}) {
    SCOPED_TRACE(layout);
    const host_arrays<float> arrays(a, layout, 0);
    const matrix_handle matrix = make_matrix(arrays.all);
    const gossamer_plan_info forward = info_of(make_plan(matrix, "format=csr, kernel=thread"));
    EXPECT_EQ(forward.struct_size, sizeof forward);
    EXPECT_EQ(forward.rows, 7);
    EXPECT_EQ(forward.cols, 5);
    EXPECT_EQ(forward.nnz, 10);
    EXPECT_EQ(forward.value_type, GOSSAMER_F32);
    EXPECT_EQ(forward.device, -1);
    EXPECT_EQ(forward.forward, 1);
    EXPECT_EQ(forward.transposed, 0);
    EXPECT_EQ(forward.symmetric, 0);
    EXPECT_EQ(forward.reencodes, 0);
    EXPECT_GT(forward.bytes, 0);
    EXPECT_GT(forward.streamed_bytes, 0);
    EXPECT_GE(forward.inspect_seconds, 0);
    const gossamer_plan_info both = info_of(make_plan(matrix, "operations=both"));
    EXPECT_EQ(both.forward, 1);
    EXPECT_EQ(both.transposed, 1);
    const gossamer_plan_info transposed = info_of(make_plan(matrix, "operations=transposed"));
    EXPECT_EQ(transposed.rows, 7);
    EXPECT_EQ(transposed.cols, 5);
    EXPECT_EQ(transposed.forward, 0);
    EXPECT_EQ(transposed.transposed, 1);
  }
}

TEST(capi_plan_info, has_text_for_another_plan) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  const plan_handle plan = make_plan(matrix, "format=packed, longest_walk=16");
  const gossamer_plan_info info = info_of(plan);
  EXPECT_STREQ(info.format, "packed");
  EXPECT_THAT(info.options, HasSubstr("longest_walk=16"));
  const plan_handle other = make_plan(matrix, std::string("format=") + info.format + ", " + info.options);
  EXPECT_STREQ(info_of(other).options, info.options);
}

TEST(capi_plan_info, reports_a_symmetric_plan_and_a_device) {
  const entry_list symmetric{.rows = 2, .cols = 2, .entries = {{0, 0, 4}, {0, 1, 1}, {1, 0, 1}, {1, 1, 5}}};
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC}) {
    const host_arrays<double> arrays(symmetric, layout, 0);
    const plan_handle plan = make_plan(make_matrix(arrays.all), "operations=both, symmetric=check");
    EXPECT_EQ(info_of(plan).symmetric, 1);
    expect_both_products<double>(plan, symmetric);
  }
}

TEST(capi_plan_info, reports_the_device_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  EXPECT_EQ(info_of(make_plan(matrix, "", "cuda")).device, 0);
  EXPECT_EQ(info_of(make_plan(matrix, "", "cuda:0")).device, 0);
}

TEST(capi_plan_matrix, has_arrays_of_its_own) {
  const entry_list a = small_matrix();
  for_each_kind_of_arrays(a, [&]<class Arrays, class V>(const Arrays& arrays, V) {
    matrix_handle stored;
    {
      const plan_handle plan = make_plan(make_matrix(arrays.all));
      gossamer_matrix* raw = nullptr;
      ASSERT_EQ(outcome(gossamer_plan_matrix(plan.get(), &raw)), "success");
      stored.reset(raw);
    }
    gossamer_arrays got{};
    got.struct_size = sizeof got;
    ASSERT_EQ(outcome(gossamer_matrix_arrays(stored.get(), &got)), "success");
    EXPECT_EQ(got.memory, GOSSAMER_HOST);
    EXPECT_NE(got.values, arrays.values.data());
    EXPECT_NE(got.indices, static_cast<const void*>(arrays.indices.data()));
    expect_both_products<V>(make_plan(stored, "operations=both"), a);
  });
}

class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gossamer_capi_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

TEST(capi_files, are_written_and_read_back) {
  const scratch_folder folder;
  const entry_list a = small_matrix();
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO})
    for (const char* name : {"a.mtx", "a.mtx.gz"}) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", " << name);
      const host_arrays<double> arrays(a, layout, 1);
      const std::string file = folder.file(name);
      ASSERT_EQ(outcome(gossamer_matrix_write(make_matrix(arrays.all).get(), file.c_str())), "success");
      gossamer_matrix* raw = nullptr;
      ASSERT_EQ(outcome(gossamer_matrix_read(&raw, file.c_str(), GOSSAMER_F64)), "success");
      expect_both_products<double>(make_plan(matrix_handle(raw), "operations=both"), a);
      ASSERT_EQ(outcome(gossamer_matrix_read(&raw, file.c_str(), GOSSAMER_F32)), "success");
      expect_both_products<float>(make_plan(matrix_handle(raw), "operations=both"), a);
    }
}

TEST(capi_files, errors_name_the_file) {
  const scratch_folder folder;
  gossamer_matrix* matrix = nullptr;
  const std::string missing = folder.file("missing.mtx");
  EXPECT_THAT(outcome(gossamer_matrix_read(&matrix, missing.c_str(), GOSSAMER_F64)),
              testing::AllOf(StartsWith("io_error: "), HasSubstr(missing)));
  const std::string wrong = folder.file("wrong.mtx");
  std::ofstream(wrong) << "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1.0\n";
  EXPECT_THAT(outcome(gossamer_matrix_read(&matrix, wrong.c_str(), GOSSAMER_F64)),
              testing::AllOf(StartsWith("parse_error: "), HasSubstr(wrong + ":3:")));
  EXPECT_EQ(matrix, nullptr);
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  const std::string no_folder = folder.file("no_folder/a.mtx");
  EXPECT_THAT(outcome(gossamer_matrix_write(make_matrix(arrays.all).get(), no_folder.c_str())),
              testing::AllOf(StartsWith("io_error: "), HasSubstr("no_folder")));
}

TEST(capi_tune, returns_text_for_inspect) {
  const entry_list a = small_matrix();
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC}) {
    const host_arrays<double> arrays(a, layout, 0);
    const matrix_handle matrix = make_matrix(arrays.all);
    const char* setting = nullptr;
    ASSERT_EQ(
        outcome(gossamer_tune(&setting, matrix.get(), "cpu", "budget=0.01, cache=0, threads=1", nullptr)),
        "success");
    ASSERT_NE(setting, nullptr);
    EXPECT_THAT(setting, StartsWith("format="));
    expect_both_products<double>(make_plan(matrix, std::string("operations=both, ") + setting), a);
  }
}

TEST(capi_tune, takes_every_key) {
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  const char* setting = nullptr;
  EXPECT_EQ(
      outcome(gossamer_tune(
          &setting, matrix.get(), "cpu",
          "calls=10, budget=0, operations=transposed, values_change=1, threads=1, isa=baseline, cache=0",
          nullptr)),
      "success");
}

struct reports {
  std::vector<std::string> stages;
  int stop_after = -1;
  std::set<std::thread::id> threads;
};

std::int32_t report(const char* stage, double fraction, void* user) {
  auto& all = *static_cast<reports*>(user);
  all.stages.emplace_back(stage);
  all.threads.insert(std::this_thread::get_id());
  EXPECT_GE(fraction, 0);
  EXPECT_LE(fraction, 1);
  return static_cast<int>(all.stages.size()) == all.stop_after ? 1 : 0;
}

TEST(capi_progress, reports_stages_in_the_calling_thread) {
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 1);
  const matrix_handle matrix = make_matrix(arrays.all);
  reports all;
  const gossamer_progress progress{.struct_size = sizeof(gossamer_progress), .report = report, .user = &all};
  gossamer_plan* plan = nullptr;
  ASSERT_EQ(outcome(gossamer_inspect(&plan, matrix.get(), "cpu", nullptr, &progress)), "success");
  gossamer_plan_destroy(plan);
  EXPECT_THAT(all.stages, testing::Contains("validate"));
  EXPECT_THAT(all.stages, testing::Contains("build"));
  EXPECT_EQ(all.threads, std::set<std::thread::id>{std::this_thread::get_id()});
  const char* setting = nullptr;
  all = {};
  ASSERT_EQ(outcome(gossamer_tune(&setting, matrix.get(), "cpu", "budget=0, cache=0", &progress)), "success");
  EXPECT_THAT(all.stages, testing::Contains("rank"));
}

TEST(capi_progress, cancels_at_each_report) {
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 1);
  const matrix_handle matrix = make_matrix(arrays.all);
  int cancelled = 0;
  for (int stop = 1; stop < 100; ++stop) {
    reports all{.stages = {}, .stop_after = stop, .threads = {}};
    const gossamer_progress progress{
        .struct_size = sizeof(gossamer_progress), .report = report, .user = &all};
    gossamer_plan* plan = nullptr;
    const gossamer_status status = gossamer_inspect(&plan, matrix.get(), "cpu", nullptr, &progress);
    if (status == GOSSAMER_SUCCESS) {
      gossamer_plan_destroy(plan);
      break;
    }
    ++cancelled;
    EXPECT_EQ(status, GOSSAMER_CANCELLED) << gossamer_last_error();
    EXPECT_STRNE(gossamer_last_error(), "");
    EXPECT_EQ(plan, nullptr);
    EXPECT_EQ(static_cast<int>(all.stages.size()), stop);
  }
  EXPECT_GT(cancelled, 1);
}

TEST(capi_options, default_values_are_accepted) {
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  EXPECT_NE(
      make_plan(
          matrix,
          "format=auto, calls=1000, operations=forward, vectors=1, values_change=0, copy=0, memory=auto, "
          "memory_limit=none, symmetric=unknown, threads=0"),
      nullptr);
  gossamer_plan* plan = nullptr;
  EXPECT_EQ(outcome(gossamer_inspect(&plan, matrix.get(), "cpu", nullptr, nullptr)), "success");
  gossamer_plan_destroy(plan);
}

TEST(capi_options, other_values_and_spaces_are_accepted) {
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  for (const char* options : {"", "  ", "calls=10", " calls = 1e6 ,vectors=4", "format=tuned", "threads=2",
                              "threads=1,isa=baseline", "isa=auto", "memory=caller_arrays",
                              "format=csr, memory=caller_arrays, kernel=thread"}) {
    SCOPED_TRACE(options);
    expect_product<double>(make_plan(matrix, options).get(), a, GOSSAMER_FORWARD);
  }
}

TEST(capi_options, reorder_keeps_the_callers_order) {
  // (. . 2), (. . 3), (4 5 .): a path with its middle in the last row.
  const entry_list a{.rows = 3, .cols = 3, .entries = {{0, 2, 2}, {1, 2, 3}, {2, 0, 4}, {2, 1, 5}}};
  for (const gossamer_layout layout : {GOSSAMER_CSR, GOSSAMER_CSC}) {
    const host_arrays<double> arrays(a, layout, 0);
    const matrix_handle matrix = make_matrix(arrays.all);
    gossamer_plan* made = nullptr;
    const std::string status =
        outcome(gossamer_inspect(&made, matrix.get(), "cpu", "reorder=rcm, operations=both", nullptr));
    if (status.find("no Boost Graph Library") != std::string::npos) GTEST_SKIP() << status;
    ASSERT_EQ(status, "success");
    const plan_handle plan(made);
    expect_both_products<double>(plan, a);
    const std::int32_t* permutation = nullptr;
    ASSERT_EQ(outcome(gossamer_plan_permutation(plan.get(), &permutation)), "success");
    ASSERT_NE(permutation, nullptr);
    EXPECT_EQ(permutation[1], 2);
    ASSERT_EQ(outcome(gossamer_plan_permutation(make_plan(matrix, "").get(), &permutation)), "success");
    EXPECT_EQ(permutation, nullptr);
    EXPECT_THAT(outcome(gossamer_inspect(&made, matrix.get(), "cpu", "reorder=amd", nullptr)),
                HasSubstr("reorder = \"amd\" is not one of none, rcm"));
  }
}

TEST(capi_options, memory_limit_is_accepted_cuda) {
  GOSSAMER_NEEDS_CUDA_DEVICE();
  const entry_list a = small_matrix();
  const host_arrays<double> arrays(a, GOSSAMER_CSR, 0);
  const matrix_handle matrix = make_matrix(arrays.all);
  for (const char* options : {"memory_limit=none", "memory_limit=0", "memory_limit=1000000"})
    expect_product<double>(make_plan(matrix, options, "cuda").get(), a, GOSSAMER_FORWARD);
}

TEST(capi_options, keys_are_no_option_names_of_formats) {
  const std::set<std::string> keys{"format", "calls",  "operations",   "vectors",   "values_change",
                                   "copy",   "memory", "memory_limit", "symmetric", "threads",
                                   "isa",    "budget", "cache",        "reorder"};
  for (const format_info& format : list_formats())
    for (const option_info& option : format.options)
      EXPECT_EQ(keys.count(std::string(option.name)), 0U) << format.name << " has the option " << option.name;
}

}  // namespace
}  // namespace gossamer::testing_support::capi::plans
