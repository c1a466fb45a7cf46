# Run by CPack on the files of the Debian package: what Debian's policy asks of them, and `make install` need not do.
set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/mindgap)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

file(STRINGS ${CPACK_MINDGAP_SOURCE}/CHANGELOG.md heading REGEX "^## ${CPACK_PACKAGE_VERSION} - [0-9-]+$" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]" day "${heading}")
if(NOT day)
  message(FATAL_ERROR "CHANGELOG.md has no dated heading of ${CPACK_PACKAGE_VERSION}")
endif()
string(SUBSTRING ${day} 0 4 year)

# Debian has the text of the licence already.
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mindgap

Files: *
Copyright: ${year} The mindgap authors
License: Apache-2.0
 On Debian systems, the text of the license is in /usr/share/common-licenses/Apache-2.0.
Comment:
 NOTICES.txt, beside this file, has the licenses of the libraries whose code is in the program.
")

execute_process(COMMAND date -u -R -d ${day} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(contact "${CPACK_PACKAGE_CONTACT}")
if(NOT contact MATCHES "<.*>")
  string(APPEND contact " <>")
endif()
file(WRITE ${doc}/changelog.Debian
  "mindgap (${version}) stable; urgency=medium\n\n  * See changelog.gz.\n\n -- ${contact}  ${date}\n")
file(COPY_FILE ${CPACK_MINDGAP_SOURCE}/CHANGELOG.md ${doc}/changelog)

file(RENAME ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh/site-functions
  ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh/vendor-completions)

file(GLOB pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} ${doc}/changelog ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
