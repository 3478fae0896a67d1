// SPDX-License-Identifier: BSD-3-Clause
// gossamer_tune()
#include "gossamer/tune.hpp"

#include "capi/any_matrix.hpp"
#include "capi/progress.hpp"
#include "capi/status.hpp"
#include "capi/text_options.hpp"

using namespace gossamer;
using namespace gossamer::capi;

gossamer_status gossamer_tune(const char** setting, const gossamer_matrix* matrix, const char* where,
                              const char* options, const gossamer_progress* progress) {
  return guarded([&] {
    require(setting, "setting");
    *setting = nullptr;
    require(matrix, "matrix");
    tune_request request = parse_tune_request(where, options);
    if (matrix->any.is_transposed)
      request.options.product =
          request.options.product == operation::forward ? operation::transposed : operation::forward;
    request.options.progress = callback_of(progress);
    thread_local std::string text;
    std::visit(
        [&]<class V, class O, class Space>(const csr_view<V, O, Space>& view) {
          if constexpr (std::is_same_v<Space, host_space>) {
            const format_setting best = tune(view, request.where, request.options).best();
            text = "format=" + best.format;
            if (!best.options.empty()) text += ", " + text_of(best.options);
          } else {
            fail(errc::unsupported, "gossamer_tune: the matrix is in device memory");
          }
        },
        matrix->any.view);
    *setting = text.c_str();
  });
}
