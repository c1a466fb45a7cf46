# The Debian package (make deb): everything that `make install` installs, in one package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mindgap)
# Whoever publishes packages gives an address, as "Name <name@host>"; there is none to state here.
set(CPACK_PACKAGE_CONTACT "The mindgap developers" CACHE STRING "who made the package, with an address")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "mindgap compares plans (deploy, learn as you go, pilots of several sizes) in models sampled from
what is believed about a simulator, and recommends one. It also solves models, diagnoses
where they may be wrong, designs pilots and runs them in the field.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # which libraries it needs, from what the program loads
# What a C++ project that links the library needs.
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages.txt suggested REGEX "^build (lib|nlohmann)")
list(TRANSFORM suggested REPLACE "^build ([a-z0-9-]+).*" "\\1")
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_MINDGAP_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
