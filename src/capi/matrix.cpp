// SPDX-License-Identifier: BSD-3-Clause
// gossamer_matrix: made of arrays or read from a file.
#include "capi/arrays.hpp"
#include "capi/status.hpp"
#include "gossamer/io.hpp"

using namespace gossamer;
using namespace gossamer::capi;

namespace {

constexpr std::size_t first_arrays_size = 88;
static_assert(sizeof(gossamer_arrays) >= first_arrays_size);

template <class V>
any_matrix read(const char* file) {
  return std::visit([](auto&& matrix) { return owning(std::move(matrix)); },
                    narrow_offsets(read_matrix_market<V>(file).matrix));
}

template <class V, class O, class Space>
gossamer_arrays arrays_of(const any_matrix& any, const csr_view<V, O, Space>& view) {
  gossamer_arrays to{};
  to.layout = any.is_transposed ? GOSSAMER_CSC : GOSSAMER_CSR;
  to.memory = is_on_device(view) ? GOSSAMER_DEVICE : GOSSAMER_HOST;
  to.value_type = std::is_same_v<V, float> ? GOSSAMER_F32 : GOSSAMER_F64;
  to.offset_type = std::is_same_v<O, std::int32_t> ? GOSSAMER_I32 : GOSSAMER_I64;
  to.index_type = GOSSAMER_I32;
  to.device = any.device;
  to.rows = any.is_transposed ? view.cols : view.rows;
  to.cols = any.is_transposed ? view.rows : view.cols;
  to.nnz = view.nnz();
  to.offsets = view.row_ptr.data();
  to.indices = view.col.data();
  to.values = view.val.data();
  return to;
}

template <class V, class O>
void write(const char* file, const csr_view<V, O>& view, bool is_transposed) {
  if (!is_transposed) return write_matrix_market(file, view);
  validate(view);
  write_matrix_market(file, transpose(view).view());
}

}  // namespace

gossamer_status gossamer_matrix_create(gossamer_matrix** matrix, const gossamer_arrays* arrays) {
  return guarded([&] {
    require(matrix, "matrix");
    *matrix = nullptr;
    *matrix = new gossamer_matrix{matrix_of(structure(arrays, first_arrays_size, "arrays"))};
  });
}

gossamer_status gossamer_matrix_read(gossamer_matrix** matrix, const char* file, gossamer_type value_type) {
  return guarded([&] {
    require(matrix, "matrix");
    *matrix = nullptr;
    require(file, "file");
    if (value_type != GOSSAMER_F32 && value_type != GOSSAMER_F64)
      fail(errc::invalid_argument, "value_type is {}; it must be GOSSAMER_F32 or GOSSAMER_F64", value_type);
    *matrix = new gossamer_matrix{value_type == GOSSAMER_F32 ? read<float>(file) : read<double>(file)};
  });
}

gossamer_status gossamer_matrix_write(const gossamer_matrix* matrix, const char* file) {
  return guarded([&] {
    require(matrix, "matrix");
    require(file, "file");
    std::visit(
        [&]<class V, class O, class Space>(const csr_view<V, O, Space>& view) {
          if constexpr (std::is_same_v<Space, host_space>)
            write(file, view, matrix->any.is_transposed);
          else
            fail(errc::unsupported, "gossamer_matrix_write: the arrays are in device memory");
        },
        matrix->any.view);
  });
}

gossamer_status gossamer_matrix_arrays(const gossamer_matrix* matrix, gossamer_arrays* arrays) {
  return guarded([&] {
    require(matrix, "matrix");
    return_structure(
        std::visit([&](const auto& view) { return arrays_of(matrix->any, view); }, matrix->any.view), arrays,
        first_arrays_size, "arrays");
  });
}

void gossamer_matrix_destroy(gossamer_matrix* matrix) {
  delete matrix;
}
