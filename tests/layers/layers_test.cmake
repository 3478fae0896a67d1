# Plants one include at a time in a small tree and runs CHECK on it. Run with -D CHECK and -D WORK.
cmake_minimum_required(VERSION 3.24)
set(layers "core:|formats:core|plan:formats core")

# expect(TEXT FILE INCLUDE): a tree in which src/FILE includes INCLUDE is reported with TEXT; with "" it passes.
function(expect text file include)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/core/types.hpp "#include <vector>\n#include \"gossamer/types.hpp\"\n")
  file(WRITE ${WORK}/formats/format.hpp "#include \"core/types.hpp\"\n")
  file(WRITE ${WORK}/formats/csr/format.hpp "#include \"formats/format.hpp\"\n#include \"simd/vec.hpp\"\n")
  file(WRITE ${WORK}/formats/ell/format.hpp "#include \"formats/format.hpp\"\n")
  file(WRITE ${WORK}/plan/plan.hpp "#include \"formats/all_formats.hpp\"\n#include \"core/types.hpp\"\n")
  file(WRITE ${WORK}/${file} "// a planted line\n  #  include \"${include}\"  // why\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${WORK} -D "LAYERS=${layers}" -P ${CHECK}
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

expect("" core/more.hpp core/types.hpp)
expect("" formats/csr/kernel.inl formats/csr/format.hpp)
expect("" formats/csr/gpu.cu gossamer/types.hpp)
expect("" plan/deep/er.cpp formats/all_formats.hpp)
expect("plan/deep/er.cpp includes formats/ell/format.hpp: outside formats only formats/all_formats.hpp names a format"
       plan/deep/er.cpp formats/ell/format.hpp)
expect("core/up.hpp includes formats/format.hpp: core may use only" core/up.hpp formats/format.hpp)
expect("core/up.cpp includes plan/plan.hpp: core may use only" core/up.cpp plan/plan.hpp)
expect("formats/csr/gpu.cu includes plan/plan.hpp: formats may use only" formats/csr/gpu.cu plan/plan.hpp)
expect("formats/shared.hpp includes measure/oracle.hpp: formats may use only" formats/shared.hpp measure/oracle.hpp)
expect("formats/ell/format.hpp includes formats/csr/format.hpp: a format may not use another format"
       formats/ell/format.hpp formats/csr/format.hpp)
expect("formats/ell/kernel.inl includes formats/csr/format.hpp: a format may not use another format"
       formats/ell/kernel.inl formats/csr/format.hpp)
file(REMOVE_RECURSE ${WORK})
