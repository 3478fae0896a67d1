# libzstd, which decompresses Zstandard files: ZstdLibrary::ZstdLibrary where it is found. Its own package
# files have other names if it is static. Installed with the package's files, as FindISAL.cmake is.
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY NAMES zstd libzstd.so.1 NAMES_PER_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZstdLibrary REQUIRED_VARS ZSTD_LIBRARY ZSTD_INCLUDE_DIR)
mark_as_advanced(ZSTD_INCLUDE_DIR ZSTD_LIBRARY)
if(ZstdLibrary_FOUND AND NOT TARGET ZstdLibrary::ZstdLibrary)
  add_library(ZstdLibrary::ZstdLibrary UNKNOWN IMPORTED)
  set_target_properties(ZstdLibrary::ZstdLibrary PROPERTIES IMPORTED_LOCATION ${ZSTD_LIBRARY}
                                                            INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR})
endif()
