# The commands, from the one list of them, src/mindgap/command/commands.h: MINDGAP_COMMANDS is `check solve ...`.
set(mindgap_command_list ${PROJECT_SOURCE_DIR}/src/mindgap/command/commands.h)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mindgap_command_list})
file(STRINGS ${mindgap_command_list} MINDGAP_COMMANDS REGEX "^#include \"mindgap/command/")
list(TRANSFORM MINDGAP_COMMANDS REPLACE "^#include \"mindgap/command/([a-z_]+)\\.h\".*" "\\1")

# Sets `variable` to those sources of this folder that are named after a command: `check.cpp ...`, with a prefix
# `bind_check.cpp ...`. Not every folder has one for each.
function(mindgap_command_sources variable)
  set(sources "")
  foreach(command IN LISTS MINDGAP_COMMANDS)
    file(GLOB found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
      ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV1}${command}.cpp)
    list(APPEND sources ${found})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# Gives a target the header generated/<name>.h with one line `MINDGAP_LISTED(word)` a word.
function(mindgap_generated_list target name)
  list(TRANSFORM ARGN REPLACE "(.+)" "MINDGAP_LISTED(\\1)")
  list(JOIN ARGN "\n" lines)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/list/generated/${name}.h CONTENT "${lines}\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/list)
endfunction()
