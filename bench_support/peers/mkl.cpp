// SPDX-License-Identifier: BSD-3-Clause
// MKL's inspector-executor routines. The declarations are our own, of the interface with 32-bit integers
// (LP64), so that nothing of MKL is needed to build; tests/peers/abi_test.cpp compares them with MKL's header
// where there is one.
#include <filesystem>

#include "bench_support/peers/all_peers.hpp"
#include "bench_support/peers/library.hpp"
#include "bench_support/peers/mkl_abi.hpp"
#include "bench_support/peers/mkl_library.hpp"
#include "bench_support/peers/peer.hpp"

namespace gossamer::bench_support::peers {
namespace {

namespace abi = mkl_abi;

struct mkl_api {
  std::string version;
  abi::create_csr<float>* create_f32 = nullptr;
  abi::create_csr<double>* create_f64 = nullptr;
  abi::mv<float>* mv_f32 = nullptr;
  abi::mv<double>* mv_f64 = nullptr;
  abi::mm<float>* mm_f32 = nullptr;
  abi::mm<double>* mm_f64 = nullptr;
  abi::set_mv_hint* hint = nullptr;
  abi::set_mm_hint* mm_hint = nullptr;
  abi::set_memory_hint* memory_hint = nullptr;
  abi::optimize* prepare = nullptr;
  abi::destroy* release = nullptr;
  abi::set_num_threads_local* threads_here = nullptr;
};

constexpr std::string_view runtime_name = "libmkl_rt";

/// MKL's single dynamic library loads the others of its folder as it needs them, and ends the process where
/// one is missing; so they are looked for first.
std::string check_parts(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = file.filename();
  if (!name.starts_with(runtime_name)) return "";
  const std::string suffix = name.substr(runtime_name.size());
  for (const char* part : {"libmkl_core", "libmkl_intel_lp64", "libmkl_gnu_thread", "libmkl_def"}) {
    const std::filesystem::path needed = file.parent_path() / (part + suffix);
    std::error_code ignored;
    if (!std::filesystem::exists(needed, ignored))
      return path + " needs " + needed.string() + ", which is not there";
  }
  return "";
}

/// "2026.2-Product" of "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build ...".
std::string version_in(std::string_view text) {
  constexpr std::string_view before = "Version ";
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::string(text);
  text.remove_prefix(at + before.size());
  return std::string(text.substr(0, text.find(' ')));
}

std::string load_mkl(mkl_api& api) {
  const loaded_library library = load(mkl_search());
  if (library.handle == nullptr) return library.reason;
  if (std::string reason = check_parts(library.path); !reason.empty()) return reason;

  symbols all(library);
  abi::get_version_string* version = nullptr;
  abi::set_dynamic* dynamic = nullptr;
  all.bind(api.create_f32, "mkl_sparse_s_create_csr");
  all.bind(api.create_f64, "mkl_sparse_d_create_csr");
  all.bind(api.mv_f32, "mkl_sparse_s_mv");
  all.bind(api.mv_f64, "mkl_sparse_d_mv");
  all.bind(api.mm_f32, "mkl_sparse_s_mm");
  all.bind(api.mm_f64, "mkl_sparse_d_mm");
  all.bind(api.hint, "mkl_sparse_set_mv_hint");
  all.bind(api.mm_hint, "mkl_sparse_set_mm_hint");
  all.bind(api.memory_hint, "mkl_sparse_set_memory_hint");
  all.bind(api.prepare, "mkl_sparse_optimize");
  all.bind(api.release, "mkl_sparse_destroy");
  all.bind(api.threads_here, "MKL_Set_Num_Threads_Local");
  all.bind(dynamic, "MKL_Set_Dynamic");
  all.bind(version, "MKL_Get_Version_String");
  if (std::string reason = all.reason(); !reason.empty()) return reason;

  // Before the first call of anything else; a build without choice of layers, such as ours, has no such
  // functions.
  abi::set_layer* interface_layer = nullptr;
  abi::set_layer* threading_layer = nullptr;
  all.bind_optional(interface_layer, "MKL_Set_Interface_Layer");
  all.bind_optional(threading_layer, "MKL_Set_Threading_Layer");
  if (interface_layer != nullptr) interface_layer(abi::interface_lp64);
  if (threading_layer != nullptr) threading_layer(abi::threading_gnu);
  dynamic(0);  // else it takes one thread a physical core, whatever is asked
  char text[256] = {};
  version(text, sizeof(text) - 1);
  api.version = version_in(text);
  return "";
}

found<mkl_api> find_mkl() {
  static looked_up<mkl_api> api;
  return api.find(load_mkl);
}

/// The number of threads of this thread's calls into MKL.
class thread_count {
 public:
  thread_count(const mkl_api& api, int threads) : api_(api), before_(api.threads_here(threads)) {}
  ~thread_count() { api_.threads_here(before_); }
  thread_count(const thread_count&) = delete;
  thread_count& operator=(const thread_count&) = delete;

