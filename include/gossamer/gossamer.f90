! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module of Gossamer. It is Fortran 2008: compile this file together with your program, since
! module files differ between compilers. docs/guides/fortran.md has an example, gossamer.h the specification.
!
! Names, arguments and rules are those of gossamer.h, with these differences:
! - Handles are type(c_ptr), and c_null_ptr stands for a null pointer.
! - Text is a Fortran string. Trailing blanks of arguments are ignored.
! - Arguments that may be null in C and come last are optional: options and progress.
! - Structures have default values. struct_size is set, and the base of indices is 1.
! - x, y and values may be arrays of real(c_float) or real(c_double), or a type(c_ptr). They must have the
!   matrix's value type. alpha and beta are always real(c_double).
!
! A matrix refers to the arrays that gossamer_arrays points to. Declare them with the attribute `target`, and
! keep them until the matrix and its plans are destroyed.
module gossamer
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_funptr, c_int32_t, &
                                         c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  implicit none
  private

  integer(c_int32_t), parameter, public :: gossamer_c_abi_version = 0  ! GOSSAMER_ABI_VERSION

  ! Status codes
  integer(c_int32_t), parameter, public :: gossamer_success = 0
  integer(c_int32_t), parameter, public :: gossamer_invalid_argument = 1
  integer(c_int32_t), parameter, public :: gossamer_size_mismatch = 2
  integer(c_int32_t), parameter, public :: gossamer_invalid_matrix = 3
  integer(c_int32_t), parameter, public :: gossamer_unsupported = 4
  integer(c_int32_t), parameter, public :: gossamer_parse_error = 5
  integer(c_int32_t), parameter, public :: gossamer_io_error = 6
  integer(c_int32_t), parameter, public :: gossamer_out_of_memory = 7
  integer(c_int32_t), parameter, public :: gossamer_no_device = 8
  integer(c_int32_t), parameter, public :: gossamer_device_error = 9
  integer(c_int32_t), parameter, public :: gossamer_overlap = 10
  integer(c_int32_t), parameter, public :: gossamer_cancelled = 11
  integer(c_int32_t), parameter, public :: gossamer_busy = 12
  integer(c_int32_t), parameter, public :: gossamer_internal_error = 13

  ! Types of array elements
  integer(c_int32_t), parameter, public :: gossamer_f32 = 1
  integer(c_int32_t), parameter, public :: gossamer_f64 = 2
  integer(c_int32_t), parameter, public :: gossamer_i32 = 3
  integer(c_int32_t), parameter, public :: gossamer_i64 = 4

  ! Layouts of a sparse matrix
  integer(c_int32_t), parameter, public :: gossamer_csr = 1
  integer(c_int32_t), parameter, public :: gossamer_csc = 2
  integer(c_int32_t), parameter, public :: gossamer_coo = 3

  ! Memory of arrays
  integer(c_int32_t), parameter, public :: gossamer_host = 0
  integer(c_int32_t), parameter, public :: gossamer_device = 1

  ! Operations
  integer(c_int32_t), parameter, public :: gossamer_forward = 0
  integer(c_int32_t), parameter, public :: gossamer_transposed = 1

  ! Orders of a dense matrix
  integer(c_int32_t), parameter, public :: gossamer_column_major = 0
  integer(c_int32_t), parameter, public :: gossamer_row_major = 1

  type, bind(C), public :: gossamer_arrays
    integer(c_size_t) :: struct_size = 88
    integer(c_int32_t) :: layout = gossamer_csr
    integer(c_int32_t) :: memory = gossamer_host
    integer(c_int32_t) :: value_type = gossamer_f64
    integer(c_int32_t) :: offset_type = gossamer_i32
    integer(c_int32_t) :: index_type = gossamer_i32
    integer(c_int32_t) :: base = 1
    integer(c_int32_t) :: device = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nnz = 0
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: indices = c_null_ptr
    type(c_ptr) :: values = c_null_ptr
  end type

  type, bind(C), public :: gossamer_dense
    integer(c_size_t) :: struct_size = 48
    integer(c_int32_t) :: order = gossamer_column_major
    integer(c_int32_t) :: memory = gossamer_host
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: leading = 0
    type(c_ptr) :: data = c_null_ptr
  end type

  ! report = c_funloc(f), where f has the interface gossamer_report below.
  type, bind(C), public :: gossamer_progress
    integer(c_size_t) :: struct_size = 24
    type(c_funptr) :: report = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  ! gossamer_text() converts `format` and `options`.
  type, bind(C), public :: gossamer_plan_info
    integer(c_size_t) :: struct_size = 96
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nnz = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: streamed_bytes = 0
    real(c_double) :: inspect_seconds = 0
    integer(c_int32_t) :: value_type = 0
    integer(c_int32_t) :: device = 0
    integer(c_int32_t) :: forward = 0
    integer(c_int32_t) :: transposed = 0
    integer(c_int32_t) :: symmetric = 0
    integer(c_int32_t) :: reencodes = 0
    type(c_ptr) :: format = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
  end type

  abstract interface
    function gossamer_report(stage, fraction, user) bind(C) result(stop_now)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: stage  ! see gossamer_text()
      real(c_double), value :: fraction
      type(c_ptr), value :: user
      integer(c_int32_t) :: stop_now
    end function
  end interface
  public :: gossamer_report

  ! Functions of gossamer.h as they are
  interface
    function gossamer_version() bind(C) result(version)
      import :: c_int32_t
      integer(c_int32_t) :: version
    end function

    function gossamer_abi_version() bind(C) result(version)
      import :: c_int32_t
      integer(c_int32_t) :: version
    end function

    function gossamer_cuda_device_count() bind(C) result(devices)
      import :: c_int32_t
      integer(c_int32_t) :: devices
    end function

    function gossamer_matrix_create(matrix, arrays) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_arrays
      type(c_ptr), intent(out) :: matrix
      type(gossamer_arrays), intent(in) :: arrays
      integer(c_int32_t) :: status
    end function

    function gossamer_matrix_arrays(matrix, arrays) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_arrays
      type(c_ptr), value :: matrix
      type(gossamer_arrays), intent(inout) :: arrays
      integer(c_int32_t) :: status
    end function

    subroutine gossamer_matrix_destroy(matrix) bind(C)
      import :: c_ptr
      type(c_ptr), value :: matrix
    end subroutine

    subroutine gossamer_plan_destroy(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine

    function gossamer_multiply_device(plan, op, alpha, x, beta, y, stream, workspace) bind(C) result(status)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      type(c_ptr), value :: x
      real(c_double), value :: beta
      type(c_ptr), value :: y
      type(c_ptr), value :: stream
      type(c_ptr), value :: workspace
      integer(c_int32_t) :: status
    end function

    function gossamer_multiply_dense(plan, op, alpha, x, beta, y, stream, workspace) bind(C) result(status)
      import :: c_double, c_int32_t, c_ptr, gossamer_dense
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      type(gossamer_dense), intent(in) :: x
      real(c_double), value :: beta
      type(gossamer_dense), intent(in) :: y
      type(c_ptr), value :: stream
      type(c_ptr), value :: workspace
      integer(c_int32_t) :: status
    end function

    function gossamer_workspace_create(workspace, plan) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(out) :: workspace
      type(c_ptr), value :: plan
      integer(c_int32_t) :: status
    end function

    subroutine gossamer_workspace_destroy(workspace) bind(C)
      import :: c_ptr
      type(c_ptr), value :: workspace
    end subroutine

    function gossamer_stream_id(stream, captured, id) bind(C) result(status)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int32_t), intent(out) :: captured
      integer(c_int64_t), intent(out) :: id
      integer(c_int32_t) :: status
    end function

    function gossamer_plan_get_info(plan, info) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_plan_info
      type(c_ptr), value :: plan
      type(gossamer_plan_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function

    function gossamer_plan_matrix(plan, matrix) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: matrix
      integer(c_int32_t) :: status
    end function
  end interface
  public :: gossamer_version, gossamer_abi_version, gossamer_cuda_device_count
  public :: gossamer_matrix_create, gossamer_matrix_arrays, gossamer_matrix_destroy, gossamer_plan_destroy
  public :: gossamer_multiply_device, gossamer_multiply_dense
  public :: gossamer_workspace_create, gossamer_workspace_destroy, gossamer_stream_id
  public :: gossamer_plan_get_info, gossamer_plan_matrix

  interface gossamer_multiply
    function multiply_float(plan, op, alpha, x, beta, y) bind(C, name="gossamer_multiply") result(status)
      import :: c_double, c_float, c_int32_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      real(c_float), intent(in) :: x(*)
      real(c_double), value :: beta
      real(c_float), intent(inout) :: y(*)
      integer(c_int32_t) :: status
    end function

    function multiply_double(plan, op, alpha, x, beta, y) bind(C, name="gossamer_multiply") result(status)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      real(c_double), intent(in) :: x(*)
      real(c_double), value :: beta
      real(c_double), intent(inout) :: y(*)
      integer(c_int32_t) :: status
    end function

    function multiply_pointer(plan, op, alpha, x, beta, y) bind(C, name="gossamer_multiply") result(status)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      type(c_ptr), value :: x
      real(c_double), value :: beta
      type(c_ptr), value :: y
      integer(c_int32_t) :: status
    end function
  end interface
  public :: gossamer_multiply

  interface gossamer_update_values
    function update_pointer(plan, values, memory, stream) bind(C, name="gossamer_update_values") result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: values
      integer(c_int32_t), value :: memory
      type(c_ptr), value :: stream
      integer(c_int32_t) :: status
    end function
    ! From arrays in host memory: gossamer_update_values(plan, values)
    module procedure update_float, update_double
  end interface
  public :: gossamer_update_values

  ! Functions with text
  public :: gossamer_last_error, gossamer_status_name, gossamer_format_name, gossamer_text
  public :: gossamer_matrix_read, gossamer_matrix_write
  public :: gossamer_inspect, gossamer_inspect_like, gossamer_tune, gossamer_describe

  interface
    function c_last_error() bind(C, name="gossamer_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_status_name(status) bind(C, name="gossamer_status_name") result(text)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function

    function c_format_name(index) bind(C, name="gossamer_format_name") result(text)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: index
      type(c_ptr) :: text
    end function

    function c_matrix_read(matrix, file, value_type) bind(C, name="gossamer_matrix_read") result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), intent(out) :: matrix
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int32_t), value :: value_type
      integer(c_int32_t) :: status
    end function

    function c_matrix_write(matrix, file) bind(C, name="gossamer_matrix_write") result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: matrix
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int32_t) :: status
    end function

    function c_inspect(plan, matrix, where, options, progress) bind(C, name="gossamer_inspect") result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), intent(out) :: plan
      type(c_ptr), value :: matrix
      character(kind=c_char), intent(in) :: where(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), value :: progress
      integer(c_int32_t) :: status
    end function

    function c_inspect_like(plan, matrix, description) bind(C, name="gossamer_inspect_like") result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), intent(out) :: plan
      type(c_ptr), value :: matrix
      character(kind=c_char), intent(in) :: description(*)
      integer(c_int32_t) :: status
    end function

    function c_tune(setting, matrix, where, options, progress) bind(C, name="gossamer_tune") result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), intent(out) :: setting
      type(c_ptr), value :: matrix
      character(kind=c_char), intent(in) :: where(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), value :: progress
      integer(c_int32_t) :: status
    end function

    function c_describe(plan, description) bind(C, name="gossamer_describe") result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: description
      integer(c_int32_t) :: status
    end function
  end interface

