// SPDX-License-Identifier: BSD-3-Clause
// Signal handlers and standard streams of the program.
#pragma once

namespace gossamer::cli {

/// Installs handlers that remove unfinished files before a signal ends the program. Signals that the caller
/// ignores stay ignored, except SIGPIPE. A signal during an overwrite in place waits for end_if_signalled().
void set_up_signals();

/// Call after each write of a file.
void end_if_signalled();

/// Opens /dev/null for each of stdin, stdout and stderr that is closed. Otherwise the next file opened would
/// get that number, and printed text would be written to it.
void occupy_standard_streams();

}  // namespace gossamer::cli
