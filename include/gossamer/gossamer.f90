! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module of Gossamer, in Fortran 2008. Compile this file together with your program, since module
! files differ between compilers. docs/guides/fortran.md has an example.
!
! gossamer.h specifies all types, functions and errors. Names, arguments and rules are the same here, except:
! - Handles are type(c_ptr). c_null_ptr is the null pointer.
! - Text is a Fortran string. Trailing blanks of arguments are ignored.
! - The arguments options and progress are optional.
! - Members of structures have default values. struct_size is set, and base is 1.
! - x, y and values are arrays of real(c_float) or real(c_double), or a type(c_ptr). They have the matrix's
!   value type. alpha and beta are always real(c_double).
!
! A matrix refers to the arrays in gossamer_arrays. Declare them with the attribute `target`, and keep them
! until the matrix and its plans are destroyed.
module gossamer
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_funptr, c_int32_t, &
                                         c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  implicit none
  private

  integer(c_int32_t), parameter, public :: gossamer_c_abi_version = 0  ! GOSSAMER_ABI_VERSION of gossamer.h

  ! Status codes
  integer(c_int32_t), parameter, public :: gossamer_success = 0           ! the call succeeded
  integer(c_int32_t), parameter, public :: gossamer_invalid_argument = 1  ! an argument has an invalid value
  integer(c_int32_t), parameter, public :: gossamer_size_mismatch = 2     ! an array has the wrong length
  integer(c_int32_t), parameter, public :: gossamer_invalid_matrix = 3    ! the arrays are not a valid matrix
  integer(c_int32_t), parameter, public :: gossamer_unsupported = 4       ! this format or device cannot do it
  integer(c_int32_t), parameter, public :: gossamer_parse_error = 5       ! a text has a syntax error
  integer(c_int32_t), parameter, public :: gossamer_io_error = 6          ! a file cannot be read or written
  integer(c_int32_t), parameter, public :: gossamer_out_of_memory = 7     ! host or device memory is exhausted
  integer(c_int32_t), parameter, public :: gossamer_no_device = 8         ! the GPU or its driver is missing
  integer(c_int32_t), parameter, public :: gossamer_device_error = 9      ! the CUDA runtime reported an error
  integer(c_int32_t), parameter, public :: gossamer_overlap = 10          ! x and y share memory
  integer(c_int32_t), parameter, public :: gossamer_cancelled = 11        ! the callback stopped the call
  integer(c_int32_t), parameter, public :: gossamer_busy = 12             ! another product uses the workspace
  integer(c_int32_t), parameter, public :: gossamer_internal_error = 13   ! any other exception of the library

  ! Types of array elements
  integer(c_int32_t), parameter, public :: gossamer_f32 = 1  ! real(c_float)
  integer(c_int32_t), parameter, public :: gossamer_f64 = 2  ! real(c_double)
  integer(c_int32_t), parameter, public :: gossamer_i32 = 3  ! integer(c_int32_t)
  integer(c_int32_t), parameter, public :: gossamer_i64 = 4  ! integer(c_int64_t)

  ! Layouts of a sparse matrix
  integer(c_int32_t), parameter, public :: gossamer_csr = 1  ! compressed sparse rows
  integer(c_int32_t), parameter, public :: gossamer_csc = 2  ! compressed sparse columns
  integer(c_int32_t), parameter, public :: gossamer_coo = 3  ! coordinates

  ! Memory of arrays
  integer(c_int32_t), parameter, public :: gossamer_host = 0    ! host memory
  integer(c_int32_t), parameter, public :: gossamer_device = 1  ! memory of the plan's CUDA device

  ! Operations
  integer(c_int32_t), parameter, public :: gossamer_forward = 0     ! A
  integer(c_int32_t), parameter, public :: gossamer_transposed = 1  ! the transpose of A

  ! Orders of a dense matrix
  integer(c_int32_t), parameter, public :: gossamer_column_major = 0  ! columns are contiguous
  integer(c_int32_t), parameter, public :: gossamer_row_major = 1     ! rows are contiguous

  ! The arrays of a sparse matrix
  type, bind(C), public :: gossamer_arrays
    integer(c_size_t) :: struct_size = 88             ! size of this structure
    integer(c_int32_t) :: layout = gossamer_csr       ! gossamer_csr, gossamer_csc or gossamer_coo
    integer(c_int32_t) :: memory = gossamer_host      ! memory of all three arrays
    integer(c_int32_t) :: value_type = gossamer_f64   ! gossamer_f32 or gossamer_f64
    integer(c_int32_t) :: offset_type = gossamer_i32  ! type of `offsets`: gossamer_i32 or gossamer_i64
    integer(c_int32_t) :: index_type = gossamer_i32   ! type of `indices`: gossamer_i32 or gossamer_i64
    integer(c_int32_t) :: base = 1                    ! first row, column and offset: 0 or 1
    integer(c_int32_t) :: device = 0                  ! CUDA device of arrays in device memory
    integer(c_int64_t) :: rows = 0                    ! number of rows
    integer(c_int64_t) :: cols = 0                    ! number of columns
    integer(c_int64_t) :: nnz = 0                     ! number of entries
    type(c_ptr) :: offsets = c_null_ptr               ! CSR: rows + 1, CSC: cols + 1; COO: nnz row indices
    type(c_ptr) :: indices = c_null_ptr               ! nnz column indices (CSC: row indices)
    type(c_ptr) :: values = c_null_ptr                ! nnz values
  end type

  ! A dense matrix of the caller
  type, bind(C), public :: gossamer_dense
    integer(c_size_t) :: struct_size = 48                ! size of this structure
    integer(c_int32_t) :: order = gossamer_column_major  ! gossamer_column_major or gossamer_row_major
    integer(c_int32_t) :: memory = gossamer_host         ! gossamer_host or gossamer_device
    integer(c_int64_t) :: rows = 0                       ! number of rows
    integer(c_int64_t) :: cols = 0                       ! number of columns
    integer(c_int64_t) :: leading = 0                    ! at least rows (column-major) or cols (row-major)
    type(c_ptr) :: data = c_null_ptr                     ! the elements; those of X are only read
  end type

  ! What a product does with y before it writes it; gossamer.h states the formula. A part whose pointer is
  ! null is left out.
  type, bind(C), public :: gossamer_epilogue
    integer(c_size_t) :: struct_size = 168                 ! size of this structure
    type(c_ptr) :: z = c_null_ptr                          ! null: y
    type(c_ptr) :: scale = c_null_ptr                      ! null: no scaling
    real(c_double) :: gamma = 1                            ! factor of u
    type(c_ptr) :: u = c_null_ptr                          ! null: nothing is added
    type(c_ptr) :: lower = c_null_ptr                      ! null: no lower bounds
    type(c_ptr) :: upper = c_null_ptr                      ! null: no upper bounds
    real(c_double) :: bounds_factor = 1                    ! factor of both bounds
    integer(c_int32_t) :: outside = 0                      ! not 0: the part outside the bounds
    type(c_ptr) :: out = c_null_ptr                        ! a second vector that is written; null: none
    real(c_double) :: out_y_factor = 1                     ! factor of y in `out`
    type(c_ptr) :: add = c_null_ptr                        ! null: nothing is added to `out`
    real(c_double) :: out_add_factor = 1                   ! factor of `add`
    type(c_ptr) :: dot_with(2) = [c_null_ptr, c_null_ptr]  ! vectors of the dot products with y
    type(c_ptr) :: dot_result(2) = [c_null_ptr, c_null_ptr] ! null: no dot product
    type(c_ptr) :: alpha_at = c_null_ptr                   ! a number that replaces alpha; null: it does not
    type(c_ptr) :: beta_at = c_null_ptr                    ! the same for beta
    type(c_ptr) :: gamma_at = c_null_ptr                   ! the same for gamma
    type(c_ptr) :: bounds_factor_at = c_null_ptr           ! the same for bounds_factor
  end type

  ! A callback that receives the progress of a long call: report = c_funloc(f), where f has the interface
  ! gossamer_report.
  type, bind(C), public :: gossamer_progress
    integer(c_size_t) :: struct_size = 24     ! size of this structure
    type(c_funptr) :: report = c_null_funptr  ! the callback
    type(c_ptr) :: user = c_null_ptr          ! passed to `report`
  end type

  ! Properties of a plan. gossamer_text() converts `format` and `options` to Fortran strings.
  type, bind(C), public :: gossamer_plan_info
    integer(c_size_t) :: struct_size = 96     ! size of this structure
    integer(c_int64_t) :: rows = 0            ! number of rows of A
    integer(c_int64_t) :: cols = 0            ! number of columns of A
    integer(c_int64_t) :: nnz = 0             ! number of entries of A
    integer(c_int64_t) :: bytes = 0           ! memory of the stored matrix, with the caller's arrays in use
    integer(c_int64_t) :: streamed_bytes = 0  ! bytes of the matrix that one product reads
    real(c_double) :: inspect_seconds = 0     ! time in seconds that it took to make the plan
    integer(c_int32_t) :: value_type = 0      ! gossamer_f32 or gossamer_f64
    integer(c_int32_t) :: device = 0          ! number of the CUDA device; -1 for a CPU
    integer(c_int32_t) :: forward = 0         ! 1 if the plan computes products with A, else 0
    integer(c_int32_t) :: transposed = 0      ! 1 if it computes products with the transpose, else 0
    integer(c_int32_t) :: symmetric = 0       ! 1 if one stored matrix serves both products, else 0
    integer(c_int32_t) :: reencodes = 0       ! 1 if gossamer_update_values() encodes all values again, else 0
    type(c_ptr) :: format = c_null_ptr        ! name of the format; valid as long as the plan
    type(c_ptr) :: options = c_null_ptr       ! options for gossamer_inspect(); valid as long as the plan
  end type

  abstract interface
    ! Receives the name of the current stage, its completed fraction from 0 to 1, and `user`. A result other
    ! than 0 ends the long call with gossamer_cancelled. gossamer_text() converts `stage`.
    function gossamer_report(stage, fraction, user) bind(C) result(stop_now)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: stage
      real(c_double), value :: fraction
      type(c_ptr), value :: user
      integer(c_int32_t) :: stop_now
    end function
  end interface
  public :: gossamer_report

  ! Functions with the same arguments as in gossamer.h
  interface
    ! The version of the library: 10000 * major + 100 * minor + patch
    function gossamer_version() bind(C) result(version)
      import :: c_int32_t
      integer(c_int32_t) :: version
    end function

    ! The GOSSAMER_ABI_VERSION that the library was built with
    function gossamer_abi_version() bind(C) result(version)
      import :: c_int32_t
      integer(c_int32_t) :: version
    end function

    ! The number of usable CUDA devices
    function gossamer_cuda_device_count() bind(C) result(devices)
      import :: c_int32_t
      integer(c_int32_t) :: devices
    end function

    ! Makes a matrix of the caller's arrays
    function gossamer_matrix_create(matrix, arrays) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_arrays
      type(c_ptr), intent(out) :: matrix
      type(gossamer_arrays), intent(in) :: arrays
      integer(c_int32_t) :: status
    end function

    ! Returns the matrix's arrays, with base 0
    function gossamer_matrix_arrays(matrix, arrays) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_arrays
      type(c_ptr), value :: matrix
      type(gossamer_arrays), intent(inout) :: arrays
      integer(c_int32_t) :: status
    end function

    ! Destroys a matrix; its plans stay valid
    subroutine gossamer_matrix_destroy(matrix) bind(C)
      import :: c_ptr
      type(c_ptr), value :: matrix
    end subroutine

    ! Destroys a plan; waits for products in flight
    subroutine gossamer_plan_destroy(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine

    ! y = alpha op(A) x + beta y in device memory; asynchronous in `stream`
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

    ! A product with an epilogue, in host or device memory; in device memory asynchronous in `stream`
    function gossamer_multiply_epilogue(plan, op, alpha, x, beta, y, epilogue, memory, stream, workspace) bind(C) &
      result(status)
      import :: c_double, c_int32_t, c_ptr, gossamer_epilogue
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: op
      real(c_double), value :: alpha
      type(c_ptr), value :: x
      real(c_double), value :: beta
      type(c_ptr), value :: y
      type(gossamer_epilogue), intent(in) :: epilogue
      integer(c_int32_t), value :: memory
      type(c_ptr), value :: stream
      type(c_ptr), value :: workspace
      integer(c_int32_t) :: status
    end function

    ! Y = alpha op(A) X + beta Y for several vectors; in device memory asynchronous in `stream`
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

    ! Allocates scratch memory for products with a plan
    function gossamer_workspace_create(workspace, plan) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(out) :: workspace
      type(c_ptr), value :: plan
      integer(c_int32_t) :: status
    end function

    ! Destroys a workspace; waits for products in flight
    subroutine gossamer_workspace_destroy(workspace) bind(C)
      import :: c_ptr
      type(c_ptr), value :: workspace
    end subroutine

    ! Identifies a stream, for programs that keep one workspace per stream
    function gossamer_stream_id(stream, captured, id) bind(C) result(status)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int32_t), intent(out) :: captured
      integer(c_int64_t), intent(out) :: id
      integer(c_int32_t) :: status
    end function

    ! Returns properties of a plan
    function gossamer_plan_get_info(plan, info) bind(C) result(status)
      import :: c_int32_t, c_ptr, gossamer_plan_info
      type(c_ptr), value :: plan
      type(gossamer_plan_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function

    ! Returns the matrix that the plan stores, with new arrays
    function gossamer_plan_matrix(plan, matrix) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: matrix
      integer(c_int32_t) :: status
    end function

    ! Returns the order of a plan with reorder=rcm, numbers from 0, as a C array; else c_null_ptr
    function gossamer_plan_permutation(plan, permutation) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: permutation
      integer(c_int32_t) :: status
    end function
  end interface
  public :: gossamer_version, gossamer_abi_version, gossamer_cuda_device_count
  public :: gossamer_matrix_create, gossamer_matrix_arrays, gossamer_matrix_destroy, gossamer_plan_destroy
  public :: gossamer_multiply_device, gossamer_multiply_dense, gossamer_multiply_epilogue
  public :: gossamer_workspace_create, gossamer_workspace_destroy, gossamer_stream_id
  public :: gossamer_plan_get_info, gossamer_plan_matrix, gossamer_plan_permutation

  ! y = alpha op(A) x + beta y in host memory: gossamer_multiply(plan, op, alpha, x, beta, y). Synchronous.
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

  ! Replaces all values of a plan with values_change=1. From device memory, asynchronous in `stream`.
  interface gossamer_update_values
    function update_pointer(plan, values, memory, stream) bind(C, name="gossamer_update_values") result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: values
      integer(c_int32_t), value :: memory
      type(c_ptr), value :: stream
      integer(c_int32_t) :: status
    end function
    ! From an array in host memory: gossamer_update_values(plan, values). Synchronous.
    module procedure update_float, update_double
  end interface
  public :: gossamer_update_values

  ! Functions with Fortran strings as arguments or results
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

  ! The message of this thread's last failed call; "" if there was none
  function gossamer_last_error() result(text)
    character(:), allocatable :: text
    text = gossamer_text(c_last_error())
  end function

  ! The name of a status, for example "invalid_argument"
  function gossamer_status_name(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(:), allocatable :: text
    text = gossamer_text(c_status_name(status))
  end function

  ! The name of format number `index`, from 0; "" if there is no such format
  function gossamer_format_name(index) result(text)
    integer(c_int32_t), intent(in) :: index
    character(:), allocatable :: text
    text = gossamer_text(c_format_name(index))
  end function

  ! Reads a matrix from a Matrix Market file
  function gossamer_matrix_read(matrix, file, value_type) result(status)
    type(c_ptr), intent(out) :: matrix
    character(*), intent(in) :: file
    integer(c_int32_t), intent(in) :: value_type
    integer(c_int32_t) :: status
    status = c_matrix_read(matrix, trim(file) // c_null_char, value_type)
  end function

  ! Writes a matrix to a Matrix Market file
  function gossamer_matrix_write(matrix, file) result(status)
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: file
    integer(c_int32_t) :: status
    status = c_matrix_write(matrix, trim(file) // c_null_char)
  end function

  ! Validates the matrix, chooses a format, and makes a plan
  function gossamer_inspect(plan, matrix, where, options, progress) result(status)
    type(c_ptr), intent(out) :: plan
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: where
    character(*), intent(in), optional :: options
    type(gossamer_progress), intent(in), optional, target :: progress
    integer(c_int32_t) :: status
    status = c_inspect(plan, matrix, trim(where) // c_null_char, c_text(options), address(progress))
  end function

  ! Rebuilds a plan from the text of gossamer_describe()
  function gossamer_inspect_like(plan, matrix, description) result(status)
    type(c_ptr), intent(out) :: plan
    type(c_ptr), intent(in) :: matrix
    character(*), intent(in) :: description
    integer(c_int32_t) :: status
    status = c_inspect_like(plan, matrix, trim(description) // c_null_char)
  end function

  ! Measures formats and returns the fastest one as text for gossamer_inspect(). `setting` is unchanged if
  ! the call fails.
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

  ! Returns one JSON object that describes the plan. `description` is unchanged if the call fails.
  function gossamer_describe(plan, description) result(status)
    type(c_ptr), intent(in) :: plan
    character(:), allocatable, intent(inout) :: description
    integer(c_int32_t) :: status
    type(c_ptr) :: text
    status = c_describe(plan, text)
    if (status == gossamer_success) description = gossamer_text(text)
  end function

  ! gossamer_update_values() for an array of real(c_float)
  function update_float(plan, values) result(status)
    type(c_ptr), intent(in) :: plan
    real(c_float), intent(in), contiguous, target :: values(:)
    integer(c_int32_t) :: status
    status = update_pointer(plan, c_loc(values), gossamer_host, c_null_ptr)
  end function

  ! gossamer_update_values() for an array of real(c_double)
  function update_double(plan, values) result(status)
    type(c_ptr), intent(in) :: plan
    real(c_double), intent(in), contiguous, target :: values(:)
    integer(c_int32_t) :: status
    status = update_pointer(plan, c_loc(values), gossamer_host, c_null_ptr)
  end function

  ! Converts a C string to a Fortran string; "" for a null pointer
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

  ! A C string; empty if `text` is absent
  function c_text(text) result(with_end)
    character(*), intent(in), optional :: text
    character(:), allocatable :: with_end
    with_end = c_null_char
    if (present(text)) with_end = trim(text) // c_null_char
  end function

  ! The address of the callback; null if it is absent
  function address(progress) result(pointer)
    type(gossamer_progress), intent(in), optional, target :: progress
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(progress)) pointer = c_loc(progress)
  end function
end module
