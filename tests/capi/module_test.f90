! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module: sizes of structures, every function, text in both directions, both kinds of reals.
module progress_of_test
  use, intrinsic :: iso_c_binding
  use gossamer
  implicit none
  integer :: reports = 0
  character(:), allocatable :: first_stage

contains

  function report(stage, fraction, user) bind(C) result(stop_now)
    type(c_ptr), value :: stage
    real(c_double), value :: fraction
    type(c_ptr), value :: user
    integer(c_int32_t) :: stop_now
    integer(c_int32_t), pointer :: stop_after
    call c_f_pointer(user, stop_after)
    if (reports == 0) first_stage = gossamer_text(stage)
    if (fraction < 0) error stop "fraction"
    reports = reports + 1
    stop_now = merge(1, 0, reports == stop_after)
  end function
end module

program module_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gossamer
  use progress_of_test
  implicit none

  integer(c_int32_t), target :: offsets(4) = [1, 3, 4, 6], indices(5) = [1, 3, 2, 1, 3]
  real(c_double), target :: values(5) = [4, 1, 3, 1, 4]
  real(c_float), target :: values_float(5) = [4, 1, 3, 1, 4]
  real(c_double), target :: x(3) = [1, 2, 3], y(3), z(3) = [3, 2, 1], dot, x_dense(3, 2), y_dense(3, 2)
  real(c_float) :: x_float(3) = [1, 2, 3], y_float(3)
  integer(c_int32_t), target :: stop_after
  type(gossamer_arrays) :: arrays
  type(gossamer_dense) :: dense_x, dense_y
  type(gossamer_epilogue) :: epilogue
  type(gossamer_progress) :: progress
  type(gossamer_plan_info) :: info
  type(c_ptr) :: matrix, matrix_float, stored, plan, plan_float, like, workspace, permutation
  character(:), allocatable :: description, setting
  character(200) :: file
  integer(c_int32_t) :: status

  call expect(arrays%struct_size == c_sizeof(arrays), "size of gossamer_arrays")
  call expect(dense_x%struct_size == c_sizeof(dense_x), "size of gossamer_dense")
  call expect(progress%struct_size == c_sizeof(progress), "size of gossamer_progress")
  call expect(info%struct_size == c_sizeof(info), "size of gossamer_plan_info")
  call expect(gossamer_abi_version() == gossamer_c_abi_version, "ABI version")
  call expect(gossamer_version() > 0, "version")
  call expect(gossamer_cuda_device_count() >= 0, "devices")
  call expect(gossamer_format_name(0) /= "", "name of the first format")
  call expect(gossamer_format_name(-1) == "", "name of no format")
  call expect(gossamer_status_name(gossamer_busy) == "busy", "name of a status")
  call expect(gossamer_last_error() == "", "no error at first")

  arrays%rows = 3
  arrays%cols = 3
  arrays%nnz = 5
  arrays%offsets = c_loc(offsets)
  arrays%indices = c_loc(indices)
  arrays%values = c_loc(values)
  call check(gossamer_matrix_create(matrix, arrays), "matrix_create")
  call check(gossamer_inspect(plan, matrix, "cpu  ", "operations=both, values_change=1  "), "inspect")
  call check(gossamer_multiply(plan, gossamer_forward, 1.0_c_double, x, 0.0_c_double, y), "multiply")
  call expect(all(y == [7, 6, 13]), "product")
  call check(gossamer_multiply(plan, gossamer_transposed, 2.0_c_double, c_loc(x), -1.0_c_double, c_loc(y)), "multiply")
  call expect(all(y == [7, 6, 13]), "transposed product")

  arrays%value_type = gossamer_f32
  arrays%values = c_loc(values_float)
  call check(gossamer_matrix_create(matrix_float, arrays), "matrix_create")
  call check(gossamer_inspect(plan_float, matrix_float, "cpu", "values_change=1"), "inspect")
  call check(gossamer_multiply(plan_float, gossamer_forward, 1.0_c_double, x_float, 0.0_c_double, y_float), "multiply")
  call expect(all(y_float == [7, 6, 13]), "product of floats")
  call check(gossamer_update_values(plan_float, 2 * values_float), "update_values")
  call check(gossamer_multiply(plan_float, gossamer_forward, 1.0_c_double, x_float, 0.0_c_double, y_float), "multiply")
  call expect(all(y_float == [14, 12, 26]), "product of new floats")

  x_dense(:, 1) = x
  x_dense(:, 2) = 2 * x
  call check(gossamer_workspace_create(workspace, plan), "workspace_create")
  call set_dense(dense_x, x_dense)
  call set_dense(dense_y, y_dense)
  call check(gossamer_multiply_dense(plan, gossamer_forward, 1.0_c_double, dense_x, 0.0_c_double, dense_y, c_null_ptr, &
                                     workspace), "multiply_dense")
  call expect(all(y_dense(:, 1) == [7, 6, 13]) .and. all(y_dense(:, 2) == [14, 12, 26]), "product of dense matrices")
  y = [1, 1, 1]
  epilogue%z = c_loc(z)
  epilogue%dot_with(1) = c_loc(x)
  epilogue%dot_result(1) = c_loc(dot)
  call check(gossamer_multiply_epilogue(plan, gossamer_forward, 1.0_c_double, c_loc(x), 2.0_c_double, c_loc(y), epilogue, &
                                        gossamer_host, c_null_ptr, workspace), "multiply_epilogue")
  call expect(all(y == y_dense(:, 1) + 2 * z) .and. dot == dot_product(y, x), "product with an epilogue")
  call gossamer_workspace_destroy(workspace)
  call expect(gossamer_multiply_device(plan, gossamer_forward, 1.0_c_double, c_loc(x), 0.0_c_double, c_loc(y), c_null_ptr, &
                                       c_null_ptr) == gossamer_unsupported, "device product on a CPU")

  call check(gossamer_update_values(plan, 2 * values), "update_values")
  call check(gossamer_multiply(plan, gossamer_forward, 1.0_c_double, x, 0.0_c_double, y), "multiply")
  call expect(all(y == [14, 12, 26]), "product of new values")
  call check(gossamer_update_values(plan, c_loc(values), gossamer_host, c_null_ptr), "update_values")

  call check(gossamer_plan_get_info(plan, info), "plan_get_info")
  call expect(info%rows == 3 .and. info%nnz == 5 .and. info%device == -1 .and. info%transposed == 1, "info")
  call check(gossamer_describe(plan, description), "describe")
  call expect(index(description, gossamer_text(info%format)) > 0, "description")
  call check(gossamer_inspect_like(like, matrix, description), "inspect_like")
  call check(gossamer_plan_matrix(like, stored), "plan_matrix")
  call check(gossamer_plan_permutation(like, permutation), "plan_permutation")
  call expect(.not. c_associated(permutation), "permutation of a plan without reorder")
  call gossamer_plan_destroy(like)
  call check(gossamer_matrix_arrays(stored, arrays), "matrix_arrays")
  call expect(arrays%base == 0 .and. arrays%nnz == 5, "arrays of the stored matrix")

  call get_command_argument(1, file)
  if (file == "") file = "module_test.mtx"
  call check(gossamer_matrix_write(stored, file), "matrix_write")
  call gossamer_matrix_destroy(stored)
  call check(gossamer_matrix_read(stored, file, gossamer_f64), "matrix_read")
  call gossamer_matrix_destroy(stored)
  open (10, file=file)
  close (10, status="delete")

  call check(gossamer_tune(setting, matrix, "cpu", "budget=0, cache=0"), "tune")
  call expect(index(setting, "format=") == 1, "setting")

  stop_after = -1
  progress%report = c_funloc(report)
  progress%user = c_loc(stop_after)
  call check(gossamer_inspect(like, matrix, "cpu", progress=progress), "inspect")
  call gossamer_plan_destroy(like)
  call expect(reports > 0 .and. first_stage /= "", "progress")
  reports = 0
  stop_after = 1
  call expect(gossamer_inspect(like, matrix, "cpu", progress=progress) == gossamer_cancelled, "cancelled")
  call expect(.not. c_associated(like), "no plan after an error")

  status = gossamer_inspect(like, matrix, "cpu", "colour=red")
  call expect(status == gossamer_invalid_argument, "status of an error")
  call expect(index(gossamer_last_error(), "colour") > 0, "message of an error")

  call gossamer_plan_destroy(plan)
  call gossamer_plan_destroy(plan_float)
  call gossamer_matrix_destroy(matrix)
  call gossamer_matrix_destroy(matrix_float)

contains

  subroutine set_dense(dense, columns)
    type(gossamer_dense), intent(inout) :: dense
    real(c_double), intent(in), target :: columns(3, 2)
    dense%rows = 3
    dense%cols = 2
    dense%leading = 3
    dense%data = c_loc(columns)
  end subroutine

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    write (error_unit, "(2a)") "wrong: ", what
    stop 1
  end subroutine

  subroutine check(code, what)
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: what
    if (code == gossamer_success) return
    write (error_unit, "(5a)") what, ": ", gossamer_status_name(code), ": ", gossamer_last_error()
    stop 1
  end subroutine
end program