contains

  ! What the last failed call of this thread reported
  function gossamer_last_error() result(text)
    character(:), allocatable :: text
    text = gossamer_text(c_last_error())
  end function

  function gossamer_status_name(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(:), allocatable :: text
    text = gossamer_text(c_status_name(status))
  end function

  ! The name of a format, counted from 0; "" if there is none
  function gossamer_format_name(index) result(text)
    integer(c_int32_t), intent(in) :: index
    character(:), allocatable :: text
    text = gossamer_text(c_format_name(index))
  end function

  function gossamer_matrix_read(matrix, file, value_type) result(status)
    type(c_ptr), intent(out) :: matrix
    character(*), intent(in) :: file
    integer(c_int32_t), intent(in) :: value_type
    integer(c_int32_t) :: status
    status = c_matrix_read(matrix, trim(file) // c_null_char, value_type)
  end function

  function gossamer_matrix_write(matrix, file) result(status)
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: file
    integer(c_int32_t) :: status
    status = c_matrix_write(matrix, trim(file) // c_null_char)
  end function

  function gossamer_inspect(plan, matrix, where, options, progress) result(status)
    type(c_ptr), intent(out) :: plan
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: where
    character(*), intent(in), optional :: options
    type(gossamer_progress), intent(in), optional, target :: progress
    integer(c_int32_t) :: status
    status = c_inspect(plan, matrix, trim(where) // c_null_char, c_text(options), address(progress))
  end function

  function gossamer_inspect_like(plan, matrix, description) result(status)
    type(c_ptr), intent(out) :: plan
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: description
    integer(c_int32_t) :: status
    status = c_inspect_like(plan, matrix, trim(description) // c_null_char)
  end function

  ! `setting` is unchanged if the call fails.
  function gossamer_tune(setting, matrix, where, options, progress) result(status)
    character(:), allocatable, intent(inout) :: setting
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: where
    character(*), intent(in), optional :: options
    type(gossamer_progress), intent(in), optional, target :: progress
    integer(c_int32_t) :: status
    type(c_ptr) :: found
    status = c_tune(found, matrix, trim(where) // c_null_char, c_text(options), address(progress))
    if (status == gossamer_success) setting = gossamer_text(found)
  end function

  ! `description` is unchanged if the call fails.
  function gossamer_describe(plan, description) result(status)
    type(c_ptr), intent(in) :: plan
    character(:), allocatable, intent(inout) :: description
    integer(c_int32_t) :: status
    type(c_ptr) :: text
    status = c_describe(plan, text)
    if (status == gossamer_success) description = gossamer_text(text)
  end function

  function update_float(plan, values) result(status)
    type(c_ptr), intent(in) :: plan
    real(c_float), intent(in), contiguous, target :: values(:)
    integer(c_int32_t) :: status
    status = update_pointer(plan, c_loc(values), gossamer_host, c_null_ptr)
  end function

  function update_double(plan, values) result(status)
    type(c_ptr), intent(in) :: plan
    real(c_double), intent(in), contiguous, target :: values(:)
    integer(c_int32_t) :: status
    status = update_pointer(plan, c_loc(values), gossamer_host, c_null_ptr)
  end function

  ! A C string as a Fortran string; "" for a null pointer
  function gossamer_text(c_string) result(text)
    type(c_ptr), intent(in) :: c_string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    interface
      function strlen(c_string) bind(C) result(length)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: c_string
        integer(c_size_t) :: length
      end function
    end interface
    if (.not. c_associated(c_string)) then
      text = ""
      return
    end if
    length = int(strlen(c_string))
    call c_f_pointer(c_string, letters, [length])
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function

  function c_text(text) result(with_end)
    character(*), intent(in), optional :: text
    character(:), allocatable :: with_end
    with_end = c_null_char
    if (present(text)) with_end = trim(text) // c_null_char
  end function

  function address(progress) result(pointer)
    type(gossamer_progress), intent(in), optional, target :: progress
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(progress)) pointer = c_loc(progress)
  end function
end module
