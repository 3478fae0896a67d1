// SPDX-License-Identifier: BSD-3-Clause
// Every error of the C interface: its status, and a message that names the argument and its value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "capi/capi_support.hpp"
#include "gossamer/gossamer.hpp"

namespace gossamer::testing_support::capi::errors {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(capi_status, numbers_and_names_are_those_of_errc) {
  const std::vector<std::pair<gossamer_status, errc>> all{{GOSSAMER_INVALID_ARGUMENT, errc::invalid_argument},
                                                          {GOSSAMER_SIZE_MISMATCH, errc::size_mismatch},
                                                          {GOSSAMER_INVALID_MATRIX, errc::invalid_matrix},
                                                          {GOSSAMER_UNSUPPORTED, errc::unsupported},
                                                          {GOSSAMER_PARSE_ERROR, errc::parse_error},
                                                          {GOSSAMER_IO_ERROR, errc::io_error},
                                                          {GOSSAMER_OUT_OF_MEMORY, errc::out_of_memory},
                                                          {GOSSAMER_NO_DEVICE, errc::no_device},
                                                          {GOSSAMER_DEVICE_ERROR, errc::device_error},
                                                          {GOSSAMER_OVERLAP, errc::overlap},
                                                          {GOSSAMER_CANCELLED, errc::cancelled},
                                                          {GOSSAMER_BUSY, errc::busy}};
  for (const auto& [status, code] : all) {
    EXPECT_EQ(status, static_cast<int>(code)) << name(code);
    EXPECT_EQ(gossamer_status_name(status), name(code));
  }
  EXPECT_EQ(all.size(), 12U);
}

TEST(capi_status, every_number_has_a_name) {
  EXPECT_STREQ(gossamer_status_name(GOSSAMER_SUCCESS), "success");
  EXPECT_STREQ(gossamer_status_name(GOSSAMER_INTERNAL_ERROR), "internal_error");
  for (const gossamer_status unknown : {-1, 14, 1000, INT32_MIN, INT32_MAX})
    EXPECT_STREQ(gossamer_status_name(unknown), "unknown");
}

TEST(capi_last_error, is_that_of_the_thread) {
  gossamer_matrix* matrix = nullptr;
  EXPECT_EQ(gossamer_matrix_create(&matrix, nullptr), GOSSAMER_INVALID_ARGUMENT);
  const std::string here = gossamer_last_error();
  EXPECT_NE(here, "");
  std::thread([] {
    EXPECT_STREQ(gossamer_last_error(), "");
    gossamer_matrix* other = nullptr;
    EXPECT_NE(gossamer_matrix_read(&other, "/no such folder/a.mtx", GOSSAMER_F64), GOSSAMER_SUCCESS);
    EXPECT_THAT(gossamer_last_error(), HasSubstr("/no such folder/a.mtx"));
  }).join();
  EXPECT_EQ(gossamer_last_error(), here);
}

TEST(capi_last_error, stays_after_calls_that_succeed) {
  gossamer_matrix* matrix = nullptr;
  EXPECT_EQ(gossamer_matrix_create(&matrix, nullptr), GOSSAMER_INVALID_ARGUMENT);
  const std::string before = gossamer_last_error();
  const host_arrays<double> arrays(small_matrix(), GOSSAMER_CSR, 0);
  EXPECT_NE(make_plan(make_matrix(arrays.all)), nullptr);
  EXPECT_EQ(gossamer_last_error(), before);
}

TEST(capi_last_error, is_cut_if_it_is_very_long) {
  const std::string file(5000, 'a');
  gossamer_matrix* matrix = nullptr;
  EXPECT_NE(gossamer_matrix_read(&matrix, file.c_str(), GOSSAMER_F64), GOSSAMER_SUCCESS);
  EXPECT_GT(std::strlen(gossamer_last_error()), 100U);
}

/// A null pointer, and another one that nobody reads.
template <class T>
T* unread() {
  static std::max_align_t memory;
  return reinterpret_cast<T*>(&memory);
}

class capi_errors : public testing::Test {
 protected:
  [[nodiscard]] std::string inspect_outcome(const char* options, const char* where = "cpu") const {
    gossamer_plan* made = unread<gossamer_plan>();
    const gossamer_status status = gossamer_inspect(&made, matrix.get(), where, options, nullptr);
    if (status == GOSSAMER_SUCCESS)
      gossamer_plan_destroy(made);
    else
      EXPECT_EQ(made, nullptr);
    return outcome(status);
  }
  static std::string create_outcome(const gossamer_arrays& given) {
    gossamer_matrix* made = unread<gossamer_matrix>();
    const gossamer_status status = gossamer_matrix_create(&made, &given);
    if (status == GOSSAMER_SUCCESS)
      gossamer_matrix_destroy(made);
    else
      EXPECT_EQ(made, nullptr);
    return outcome(status);
  }
  /// Of an error that gossamer_matrix_create() or gossamer_inspect() reports.
  static std::string create_and_inspect_outcome(const gossamer_arrays& given) {
    gossamer_matrix* made = nullptr;
    gossamer_status status = gossamer_matrix_create(&made, &given);
    gossamer_plan* of_it = nullptr;
    if (status == GOSSAMER_SUCCESS) status = gossamer_inspect(&of_it, made, "cpu", nullptr, nullptr);
    gossamer_plan_destroy(of_it);
    gossamer_matrix_destroy(made);
    return outcome(status);
  }

