# What `cmake --install` writes: the library, its headers, and the files by which CMake and pkg-config find
# both. (The command-line tool installs itself.)
include(CMakePackageConfigHelpers)

if(UNIX AND NOT APPLE AND NOT GOSSAMER_SANITIZE)
  target_link_options(gossamer PRIVATE
    $<$<STREQUAL:$<TARGET_PROPERTY:gossamer,TYPE>,SHARED_LIBRARY>:LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/gossamer.map>)
  set_property(TARGET gossamer APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/gossamer.map)
endif()

install(TARGETS gossamer EXPORT gossamer-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What the library needs from the bundle goes with it, since the machine has no package of it.
if(gossamer_isal AND ISAL_LIBRARY MATCHES "^${GOSSAMER_BUNDLE}/" AND BUILD_SHARED_LIBS)
  install(FILES ${ISAL_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(gossamer PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
if(gossamer_zstd AND ZSTD_LIBRARY MATCHES "^${GOSSAMER_BUNDLE}/" AND BUILD_SHARED_LIBS)
  install(FILES ${ZSTD_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(gossamer PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gossamer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.f90)

# A static library leaves its dependencies to whoever links it. A program in C or Fortran also links the
# runtime library of C++.
get_target_property(gossamer_type gossamer TYPE)
set(gossamer_dependencies "")
set(gossamer_private_requires "")
set(gossamer_private_libraries "")
if(gossamer_type STREQUAL "STATIC_LIBRARY")
  set(gossamer_dependencies "find_dependency(Threads)\nfind_dependency(OpenMP COMPONENTS CXX)\nfind_dependency(ZLIB)\n")
  set(gossamer_private_requires "zlib")
  set(gossamer_private_libraries "${OpenMP_CXX_FLAGS} -pthread")
  foreach(library stdc++ c++ m)
    if(library IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
      string(APPEND gossamer_private_libraries " -l${library}")
    endif()
  endforeach()
  if(UNIX AND NOT APPLE)
    # See src/CMakeLists.txt; means nothing to a program
    string(APPEND gossamer_private_libraries " -Wl,-z,nodelete")
  endif()
  if(gossamer_isal)
    string(APPEND gossamer_dependencies "list(APPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_LIST_DIR})\nfind_dependency(ISAL)\n")
    string(APPEND gossamer_private_requires " libisal")
  endif()
  if(gossamer_zstd)
    string(APPEND gossamer_dependencies "list(APPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_LIST_DIR})\nfind_dependency(ZstdLibrary)\n")
    string(APPEND gossamer_private_requires " libzstd")
  endif()
  if(gossamer_have_cuda)
    string(APPEND gossamer_dependencies "find_dependency(CUDAToolkit)\n")
    list(GET CUDAToolkit_LIBRARY_DIR 0 cuda_library_folder)
    string(APPEND gossamer_private_libraries " -L${cuda_library_folder} -lcudart_static -ldl -lrt")
  endif()
endif()

set(gossamer_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)
install(EXPORT gossamer-targets NAMESPACE gossamer:: DESTINATION ${gossamer_package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gossamer-config.cmake.in
                              ${PROJECT_BINARY_DIR}/gossamer-config.cmake
                              INSTALL_DESTINATION ${gossamer_package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
# Before 1.0, a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gossamer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gossamer-config.cmake ${PROJECT_BINARY_DIR}/gossamer-config-version.cmake
        DESTINATION ${gossamer_package_folder})

if(gossamer_isal AND gossamer_type STREQUAL "STATIC_LIBRARY")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindISAL.cmake DESTINATION ${gossamer_package_folder})
endif()
if(gossamer_zstd AND gossamer_type STREQUAL "STATIC_LIBRARY")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindZstdLibrary.cmake DESTINATION ${gossamer_package_folder})
endif()

# Relative to where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH gossamer_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH gossamer_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH gossamer_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/gossamer.pc.in ${PROJECT_BINARY_DIR}/gossamer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gossamer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
