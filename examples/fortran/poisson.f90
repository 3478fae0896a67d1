! SPDX-License-Identifier: BSD-3-Clause
! Solves Poisson's equation on a square grid: the 5-point Laplacian in CSR arrays, and conjugate gradients.
program poisson
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gossamer
  implicit none

  integer, parameter :: side = 60, unknowns = side * side, max_steps = 1000
  integer(c_int32_t), target :: offsets(unknowns + 1), indices(5 * unknowns)
  real(c_double), target :: values(5 * unknowns)
  real(c_double) :: x(unknowns), r(unknowns), p(unknowns), q(unknowns)
  real(c_double) :: b_norm, alpha, rr, rr_before
  type(gossamer_arrays) :: arrays
  type(c_ptr) :: matrix, plan
  integer :: steps

  call assemble()
  arrays%rows = unknowns
  arrays%cols = unknowns
  arrays%nnz = offsets(unknowns + 1) - 1
  arrays%offsets = c_loc(offsets)
  arrays%indices = c_loc(indices)
  arrays%values = c_loc(values)
  call check(gossamer_matrix_create(matrix, arrays))
  call check(gossamer_inspect(plan, matrix, "cpu", "calls=500"))

  ! A x = b with b = (1, ..., 1) and x = 0 at first
  x = 0
  r = 1
  p = r
  b_norm = norm2(r)
  rr = dot_product(r, r)
  steps = 0
  do while (sqrt(rr) > 1e-8_c_double * b_norm .and. steps < max_steps)
    call check(gossamer_multiply(plan, gossamer_forward, 1.0_c_double, p, 0.0_c_double, q))  ! q = A p
    alpha = rr / dot_product(p, q)
    x = x + alpha * p
    r = r - alpha * q
    rr_before = rr
    rr = dot_product(r, r)
    p = r + rr / rr_before * p
    steps = steps + 1
  end do

  ! The residual of the solution: r = b - A x
  r = 1
  call check(gossamer_multiply(plan, gossamer_forward, -1.0_c_double, x, 1.0_c_double, r))
  print "(i0, a, i0, a, es7.1e2)", unknowns, " unknowns, ", steps, " steps, relative residual ", norm2(r) / b_norm

  call gossamer_plan_destroy(plan)
  call gossamer_matrix_destroy(matrix)

contains

  subroutine assemble()
    integer :: i, k, column
    k = 1
    do i = 1, unknowns
      column = mod(i - 1, side)
      offsets(i) = k
      if (i > side) call add_entry(k, i - side, -1)
      if (column > 0) call add_entry(k, i - 1, -1)
      call add_entry(k, i, 4)
      if (column < side - 1) call add_entry(k, i + 1, -1)
      if (i <= unknowns - side) call add_entry(k, i + side, -1)
    end do
    offsets(unknowns + 1) = k
  end subroutine

  subroutine add_entry(k, column, value)
    integer, intent(inout) :: k
    integer, intent(in) :: column, value
    indices(k) = column
    values(k) = value
    k = k + 1
  end subroutine

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status == gossamer_success) return
    write (error_unit, "(4a)") "poisson: ", gossamer_status_name(status), ": ", gossamer_last_error()
    stop 1
  end subroutine
end program