 private:
  const mkl_api& api_;
  int before_;
};

/// `peer`: its name in our list.
void check(std::string_view peer, int code, const char* what) {
  if (code == abi::status_success) return;
  if (code == abi::status_alloc_failed)
    fail(errc::out_of_memory, "{}: {}: MKL could not allocate memory", peer, what);
  constexpr std::string_view texts[] = {"success",       "not initialised",  "allocation failed",
                                        "invalid value", "execution failed", "internal error",
                                        "not supported"};
  refuse(peer, "{}: status {} ({})", what, code,
         code > 0 && code < static_cast<int>(std::size(texts)) ? texts[code] : "unknown");
}

enum class kind { mv, mv_transposed, mm_row, mm_column };

constexpr std::string_view name_of(kind which) {
  constexpr std::string_view names[] = {"mkl", "mkl_transposed", "mkl_mm_row", "mkl_mm_column"};
  return names[static_cast<int>(which)];
}
constexpr bool is_transposed(kind which) {
  return which == kind::mv_transposed;
}
constexpr bool multiplies_several(kind which) {
  return which == kind::mm_row || which == kind::mm_column;
}

template <value V>
class mkl_product final : public peers::peer_base<V> {
 public:
  mkl_product(const mkl_api& api, kind which, matrix<V>&& a, int threads, std::int32_t columns)
      : api_(api),
        which_(which),
        peer_(name_of(which)),
        operation_(is_transposed(which) ? abi::operation_transpose : abi::operation_none),
        a_(std::move(a)),
        threads_(threads),
        columns_(columns),
        settings_(message("calls={} memory=aggressive", {expected_calls})) {
    const thread_count scope(api_, threads_);
    // MKL's prototypes lack const; it writes to none of these.
    auto* begins = const_cast<std::int32_t*>(a_.row_ptr.span().data());
    auto* col = const_cast<std::int32_t*>(a_.col.data());
    auto* val = const_cast<V*>(a_.val.data());
    const auto rows = static_cast<std::int32_t>(a_.rows);
    const auto cols = static_cast<std::int32_t>(a_.cols);
    check(peer_, create()(&handle_, abi::index_base_zero, rows, cols, begins, begins + 1, col, val),
          "mkl_sparse_create_csr");
    try {
      give_hint();
      check(peer_, api_.memory_hint(handle_, abi::memory_aggressive), "mkl_sparse_set_memory_hint");
      check(peer_, api_.prepare(handle_), "mkl_sparse_optimize");
    } catch (...) {
      api_.release(handle_);
      throw;
    }
  }
  ~mkl_product() override { api_.release(handle_); }

