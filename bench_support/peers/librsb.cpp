// SPDX-License-Identifier: BSD-3-Clause
// librsb: recursive sparse blocks, tuned by its own autotuner. The declarations are our own, so that nothing
// of librsb is needed to build; tests/peers/abi_test.cpp compares them with its header where there is one.
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "bench_support/peers/all_peers.hpp"
#include "bench_support/peers/library.hpp"
#include "bench_support/peers/librsb_abi.hpp"
#include "bench_support/peers/peer.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::peers {
namespace {

namespace abi = librsb_abi;

struct librsb_api {
  abi::lib_set_opt* set = nullptr;
  abi::mtx_alloc_from_coo_const* create = nullptr;
  abi::mtx_free* release = nullptr;
  abi::spmv* multiply = nullptr;
  abi::tune_spmm* tune = nullptr;
  abi::mtx_get_info* info = nullptr;
  abi::strerror_r* text_of = nullptr;
  std::string version;
};

/// librsb has no function that tells its version, but the text is in the file.
std::string version_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view before = "librsb version ";
  const std::size_t at = bytes.find(before);
  if (at == std::string::npos) return "unknown";
  const std::size_t begin = at + before.size();
  return bytes.substr(begin, std::min(bytes.find_first_not_of("0123456789.", begin), begin + 20) - begin);
}

/// Whether its indices have 32 bits; they have 64 where it was configured so, and then nothing here would
/// fit.
bool has_narrow_indices(const librsb_api& api) {
  const double one = 1;
  const std::array<std::int32_t, 2> zero{};  // also a zero of 64 bits
  int error = abi::no_error;
  abi::rsb_mtx* tiny =
      api.create(&one, zero.data(), zero.data(), 1, abi::type_code<double>, 1, 1, 1, 1, 0, &error);
  if (tiny == nullptr) return false;
  std::array<std::int32_t, 2> rows{-1, -1};
  const bool told = api.info(tiny, abi::info_rows, rows.data()) == abi::no_error;
  api.release(tiny);
  return told && rows[0] == 1 && rows[1] == -1;
}

std::string load_librsb(librsb_api& api) {
  const loaded_library library = load({.variable = "GOSSAMER_LIBRSB",
                                       .names = {"librsb.so.0", "librsb.so"},
                                       .folders = {},
                                       .companions = {"libudev.so.1", "libhwloc.so.15"}});
  if (library.handle == nullptr) return library.reason;
  symbols all(library);
  abi::lib_init* begin = nullptr;
  all.bind(begin, "rsb_lib_init");
  all.bind(api.set, "rsb_lib_set_opt");
  all.bind(api.create, "rsb_mtx_alloc_from_coo_const");
  all.bind(api.release, "rsb_mtx_free");
  all.bind(api.multiply, "rsb_spmv");
  all.bind(api.tune, "rsb_tune_spmm");
  all.bind(api.info, "rsb_mtx_get_info");
  all.bind(api.text_of, "rsb_strerror_r");
  if (std::string reason = all.reason(); !reason.empty()) return reason;
  if (const int error = begin(nullptr); error != abi::no_error)
    return message("{}: rsb_lib_init returned {}", {library.path, error});
  if (!has_narrow_indices(api)) return library.path + " was not built with 32-bit indices";
  api.version = version_of(library.path);
  return "";
}

found<librsb_api> find_librsb() {
  static looked_up<librsb_api> api;
  return api.find(load_librsb);
}

void check(const librsb_api& api, int error, const char* what) {
  if (error == abi::no_error) return;
  if (error == abi::error_no_memory)
    fail(errc::out_of_memory, "librsb: {}: it could not allocate memory", what);
  char text[256] = {};
  api.text_of(error, text, sizeof(text) - 1);
  refuse("librsb", "{}: error {} ({})", what, error, std::string_view(text));
}

/// What one tuning may take: at most so many rounds, each timing products for that long beside rebuilding the
/// matrix.
constexpr int tuning_rounds = 5;
constexpr double tuning_seconds = 0.1;