  host_arrays<double> arrays{small_matrix(), GOSSAMER_CSR, 0};
  matrix_handle matrix = make_matrix(arrays.all);
  plan_handle plan = make_plan(matrix);
  std::vector<double> x = std::vector<double>(5, 1);
  std::vector<double> y = std::vector<double>(7, 1);
};

TEST_F(capi_errors, null_pointers_are_named) {
  gossamer_matrix* m = nullptr;
  gossamer_plan* p = nullptr;
  gossamer_workspace* w = nullptr;
  gossamer_plan_info info{};
  info.struct_size = sizeof info;
  const char* text = nullptr;
  const auto null = [](const std::string& argument) {
    return "invalid_argument: " + argument + " is a null pointer";
  };
  EXPECT_EQ(outcome(gossamer_matrix_create(nullptr, &arrays.all)), null("matrix"));
  EXPECT_EQ(outcome(gossamer_matrix_create(&m, nullptr)), null("arrays"));
  EXPECT_EQ(outcome(gossamer_matrix_read(nullptr, "a.mtx", GOSSAMER_F64)), null("matrix"));
  EXPECT_EQ(outcome(gossamer_matrix_read(&m, nullptr, GOSSAMER_F64)), null("file"));
  EXPECT_EQ(outcome(gossamer_matrix_write(nullptr, "a.mtx")), null("matrix"));
  EXPECT_EQ(outcome(gossamer_matrix_write(matrix.get(), nullptr)), null("file"));
  gossamer_arrays got{};
  got.struct_size = sizeof got;
  EXPECT_EQ(outcome(gossamer_matrix_arrays(nullptr, &got)), null("matrix"));
  EXPECT_EQ(outcome(gossamer_matrix_arrays(matrix.get(), nullptr)), null("arrays"));
  EXPECT_EQ(outcome(gossamer_inspect(nullptr, matrix.get(), "cpu", nullptr, nullptr)), null("plan"));
  EXPECT_EQ(outcome(gossamer_inspect(&p, nullptr, "cpu", nullptr, nullptr)), null("matrix"));
  EXPECT_EQ(outcome(gossamer_inspect(&p, matrix.get(), nullptr, nullptr, nullptr)), null("where"));
  EXPECT_EQ(outcome(gossamer_inspect_like(nullptr, matrix.get(), "{}")), null("plan"));
  EXPECT_EQ(outcome(gossamer_inspect_like(&p, nullptr, "{}")), null("matrix"));
  EXPECT_EQ(outcome(gossamer_inspect_like(&p, matrix.get(), nullptr)), null("description"));
  EXPECT_EQ(outcome(gossamer_tune(nullptr, matrix.get(), "cpu", nullptr, nullptr)), null("setting"));
  EXPECT_EQ(outcome(gossamer_tune(&text, nullptr, "cpu", nullptr, nullptr)), null("matrix"));
  EXPECT_EQ(outcome(gossamer_tune(&text, matrix.get(), nullptr, nullptr, nullptr)), null("where"));
  EXPECT_EQ(outcome(gossamer_multiply(nullptr, GOSSAMER_FORWARD, 1, x.data(), 0, y.data())), null("plan"));
  EXPECT_EQ(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 1, nullptr, 0, y.data())), null("x"));
  EXPECT_EQ(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 1, x.data(), 0, nullptr)), null("y"));
  EXPECT_EQ(outcome(gossamer_multiply_device(nullptr, GOSSAMER_FORWARD, 1, x.data(), 0, y.data(), nullptr,
                                             nullptr)),
            null("plan"));
  EXPECT_EQ(outcome(gossamer_workspace_create(nullptr, plan.get())), null("workspace"));
  EXPECT_EQ(outcome(gossamer_workspace_create(&w, nullptr)), null("plan"));
  std::int32_t captured = 0;
  std::uint64_t id = 0;
  EXPECT_EQ(outcome(gossamer_stream_id(nullptr, nullptr, &id)), null("captured"));
  EXPECT_EQ(outcome(gossamer_stream_id(nullptr, &captured, nullptr)), null("id"));
  EXPECT_EQ(outcome(gossamer_update_values(nullptr, x.data(), GOSSAMER_HOST, nullptr)), null("plan"));
  EXPECT_EQ(outcome(gossamer_update_values(plan.get(), nullptr, GOSSAMER_HOST, nullptr)), null("values"));
  EXPECT_EQ(outcome(gossamer_plan_get_info(nullptr, &info)), null("plan"));
  EXPECT_EQ(outcome(gossamer_plan_get_info(plan.get(), nullptr)), null("info"));
  EXPECT_EQ(outcome(gossamer_describe(nullptr, &text)), null("plan"));
  EXPECT_EQ(outcome(gossamer_describe(plan.get(), nullptr)), null("description"));
  EXPECT_EQ(outcome(gossamer_plan_matrix(nullptr, &m)), null("plan"));
  EXPECT_EQ(outcome(gossamer_plan_matrix(plan.get(), nullptr)), null("matrix"));
  const int32_t* permutation = nullptr;
  EXPECT_EQ(outcome(gossamer_plan_permutation(nullptr, &permutation)), null("plan"));
  EXPECT_EQ(outcome(gossamer_plan_permutation(plan.get(), nullptr)), null("permutation"));
  const gossamer_progress no_report{
      .struct_size = sizeof(gossamer_progress), .report = nullptr, .user = nullptr};
  EXPECT_EQ(outcome(gossamer_inspect(&p, matrix.get(), "cpu", nullptr, &no_report)),
            null("progress->report"));
}

