# Copies the tree, adds the format of docs/adding-a-format.md to it as the page says, builds, and runs that format's property
# tests. With NVCC, its GPU source is compiled too. The build folder stays, so that a second run compiles what changed.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/fenced_blocks.cmake)
set(tree ${WORK}/tree)
set(fresh ${WORK}/fresh)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${fresh})
foreach(part CMakeLists.txt cmake fuzz include src tests docs README.md)
  file(COPY ${SOURCE}/${part} DESTINATION ${fresh})
endforeach()
fenced_blocks(${SOURCE}/docs/adding-a-format.md ${fresh} paths)
foreach(wanted format.hpp cpu.cpp cpu_kernel.inl gpu.cu)
  if(NOT src/formats/toy/${wanted} IN_LIST paths)
    message(FATAL_ERROR "docs/adding-a-format.md has no block for src/formats/toy/${wanted}, only ${paths}")
  endif()
endforeach()

file(READ ${fresh}/src/formats/all_formats.hpp list)
string(REGEX REPLACE "(\n#include \"formats/[^\n]*\n)(\n)" "\\1#include \"formats/toy/format.hpp\"\n\\2" list "${list}")
string(REGEX REPLACE "(using all_formats =[ \n]*format_list<[^>]*)>" "\\1, toy>" list "${list}")
if(NOT list MATCHES "formats/toy/format.hpp" OR NOT list MATCHES ", toy>")
  message(FATAL_ERROR "the line for all_formats.hpp could not be added:\n${list}")
endif()
file(WRITE ${fresh}/src/formats/all_formats.hpp "${list}")

run(${CMAKE_COMMAND} -D SOURCE=${fresh} -P ${fresh}/tests/toy_format/format_pages_test.cmake)

# Built beside csr alone: nothing outside a format's folder and the list may miss the others, and they take minutes.
file(GLOB folders RELATIVE ${fresh}/src/formats ${fresh}/src/formats/*/format.hpp)
foreach(header ${folders})
  get_filename_component(name ${header} DIRECTORY)
  if(NOT name MATCHES "^(csr|toy)$")
    file(REMOVE_RECURSE ${fresh}/src/formats/${name})
    string(REPLACE "#include \"formats/${name}/format.hpp\"\n" "" list "${list}")
  endif()
endforeach()
string(REGEX REPLACE "(using all_formats =[ \n]*format_list<)[^>]*>" "\\1csr, toy>" list "${list}")
file(WRITE ${fresh}/src/formats/all_formats.hpp "${list}")

# Nor is there what stands beside or above plans and takes as long to compile.
foreach(module hybrid peers)
  file(REMOVE_RECURSE ${fresh}/src/${module})
  file(READ ${fresh}/src/CMakeLists.txt modules)
  string(REGEX REPLACE "gossamer_module\\(${module} [^\n]*\n" "" modules "${modules}")
  file(WRITE ${fresh}/src/CMakeLists.txt "${modules}")
endforeach()
file(REMOVE ${fresh}/tests/property/hybrid_test.cpp)

# Files that did not change keep their time, so that they are not compiled again.
file(GLOB_RECURSE old RELATIVE ${tree} ${tree}/*)
foreach(path ${old})
  if(NOT EXISTS ${fresh}/${path})
    file(REMOVE ${tree}/${path})
  endif()
endforeach()
file(GLOB_RECURSE new RELATIVE ${fresh} ${fresh}/*)
foreach(path ${new})
  get_filename_component(folder ${tree}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${fresh}/${path} ${tree}/${path} ONLY_IF_DIFFERENT)
endforeach()

run(${CMAKE_COMMAND} -S ${tree} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D GOSSAMER_CUDA=OFF -D GOSSAMER_TOOLS=OFF
    -D GOSSAMER_PETSC=OFF -D GOSSAMER_INSTALL=OFF -D GOSSAMER_WARNINGS_AS_ERRORS=ON -D GOSSAMER_QUICK_BUILD=ON -D GOSSAMER_BUNDLE=${BUNDLE})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2 --target test_property)
run(${WORK}/build/tests/test_property --gtest_filter=*/toy_cpu --gtest_brief=1)
string(REGEX MATCH "PASSED  . ([0-9]+) test" _ "${output}")
if("${CMAKE_MATCH_1}" STREQUAL "" OR CMAKE_MATCH_1 LESS 5)
  message(FATAL_ERROR "the toy format's property tests did not run:\n${output}")
endif()
message(STATUS "${CMAKE_MATCH_1} property tests of the toy format passed")

if(NVCC)
  run(${NVCC} -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -Werror=all-warnings -I${tree}/include -I${tree}/src
      -c ${tree}/src/formats/toy/gpu.cu -o ${WORK}/build/toy_gpu.o)
endif()
