// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all: the rule of gossamer/io.hpp.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/descriptor.hpp"
#include "io/unfinished.hpp"

namespace gossamer::inline v0::io {

/// Throws io_error that names the file and the system's reason.
class output_file {
 public:
  explicit output_file(const std::filesystem::path& file);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view bytes);
  /// Replaces the file by the written bytes. Without commit() a regular file is unchanged; a stream has the
  /// bytes.
  void commit();

 private:
  [[noreturn]] void fail_system(int code, std::string_view more = {}) const;
  void open_stream(const std::string& path, int own);
  [[nodiscard]] bool open_temporary(mode_t mode);
  void close(descriptor& which);
  void overwrite();

  std::string name_;    ///< as the caller gave it
  std::string target_;  ///< behind links
  descriptor out_;      ///< written to: a stream, or an unfinished file
  unfinished_name temporary_;
  descriptor old_;  ///< the regular file that is there; not touched before commit
  bool replace_ = true;
};

}  // namespace gossamer::inline v0::io
