include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY MINDGAP_LIBRARIES)
install(TARGETS mindgap ${libraries} EXPORT mindgapTargets)

# What users include is mindgap/mindgap.h and what that includes, directly or not; no other header is installed.
set(public_headers "")
set(ahead mindgap/mindgap.h)
while(ahead)
  list(POP_FRONT ahead header)
  if(NOT header IN_LIST public_headers)
    list(APPEND public_headers ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} includes REGEX "^#include \"mindgap/")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND ahead ${includes})
  endif()
endwhile()
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
if(MINDGAP_BUILD_APP)
  install(TARGETS mindgap_app)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/man DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${CMAKE_BINARY_DIR}/manual/completion/mindgap
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
  install(FILES ${CMAKE_BINARY_DIR}/manual/completion/_mindgap
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions)
  install(FILES ${CMAKE_BINARY_DIR}/manual/completion/mindgap.fish
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# Notices of the libraries inside the program, where tools/sbom wrote them before.
install(DIRECTORY ${CMAKE_BINARY_DIR}/notices/ DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mindgap)
configure_package_config_file(cmake/mindgapConfig.cmake.in mindgapConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(mindgapConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT mindgapTargets NAMESPACE mindgap:: DESTINATION ${package_dir})
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/mindgapConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mindgapConfigVersion.cmake
  cmake/Dependencies.cmake cmake/FindKLU.cmake cmake/FindRandom123.cmake
  DESTINATION ${package_dir})
