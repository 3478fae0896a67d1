# ISA-L, which inflates gzip files two to three times as fast as zlib: ISAL::ISAL where it is found. Installed
# beside the package's files, since a static libgossamer leaves it to whoever links it.
find_path(ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
# The second: without the development package
find_library(ISAL_LIBRARY NAMES isal libisal.so.2 NAMES_PER_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ISAL REQUIRED_VARS ISAL_LIBRARY ISAL_INCLUDE_DIR)
mark_as_advanced(ISAL_INCLUDE_DIR ISAL_LIBRARY)
if(ISAL_FOUND AND NOT TARGET ISAL::ISAL)
  add_library(ISAL::ISAL UNKNOWN IMPORTED)
  set_target_properties(ISAL::ISAL PROPERTIES IMPORTED_LOCATION ${ISAL_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${ISAL_INCLUDE_DIR})
endif()
