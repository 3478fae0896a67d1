// SPDX-License-Identifier: BSD-3-Clause
#include "io/write_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "core/parallel.hpp"
#include "io/gzip.hpp"

namespace gossamer::inline v0::io {

void write_blocks(output_file& file, std::int64_t blocks, bool gzip,
                  function_ref<void(std::int64_t, text_buffer&)> format) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::condition_variable turn;
  std::int64_t written = 0;
  bool stop = false;
  const int threads = static_cast<int>(std::clamp<std::int64_t>(blocks, 1, core::default_threads()));
  core::parallel(threads, [&](int, int) {
    try {
      text_buffer text;
      std::vector<char> member;
      for (std::int64_t b = next++; b < blocks; b = next++) {
        format(b, text);
        std::string_view bytes = text.view();
        if (gzip) {
          compress_member(bytes, member);
          bytes = {member.data(), member.size()};
        }
        // Blocks are taken in order, so the one that is waited for is always in some thread's hands.
        std::unique_lock lock(mutex);
        turn.wait(lock, [&] { return stop || written == b; });
        if (stop) return;
        file.write(bytes);
        ++written;
        turn.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      stop = true;
      turn.notify_all();
      throw;
    }
  });
}

}  // namespace gossamer::inline v0::io
