# Writes into FILE which source SOURCE is, unless that stands there already: TOLD, or else what git says, or
# "unknown". Run at each build with -D SOURCE, -D FILE and -D TOLD.
cmake_minimum_required(VERSION 3.24)
set(commit "${TOLD}")
if(commit STREQUAL "")
  # Without locks: a build must not be in the way of somebody who commits meanwhile.
  execute_process(COMMAND git --no-optional-locks describe --always --exclude=* --dirty WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT "${status}" STREQUAL "0" OR "${commit}" STREQUAL "")
    set(commit unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT "inline constexpr char commit_of_source[] = \"@commit@\";\n" @ONLY)
