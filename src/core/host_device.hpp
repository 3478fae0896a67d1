// SPDX-License-Identifier: BSD-3-Clause
// Marks functions that kernels call too.
#pragma once

#if defined(__CUDACC__)
#define GOSSAMER_HOST_DEVICE __host__ __device__
#else
#define GOSSAMER_HOST_DEVICE
#endif
