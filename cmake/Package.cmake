# The Debian package (make deb): everything that `make install` installs, in one package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mindgap)
set(CPACK_PACKAGE_CONTACT "the mindgap authors <mindgap@localhost>" CACHE STRING "who made the package, with an address")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # which libraries it needs, from what the program loads
# What a C++ project that links the library needs.
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages.txt suggested REGEX "^build (lib|nlohmann)")
list(TRANSFORM suggested REPLACE "^build ([a-z0-9-]+).*" "\\1")
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
include(CPack)