TEST_F(capi_errors, null_arrays_are_named) {
  for (const auto member : {&gossamer_arrays::offsets, &gossamer_arrays::indices, &gossamer_arrays::values}) {
    gossamer_arrays given = arrays.all;
    given.*member = nullptr;
    const char* const name = member == &gossamer_arrays::offsets   ? "offsets"
                             : member == &gossamer_arrays::indices ? "indices"
                                                                   : "values";
    EXPECT_EQ(create_outcome(given), std::string("invalid_argument: arrays->") + name + " is a null pointer");
  }
}

TEST_F(capi_errors, bad_enumerators_are_named) {
  const std::vector<std::pair<std::string, std::int32_t gossamer_arrays::*>> members{
      {"layout", &gossamer_arrays::layout},         {"memory", &gossamer_arrays::memory},
      {"value_type", &gossamer_arrays::value_type}, {"offset_type", &gossamer_arrays::offset_type},
      {"index_type", &gossamer_arrays::index_type}, {"base", &gossamer_arrays::base}};
  for (const auto& [name, member] : members)
    for (const std::int32_t bad : {-1, 7}) {
      gossamer_arrays given = arrays.all;
      given.*member = bad;
      EXPECT_THAT(create_outcome(given),
                  StartsWith("invalid_argument: arrays->" + name + " is " + std::to_string(bad)));
    }
  gossamer_arrays given = arrays.all;
  given.value_type = GOSSAMER_I32;
  EXPECT_THAT(create_outcome(given), StartsWith("invalid_argument: arrays->value_type is 3"));
  given = arrays.all;
  given.index_type = GOSSAMER_F64;
  EXPECT_THAT(create_outcome(given), StartsWith("invalid_argument: arrays->index_type is 2"));

  gossamer_matrix* m = nullptr;
  EXPECT_THAT(outcome(gossamer_matrix_read(&m, "a.mtx", GOSSAMER_I64)),
              StartsWith("invalid_argument: value_type is 4"));
  EXPECT_THAT(outcome(gossamer_multiply(plan.get(), 2, 1, x.data(), 0, y.data())),
              StartsWith("invalid_argument: op is 2"));
  EXPECT_THAT(outcome(gossamer_multiply_device(plan.get(), -1, 1, x.data(), 0, y.data(), nullptr, nullptr)),
              StartsWith("invalid_argument: op is -1"));
  EXPECT_THAT(outcome(gossamer_update_values(plan.get(), x.data(), 2, nullptr)),
              StartsWith("invalid_argument: memory is 2"));
}

