# cpp-httplib as the imported target httplib::httplib. Debian's is a shared library, and its header must be read with the
# same options as it was compiled with: pkg-config knows them.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(httplib_pc QUIET IMPORTED_TARGET cpp-httplib)
endif()
find_path(httplib_INCLUDE_DIR httplib.h)
find_library(httplib_LIBRARY cpp-httplib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(httplib REQUIRED_VARS httplib_LIBRARY httplib_INCLUDE_DIR)
if(httplib_FOUND AND NOT TARGET httplib::httplib)
  add_library(httplib::httplib UNKNOWN IMPORTED)
  set_target_properties(httplib::httplib PROPERTIES
    IMPORTED_LOCATION "${httplib_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${httplib_INCLUDE_DIR}")
  if(TARGET PkgConfig::httplib_pc)
    set(httplib_options ${httplib_pc_CFLAGS_OTHER})
  else()  # as Debian compiles it
    set(httplib_options -DCPPHTTPLIB_OPENSSL_SUPPORT -DCPPHTTPLIB_ZLIB_SUPPORT -DCPPHTTPLIB_BROTLI_SUPPORT)
  endif()
  target_compile_options(httplib::httplib INTERFACE ${httplib_options})
endif()
mark_as_advanced(httplib_INCLUDE_DIR httplib_LIBRARY)
