// SPDX-License-Identifier: BSD-3-Clause
// Python's global interpreter lock (GIL), released and taken as nanobind does, but safely while the
// interpreter ends. Before version 3.14, Python then ends a thread that asks for the GIL by unwinding its
// stack, which no destructor survives. Here the thread waits for the end of the process instead.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace gossamer::python {

template <class Take>
auto take_gil_or_wait(Take take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) pause();
  }
}

/// For a thread that has the GIL.
class gil_released {
 public:
  gil_released() : state_(PyEval_SaveThread()) {}
  ~gil_released() {
    take_gil_or_wait([this] { PyEval_RestoreThread(state_); });
  }
  gil_released(const gil_released&) = delete;
  gil_released& operator=(const gil_released&) = delete;

 private:
  PyThreadState* state_;
};

/// For any thread.
class gil_held {
 public:
  gil_held() : state_(take_gil_or_wait([] { return PyGILState_Ensure(); })) {}
  ~gil_held() { PyGILState_Release(state_); }
  gil_held(const gil_held&) = delete;
  gil_held& operator=(const gil_held&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace gossamer::python