TEST_F(capi_errors, bad_sizes_are_named) {
  const std::vector<std::pair<std::string, std::int64_t gossamer_arrays::*>> members{
      {"rows", &gossamer_arrays::rows}, {"cols", &gossamer_arrays::cols}, {"nnz", &gossamer_arrays::nnz}};
  for (const auto& [name, member] : members) {
    gossamer_arrays given = arrays.all;
    given.*member = -2;
    EXPECT_THAT(create_outcome(given), StartsWith("invalid_argument: arrays->" + name + " is -2"));
    if (name == "nnz") continue;
    given.*member = std::int64_t{1} << 31;
    EXPECT_THAT(create_outcome(given), StartsWith("unsupported: arrays->" + name + " is 2147483648"));
  }
}

TEST_F(capi_errors, indices_outside_the_matrix_are_named) {
  for (const std::int32_t base : {0, 1}) {
    SCOPED_TRACE(base);
    // Of int64 indices, also such as would fit after the upper half is cut off.
    for (const std::int64_t bad :
         {std::int64_t{base} - 1, std::int64_t{base} + 5, (std::int64_t{1} << 32) + 1}) {
      host_arrays<double, std::int32_t, std::int64_t> wide(small_matrix(), GOSSAMER_CSR, base);
      wide.indices[3] = bad;
      EXPECT_THAT(create_and_inspect_outcome(wide.all),
                  AllOf(StartsWith("invalid_matrix: "), HasSubstr("indices[3] is " + std::to_string(bad))));
      host_arrays<double, std::int64_t, std::int64_t> coordinates(small_matrix(), GOSSAMER_COO, base);
      coordinates.offsets[2] = bad == base + 5 ? base + 7 : bad;
      EXPECT_THAT(create_and_inspect_outcome(coordinates.all),
                  AllOf(StartsWith("invalid_matrix: "),
                        HasSubstr("offsets[2] is " + std::to_string(coordinates.offsets[2]))));
    }
    for (const std::int32_t bad : {base - 1, base + 5}) {
      host_arrays<double> narrow(small_matrix(), GOSSAMER_CSR, base);
      narrow.indices[3] = bad;
      EXPECT_THAT(create_and_inspect_outcome(narrow.all), StartsWith("invalid_matrix: "));
    }
    host_arrays<double> extreme(small_matrix(), GOSSAMER_CSR, base);
    extreme.indices[0] = INT32_MIN;
    EXPECT_THAT(create_and_inspect_outcome(extreme.all), StartsWith("invalid_matrix: "));
  }
}

TEST_F(capi_errors, bad_offsets_are_refused) {
  for (const std::int32_t base : {0, 1})
    for (const std::int64_t bad : {std::int64_t{-5}, std::int64_t{1000}, INT64_MIN, INT64_MAX})
      for (const std::size_t at : {std::size_t{0}, std::size_t{2}, std::size_t{7}}) {
        host_arrays<double, std::int64_t> wrong(small_matrix(), GOSSAMER_CSR, base);
        wrong.offsets[at] = bad;
        const std::string outcome = create_and_inspect_outcome(wrong.all);
        EXPECT_THAT(outcome, StartsWith("invalid_matrix: ")) << base << " " << at << " " << bad;
        const std::string named = "arrays->offsets[" + std::to_string(at) + "] is " + std::to_string(bad);
        EXPECT_THAT(outcome, HasSubstr(at == 2 ? "" : named));
      }
}

