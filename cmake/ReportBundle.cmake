# What draws the pictures of a report: JavaScript from npm, joined into one file of the build folder; sets
# `variable` to its path. MINDGAP_REPORT_BUNDLE names a file made elsewhere, for who cannot ask npm.
set(MINDGAP_REPORT_BUNDLE "" CACHE FILEPATH
  "A bundle of vega, vega-lite and vega-embed made elsewhere; default: npm")

function(mindgap_report_bundle variable)
  if(MINDGAP_REPORT_BUNDLE)
    if(NOT EXISTS "${MINDGAP_REPORT_BUNDLE}")
      message(FATAL_ERROR "MINDGAP_REPORT_BUNDLE is '${MINDGAP_REPORT_BUNDLE}', but there is no such file")
    endif()
    get_filename_component(path "${MINDGAP_REPORT_BUNDLE}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    set(${variable} "${path}" PARENT_SCOPE)
    return()
  endif()
  find_program(MINDGAP_NODE NAMES node nodejs)
  find_program(MINDGAP_NPM npm)
  mark_as_advanced(MINDGAP_NODE MINDGAP_NPM)
  if(NOT MINDGAP_NODE OR NOT MINDGAP_NPM)
    message(FATAL_ERROR "The pictures of reports are drawn by packages from npm, and node or npm is missing. "
      "`tools/setup build` installs both (Debian: apt-get install nodejs npm); or name a bundle made "
      "elsewhere with -DMINDGAP_REPORT_BUNDLE=/path/to/bundle.js.")
  endif()
  set(from ${CMAKE_CURRENT_SOURCE_DIR}/web)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/npm)
  set(inputs ${from}/package.json ${from}/package-lock.json ${from}/.npmrc)
  # node_modules is the work of `npm ci` alone; the stamp says that it finished.
  add_custom_command(OUTPUT ${work}/installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
    COMMAND ${CMAKE_COMMAND} -E copy ${inputs} ${work}
    COMMAND ${MINDGAP_NPM} ci --ignore-scripts --omit=dev --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/installed
    DEPENDS ${inputs} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/npm VERBATIM
    COMMENT "Fetching the packages of src/mindgap/report/web from npm")
  add_custom_command(OUTPUT ${work}/bundle.js
    COMMAND ${MINDGAP_NODE} ${from}/bundle.mjs ${work}/node_modules ${work}/bundle.js
    DEPENDS ${work}/installed ${from}/bundle.mjs VERBATIM
    COMMENT "Joining the pictures' script")
  file(MAKE_DIRECTORY ${work})
  set(${variable} ${work}/bundle.js PARENT_SCOPE)
endfunction()
