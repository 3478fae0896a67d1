// SPDX-License-Identifier: BSD-3-Clause
// Threads that take blocks of text in turn and parse them: while one inflates, the others parse.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/fail.hpp"
#include "core/parallel.hpp"
#include "gossamer/io.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {

/// Shows where the reading is; throws cancelled where the callback says so. For the calling thread only.
inline void report(const progress_callback& callback, double fraction) {
  if (callback && !callback({.stage = "read", .fraction = fraction}))
    fail(errc::cancelled, "reading was cancelled by the progress callback");
}

struct chunk_plan {
  int threads = 1;
  std::int64_t bytes = 1;
};

inline chunk_plan plan_chunks(const text_source& source, const read_options& options) {
  constexpr std::int64_t smallest = std::int64_t{1} << 16;
  constexpr std::int64_t largest = std::int64_t{1} << 20;
  const int threads = options.threads > 0 ? options.threads : core::default_threads();
  const std::int64_t size = source.size_hint();
  // Sixteen chunks a thread keep the threads equally busy; a megabyte stays in a core's cache while it is
  // parsed.
  const std::int64_t bytes = options.chunk_bytes > 0
                                 ? options.chunk_bytes
                                 : std::clamp(size / (std::int64_t{16} * threads), smallest, largest);
  return {static_cast<int>(std::clamp<std::int64_t>(size / bytes + 1, 1, threads)), bytes};
}

/// Parser is made once a thread; parser(text, chunk) returns false for a line that is wrong. Returns false
/// where one did or where the text breaks off; then chunks are missing. Else `chunks` holds all, in the
/// text's order.
template <class Parser, class Chunk, class MakeParser>
bool read_chunks(text_source& source, const read_options& options, std::deque<Chunk>& chunks,
                 MakeParser&& make_parser) {
  const chunk_plan plan = plan_chunks(source, options);
  std::mutex turn;
  std::atomic<bool> stop = false;
  std::atomic<bool> sound = true;
  core::parallel(plan.threads, [&](int thread, int) {
    try {
      Parser parser = make_parser();
      std::vector<char> storage;
      while (!stop) {
        text_block block;
        Chunk* chunk = nullptr;
        double fraction = 0;
        {
          const std::lock_guard lock(turn);
          block = source.cut(plan.bytes, storage);
          if (block.at_end()) return;
          chunk = &chunks.emplace_back();
          fraction = source.fraction();
        }
        source.fetch(block, storage);
        if (!block.defect.empty() || !parser(block.text, *chunk)) {
          sound = false;
          stop = true;
        }
        if (thread == 0) report(options.progress, fraction);
      }
    } catch (...) {
      stop = true;
      throw;
    }
  });
  return sound;
}

}  // namespace gossamer::inline v0::io