  void multiply_host(V alpha, const V* x, V beta, V* y) const override {
    const thread_count scope(api_, threads_);
    if (!multiplies_several(which_)) {
      check(peer_, product()(operation_, alpha, handle_, abi::general, x, beta, y), "mkl_sparse_mv");
      return;
    }
    const bool by_rows = which_ == kind::mm_row;
    const std::int32_t x_leading = by_rows ? columns_ : static_cast<std::int32_t>(a_.cols);
    const std::int32_t y_leading = by_rows ? columns_ : static_cast<std::int32_t>(a_.rows);
    check(peer_,
          product_of_several()(operation_, alpha, handle_, abi::general, layout(), x, columns_, x_leading,
                               beta, y, y_leading),
          "mkl_sparse_mm");
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  static constexpr int expected_calls = 1000;

  [[nodiscard]] int layout() const noexcept {
    return which_ == kind::mm_row ? abi::layout_row_major : abi::layout_column_major;
  }
  void give_hint() const {
    if (multiplies_several(which_))
      check(peer_, api_.mm_hint(handle_, operation_, abi::general, layout(), columns_, expected_calls),
            "mkl_sparse_set_mm_hint");
    else
      check(peer_, api_.hint(handle_, operation_, abi::general, expected_calls), "mkl_sparse_set_mv_hint");
  }
  [[nodiscard]] auto create() const noexcept {
    if constexpr (sizeof(V) == sizeof(float))
      return api_.create_f32;
    else
      return api_.create_f64;
  }
  [[nodiscard]] auto product() const noexcept {
    if constexpr (sizeof(V) == sizeof(float))
      return api_.mv_f32;
    else
      return api_.mv_f64;
  }
  [[nodiscard]] auto product_of_several() const noexcept {
    if constexpr (sizeof(V) == sizeof(float))
      return api_.mm_f32;
    else
      return api_.mm_f64;
  }

  const mkl_api& api_;
  kind which_;
  std::string_view peer_;
  int operation_;
  matrix<V> a_;  // MKL refers to its arrays
  int threads_;
  std::int32_t columns_;
  std::string settings_;
  abi::sparse_matrix handle_ = nullptr;
};

peer_presence look() {
  const found<mkl_api> mkl = find_mkl();
  if (mkl.api == nullptr) return {.reason = mkl.reason};
  return {.present = true, .version = mkl.api->version};
}

template <value V, kind Which>
prepared<V> prepare(matrix<V>&& a, const exec::target& target, std::int64_t columns) {
  require_narrow(name_of(Which), a);
  return std::make_unique<mkl_product<V>>(*find_mkl().api, Which, std::move(a), target.threads,
                                          static_cast<std::int32_t>(columns));
}

template <kind Which>
constexpr entry make(std::string_view help) {
  return {.info = {.name = name_of(Which),
                   .library = "oneMKL",
                   .devices = device_set::cpu,
                   .help = help,
                   .transposed = is_transposed(Which),
                   .order = Which == kind::mm_row ? layout::row_major : layout::column_major,
                   .several = multiplies_several(Which)},
          .look = look,
          .prepare_f32 = prepare<float, Which>,
          .prepare_f64 = prepare<double, Which>};
}

}  // namespace

template <>
const entry& entry_of<struct mkl>() {
  static constexpr entry all =
      make<kind::mv>("inspector-executor CSR, optimised for 1000 calls with all the memory it wants");
  return all;
}
template <>
const entry& entry_of<struct mkl_transposed>() {
  static constexpr entry all =
      make<kind::mv_transposed>("the same CSR of A, optimised for operation transpose");
  return all;
}
template <>
const entry& entry_of<struct mkl_mm_row>() {
  static constexpr entry all =
      make<kind::mm_row>("the same CSR, optimised for products by several row-major vectors");
  return all;
}
template <>
const entry& entry_of<struct mkl_mm_column>() {
  static constexpr entry all =
      make<kind::mm_column>("the same CSR, optimised for products by several column-major vectors");
  return all;
}

}  // namespace gossamer::bench_support::peers
