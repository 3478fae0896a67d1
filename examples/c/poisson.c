// SPDX-License-Identifier: BSD-3-Clause
// Solves Poisson's equation on a square grid: the 5-point Laplacian in CSR arrays, and conjugate gradients.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gossamer/gossamer.h"

enum { side = 60, unknowns = side * side, max_entries = 5 * unknowns, max_steps = 1000 };

static int32_t offsets[unknowns + 1];
static int32_t indices[max_entries];
static double values[max_entries];
static double x[unknowns], r[unknowns], p[unknowns], q[unknowns];

static void check(gossamer_status status) {
  if (status == GOSSAMER_SUCCESS) return;
  fprintf(stderr, "poisson: %s: %s\n", gossamer_status_name(status), gossamer_last_error());
  exit(EXIT_FAILURE);
}

static int32_t add_entry(int32_t k, int32_t column, double value) {
  indices[k] = column;
  values[k] = value;
  return k + 1;
}

static void assemble(void) {
  int32_t k = 0;
  for (int32_t i = 0; i < unknowns; ++i) {
    const int32_t column = i % side;
    offsets[i] = k;
    if (i >= side) k = add_entry(k, i - side, -1);
    if (column > 0) k = add_entry(k, i - 1, -1);
    k = add_entry(k, i, 4);
    if (column < side - 1) k = add_entry(k, i + 1, -1);
    if (i < unknowns - side) k = add_entry(k, i + side, -1);
  }
  offsets[unknowns] = k;
}

static double dot(const double* a, const double* b) {
  double sum = 0;
  for (int32_t i = 0; i < unknowns; ++i) sum += a[i] * b[i];
  return sum;
}

int main(void) {
  assemble();
  const gossamer_arrays arrays = {.struct_size = sizeof arrays,
                                  .layout = GOSSAMER_CSR,
                                  .memory = GOSSAMER_HOST,
                                  .value_type = GOSSAMER_F64,
                                  .offset_type = GOSSAMER_I32,
                                  .index_type = GOSSAMER_I32,
                                  .base = 0,
                                  .rows = unknowns,
                                  .cols = unknowns,
                                  .nnz = offsets[unknowns],
                                  .offsets = offsets,
                                  .indices = indices,
                                  .values = values};
  gossamer_matrix* matrix = NULL;
  gossamer_plan* plan = NULL;
  check(gossamer_matrix_create(&matrix, &arrays));
  check(gossamer_inspect(&plan, matrix, "cpu", "calls=500", NULL));

  // A x = b with b = (1, ..., 1) and x = 0 at first
  for (int32_t i = 0; i < unknowns; ++i) p[i] = r[i] = 1;
  const double b_norm = sqrt(dot(r, r));
  double rr = dot(r, r);
  int32_t steps = 0;
  while (sqrt(rr) > 1e-8 * b_norm && steps < max_steps) {
    check(gossamer_multiply(plan, GOSSAMER_FORWARD, 1, p, 0, q));  // q = A p
    const double alpha = rr / dot(p, q);
    for (int32_t i = 0; i < unknowns; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double rr_before = rr;
    rr = dot(r, r);
    for (int32_t i = 0; i < unknowns; ++i) p[i] = r[i] + rr / rr_before * p[i];
    ++steps;
  }

  // The residual of the solution: r = b - A x
  for (int32_t i = 0; i < unknowns; ++i) r[i] = 1;
  check(gossamer_multiply(plan, GOSSAMER_FORWARD, -1, x, 1, r));
  printf("%d unknowns, %d steps, relative residual %.1e\n", (int)unknowns, (int)steps,
         sqrt(dot(r, r)) / b_norm);

  gossamer_plan_destroy(plan);
  gossamer_matrix_destroy(matrix);
  return EXIT_SUCCESS;
}
