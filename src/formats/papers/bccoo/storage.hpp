// SPDX-License-Identifier: BSD-3-Clause
// What bccoo stores: coded chunks of entries, what stands beside each, and the table of frequent values.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"
#include "formats/common/entry_chunks.hpp"

namespace gossamer::inline v0::formats {

enum class bccoo_codes : std::int32_t { automatic, tuples, chunk_uniform, chunk_published };

struct bccoo_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t chunk = papers_chunk;
  std::int64_t chunks = 1;
  bccoo_codes codes = bccoo_codes::tuples;
  std::int32_t threads = 1;  ///< cpu; that the plan has
  chunks_on_device device;   ///< cuda
  exec::carry_counts carries;
};

template <class V>
struct bccoo_pointers {
  bccoo_meta meta;
  std::int64_t lut_size;
  const V* lut;
  const std::int32_t* row;
  const std::uint8_t* format;
  const std::int32_t* column;
  const std::int64_t* offset;
  const std::uint8_t* data;
  std::int64_t data_bytes;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct bccoo_storage {
  bccoo_meta meta;
  Buffer<T> lut;                ///< at most 256: the most frequent values, the most frequent first
  Buffer<std::int32_t> row;     ///< chunks: the row of each one's first tuple, or entry
  Buffer<std::uint8_t> format;  ///< chunk_uniform: chunks; see uniform.hpp
  Buffer<std::int32_t> column;  ///< chunk_uniform: chunks: the smallest column, or diagonal, of each
  Buffer<std::int64_t> offset;  ///< chunks + 1: where the bytes of each one begin
  Buffer<std::uint8_t> data;    ///< nnz + rows tuples (tuples.hpp), or three arrays a chunk (uniform.hpp)
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("lut", self.lut);
    f("row", self.row);
    f("format", self.format);
    f("column", self.column);
    f("offset", self.offset);
    f("data", self.data);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] bccoo_pointers<T> view() const {
    return {.meta = meta,
            .lut_size = static_cast<std::int64_t>(lut.size()),
            .lut = lut.data(),
            .row = row.data(),
            .format = format.data(),
            .column = column.data(),
            .offset = offset.data(),
            .data = data.data(),
            .data_bytes = static_cast<std::int64_t>(data.size()),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
