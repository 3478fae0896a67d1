# What the peers need to be built (Eigen is compiled in; the others are loaded at run time), and the archive
# of them that `scripts/bundle --peers` makes for a machine without a network.
set(GOSSAMER_EIGEN "" CACHE PATH "Folder that holds Eigen/SparseCore, where it is in no usual place")

add_library(gossamer_peers_found INTERFACE)
set(peers_archive ${GOSSAMER_BUNDLE}/peers.tar.xz)
set(peers_folder ${PROJECT_BINARY_DIR}/peers)
if(EXISTS ${peers_archive})
  if(NOT EXISTS ${peers_folder} OR ${peers_archive} IS_NEWER_THAN ${peers_folder}/unpacked)
    file(REMOVE_RECURSE ${peers_folder})
    file(ARCHIVE_EXTRACT INPUT ${peers_archive} DESTINATION ${peers_folder})
    file(TOUCH ${peers_folder}/unpacked)
  endif()
  target_compile_definitions(gossamer_peers_found INTERFACE GOSSAMER_PEERS_FOLDER="${peers_folder}/lib")
endif()

find_path(gossamer_eigen_include Eigen/SparseCore NO_CACHE PATH_SUFFIXES eigen3
          HINTS ${GOSSAMER_EIGEN} ${peers_folder}/include)
if(gossamer_eigen_include)
  target_include_directories(gossamer_peers_found SYSTEM INTERFACE ${gossamer_eigen_include})
endif()
message(STATUS "Eigen, to compare with: ${gossamer_eigen_include}")
if(gossamer_have_cuda)
  list(GET CUDAToolkit_LIBRARY_DIR 0 cuda_libraries)
  target_compile_definitions(gossamer_peers_found INTERFACE GOSSAMER_CUDA_LIBRARIES="${cuda_libraries}")
endif()
