# Functions that define the targets of modules, and the compiler options of all targets.

add_library(gossamer_settings INTERFACE)
target_compile_features(gossamer_settings INTERFACE cxx_std_20)
target_include_directories(gossamer_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(gossamer_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-psabi;-Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GOSSAMER_WARNINGS_AS_ERRORS}>>:-Werror>
  # False alarms of GCC 12 and 13 inside library headers.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>
  # Without CUDA, some private members have no use.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unused-private-field>
  # GCC fuses a*b+c across statements where the target has FMA; the order of operations must be the source's.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  # CMake 3.25 does not know that nvcc takes C++20.
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;-Xcompiler=-Wall>
  $<$<COMPILE_LANGUAGE:CUDA>:${gossamer_quick_cuda}>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GOSSAMER_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings>)
if(GOSSAMER_SANITIZE)
  target_compile_options(gossamer_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GOSSAMER_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all;-g>)
  target_link_options(gossamer_settings INTERFACE -fsanitize=${GOSSAMER_SANITIZE})
endif()
if(gossamer_have_cuda)
  target_compile_definitions(gossamer_settings INTERFACE GOSSAMER_HAVE_CUDA=1)
endif()

# gossamer_compile_together(TARGET): with GOSSAMER_QUICK_BUILD, and for pip, makes TARGET a unity build of 16
# files at a time, since most of the compile time is spent in headers. Names in unnamed namespaces must then
# differ between files. GCC then takes our files for headers and warns about their unnamed namespaces; this
# warning is off.
function(gossamer_compile_together target)
  if(GOSSAMER_QUICK_BUILD OR SKBUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # CMake 3.31 and later also merge CUDA files; see gossamer_compile_kernels_together.
    get_target_property(cuda_sources ${target} SOURCES)
    list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${cuda_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# gossamer_compile_kernels_together(TARGET): if GPU code is hardly optimized (GOSSAMER_QUICK_CUDA, and nvcc
# can), compiles eight .cu files of TARGET at a time, since such kernels take less time than their headers.
# Names in unnamed namespaces must then differ between files. Otherwise kernels stay separate.
function(gossamer_compile_kernels_together target)
  if(NOT gossamer_quick_cuda)
    return()
  endif()
  get_target_property(kernels ${target} SOURCES)
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${kernels} PROPERTIES HEADER_FILE_ONLY ON)
  set(number 0)
  while(kernels)
    list(SUBLIST kernels 0 8 batch)
    list(REMOVE_ITEM kernels ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" includes)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels_${number}.cu)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}" @ONLY)
    set_source_files_properties(${unit} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${unit})
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

# gossamer_compile_quickly(TARGET [HEADER...]): shortens the compile time of a target whose own speed does not
# matter, such as a test or the command-line tool: nearly all of its run time is spent in the library. Each
# HEADER is precompiled. Release builds use -O1, or -O0 with GOSSAMER_QUICK_BUILD.
function(gossamer_compile_quickly target)
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:$<IF:$<BOOL:${GOSSAMER_QUICK_BUILD}>,-O0,-O1>>)
endfunction()

# gossamer_prefer_functions_of(TARGET LIBRARY...): of a template that several objects have instantiated, the
# linker takes the first one. With GOSSAMER_QUICK_BUILD, the optimized one of these static libraries then
# comes before that of TARGET, whose standard containers and algorithms they would use otherwise.
function(gossamer_prefer_functions_of target)
  if(NOT GOSSAMER_QUICK_BUILD)
    return()
  endif()
  foreach(library ${ARGN})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_options(${target} PRIVATE
        "SHELL:-Wl,--whole-archive $<TARGET_FILE:${library}> -Wl,--no-whole-archive")
    endif()
  endforeach()
endfunction()

