// SPDX-License-Identifier: BSD-3-Clause
// The same bits for every number of threads and in every version; progress, cancelling, and running out of
// memory.
#include <gmock/gmock.h>

#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/memory.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer::errc;
using gossamer_test::checksum;
using gossamer_test::expect_error;
using gossamer_test::thread_count;

struct pinned {
  const char* specification;
  std::uint64_t f64;
  std::uint64_t f32;
};

// A changed sum is a changed matrix: users' benchmarks are then no longer comparable. Say so in the
// changelog.
constexpr pinned pinned_bits[] = {
    {"stencil(nx=30,ny=20,nz=10)", 0xc24e9ee4bbc40e39, 0xc5f4850b20c6d49a},
    {"stencil(nx=40,ny=30,points=9,dof=3)", 0xfd3d1ec0adf0a8bf, 0x3debb910f5a8418c},
    {"stencil(nx=16,ny=16,nz=16,points=27,values=few(3))", 0x84202b86cdb6ef90, 0x064e79928717eb39},
    {"uniform(rows=20k,cols=9000)", 0x7239eb1a372b8b27, 0x7b9be34b531435cf},
    {"uniform(rows=500,per_row=300,seed=5)", 0x2319a5effae51588, 0xee9711b4812f5f6f},
    {"power_law(rows=20k,mean=6)", 0x07c4d5cc7eb66c49, 0xc35c97944e1c1515},
    {"power_law(rows=3000,cols=50000,mean=40,exponent=1.7,max=20k,seed=3)", 0x1033d0f60f76a9a1,
     0x985d055a1f3f9bdb},
    {"power_law(rows=5k,mean=0.7,exponent=3)", 0x07bf8dfdac416e2d, 0xed6e0fe34dfec84c},
    {"dense(rows=200,cols=150)", 0x83e7dac495933f00, 0xdde4235f14dbb71e},
    {"diagonal(n=40k,values=f32_exact)", 0xc9f9f02232ac4417, 0xf42d0d5580c364f0},
    {"banded(n=9000,lower=3,upper=5,values=constant)", 0xd7f32457bd420f49, 0x3a4ea01ca4cffc69},
    {"arrow(n=20k,width=2)", 0x01e9ea0221581a2e, 0x88e8f619fe36c43f},
    {"empty_rows(rows=20k,every=3)", 0x0544d5a46a7444bc, 0xf870cce1afe509cf},
    {"empty_rows(rows=20k,fraction=0.9)", 0x560d6faa351a21fa, 0x407a6242e4288209},
    {"heavy_row(rows=1000,cols=100k,heavy=60k)", 0x4ca1fa99c705586b, 0x72c63b9d926feb87},
    {"heavy_row(rows=1000,cols=1G,heavy=20k,at=7)", 0x3c3d810ade1c6855, 0x796716654a13d0fc},
    {"fem(nx=14,ny=13,nz=12)", 0x06a23c62fa8ce3df, 0x6ff3057790d6126d},
    {"fem(nx=15,dof=2,mesh=unstructured,seed=4)", 0x178d37bd8ce24812, 0x27e2dfa7f6dbb3c7},
    {"rmat(scale=14)", 0x962c613f567f2fce, 0xdd817d6ee645c071},
    {"rmat(scale=12,edge_factor=30,a=0.3,b=0.3,c=0.3,values=constant)", 0xee66e35da928a7e5,
     0x22e338db6d15a7e5},
    {"circuit(rows=30k)", 0x12b13d56e835ed26, 0x061fafebff289200},
    {"circuit(rows=9k,per_row=9,band=40,far=0.4,nets=2,heavy=700,seed=6)", 0xaba9b792b0715d65,
     0xc1c2eeb67803cd6d},
    {"power_grid(buses=20k)", 0xcfaba74cd15a0420, 0x2115b572f072a6ca},
    {"power_grid(buses=7k,block=2,degree=3.3,hubs=0.0039,region=9,seed=3)", 0xf9c49a9f84451fe0,
     0x495982724b852354},
    {"sparse_lp(rows=20k)", 0x0bd70b8e1a599efa, 0xc877fcaf873599e1},
    {"sparse_lp(rows=4k,cols=5500,per_row=7.5,blocks=60,staircase=0.6,linking=3,heavy=900,slack=1,seed=2)",
     0xd4be04d1c18db8be, 0xa0b455b9cf176f3f},
    {"shuffled_mesh(nx=90,ny=70,dof=2)", 0x4c5e57b828a52f38, 0xa3306c27163c60e3},
    {"shuffled_mesh(nx=20,ny=15,nz=12,patch=700,seed=8)", 0x27bab80882747765, 0x1debc52d3a11ca57},
    {"bipartite(rows=20k,cols=6k)", 0x26efcab64211d8ba, 0x373bc45ebcbd1f72},
    {"bipartite(rows=2k,cols=30k,mean=20,row_exponent=1.8,col_exponent=1.5,max=9k,seed=4)",
     0x4353a8138e2d1c08, 0xe3c90ab65afd611f},
    {"cut_grid(rows=30k,nx=170,entries=140k)", 0xda8eba4ca35a5255, 0xe143c4ba16dd4905},
    {"epidemic(n=170)", 0x59cf6c6faf7ecc51, 0x16ee5103cec4473a},
    {"nlpkkt(n=16)", 0x9daca6b8cb2f20f9, 0x282944ef46cfa7ae},
    {"wilson(n=4)", 0x538ed7fb82ee4bed, 0x81d88ca18e565d84},
    {"like(scircuit)", 0xabee6d3779ffec94, 0x2edf9445c9fbef72},
    {"like(rma10,values=few(5))", 0x86a34626ac9b41f8, 0xb7d141f38fdf1fe4},
    {"like(WEB)", 0x616a3c04ceea297b, 0xf5e498e3e69d43e6},
    {"like(LP)", 0x69047febd46955be, 0xee54ac38d5157f4e},
};

