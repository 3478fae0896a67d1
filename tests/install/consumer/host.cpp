// SPDX-License-Identifier: BSD-3-Clause
// A program without Gossamer and OpenMP of its own, which loads a plug-in that has both, and unloads it.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <thread>

int main(int, char** argv) {
  for (int turn = 0; turn < 2; ++turn) {
    void* const plugin = dlopen(argv[1], RTLD_NOW);
    if (plugin == nullptr) {
      std::cout << dlerror() << '\n';
      return 1;
    }
    const auto work = reinterpret_cast<double (*)()>(dlsym(plugin, "gossamer_plugin_work"));
    constexpr double expected = 8;
    if (work == nullptr || work() != expected) return 2;
    if (dlclose(plugin) != 0) return 3;
    // Threads that wait find out within this time whether their code is still there.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 4;
  }
  std::cout << "OK" << std::endl;
}
