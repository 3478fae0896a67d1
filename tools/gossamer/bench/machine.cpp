// SPDX-License-Identifier: BSD-3-Clause
#include "bench/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

json or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json(nullptr);
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  ...": the first word that begins with a digit.
std::optional<std::string> driver_version() {
  std::ifstream in("/proc/driver/nvidia/version");
  std::string word;
  while (in >> word) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) return word;
  }
  return std::nullopt;
}

/// The GPUs that multiply, each once.
std::vector<cuda> gpus_of(const bench_settings& s) {
  std::vector<cuda> all;
  const auto add = [&](const resource& where) {
    const auto* gpu = std::get_if<cuda>(&where);
    const auto same = [gpu](const cuda& each) { return each.device == gpu->device; };
    if (gpu != nullptr && std::none_of(all.begin(), all.end(), same)) all.push_back(*gpu);
  };
  const auto add_parts = [&](const std::optional<hybrid>& shared) {
    if (!shared) return;
    for (const hybrid_part& each : shared->parts) add(each.where);
  };
  add(s.where);
  add_parts(s.shared);
  for (const bench_format& each : s.formats) add_parts(each.shared);
  return all;
}

}  // namespace

bench_machine identify_machine(const bench_settings& s) {
  bench_machine m{.cpu = cpu_model()};
  const auto* host = std::get_if<cpu>(&s.where);
  m.threads = thread_count(host == nullptr ? cpu{} : *host);
  m.isa = std::string(name(automatic_isa()));
  m.llc_bytes = s.llc_bytes;
  m.memory_limit = s.memory_limit;
  m.reorder = s.reorder;
  m.values_change = s.values_change;
  for (const cuda& gpu : gpus_of(s)) {
    const cuda_device_properties p = cuda_properties(gpu.device);
    m.gpu = m.gpu ? *m.gpu + " + " + p.name : p.name;
    m.driver = driver_version();
    m.cuda = fmt::format("{} / {}", cuda_version(p.driver_cuda), cuda_version(p.runtime_cuda));
  }
  for (const std::string& peer : s.peers) m.peers[peer] = bench_support::find_peer_here(peer).version;
  return m;
}

void measure_bandwidths(bench_machine& m, const bench_settings& s) {
  const std::int64_t host_llc_bytes = std::holds_alternative<cpu>(s.where) ? s.llc_bytes : 0;
  m.stream_gbs = stream_triad_bandwidth(m.threads, host_llc_bytes);
  m.copy_gbs = copy_bandwidth(s.where, host_llc_bytes);
  const std::vector<cuda> gpus = gpus_of(s);
  if ((m.memory_limit || s.shared) && !gpus.empty()) m.bus_gbs = host_to_device_bandwidth(gpus.front());
}

json to_json(const bench_machine& m) {
  json peers = json::object();
  for (const auto& [name, version] : m.peers) peers[name] = version;
  json object = {{"cpu", m.cpu},
                 {"threads", m.threads},
                 {"stream_gbs", m.stream_gbs},
                 {"gpu", or_null(m.gpu)},
                 {"copy_gbs", m.copy_gbs},
                 {"isa", m.isa},
                 {"llc_bytes", m.llc_bytes},
                 {"driver", or_null(m.driver)},
                 {"cuda", or_null(m.cuda)},
                 {"peers", peers}};
  if (m.memory_limit) object["memory_limit"] = *m.memory_limit;
  if (m.reorder != reordering::none) object["reorder"] = std::string(name(m.reorder));
  if (m.values_change) object["values_change"] = true;
  if (m.bus_gbs > 0) object["bus_gbs"] = m.bus_gbs;
  return object;
}

std::string difference(const json& recorded, const json& here) {
  for (const char* key : {"cpu", "threads", "gpu", "isa", "llc_bytes", "driver", "cuda", "memory_limit",
                          "reorder", "values_change"}) {
    const json before = recorded.value(key, json(nullptr));
    const json now = here.value(key, json(nullptr));
    if (before != now) return fmt::format("{} was {}, is {}", key, before.dump(), now.dump());
  }
  const json peers = recorded.value("peers", json::object());
  const json peers_here = here.value("peers", json::object());
  for (const auto& [name, version] : peers_here.items()) {
    if (peers.contains(name) && peers.at(name) != version)
      return fmt::format("peer {} was {}, is {}", name, peers.at(name).dump(), version.dump());
  }
  return {};
}

}  // namespace gossamer::cli