TEST(generate_bits, are_pinned_and_the_same_for_any_number_of_threads) {
  for (const pinned& p : pinned_bits) {
    for (const int threads : {1, 2, 7}) {
      const thread_count t(threads);
      EXPECT_EQ(checksum(gossamer::bench_support::generate<double>(p.specification)), p.f64)
          << p.specification << " " << threads;
      EXPECT_EQ(checksum(gossamer::bench_support::generate<float>(p.specification)), p.f32)
          << p.specification << " " << threads;
    }
  }
}

TEST(generate_bits, every_generator_is_pinned) {
  for (const gossamer::bench_support::generator_info& g : gossamer::bench_support::generators()) {
    bool found = false;
    for (const pinned& p : pinned_bits)
      found |= std::string_view(p.specification).starts_with(std::string(g.name) + "(");
    EXPECT_TRUE(found) << g.name;
  }
}

constexpr const char* large = "dense(rows=3000)";  // nine ticks of 2^20 entries

TEST(generate_progress, rises_from_0_to_1_on_the_calling_thread) {
  for (const int threads : {1, 4}) {
    const thread_count t(threads);
    std::vector<double> fractions;
    const auto caller = std::this_thread::get_id();
    gossamer::bench_support::generate<float>(large, [&](const gossamer::progress& p) {
      EXPECT_EQ(p.stage, "generate");
      EXPECT_EQ(std::this_thread::get_id(), caller);
      fractions.push_back(p.fraction);
      return true;
    });
    ASSERT_GE(fractions.size(), 3U);
    EXPECT_EQ(fractions.front(), 0);
    EXPECT_EQ(fractions.back(), 1);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  }
}

TEST(generate_progress, of_a_matrix_without_entries_ends_at_1) {
  double last = -1;
  gossamer::bench_support::generate<float>("diagonal(n=0)", [&](const gossamer::progress& p) {
    last = p.fraction;
    return true;
  });
  EXPECT_EQ(last, 1);
}

TEST(generate_progress, false_cancels_at_any_call) {
  for (const int threads : {1, 4}) {
    const thread_count t(threads);
    for (int stop_at = 0; stop_at < 3; ++stop_at) {
      int calls = 0;
      expect_error(errc::cancelled, "generate: cancelled by the progress callback", [&] {
        gossamer::bench_support::generate<float>(
            large, [&](const gossamer::progress&) { return calls++ != stop_at; });
      });
      EXPECT_EQ(calls, stop_at + 1) << "not asked again";
    }
    expect_error(errc::cancelled, testing::_, [&] {
      gossamer::bench_support::generate<float>(large,
                                               [&](const gossamer::progress& p) { return p.fraction < 1; });
    });
  }
}

TEST(generate_progress, an_exception_of_the_callback_comes_out) {
  for (const int threads : {1, 4}) {
    const thread_count t(threads);
    EXPECT_THROW(gossamer::bench_support::generate<float>(large,
                                                          [](const gossamer::progress& p) {
                                                            if (p.fraction > 0)
                                                              throw std::out_of_range("mine");
                                                            return true;
                                                          }),
                 std::out_of_range);
  }
}

/// Counts what is taken and not given back, and gives only so much.
struct limited_memory {
  explicit limited_memory(int allowed_calls)
      : allowed(allowed_calls), before(gossamer::set_host_allocation_hook({allocate, release, this})) {}
  limited_memory(const limited_memory&) = delete;
  limited_memory& operator=(const limited_memory&) = delete;
  ~limited_memory() { gossamer::set_host_allocation_hook(before); }

  static void* allocate(std::size_t bytes, std::size_t alignment, int, void* user) {
    auto& self = *static_cast<limited_memory*>(user);
    if (self.allowed-- <= 0) return nullptr;
    ++self.live;
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  }
  static void release(void* pointer, std::size_t, int, void* user) {
    --static_cast<limited_memory*>(user)->live;
    ::operator delete (pointer, std::align_val_t{64});
  }

  int allowed;
  int live = 0;
  gossamer::allocation_hook before;
};

TEST(generate_memory, a_refusal_is_out_of_memory_and_nothing_leaks) {
  for (int allowed = 0; allowed < 3; ++allowed) {
    limited_memory memory(allowed);
    expect_error(errc::out_of_memory, testing::StartsWith("generate: out of host memory"),
                 [] { gossamer::bench_support::generate<double>("uniform(rows=1000)"); });
    EXPECT_EQ(memory.live, 0);
  }
  limited_memory memory(3);
  { const auto a = gossamer::bench_support::generate<double>("uniform(rows=1000)"); }
  EXPECT_EQ(memory.live, 0);
}

TEST(generate_memory, cancelling_gives_everything_back) {
  limited_memory memory(10);
  expect_error(errc::cancelled, testing::_, [] {
    gossamer::bench_support::generate<double>(large,
                                              [](const gossamer::progress& p) { return p.fraction == 0; });
  });
  EXPECT_EQ(memory.live, 0);
}

/// 10^14 entries: refused before a page is touched.
TEST(generate_memory, absurd_sizes_are_out_of_memory) {
  for (const char* specification : {"dense(rows=50k,cols=2G)", "uniform(rows=100k,cols=2G,per_row=1G)"}) {
    limited_memory memory(1);  // of the offsets, which are small; the hook stands for a machine of this size
    expect_error(errc::out_of_memory, testing::HasSubstr("out of host memory"),
                 [&] { gossamer::bench_support::generate<double>(specification); });
    EXPECT_EQ(memory.live, 0);
  }
}

}  // namespace
