// SPDX-License-Identifier: BSD-3-Clause
// What signals do to the program.
#pragma once

namespace gossamer::cli {

/// A signal that ends the program removes the files that are begun first. One that the caller ignores stays ignored.
void set_up_signals();

/// A closed stdin, stdout or stderr would give its number to the next file that is opened, and what is printed would
/// be written there.
void occupy_standard_streams();

}  // namespace gossamer::cli
