include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY MINDGAP_LIBRARIES)
install(TARGETS mindgap ${libraries} EXPORT mindgapTargets)
install(DIRECTORY src/mindgap DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(MINDGAP_BUILD_APP)
  install(TARGETS mindgap_app)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mindgap)
configure_package_config_file(cmake/mindgapConfig.cmake.in mindgapConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(mindgapConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT mindgapTargets NAMESPACE mindgap:: DESTINATION ${package_dir})
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/mindgapConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mindgapConfigVersion.cmake
  cmake/Dependencies.cmake cmake/FindKLU.cmake cmake/FindRandom123.cmake
  DESTINATION ${package_dir})
