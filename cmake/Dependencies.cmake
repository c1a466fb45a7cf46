# Everything the library itself links; each is a Debian package (tools/packages.txt). Read by the build, where
# all that are missing are named at once, and by the installed package, where one that is not there makes
# find_package(mindgap) say so.
if(CMAKE_FIND_PACKAGE_NAME STREQUAL "mindgap")
  include(CMakeFindDependencyMacro)
  macro(mindgap_dependency debian)
    find_dependency(${ARGN})
  endmacro()
else()
  set(mindgap_missing "")
  macro(mindgap_dependency debian name)
    find_package(${name} ${ARGN} QUIET)
    if(NOT ${name}_FOUND)
      list(APPEND mindgap_missing ${debian})
    endif()
  endmacro()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
set(HDF5_PREFER_PARALLEL OFF)
mindgap_dependency(libc6-dev Threads)
mindgap_dependency(libeigen3-dev Eigen3 3.4 NO_MODULE)
mindgap_dependency(libboost-dev Boost 1.74)
mindgap_dependency(libtbb-dev TBB)
mindgap_dependency(libfmt-dev fmt)
mindgap_dependency(libtomlplusplus-dev tomlplusplus)
mindgap_dependency(libsuitesparse-dev KLU)
mindgap_dependency(libhdf5-dev HDF5 COMPONENTS C)
mindgap_dependency(nlohmann-json3-dev nlohmann_json)
mindgap_dependency(librandom123-dev Random123)
mindgap_dependency(libsqlite3-dev SQLite3 3.37)
mindgap_dependency(libssl-dev OpenSSL 3.0 COMPONENTS Crypto)

if(mindgap_missing)
  list(JOIN mindgap_missing " " mindgap_missing)
  message(FATAL_ERROR "mindgap is built from C++ libraries of the system, and some are missing (or too old). "
    "On Debian and Ubuntu, as root:\n"
    "  apt-get install ${mindgap_missing}\n"
    "or `tools/setup build` in a checkout. Elsewhere install the packages of these libraries.")
endif()
