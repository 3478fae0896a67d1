# Plants one include at a time in a small tree and runs CHECK on it. Run with -D CHECK and -D WORK.
cmake_minimum_required(VERSION 3.24)
set(graph [[
set(gossamer_modules core formats plans tool)
set(gossamer_core_folder src/core)
set(gossamer_core_headers types)
set(gossamer_formats_folder src/formats)
set(gossamer_formats_uses core)
set(gossamer_plans_folder src/plans)
set(gossamer_plans_uses formats)
set(gossamer_plans_headers plan)
set(gossamer_tool_folder tool)
set(gossamer_tool_uses plans)
]])

# expect(TEXT FILE INCLUDE [ADDED_TO_GRAPH]): a tree in which FILE includes INCLUDE is reported with TEXT;
# with "" it passes.
function(expect text file include)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/graph.cmake "${graph}\n${ARGN}\n")
  file(WRITE ${WORK}/include/gossamer/types.hpp "#include <vector>\n")
  file(WRITE ${WORK}/include/gossamer/plan.hpp "#include \"gossamer/types.hpp\"\n")
  file(WRITE ${WORK}/src/core/words.hpp "#include <vector>\n#include \"gossamer/types.hpp\"\n")
  file(WRITE ${WORK}/src/formats/contract/format.hpp "#include \"core/words.hpp\"\n")
  file(WRITE ${WORK}/src/formats/csr/format.hpp "#include \"formats/contract/format.hpp\"\n#include \"fmt/format.h\"\n")
  file(WRITE ${WORK}/src/formats/papers/ell/format.hpp "#include \"formats/contract/format.hpp\"\n")
  file(WRITE ${WORK}/src/formats/all_formats.hpp
       "#include \"formats/csr/format.hpp\"\n#include \"formats/papers/ell/format.hpp\"\n")
  file(WRITE ${WORK}/src/plans/plan.hpp "#include \"formats/all_formats.hpp\"\n#include \"core/words.hpp\"\n")
  file(WRITE ${WORK}/tool/main.cpp "#include \"gossamer/plan.hpp\"\n")
  file(WRITE ${WORK}/${file} "// a planted line\n  #  include \"${include}\"  // why\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${WORK} -D MODULES=${WORK}/graph.cmake -P ${CHECK}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(text STREQUAL "")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${file} may include ${include}, but: ${output}")
    endif()
    return()
  endif()
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" at)
  if(status EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "${file} includes ${include}: wanted \"${text}\", got status ${status} and: ${output}")
  endif()
endfunction()

expect("" src/core/more.hpp core/words.hpp)
expect("" src/formats/csr/kernel.inl formats/csr/format.hpp)
expect("" src/formats/papers/ell/gpu.cu formats/papers/ell/format.hpp)
expect("" src/formats/csr/gpu.cu gossamer/types.hpp)
expect("" src/plans/deep/er.cpp formats/all_formats.hpp)
expect("" tool/more.cpp core/words.hpp)
expect("core/up.hpp includes formats/contract/format.hpp of formats: core may use only core"
       src/core/up.hpp formats/contract/format.hpp)
expect("csr/gpu.cu includes plans/plan.hpp of plans: formats may use only formats, core" src/formats/csr/gpu.cu plans/plan.hpp)
# Public headers belong to modules too, whether they include or are included.
expect("csr/gpu.cu includes gossamer/plan.hpp of plans: formats may use only" src/formats/csr/gpu.cu gossamer/plan.hpp)
expect("include/gossamer/types.hpp includes gossamer/plan.hpp of plans: core may use only core"
       include/gossamer/types.hpp gossamer/plan.hpp)
expect("includes gossamer/lost.hpp of gossamer/lost.hpp, which no module lists" src/plans/more.hpp gossamer/lost.hpp)
expect("plans/more.cpp includes formats/papers/ell/format.hpp: outside formats only formats/all_formats.hpp names a format"
       src/plans/more.cpp formats/papers/ell/format.hpp)
expect("ell/format.hpp includes formats/csr/format.hpp: a format may not use another format"
       src/formats/papers/ell/format.hpp formats/csr/format.hpp)
expect("csr/kernel.inl includes formats/papers/ell/format.hpp: a format may not use another format"
       src/formats/csr/kernel.inl formats/papers/ell/format.hpp)
expect("no include needs that tool uses formats" tool/more.cpp gossamer/types.hpp "set(gossamer_tool_uses plans formats)")
expect("include/gossamer/gone.hpp is listed, but is not there" tool/more.cpp gossamer/types.hpp
       "set(gossamer_core_headers types gone)")
file(REMOVE_RECURSE ${WORK})