template <value V>
class librsb_product final : public peers::peer_base<V> {
 public:
  librsb_product(const librsb_api& api, const matrix<V>& a, int threads) : api_(api), threads_(threads) {
    set_threads();
    const auto nnz = static_cast<std::int32_t>(a.nnz());
    const auto rows = static_cast<std::int32_t>(a.rows);
    const auto cols = static_cast<std::int32_t>(a.cols);
    int error = abi::no_error;
    {
      const host_buffer<std::int32_t> row = row_of_each_entry(a);
      handle_ = api_.create(a.val.data(), row.data(), a.col.data(), nnz, abi::type_code<V>, rows, cols, 1, 1,
                            abi::recursive_blocks | abi::duplicates_sum, &error);
    }
    if (handle_ == nullptr || error != abi::no_error) {
      if (handle_ != nullptr) api_.release(handle_);
      check(api_, error, "rsb_mtx_alloc_from_coo_const");
      refuse("librsb", "rsb_mtx_alloc_from_coo_const gave no matrix");
    }
    try {
      tune(rows, cols);
      check(api_, api_.info(handle_, abi::info_total_size, &bytes_), "rsb_mtx_get_info");
    } catch (...) {
      api_.release(handle_);
      throw;
    }
  }
  ~librsb_product() override { api_.release(handle_); }

  void multiply_host(V alpha, const V* x, V beta, V* y) const override {
    set_threads();
    check(api_, api_.multiply(abi::trans_none, &alpha, handle_, x, 1, &beta, y, 1), "rsb_spmv");
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return static_cast<std::int64_t>(bytes_); }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  /// One setting for the whole library.
  void set_threads() const {
    const std::int32_t threads = threads_;
    check(api_, api_.set(abi::option_executing_threads, &threads), "rsb_lib_set_opt");
  }

  static host_buffer<std::int32_t> row_of_each_entry(const matrix<V>& a) {
    host_buffer<std::int32_t> row(a.col.size());
    core::parallel_for(a.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::fill(row.data() + a.row_begin(i), row.data() + a.row_begin(i + 1), static_cast<std::int32_t>(i));
    });
    return row;
  }

  /// The matrix as it is stays good where the tuner fails.
  void tune(std::int32_t rows, std::int32_t cols) {
    host_buffer<V> x(static_cast<std::size_t>(cols));
    host_buffer<V> y(static_cast<std::size_t>(rows));
    std::fill(x.span().begin(), x.span().end(), V{1});
    std::fill(y.span().begin(), y.span().end(), V{0});
    const V one{1};
    const V zero{0};
    double speedup = 0;
    const int error = api_.tune(&handle_, &speedup, nullptr, tuning_rounds, tuning_seconds, abi::trans_none,
                                &one, nullptr, 1, abi::column_major, x.data(), cols, &zero, y.data(), rows);
    settings_ = error == abi::no_error ? message("tuned: {} rounds of {} s at most, gain {:.2f}",
                                                 {tuning_rounds, tuning_seconds, speedup})
                                       : message("untuned: rsb_tune_spmm returned {}", {error});
  }

  const librsb_api& api_;
  int threads_;
  abi::rsb_mtx* handle_ = nullptr;
  std::size_t bytes_ = 0;
  std::string settings_;
};

peer_presence look() {
  const found<librsb_api> librsb = find_librsb();
  if (librsb.api == nullptr) return {.reason = librsb.reason};
  return {.present = true, .version = librsb.api->version};
}

template <value V>
prepared<V> prepare(matrix<V>&& a, const exec::target& target, std::int64_t) {
  require_narrow("librsb", a);
  return std::make_unique<librsb_product<V>>(*find_librsb().api, a, target.threads);
}

}  // namespace

template <>
const entry& entry_of<struct librsb>() {
  static constexpr entry all{.info = {.name = "librsb",
                                      .library = "librsb",
                                      .devices = device_set::cpu,
                                      .help = "recursive sparse blocks, tuned by its own autotuner"},
                             .look = look,
                             .prepare_f32 = prepare<float>,
                             .prepare_f64 = prepare<double>};
  return all;
}

}  // namespace gossamer::bench_support::peers