TEST_F(capi_errors, options_are_named) {
  EXPECT_THAT(inspect_outcome("colour=red"), AllOf(StartsWith("invalid_argument: "), HasSubstr("colour")));
  EXPECT_THAT(inspect_outcome("format=csr, colour=red"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("colour")));
  EXPECT_THAT(inspect_outcome("longest_walk=32"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("longest_walk")));
  EXPECT_THAT(inspect_outcome("format=no_such"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("no_such")));
  EXPECT_THAT(inspect_outcome("format=csr, kernel=no_such"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("no_such")));
  EXPECT_THAT(inspect_outcome("calls"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("\"calls\""), HasSubstr("key=value")));
  EXPECT_THAT(inspect_outcome("calls=1,,vectors=1"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("key=value")));
  EXPECT_THAT(inspect_outcome("calls=1, calls=2"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("calls"), HasSubstr("twice")));
  for (const char* item :
       {"calls=many", "calls=", "calls=-1", "calls=nan", "vectors=0", "vectors=1.5", "values_change=yes",
        "copy=2", "memory=some", "memory_limit=1GB", "memory_limit=-1", "operations=all", "symmetric=yes",
        "threads=-1", "threads=two", "isa=sse"}) {
    const std::string key(item, std::strchr(item, '=') - item);
    EXPECT_THAT(inspect_outcome(item), AllOf(StartsWith("invalid_argument: "), HasSubstr(key))) << item;
  }
  EXPECT_THAT(inspect_outcome("memory_limit=1000"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("memory_limit")));
  const char* setting = nullptr;
  EXPECT_THAT(outcome(gossamer_tune(&setting, matrix.get(), "cpu", "vectors=2", nullptr)),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("vectors")));
  EXPECT_THAT(outcome(gossamer_tune(&setting, matrix.get(), "cpu", "budget=long", nullptr)),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("budget"), HasSubstr("long")));
  EXPECT_EQ(setting, nullptr);
}

