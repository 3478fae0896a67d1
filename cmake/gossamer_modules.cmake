# The modules, from the bottom up. A module may use what it lists, and whatever those use. This is the only
# statement of the graph: the build compiles these modules, cmake/check_layers.cmake checks every include
# against it, and scripts/draw-modules draws it for docs/ARCHITECTURE.md.
#
# gossamer_add_module(NAME [FOLDER folder] [USES module...] [HEADERS public header...]): FOLDER is src/NAME
# unless given. HEADERS are the headers in include/gossamer that the module implements.
set(gossamer_modules "")
macro(gossamer_add_module name)
  cmake_parse_arguments(arg "" "FOLDER" "USES;HEADERS" ${ARGN})
  list(APPEND gossamer_modules ${name})
  set(gossamer_${name}_folder src/${name})
  if(arg_FOLDER)
    set(gossamer_${name}_folder ${arg_FOLDER})
  endif()
  set(gossamer_${name}_uses ${arg_USES})
  set(gossamer_${name}_headers ${arg_HEADERS})
endmacro()

gossamer_add_module(core HEADERS error export matrix memory progress reorder resource statistics types version)
gossamer_add_module(io USES core HEADERS io)
gossamer_add_module(partition USES core HEADERS partition)
gossamer_add_module(exec USES core)
gossamer_add_module(timer USES exec HEADERS timer)
gossamer_add_module(formats USES exec HEADERS format_info)
gossamer_add_module(plans USES formats HEADERS epilogue formats plan)
gossamer_add_module(solve USES plans HEADERS linear_program solve)
gossamer_add_module(tuning USES plans timer HEADERS tune machine)
gossamer_add_module(hybrids USES tuning partition HEADERS hybrid)
gossamer_add_module(api USES hybrids io solve HEADERS gossamer)
gossamer_add_module(capi USES api)

# Outside the library.
gossamer_add_module(bench_support FOLDER bench_support USES hybrids)
gossamer_add_module(experiments FOLDER experiments)
gossamer_add_module(cli FOLDER tools/gossamer USES api bench_support experiments)
gossamer_add_module(petsc FOLDER petsc USES api)
gossamer_add_module(python FOLDER python USES capi)
