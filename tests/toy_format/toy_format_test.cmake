# Runs the toy format's property tests and fails if fewer than 5 pass. -D TEST_EXECUTABLE: path; -D FILTER: of
# GoogleTest.
cmake_minimum_required(VERSION 3.24)
execute_process(COMMAND ${TEST_EXECUTABLE} --gtest_filter=${FILTER} --gtest_brief=1
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX MATCH "PASSED  . ([0-9]+) test" _ "${output}")
set(passed "${CMAKE_MATCH_1}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the toy format's property tests exited with status ${status}:\n${output}")
elseif(passed EQUAL 0 AND output MATCHES "SKIPPED +. [1-9]")
  message(STATUS "not run: no usable CUDA device")
elseif(passed STREQUAL "" OR passed LESS 5)
  message(FATAL_ERROR "the toy format's property tests did not run:\n${output}")
else()
  message(STATUS "${passed} property tests of the toy format passed")
endif()
