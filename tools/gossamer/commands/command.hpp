// SPDX-License-Identifier: BSD-3-Clause
// The type that options are added to, for headers: CLI11's own takes seconds to compile.
#pragma once

namespace CLI {
class App;
}
