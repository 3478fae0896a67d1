# Sphinx reads all pages of the site and resolves their links; a warning is an error. Writes no page. Run with
# -D SOURCE -D WORK.
cmake_minimum_required(VERSION 3.24)
set(tools ${SOURCE}/build/docs/venv/bin)
find_program(doxygen doxygen)
find_program(dot dot)
if(NOT doxygen OR NOT dot OR NOT EXISTS ${tools}/sphinx-build)
  message(NOTICE "not run: Doxygen, Graphviz or Sphinx is not installed; scripts/docs installs them")
  return()
endif()

file(REMOVE_RECURSE ${WORK})
file(READ ${SOURCE}/docs/site/reference.doxyfile settings)
file(WRITE ${WORK}/Doxyfile "${settings}\nOUTPUT_DIRECTORY = ${WORK}\n")
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
foreach(command
        "${doxygen};${WORK}/Doxyfile"
        "${tools}/python;docs/site/stage.py;${WORK}/docs"
        "${tools}/sphinx-build;-q;-W;-E;-b;dummy;-c;docs/site;-D;breathe_projects.gossamer=${WORK}/xml;-d;${WORK}/doctrees;${WORK}/docs;${WORK}/out")
  execute_process(COMMAND ${command} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(result)
    message(FATAL_ERROR "${text}")
  endif()
endforeach()