TEST_F(capi_errors, resources_are_named) {
  for (const char* where : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU"})
    EXPECT_THAT(inspect_outcome(nullptr, where),
                AllOf(StartsWith("invalid_argument: "), HasSubstr(std::string("\"") + where + "\"")));
  EXPECT_THAT(inspect_outcome(nullptr, "cuda:99"), AllOf(StartsWith("no_device: "), HasSubstr("cuda:99")));
  EXPECT_THAT(inspect_outcome("threads=2", "cuda"),
              AllOf(StartsWith("invalid_argument: "), HasSubstr("threads")));
}

TEST_F(capi_errors, of_a_machine_without_devices) {
  if (gossamer_cuda_device_count() > 0) GTEST_SKIP() << "needs a machine without a CUDA device";
  EXPECT_THAT(inspect_outcome(nullptr, "cuda"), StartsWith("no_device: "));
  gossamer_arrays given = arrays.all;
  given.memory = GOSSAMER_DEVICE;
  EXPECT_THAT(create_outcome(given), StartsWith("no_device: "));
}

TEST_F(capi_errors, of_device_vectors_on_a_cpu_plan) {
  EXPECT_THAT(outcome(gossamer_multiply_device(plan.get(), GOSSAMER_FORWARD, 1, x.data(), 0, y.data(),
                                               nullptr, nullptr)),
              StartsWith("unsupported: "));
  const plan_handle changing = make_plan(matrix, "values_change=1");
  EXPECT_THAT(outcome(gossamer_update_values(changing.get(), arrays.values.data(), GOSSAMER_DEVICE, nullptr)),
              StartsWith("unsupported: "));
}

TEST_F(capi_errors, of_products_that_the_plan_does_not_compute) {
  EXPECT_THAT(outcome(gossamer_multiply(plan.get(), GOSSAMER_TRANSPOSED, 1, y.data(), 0, x.data())),
              StartsWith("unsupported: "));
  const plan_handle transposed = make_plan(matrix, "operations=transposed");
  EXPECT_THAT(outcome(gossamer_multiply(transposed.get(), GOSSAMER_FORWARD, 1, x.data(), 0, y.data())),
              StartsWith("unsupported: "));
}

TEST_F(capi_errors, of_products_name_the_operation_of_the_caller_for_csc) {
  const host_arrays<double> columns(small_matrix(), GOSSAMER_CSC, 0);
  const plan_handle forward = make_plan(make_matrix(columns.all));
  const std::string message =
      outcome(gossamer_multiply(forward.get(), GOSSAMER_TRANSPOSED, 1, y.data(), 0, x.data()));
  EXPECT_THAT(message, StartsWith("unsupported: "));
  EXPECT_THAT(message, testing::Not(HasSubstr("operations is transposed"))) << message;
}

TEST_F(capi_errors, of_values_that_may_not_change) {
  EXPECT_THAT(outcome(gossamer_update_values(plan.get(), arrays.values.data(), GOSSAMER_HOST, nullptr)),
              AllOf(StartsWith("unsupported: "), HasSubstr("values_change")));
}

TEST_F(capi_errors, of_vectors_that_overlap) {
  std::vector<double> both(8);
  EXPECT_THAT(outcome(gossamer_multiply(plan.get(), GOSSAMER_FORWARD, 1, both.data(), 0, both.data() + 1)),
              StartsWith("overlap: "));
}

TEST_F(capi_errors, of_descriptions) {
  gossamer_plan* made = nullptr;
  EXPECT_THAT(outcome(gossamer_inspect_like(&made, matrix.get(), "no JSON")), StartsWith("parse_error: "));
  const char* description = nullptr;
  ASSERT_EQ(gossamer_describe(plan.get(), &description), GOSSAMER_SUCCESS);
  const host_arrays<float> of_float(small_matrix(), GOSSAMER_CSR, 0);
  EXPECT_THAT(outcome(gossamer_inspect_like(&made, make_matrix(of_float.all).get(), description)),
              StartsWith("invalid_argument: "));
  EXPECT_EQ(made, nullptr);
}

TEST_F(capi_errors, of_dense_matrices) {
  const auto view = [](std::vector<double>& data, std::int64_t rows) {
    return gossamer_dense{.struct_size = sizeof(gossamer_dense),
                          .order = GOSSAMER_COLUMN_MAJOR,
                          .memory = GOSSAMER_HOST,
                          .rows = rows,
                          .cols = 1,
                          .leading = rows,
                          .data = data.data()};
  };
  const gossamer_dense good_x = view(x, 5);
  const gossamer_dense good_y = view(y, 7);
  const auto result = [&](const gossamer_dense& of_x, const gossamer_dense& of_y) {
    return outcome(
        gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &of_x, 0, &of_y, nullptr, nullptr));
  };
  EXPECT_EQ(result(good_x, good_y), "success");
  EXPECT_EQ(
      outcome(gossamer_multiply_dense(nullptr, GOSSAMER_FORWARD, 1, &good_x, 0, &good_y, nullptr, nullptr)),
      "invalid_argument: plan is a null pointer");
  EXPECT_EQ(outcome(gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, nullptr, 0, &good_y, nullptr,
                                            nullptr)),
            "invalid_argument: x is a null pointer");
  EXPECT_EQ(outcome(gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &good_x, 0, nullptr, nullptr,
                                            nullptr)),
            "invalid_argument: y is a null pointer");
  gossamer_dense bad = good_x;
  bad.data = nullptr;
  EXPECT_EQ(result(bad, good_y), "invalid_argument: x->data is a null pointer");
  bad = good_y;
  bad.order = 2;
  EXPECT_THAT(result(good_x, bad), StartsWith("invalid_argument: y->order is 2"));
  bad = good_x;
  bad.memory = -3;
  EXPECT_THAT(result(bad, good_y), StartsWith("invalid_argument: x->memory is -3"));
  bad = good_y;
  bad.memory = GOSSAMER_DEVICE;
  EXPECT_THAT(result(good_x, bad), AllOf(StartsWith("invalid_argument: "), HasSubstr("memory")));
  bad = good_x;
  bad.leading = 4;
  EXPECT_THAT(result(bad, good_y), AllOf(StartsWith("invalid_argument: "), HasSubstr("4")));
  bad = good_x;
  bad.rows = 4;
  EXPECT_THAT(result(bad, good_y), AllOf(StartsWith("size_mismatch: "), HasSubstr("4"), HasSubstr("5")));
  bad = good_y;
  bad.cols = 2;
  std::vector<double> wide(14);
  bad.data = wide.data();
  EXPECT_THAT(result(good_x, bad), StartsWith("size_mismatch: "));
  bad = good_x;
  bad.cols = -1;
  EXPECT_THAT(result(bad, good_y), AllOf(StartsWith("invalid_argument: x"), HasSubstr("-1")));
  bad = good_x;
  bad.cols = 4;
  bad.leading = INT64_MAX / 2;
  EXPECT_THAT(result(bad, good_y),
              AllOf(StartsWith("invalid_argument: x->leading is "), HasSubstr("too large")));
}