# gossamer_module_sources(RESULT FOLDER): sets RESULT to the source files below FOLDER. *.cu and
# *_with_cuda.cpp are left out of a build without CUDA, *_without_cuda.cpp of one with CUDA.
function(gossamer_module_sources result folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${folder}/*.cu)
  if(gossamer_have_cuda)
    list(APPEND sources ${cuda_sources})
    list(FILTER sources EXCLUDE REGEX "_without_cuda\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "_with_cuda\\.cpp$")
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# gossamer_format_units(RESULT SRC FOLDER): writes a source file into FOLDER for each format in SRC/formats,
# from src/plans/format_unit.cpp.in, and sets RESULT to their list. A format has the name of its folder.
function(gossamer_format_units result src folder)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${src} ${src}/formats/*/format.hpp ${src}/formats/papers/*/format.hpp)
  list(FILTER headers EXCLUDE REGEX "^formats/contract/")
  set(units "")
  foreach(format_header ${headers})
    string(REGEX REPLACE ".*/([a-z_0-9]+)/format.hpp$" "\\1" format_name ${format_header})
    configure_file(${PROJECT_SOURCE_DIR}/src/plans/format_unit.cpp.in ${folder}/${format_name}.cpp @ONLY)
    list(APPEND units ${folder}/${format_name}.cpp)
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# The names of the scalars of a product, as core/scalars.hpp lists them.
set(scalars_header ${PROJECT_SOURCE_DIR}/src/core/scalars.hpp)
file(STRINGS ${scalars_header} gossamer_scalars REGEX "^using [a-z0-9]+ = scalars<")
list(TRANSFORM gossamer_scalars REPLACE "^using ([a-z0-9]+) = .*" "\\1")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scalars_header})

# gossamer_kernel_units(RESULT SRC FOLDER): splits CPU kernels that take long to compile. For each format in
# SRC/formats with a kernel_unit.cpp.in, writes one source file into FOLDER for each instruction set and each
# of the scalars of core/scalars.hpp. Sets RESULT to the list of these files.
function(gossamer_kernel_units result src folder)
  file(GLOB_RECURSE templates CONFIGURE_DEPENDS ${src}/formats/kernel_unit.cpp.in)
  set(units "")
  foreach(template ${templates})
    cmake_path(GET template PARENT_PATH format_folder)
    cmake_path(GET format_folder FILENAME format_name)
    foreach(isa baseline avx2 avx512)  # the file of one that the architecture lacks is empty
      foreach(scalars ${gossamer_scalars})
        set(unit ${folder}/${format_name}_${isa}_${scalars}.cpp)
        configure_file(${template} ${unit} @ONLY)
        list(APPEND units ${unit})
      endforeach()
    endforeach()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# gossamer_split_by_scalars(TARGET FILE...): compiles each of these source files of src several times in
# parallel, once for each of the scalars of core/scalars.hpp. It is for files that take long to compile.
function(gossamer_split_by_scalars target)
  foreach(file ${ARGN})
    cmake_path(GET file EXTENSION LAST_ONLY extension)
    string(REPLACE / _ name ${file})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${file} PROPERTIES HEADER_FILE_ONLY ON)
    foreach(scalars ${gossamer_scalars})
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}_${scalars}${extension})
      file(CONFIGURE OUTPUT ${unit} CONTENT "#define GOSSAMER_ONLY_SCALARS ${scalars}\n#include \"${file}\"\n")
      set_source_files_properties(${unit} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # they name all scalars
      target_sources(${target} PRIVATE ${unit})
    endforeach()
  endforeach()
endfunction()

# gossamer_module(NAME [SMALL_FILES] [SMALL file name] [PRECOMPILE header] [SOURCES more...]
# [LIBRARIES library...]): defines the object library gossamer_NAME of the sources in the module's folder.
# With SMALL_FILES, all of them may be compiled together (gossamer_compile_together). With SMALL, only the
# files of that name may. PRECOMPILE: a header of src/ that most of its C++ sources include.
function(gossamer_module name)
  cmake_parse_arguments(arg "SMALL_FILES" "SMALL;PRECOMPILE" "SOURCES;LIBRARIES" ${ARGN})
  gossamer_module_sources(sources ${PROJECT_SOURCE_DIR}/${gossamer_${name}_folder})
  add_library(gossamer_${name} OBJECT ${sources} ${arg_SOURCES})
  set_target_properties(gossamer_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  if(arg_SMALL_FILES OR arg_SMALL)
    gossamer_compile_together(gossamer_${name})
  endif()
  gossamer_compile_kernels_together(gossamer_${name})
  if(arg_SMALL)
    list(FILTER sources INCLUDE REGEX "/${arg_SMALL}$")
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${arg_SMALL})
    set_target_properties(gossamer_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  endif()
  target_link_libraries(gossamer_${name} PRIVATE gossamer_settings fmt::fmt-header-only ${arg_LIBRARIES})
  if(arg_PRECOMPILE)
    target_precompile_headers(gossamer_${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/src/${arg_PRECOMPILE}>)
  endif()
  set_property(GLOBAL APPEND PROPERTY gossamer_built_modules ${name})
endfunction()
