// SPDX-License-Identifier: BSD-3-Clause
// Functions that the ISA check must find: see CMakeLists.txt. The target attribute does what a file compiled
// with -mavx2 would.
namespace std {
template <class V>
__attribute__((noinline, weak)) V planted(const V* x) {
  V sum{};
  for (int i = 0; i < 64; ++i) sum += x[i];
  return sum;
}
#if defined(PLANT_shared_template)
template <>
__attribute__((noinline, weak, target("avx2"))) double planted(const double* x) {
  double sum{};
  for (int i = 0; i < 64; ++i) sum += x[i];
  return sum;
}
#endif
}  // namespace std

namespace gossamer::inline v0 {

#if defined(PLANT_ours)
__attribute__((target("avx2")))
#endif
double
planted(const double* x) {
  return 2 * x[0] + std::planted(x);
}

}  // namespace gossamer::inline v0
