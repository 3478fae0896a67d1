// SPDX-License-Identifier: BSD-3-Clause
// What products over several devices need: whose memory a pointer is in, copies from one device to another,
// streams that wait for each other. In a build without CUDA every function throws no_device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::exec {

/// The device of a stream; of the default stream, and of one that is being captured, the current one.
int device_of(cuda_stream stream);

/// Bytes of one device, in a core::range of addresses.
struct memory_piece {
  int device = 0;
  std::size_t bytes = 0;
};

/// One core::range of addresses over the memory of several devices, each of which reads and writes all of it.
class distributed_memory {
 public:
  distributed_memory() noexcept = default;
  /// Consecutive pieces; cuts between them move to the nearest multiple of what the devices map (2 MiB).
  /// Every device that is named reaches the range, that of an empty piece too. Not through the allocation
  /// hook. Throws unsupported where a device cannot do it or does not reach another's memory, out_of_memory,
  /// no_device, invalid_argument where there is no piece.
  explicit distributed_memory(std::span<const memory_piece> wanted);
  ~distributed_memory();
  distributed_memory(distributed_memory&& other) noexcept;
  distributed_memory& operator=(distributed_memory&& other) noexcept;

  [[nodiscard]] void* data() const noexcept;
  /// As they came out: none of them empty, the last one's rest left out.
  [[nodiscard]] std::vector<memory_piece> pieces() const;

  struct range;

 private:
  std::shared_ptr<range> range_;
};

/// Whose memory an array is in.
class memory_home {
 public:
  /// Throws invalid_argument, which names the array, for memory that no device reaches.
  memory_home(const void* begin, std::size_t bytes, const char* name);
  /// Of its first byte; -1: the host's, or memory that moves by itself.
  [[nodiscard]] int device() const noexcept { return device_; }
  /// Whether kernels on a device read and write all of it where it is.
  [[nodiscard]] bool reaches(int device) const noexcept;
  [[nodiscard]] bool is_distributed() const noexcept { return range_ != nullptr; }
  /// Whether a device has no right to it whatever peer access there is: of distributed memory that does not
  /// name the device, and of memory of a CUDA memory pool (cudaMallocAsync) of another device.
  [[nodiscard]] bool is_closed_to(int device) const;
  /// How much of [begin, begin + bytes), which lies in the array, is in other devices' memory; 0 of memory
  /// that is no device's.
  [[nodiscard]] std::size_t remote_bytes(int device, const void* begin, std::size_t bytes) const noexcept;
  /// copy(bytes before it, bytes) for each piece of one device of [begin, begin + bytes), which lies in the
  /// array.
  template <class Copy>
  void for_each_piece(const void* begin, std::size_t bytes, Copy&& copy) const {
    for (std::size_t done = 0; done < bytes;) {
      const memory_piece next = piece_at(static_cast<const char*>(begin) + done, bytes - done);
      copy(done, next.bytes);
      done += next.bytes;
    }
  }

 private:
  [[nodiscard]] memory_piece piece_at(const void* begin, std::size_t bytes) const noexcept;
  const void* begin_ = nullptr;
  int device_ = -1;
  std::shared_ptr<const distributed_memory::range> range_;
};

/// `there` is of `home`, `here` of the stream's device, or of the host. Ordered in `stream`, piece by piece;
/// straight from one device to the other where they reach each other (distributed memory, reach_each_other),
/// else CUDA takes it through the host.
void copy_from_home(void* here, const void* there, const memory_home& home, std::size_t bytes,
                    cuda_stream stream);
void copy_to_home(const memory_home& home, void* there, const void* here, std::size_t bytes,
                  cuda_stream stream);

/// Switches peer access on, for the process, and leaves it on; false where the devices have none.
bool reach_each_other(int one, int other);

/// A point of a stream that other streams, also of other devices, wait for.
class stream_mark {
 public:
  /// On the device that is current.
  stream_mark();
  ~stream_mark();
  stream_mark(const stream_mark&) = delete;
  stream_mark& operator=(const stream_mark&) = delete;
  void record(cuda_stream stream);
  /// What comes later in `stream` waits for what was before the mark.
  void hold(cuda_stream stream) const;
  /// Waits for this one. 0 where one of them was not recorded, or in a graph.
  [[nodiscard]] double seconds_since(const stream_mark& earlier) const noexcept;

 private:
  void* handle_ = nullptr;
};

/// y[rows[i]] = from[i] + beta y[rows[i]], rounded as on the host; from null: beta y alone. y is not read
/// where beta is 0.
template <class V>
void scatter_on_device(V* y, const std::int32_t* rows, std::int64_t size, const V* from, V beta,
                       cuda_stream stream);

}  // namespace gossamer::inline v0::exec
