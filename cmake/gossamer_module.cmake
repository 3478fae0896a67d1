# How modules, and what is built from their sources, are compiled.

add_library(gossamer_settings INTERFACE)
target_compile_features(gossamer_settings INTERFACE cxx_std_20)
target_include_directories(gossamer_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(gossamer_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-psabi;-Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GOSSAMER_WARNINGS_AS_ERRORS}>>:-Werror>
  # False alarms of GCC 12 and 13 inside library headers.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>
  # What a build without CUDA leaves unused.
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

# With GOSSAMER_QUICK_BUILD, sixteen files of a target are compiled as one: most of their time are headers.
# Names in their unnamed namespaces must differ then. GCC warns of what is only so because the file that it
# compiles is none of ours.
function(gossamer_compile_together target)
  if(GOSSAMER_QUICK_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # CMake 3.31 and later would do it with kernels too, whose files are long.
    get_target_property(cuda_sources ${target} SOURCES)
    list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${cuda_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# gossamer_compile_quickly(TARGET [HEADER...]): for a target that waits for the library in all that it does.
# Compiling it takes most of its time for headers of other libraries: those named are read once, and nothing
# is optimized. With -O1, some of its files take more than 6 s to compile.
function(gossamer_compile_quickly target)
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O0>)
endfunction()

# gossamer_module_sources(RESULT FOLDER): its sources, for a build with or without CUDA.
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
# from src/plans/format_unit.cpp.in. A format's folder has its name.
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

# gossamer_kernel_units(RESULT SRC FOLDER): writes source files into FOLDER for each format in SRC/formats
# that has a kernel_unit.cpp.in, since its CPU kernels take long to compile. There is one for each instruction
# set and type of values.
function(gossamer_kernel_units result src folder)
  set(instruction_sets baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND instruction_sets avx2 avx512)
  endif()
  file(GLOB_RECURSE templates CONFIGURE_DEPENDS ${src}/formats/kernel_unit.cpp.in)
  set(units "")
  foreach(template ${templates})
    cmake_path(GET template PARENT_PATH format_folder)
    cmake_path(GET format_folder FILENAME format_name)
    foreach(isa ${instruction_sets})
      foreach(value float double)
        set(unit ${folder}/${format_name}_${isa}_${value}.cpp)
        configure_file(${template} ${unit} @ONLY)
        list(APPEND units ${unit})
      endforeach()
    endforeach()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# gossamer_module(NAME [SMALL_FILES] [SMALL file name] [SOURCES more...] [LIBRARIES library...]): an object
# library of the sources in the module's folder. SMALL_FILES: all of them may be compiled together. SMALL:
# those of that name may.
function(gossamer_module name)
  cmake_parse_arguments(arg "SMALL_FILES" "SMALL" "SOURCES;LIBRARIES" ${ARGN})
  gossamer_module_sources(sources ${PROJECT_SOURCE_DIR}/${gossamer_${name}_folder})
  add_library(gossamer_${name} OBJECT ${sources} ${arg_SOURCES})
  set_target_properties(gossamer_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  if(arg_SMALL_FILES OR arg_SMALL)
    gossamer_compile_together(gossamer_${name})
  endif()
  if(arg_SMALL)
    list(FILTER sources INCLUDE REGEX "/${arg_SMALL}$")
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${arg_SMALL})
    set_target_properties(gossamer_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  endif()
  target_link_libraries(gossamer_${name} PRIVATE gossamer_settings fmt::fmt-header-only ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY gossamer_built_modules ${name})
endfunction()