TEST_F(capi_errors, of_a_matrix_without_storage_in_the_format) {
  // Padded to the longest row, this matrix would take a thousand times as much memory.
  entry_list arrow{.rows = 5000, .cols = 5000, .entries = {}};
  for (std::int64_t i = 0; i < 5000; ++i) arrow.entries.push_back({0, i, 1});
  const host_arrays<double> given(arrow, GOSSAMER_CSR, 0);
  gossamer_plan* made = nullptr;
  EXPECT_THAT(
      outcome(gossamer_inspect(&made, make_matrix(given.all).get(), "cpu", "format=ellpack", nullptr)),
      StartsWith("unsupported: unsupported: ellpack: "));
}

/// The structure with a size of `size` bytes, with what follows it in memory.
template <class T>
struct sized {
  T structure{};
  std::array<unsigned char, 64> later{};
  explicit sized(const T& from, std::size_t size) : structure(from) { structure.struct_size = size; }
};

TEST_F(capi_errors, structure_sizes_that_cannot_be_are_refused) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{1} << 40, SIZE_MAX}) {
    SCOPED_TRACE(size);
    const std::string number = std::to_string(size);
    const auto refused = [&](const std::string& name) {
      return AllOf(StartsWith("invalid_argument: " + name + "->struct_size is "), HasSubstr(" is " + number));
    };
    gossamer_arrays given = arrays.all;
    given.struct_size = size;
    EXPECT_THAT(create_outcome(given), refused("arrays"));
    EXPECT_THAT(outcome(gossamer_matrix_arrays(matrix.get(), &given)), refused("arrays"));
    gossamer_plan_info info{};
    info.struct_size = size;
    EXPECT_THAT(outcome(gossamer_plan_get_info(plan.get(), &info)), refused("info"));
    gossamer_dense dense{};
    dense.struct_size = size;
    EXPECT_THAT(outcome(gossamer_multiply_dense(plan.get(), GOSSAMER_FORWARD, 1, &dense, 0, &dense, nullptr,
                                                nullptr)),
                refused("x"));
    gossamer_progress progress{};
    progress.struct_size = size;
    gossamer_plan* made = nullptr;
    EXPECT_THAT(outcome(gossamer_inspect(&made, matrix.get(), "cpu", nullptr, &progress)),
                refused("progress"));
  }
}

TEST_F(capi_errors, structures_of_a_newer_header_are_accepted_if_new_members_are_zero) {
  sized<gossamer_arrays> newer(arrays.all, sizeof(gossamer_arrays) + 16);
  EXPECT_EQ(create_outcome(newer.structure), "success");
  newer.later[15] = 1;
  EXPECT_THAT(create_outcome(newer.structure),
              AllOf(StartsWith("invalid_argument: arrays"), HasSubstr("version")));
  newer.later[15] = 0;
  newer.later[16] = 1;  // behind the structure
  EXPECT_EQ(create_outcome(newer.structure), "success");

  sized<gossamer_plan_info> info({}, sizeof(gossamer_plan_info) + 16);
  EXPECT_EQ(outcome(gossamer_plan_get_info(plan.get(), &info.structure)), "success");
  EXPECT_EQ(info.structure.struct_size, sizeof(gossamer_plan_info) + 16);
  EXPECT_EQ(info.structure.rows, 7);
  EXPECT_EQ(info.later, (std::array<unsigned char, 64>{}));
}

TEST(capi_structures, have_the_layout_of_abi_version_0) {
  // A change here breaks programs that are compiled already, and the Fortran module.
  EXPECT_EQ(sizeof(gossamer_arrays), 88U);
  EXPECT_EQ(offsetof(gossamer_arrays, rows), 40U);
  EXPECT_EQ(offsetof(gossamer_arrays, values), 80U);
  EXPECT_EQ(sizeof(gossamer_dense), 48U);
  EXPECT_EQ(sizeof(gossamer_epilogue), 168U);
  EXPECT_EQ(offsetof(gossamer_dense, data), 40U);
  EXPECT_EQ(sizeof(gossamer_progress), 24U);
  EXPECT_EQ(sizeof(gossamer_plan_info), 96U);
  EXPECT_EQ(offsetof(gossamer_plan_info, options), 88U);
}

}  // namespace
}  // namespace gossamer::testing_support::capi::errors
