// SPDX-License-Identifier: BSD-3-Clause
#include "plans/epilogues.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "exec/cuda/device.hpp"
#include "exec/cuda/peer_copies.hpp"

namespace gossamer::inline v0::plans {
namespace {

/// Memory that a product writes, by its name in messages.
struct written_memory {
  std::string_view name;
  std::uintptr_t begin;
  std::uintptr_t end;
};

template <class T>
written_memory memory_of(std::string_view name, T* data, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  return {.name = name, .begin = begin, .end = begin + size * sizeof(T)};
}

bool share(const written_memory& a, const written_memory& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// Checks the vectors of one call.
class vector_checks {
 public:
  vector_checks(const call_names& names, std::size_t rows)
      : call_(names.call), y_has_(names.y_has), rows_(rows) {}

  void refuse_shared(const written_memory& a, const written_memory& b) const {
    if (share(a, b)) fail(errc::overlap, "{}: {} and {} share memory", call_, a.name, b.name);
  }

  /// The pointer of a vector that is read, or null. It may be `y` or `out`, but not a part of them.
  template <class Span>
  auto read(std::string_view name, const Span& vector, const written_memory& y,
            const written_memory& out) const {
    using T = typename Span::element_type;
    if (vector.empty() && rows_ > 0) return static_cast<T*>(nullptr);
    check_size(name, vector.size());
    const written_memory mine = memory_of(name, vector.data(), vector.size());
    for (const written_memory& written : {y, out})
      if (mine.begin != written.begin) refuse_shared(mine, written);
    return vector.data();
  }
  void check_size(std::string_view name, std::size_t size) const {
    if (size != rows_)
      fail(errc::size_mismatch, "{}: {} has {} elements, the matrix has {} {}", call_, name, size, rows_,
           y_has_);
  }
  /// The pointer of one element, or null.
  template <class Span>
  auto one(std::string_view name, const Span& element) const {
    using T = typename Span::element_type;
    if (element.empty()) return static_cast<T*>(nullptr);
    if (element.size() != 1)
      fail(errc::size_mismatch, "{}: {} has {} elements, it must have 1 or none", call_, name,
           element.size());
    return element.data();
  }

 private:
  std::string_view call_;
  std::string_view y_has_;
  std::size_t rows_;
};

int threads_for(const plan_facts& facts) {
  const auto* const host = std::get_if<cpu>(&facts.where);
  return host != nullptr ? host->threads : 0;
}

/// For A x, while y is still read.
template <class V>
V* host_product_room(workspace_base& scratch, std::int64_t rows) {
  const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(V);
  if (scratch.product_room.size() < bytes) scratch.product_room = host_buffer<std::byte>(bytes);
  return reinterpret_cast<V*>(scratch.product_room.data());
}
template <class V>
V* device_product_room(workspace_base& scratch, std::int64_t rows, int device) {
  if (scratch.device_product_room.empty())
    scratch.device_product_room =
        exec::device_buffer<std::byte>(static_cast<std::size_t>(rows) * sizeof(V), device);
  return reinterpret_cast<V*>(scratch.device_product_room.data());
}

}  // namespace

template <class S, class Space>
exec::row_epilogue<S> check_epilogue(const call_names& names, const plan_facts& facts, const product<S>& p,
                                     const epilogue<vector_t<S>, Space>& e) {
  const auto rows = static_cast<std::size_t>(facts.rows);
  const vector_checks check(names, rows);
  const written_memory y = memory_of("y", p.y, rows);
  const written_memory out = memory_of("out", e.second.out.data(), e.second.out.size());
  exec::row_epilogue<S> made;
  if (!e.second.out.empty()) {
    check.check_size("out", e.second.out.size());
    check.refuse_shared(y, out);
    check.refuse_shared(memory_of("x", p.x, static_cast<std::size_t>(facts.cols)), out);
    made.out = e.second.out.data();
  }
  made.z = check.read("z", e.z, y, out);
  made.scale = check.read("scale", e.scale, y, out);
  made.u = check.read("u", e.u, y, out);
  made.lower = check.read("lower", e.bounds.lower, y, out);
  made.upper = check.read("upper", e.bounds.upper, y, out);
  made.add = check.read("add", e.second.add, y, out);
  made.gamma = e.gamma;
  made.bounds_factor = e.bounds.factor;
  made.outside = e.bounds.outside;
  made.y_factor = e.second.y_factor;
  made.add_factor = e.second.add_factor;
  made.alpha = check.one("from_memory.alpha", e.from_memory.alpha);
  made.beta = check.one("from_memory.beta", e.from_memory.beta);
  made.gamma_at = check.one("from_memory.gamma", e.from_memory.gamma);
  made.bounds_at = check.one("from_memory.bounds", e.from_memory.bounds);
  for (int k = 0; k < 2; ++k) {
    const dot_product<vector_t<S>, Space>& dot = e.dots[static_cast<std::size_t>(k)];
    made.result[k] = check.one("the result of a dot product", dot.result);
    if (made.result[k] == nullptr) {
      if (!dot.with.empty())
        fail(errc::invalid_argument, "{}: a dot product has a vector and no result", names.call);
      continue;
    }
    check.check_size("the vector of a dot product", dot.with.size());
    made.with[k] = check.read("the vector of a dot product", dot.with, y, out);
  }
  made.more = made.has_more();
  return made;
}

double* host_dot_room(workspace_base& scratch, std::int64_t sums) {
  if (static_cast<std::int64_t>(scratch.dot_room.size()) < sums)
    scratch.dot_room = host_buffer<double>(static_cast<std::size_t>(sums));
  return scratch.dot_room.data();
}

double* device_dot_room(workspace_base& scratch, std::int64_t sums, int device) {
  if (static_cast<std::int64_t>(scratch.device_dot_room.size()) < sums) {
    exec::device_buffer<double> room(static_cast<std::size_t>(sums), device);
    exec::clear_new(room.data(), room.size() * sizeof(double));
    scratch.device_dot_room = std::move(room);
  }
  return scratch.device_dot_room.data();
}

template <class S>
void multiply_then_finish(const plan_base<S>& base, const product<S>& p, const exec::row_epilogue<S>& e,
                          workspace_base& scratch) {
  const std::int64_t rows = base.facts().rows;
  double* const sums = host_dot_room(scratch, exec::dot_sums_of_rows(rows));
  product<S> alone = p;
  if (e.alpha != nullptr) alone.alpha = *e.alpha;
  alone.beta = factor_t<S>{0};
  if (e.reads(p.y, p.beta)) alone.y = host_product_room<vector_t<S>>(scratch, rows);
  const bool multiplies = alone.alpha != factor_t<S>{0};
  if (multiplies) base.multiply_host(alone, scratch);
  exec::finish_all_rows(e, p, rows, multiplies ? alone.y : nullptr, sums, threads_for(base.facts()));
}

template <class S>
void multiply_then_finish_on_device(const plan_base<S>& base, const product<S>& p,
                                    [[maybe_unused]] const exec::row_epilogue<S>& e, cuda_stream stream,
                                    workspace_base& scratch) {
  const plan_facts& facts = base.facts();
  const auto* const gpu = std::get_if<cuda>(&facts.where);
  if (gpu == nullptr && facts.format != "hybrid")
    fail(errc::unsupported, "multiply: device vectors given to a plan on the cpu");
#if defined(GOSSAMER_HAVE_CUDA)
  const int device = gpu != nullptr ? gpu->device : exec::device_of(stream);
  const exec::device_guard guard(device);
  // Another thread's product in the same stream must not come between the kernels of this one.
  const std::lock_guard lock(scratch.calling);
  double* const sums =
      e.has_dots() ? device_dot_room(scratch, dot_numbers(facts.rows, base.dot_parts()), device) : nullptr;
  if (e.has_dots() && e.is_identity(p.beta)) {
    base.multiply_device(p, stream, scratch);
    return exec::sum_dots_on_device(e, p.y, facts.rows, sums, stream);
  }
  product<S> alone = p;
  if (e.alpha != nullptr) alone.alpha = factor_t<S>{1};  // the kernel behind it reads the factor
  alone.beta = factor_t<S>{0};
  if (e.reads(p.y, p.beta)) alone.y = device_product_room<vector_t<S>>(scratch, facts.rows, device);
  const bool multiplies = alone.alpha != factor_t<S>{0};
  if (multiplies) base.multiply_device(alone, stream, scratch);
  exec::finish_all_rows_on_device(e, p, facts.rows, multiplies ? alone.y : nullptr, sums, stream);
#else
  base.multiply_device(p, stream, scratch);  // says what the plan lacks
#endif
}

#define GOSSAMER_INSTANCE(S)                                                                                \
  template exec::row_epilogue<S> check_epilogue<S>(const call_names&, const plan_facts&, const product<S>&, \
                                                   const epilogue<S::vector, host_space>&);                 \
  template exec::row_epilogue<S> check_epilogue<S>(const call_names&, const plan_facts&, const product<S>&, \
                                                   const epilogue<S::vector, device_space>&);               \
  template void multiply_then_finish<S>(const plan_base<S>&, const product<S>&,                             \
                                        const exec::row_epilogue<S>&, workspace_base&);                     \
  template void multiply_then_finish_on_device<S>(                                                          \
      const plan_base<S>&, const product<S>&, const exec::row_epilogue<S>&, cuda_stream, workspace_base&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::plans
